"""Cache of results, keyed by settings and by the version of the code that computed them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import pandas as pd

import core
import data
from dashboard.packs.papers import reproduce
from dashboard.packs.papers.reproduce.experiments import Plan
from data import cache as files

# The sources on which a result depends: the mathematics, the records, and the translation of figures into runs.
_ROOMS = (core, data, reproduce)


def version() -> str:
    """A hash of all sources on which results depend."""
    return _version(tuple(str(Path(room.__file__).parent) for room in _ROOMS))


@cache
def _version(folders):
    digest = hashlib.sha256()
    for folder in map(Path, folders):
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
            digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()


def read(plan: Plan) -> pd.DataFrame | None:
    """The cached rows of a plan; None if there are none for this code version."""
    arrays = files.read(_name(plan))
    # Figures that share runs may measure different columns: use the cached rows only if ours is among them.
    if arrays is None or plan.experiment.measure not in arrays:
        return None
    return pd.DataFrame(dict(arrays))


def write(plan: Plan, rows: pd.DataFrame) -> bool:
    """Store the rows of a finished plan; returns False if the folder cannot be written."""
    arrays = {name: column.to_numpy() for name, column in rows.items()}
    arrays["method"] = rows["method"].to_numpy(dtype=str)
    return files.write(_name(plan), arrays, compress=True)


def _name(plan):
    return f"figure-{plan.key(version())}"

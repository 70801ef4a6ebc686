"""Results that are kept: by settings and by the version of the code that made them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import pandas as pd

import core
import data
from dashboard import reproduce
from dashboard.reproduce.experiments import Plan
from data import cache as files

# What a result depends on: the mathematics, the records, and how figures become runs.
_ROOMS = (core, data, reproduce)


def version() -> str:
    """A hash of all sources that results depend on."""
    return _version(tuple(str(Path(room.__file__).parent) for room in _ROOMS))


@cache
def _version(folders):
    digest = hashlib.sha256()
    for folder in map(Path, folders):
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
            digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()


def read(plan: Plan) -> pd.DataFrame | None:
    """The kept rows of a plan; None if there are none from this code."""
    arrays = files.read(_name(plan))
    # Figures that share runs may keep them under another measure's name only if it is there.
    if arrays is None or plan.experiment.measure not in arrays:
        return None
    return pd.DataFrame(dict(arrays))


def write(plan: Plan, rows: pd.DataFrame) -> bool:
    """Keep the rows of a finished plan; False if the folder cannot be written."""
    arrays = {name: column.to_numpy() for name, column in rows.items()}
    arrays["method"] = rows["method"].to_numpy(dtype=str)
    return files.write(_name(plan), arrays, compress=True)


def _name(plan):
    return f"figure-{plan.key(version())}"

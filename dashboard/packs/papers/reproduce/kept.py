"""Runs that come with the app, so that the figures which a visitor sees first need none, in both conventions.

`python -m dashboard.packs.papers.reproduce.kept` runs these figures and writes `kept.json` anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.packs.papers.reproduce.experiments import CONVENTIONS, Batch, Plan, plan
from data.published import experiments

FILE = "kept.json"
_FIRST = ("Cape-Fig2b", "Lda-Fig2a", "Fact-Fig3a", "Fact-Fig4a", "Cape-Fig5a", "Cape-Fig5b", "Cape-Fig6b")
FIGURES = {"Fact-Fig2a": "full", **dict.fromkeys(_FIRST, "live")}
"""What the page, the tabs of its papers and its presets open with, and some beside; and the effort of each."""
# The conventions of [Fact] Figure 2 that are no errors: their noise is valid and could be smaller, directions in order of
# the eigenvalues' magnitude are private, too, and of the records' scale the papers say themselves that it is not.
_VALID = {"calibration": "published", "noise": "copied", "order": "magnitude"}
_VALID_RECORDS = {"published": True}
_HALFWAY = {"Fact-Fig2a": (("cape", "conventional"), 1.0)}


def read(runs: Plan) -> pd.DataFrame | None:
    """The rows of a plan; None unless they come with the app, for these very records."""
    e = runs.experiment
    if runs.effort.name != FIGURES.get(e.name) or not e.available:
        return None
    entry = _document()[e.name][runs.convention]
    rows = [
        (method, x, draw, 0, value)
        for method, draws in entry.items()
        for draw, values in enumerate(draws)
        for x, value in zip(runs.x, values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["method", "x", "draw", "repeat", e.measure])


def halfway(runs: Plan) -> tuple[float, dict[str, float]] | None:
    """x and, by method, values of a corrected figure with its errors corrected alone; None where they are not known.

    The corrected run also scales the records by public bounds, calibrates exactly, makes the noise symmetric and orders
    the directions by signed eigenvalues, which are no corrections of errors.
    """
    name = runs.experiment.name
    if runs.convention != "corrected" or runs.effort.name != FIGURES.get(name) or name not in _HALFWAY:
        return None
    return _HALFWAY[name][1], _document()[name]["errors"]


def errors_alone(name: str, *, draws: int | None = None) -> dict[str, float]:
    """Compute the values of `halfway`, as means over the first draws of the records, or over all."""
    methods, x = _HALFWAY[name]
    runs = plan(experiments.load(name), "corrected", FIGURES[name])
    found = _values(runs, [_as_valid(batch) for batch in runs.batches[:draws]], [x], methods)
    return {method: float(values.mean()) for method, values in found.items()}


def computed(
    name: str, convention: str, *, at: Iterable[float] = (), draws: int | None = None
) -> dict[str, np.ndarray]:
    """Run a figure: the values of every method, of shape (draws, x).

    Parameters
    ----------
    at : iterable of float
        Values of the axis; default: all.
    draws : int, optional
        How many draws of the records, from the first; default: all.
    """
    runs = plan(experiments.load(name), convention, FIGURES[name])
    return _values(runs, runs.batches[:draws], list(at) or list(runs.x), runs.methods)


def write(path: Path | None = None) -> None:
    """Run all figures and write the file, with six digits."""
    lines = []
    for name in FIGURES:
        entry: dict = {c: {m: _short(v) for m, v in computed(name, c).items()} for c in CONVENTIONS}
        if name in _HALFWAY:
            entry["errors"] = {m: _short(np.array(v)) for m, v in errors_alone(name).items()}
        lines.append(f"{json.dumps(name)}: {json.dumps(entry)}")
    (path or Path(__file__).with_name(FILE)).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _values(runs, batches, at, methods):
    e = runs.experiment
    tables = [runs.rows(_narrowed(batch, e.axis, at, methods).alone()) for batch in batches]
    means = pd.concat(tables).groupby(["method", "draw", "x"])[e.measure].mean()
    return {m: means[m].unstack("x").to_numpy() for m in methods}


def _narrowed(batch: Batch, axis, at, methods):
    return replace(batch, cells=tuple(c for c in batch.cells if c[axis] in at), methods=tuple(methods))


def _as_valid(batch: Batch):
    """A corrected batch with the conventions that are no errors."""
    cells = tuple({**cell, **_VALID_RECORDS} for cell in batch.cells)
    return replace(batch, cells=cells, problem=replace(batch.problem, **_VALID))


def _short(values):
    return json.loads(json.dumps(values.tolist()), parse_float=lambda text: float(f"{float(text):.6g}"))


@cache
def _document():
    return json.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))


if __name__ == "__main__":
    write()

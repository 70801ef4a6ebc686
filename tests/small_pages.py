"""Small settings of the pages that compute in runs, and curves of two points."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from dashboard.pages import LISTED


def _small(entry):
    """What an algorithm's folder says of it for tests."""
    return import_module(f"{entry.module.rpartition('.')[0]}.small").SMALL


ALGORITHMS = {entry.name: _small(entry) for entry in LISTED if entry.group == "Compare"}
SMALL = {name: dict(one.settings) for name, one in ALGORITHMS.items()}
# A search of Plan, which has no curve.
PLAN = {
    "problem": "pca",
    "data": "low_rank",
    "sites": 3,
    "samples": 30,
    "k": 2,
    "most": 24,
    "schemes": ["cape"],
}
# Where the curve has a point at the present settings, so that spot and row are one job.
HERE = {"epsilon": 1.0}


def kind_of(name):
    """The class of a page."""
    return next(entry.kind for entry in LISTED if entry.name == name)


def axes_of(name):
    """The settings along which the curve of an algorithm may run; none for other pages."""
    return getattr(kind_of(name).model_type, "axes", {})


def narrow(name, monkeypatch):
    """Give a page's curve along ε or δ two points."""
    axes = axes_of(name)
    for axis, values in {"epsilon": (0.5, 1.0), "delta": (1e-5, 1e-2)}.items():
        if axis in axes:
            monkeypatch.setitem(axes, axis, replace(axes[axis], values=values))

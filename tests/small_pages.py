"""Small settings of the pages that compute in runs, and curves of two points."""

from __future__ import annotations

from dataclasses import replace

from dashboard.pages import LISTED

SMALL = {
    "average": {"sites": 3, "samples": 40},
    "pca": {"data": "low_rank", "k": 3, "sites": 3, "samples": 40, "repeats": 2},
    "components": {"dimension": 10, "k": 2, "sites": 2, "samples": 3000, "repeats": 2, "epsilon": 10.0},
    "regression": {"dimension": 3, "sites": 2, "samples": 50, "repeats": 2},
    "network": {"sites": 2, "samples": 40, "steps": 12, "batches": 2, "hidden": 3, "repeats": 2},
    "power": {"d": 10, "iterations": 2, "restarts": 1, "components": 2, "repeats": 2},
    "topics": {
        "data": "synthetic",
        "documents": 600,
        "vocabulary": 100,
        "topics": 2,
        "sites": 2,
        "repeats": 2,
    },
}
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

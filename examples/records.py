"""What a site computes from a CSV file of its own, as a plan says, and what follows from the released average."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from core import pca
from core.noise import symmetrise
from core.parties import Plan, Statistic

_BOUNDS = {"mean": ("lower", "upper"), "second moment": ("norm",), "second moment and mean": ("norm",)}


def read(path: Path) -> np.ndarray:
    """The numbers of a CSV file with one line of names, as rows.

    Raises
    ------
    ValueError
        If the first line is a record, which would be left out.
    """
    with path.open(encoding="utf-8-sig") as file:
        names = file.readline().strip().split(",")
    if all(_is_number(name) for name in names):
        raise ValueError(
            f"the first line of {path.name} must hold the names of the columns, got numbers alone"
        )
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def statistic(plan: Plan, number: int, records: np.ndarray) -> np.ndarray:
    """The statistic that the plan asks for, from records clipped to its public bounds.

    Raises
    ------
    ValueError
        If the plan counts on another number of records, or names no bounds: its sensitivities would be wrong.
    """
    asked, count = plan.statistic, plan.sites[number].records
    if count != len(records):
        raise ValueError(f"records must be {count}, as the plan says of site {number}, got {len(records)}")
    if asked.name not in _BOUNDS:
        raise ValueError(f"name of the statistic must be one of {', '.join(_BOUNDS)}, got {asked.name!r}")
    for bound in _BOUNDS[asked.name]:
        if getattr(asked, bound) is None:
            raise ValueError(f"{bound} must be in the plan of a {asked.name}, as a public bound, got None")
    if asked.name == "mean":
        return np.clip(records, asked.lower, asked.upper).mean(axis=0).reshape(asked.shape)
    lengths = np.linalg.norm(records, axis=1, keepdims=True)
    inside = records * np.minimum(1.0, asked.norm / np.maximum(lengths, 1e-300))
    moment = inside.T @ inside / len(inside)
    if asked.name == "second moment":
        return moment
    square, linear = _scales(asked)
    return np.hstack([square * moment.ravel(), linear * inside.mean(axis=0)])


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def components(plan: Plan, released: np.ndarray, k: int) -> np.ndarray:
    """The k principal components, as rows, of a released second moment: about 0, or about the released mean."""
    if plan.statistic.name == "second moment":
        return pca.top_eigenvectors(symmetrise(released), k)[0]
    square, linear = _scales(plan.statistic)
    width = math.isqrt(released.size)
    moment = symmetrise(released[: width**2].reshape(width, width)) / square
    mean = released[width**2 :] / linear
    return pca.top_eigenvectors(moment - np.outer(mean, mean), k)[0]


def _scales(asked: Statistic) -> tuple[float, float]:
    """As `core.pca.fit_about_mean` scales both parts."""
    return math.sqrt((1 - asked.share) / 2), math.sqrt(asked.share) / 2

"""Numbers measured by the papers' authors, for comparison with ours; README.md lists their sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

import numpy as np

from data import check


@dataclass(frozen=True)
class Curve:
    """One method's published points; arrays of shape (points,), read-only.

    Attributes
    ----------
    mean, sd : ndarray
        Mean and standard deviation over the runs; NaN where there was one run.
    runs : ndarray of int
        Number of runs behind each point.
    """

    mean: np.ndarray
    sd: np.ndarray
    runs: np.ndarray

    @property
    def standard_error(self) -> np.ndarray:
        """sd/√runs, of the mean; 0 where there was one run, which has no spread to report."""
        return np.nan_to_num(self.sd) / np.sqrt(self.runs)


@dataclass(frozen=True)
class Figure:
    """One published figure.

    Attributes
    ----------
    name : str
        Paper and figure, such as "Fact-Fig2a".
    source : str
        Paper and figure in full.
    metric : str
        What the points measure.
    x_name : str
        What the x axis is.
    x : ndarray (points,)
    settings : mapping
        Under which settings the authors ran it.
    series : mapping of str to Curve
        By the name that the authors gave the method.
    caution : str
        What keeps a comparison from being exact; empty if nothing is known.
    """

    name: str
    source: str
    metric: str
    x_name: str
    x: np.ndarray
    settings: Mapping
    series: Mapping[str, Curve]
    caution: str


def figures() -> tuple[str, ...]:
    """Names of the figures that `load` knows."""
    return tuple(_entries())


@check.arguments
@cache
def load(figure: str) -> Figure:
    """The published numbers of one figure.

    Raises
    ------
    ValueError
        If there is no such figure; the message lists those there are.
    """
    entry = _entries()[check.choice("figure", figure, figures())]
    curves = {
        name: Curve(_array(curve["mean"], float), _array(curve["sd"], float), _array(curve["runs"], int))
        for name, curve in entry["series"].items()
    }
    return Figure(
        name=figure,
        source=entry["source"],
        metric=entry["metric"],
        x_name=entry["x_name"],
        x=_array(entry["x"], float),
        settings=MappingProxyType(entry["settings"]),
        series=MappingProxyType(curves),
        caution=entry.get("caution", ""),
    )


@cache
def _entries():
    return json.loads(resources.files(__name__).joinpath("figures.json").read_text(encoding="utf-8"))


def _array(values, kind):
    array = np.array([np.nan if v is None else v for v in values], dtype=kind)
    array.setflags(write=False)
    return array

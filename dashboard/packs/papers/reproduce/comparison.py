"""Comparison of results with the measured numbers of the papers: which points are reproduced."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data import published
from data.published.experiments import Experiment

ERRORS = 3.0  # Combined standard errors, or
RELATIVE = 0.03  # this share of the published value.
LOOSE = 0.1  # A tolerance above this share of the value is reported, since wrong factors would be within it.


@dataclass(frozen=True)
class Point:
    """One published point and ours.

    Attributes
    ----------
    method : str
        Name in `core`; "order" for figures of which only the order of the methods is compared.
    x : float
    published, published_error : float
        Mean and its standard error.
    ours, error : float
        Likewise.
    reproduced : bool
    """

    method: str
    x: float
    published: float
    published_error: float
    ours: float
    error: float
    reproduced: bool


def within(published: float, published_error: float, ours: float, error: float) -> bool:
    """Whether two means differ by at most 3 combined standard errors or 3 % of the published one."""
    return abs(ours - published) <= tolerance(published, published_error, error)


def tolerance(published: float, published_error: float, error: float) -> float:
    """The largest difference at which two means count as equal."""
    return max(ERRORS * math.hypot(published_error, error), RELATIVE * abs(published))


def looseness(points: Iterable[Point]) -> float:
    """The median tolerance as a share of the published value; 0 where only the order is compared."""
    shares = [
        tolerance(p.published, p.published_error, p.error) / abs(p.published)
        for p in points
        if p.method != "order" and p.published
    ]
    return float(np.median(shares)) if shares else 0.0


def summary(experiment: Experiment, rows: pd.DataFrame) -> pd.DataFrame:
    """Mean of the plotted measure, by method and x, with its standard error over draws of the records.

    Where the authors drew components only once, the error includes that of one further draw.

    Returns
    -------
    DataFrame
        Columns method, x, mean, error (NaN with a single draw), draws, runs.
    """
    by = rows.groupby(["method", "x", "draw"], sort=True)[experiment.measure].agg(["mean", "size"])
    means = by["mean"].groupby(level=["method", "x"], sort=True)
    found = pd.DataFrame({"mean": means.mean(), "error": means.std(ddof=1), "draws": means.size()})
    further = 1.0 if experiment.drawn_once else 0.0
    found["error"] *= np.sqrt(further + 1 / found["draws"])
    found["runs"] = by["size"].groupby(level=["method", "x"], sort=True).sum()
    found = found.reset_index()
    found["x"] = found["x"].astype(float)
    return found


def compare(experiment: Experiment, rows: pd.DataFrame) -> tuple[Point, ...]:
    """Every published point of a figure for which we have a point.

    On substitute records nothing is compared: different records have different numbers.
    """
    measured = experiment.name in published.figures()
    if not measured or not experiment.available or not len(rows):
        return ()
    if experiment.judged == "order":
        return tuple(_orders(experiment, rows))
    ours = summary(experiment, rows).set_index(["method", "x"])
    theirs = published.load(experiment.name)
    points = []
    for series, method in experiment.series.items():
        curve = theirs.series[series]
        for i, x in enumerate(theirs.x):
            if (method, x) in ours.index:
                mean, error = ours.loc[(method, x), ["mean", "error"]]
                numbers = float(curve.mean[i]), float(curve.standard_error[i]), mean, np.nan_to_num(error)
                points.append(Point(method, float(x), *map(float, numbers), within(*numbers)))
    return tuple(points)


def counted(points: Iterable[Point]) -> tuple[int, int]:
    """(reproduced, all)."""
    points = list(points)
    return sum(point.reproduced for point in points), len(points)


def tally(experiment: Experiment, points: Iterable[Point]) -> str:
    """The count in words: "44 of 45 points reproduced", with the tolerance if it is wide, or "order of methods …"."""
    points = list(points)
    good, total = counted(points)
    if not total:
        return ""
    if experiment.judged == "order":
        return f"order of methods kept at {good} of {total}"
    loose = looseness(points)
    wide = f" (tolerance ±{loose:.0%})" if loose > LOOSE else ""
    return f"{good} of {total} points reproduced{wide}"


def _orders(experiment, rows):
    """At every x: whether no method is better than one listed before it by more than the tolerance."""
    sign = 1 if experiment.better == "more" else -1
    means = rows.groupby(["x", "draw", "method"])[experiment.measure].mean().unstack("method")
    first = experiment.methods[:-1]
    for x, draws in means.groupby("x"):
        leads = [sign * (draws[a] - draws[b]) for a, b in zip(first, experiment.methods[1:], strict=True)]
        errors = [float(np.nan_to_num(lead.std(ddof=1))) / math.sqrt(len(lead)) for lead in leads]
        worst = min(range(len(leads)), key=lambda i: leads[i].mean() + ERRORS * errors[i])
        lead, error = float(leads[worst].mean()), errors[worst]
        better = float(draws[first[worst]].mean())
        kept = lead >= 0 or within(better, 0.0, better - sign * lead, error)
        theirs = published.load(experiment.name)
        i = int(np.argmin(np.abs(theirs.x - x)))
        names = {method: series for series, method in experiment.series.items()}
        a, b = (theirs.series[names[m]].mean[i] for m in (first[worst], experiment.methods[worst + 1]))
        yield Point("order", float(x), sign * float(a - b), 0.0, lead, error, kept)

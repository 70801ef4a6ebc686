"""What a revision changes in a figure: the curves of two methods before and after, and one point of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.packs.papers.papers.model import Plan
from dashboard.state.number_text import number_text
from data import published
from data.published.experiments import Experiment

# The methods for which the text may state the effect of the correction.
LEAD = ("cape", "configuration-1", "weak", "nonprivate")
_RIVALS = ("conventional", "configuration-2", "round", "local", "avn", "dpfm", "objpert", "configuration-e")
_LEAST = 1e-6  # Along the noise, a δ of 10⁻²⁰⁰ is as good as this one.


@dataclass(frozen=True)
class Gap:
    """Where the leading method and its rival differ most, and the means of all methods there."""

    x: float
    first: str
    rival: str
    means: pd.Series


@dataclass(frozen=True)
class Change:
    """The leading method and its rival at one point.

    Attributes
    ----------
    x : float
    moves : mapping of str to (float, float)
        Their values as published and revised, the leading method first.
    """

    x: float
    moves: Mapping[str, tuple[float, float]]


def rings(plan: Plan, points) -> list[tuple[str, float, float, bool]]:
    """Printed points (method, x, y, reproduced); all count as reproduced where nothing is compared."""
    e = plan.experiment
    if e.name not in published.figures() or not e.available:
        return []
    figure = published.load(e.name)
    missed = {(p.method, p.x) for p in points if not p.reproduced}
    return [
        (method, float(x), float(mean), (method, float(x)) not in missed)
        for series, method in e.series.items()
        for x, mean in zip(figure.x, figure.series[series].mean, strict=True)
    ]


def widest_gap(experiment: Experiment, rows: pd.DataFrame) -> Gap | None:
    """Where the leading method and its rival differ most; None if the figure has no such pair."""
    return _gap(experiment, means_of(experiment, rows))


def means_of(experiment: Experiment, rows: pd.DataFrame) -> pd.DataFrame:
    """The mean of every method, a column each, along the axis."""
    draws = rows.groupby(["x", "method", "draw"])[experiment.measure].mean()
    return draws.groupby(level=["x", "method"]).mean().unstack("method")


def change(plan: Plan, rows: pd.DataFrame) -> Change | None:
    """What a revised figure changes; None for one as published, and if nothing before it can be compared."""
    found = lines(plan, rows)
    if not found:
        return None
    before, after = next(iter(found.values()))
    shared = [x for x in before.index if x in after.index and number_text(before[x]) != number_text(after[x])]
    if not shared:
        return None
    # It is read where the published figure is; else where the relative difference is largest.
    least = _least(plan.experiment)
    x = max(shared, key=lambda v: abs(math.log(max(after[v], least) / max(before[v], least))))
    at = _gap(plan.experiment, _before(plan))
    x = at.x if at is not None and at.x in shared else x
    moves = {m: (float(was[x]), float(now[x])) for m, (was, now) in found.items() if x in was and x in now}
    return Change(float(x), moves)


def lines(plan: Plan, rows: pd.DataFrame) -> dict[str, tuple[pd.Series, pd.Series]]:
    """The curves of the leading method and its rival, before and in a revised figure; {} where they do not compare."""
    e = plan.experiment
    if plan.convention != "corrected" or e.y_published or rows.empty:  # The two draw different quantities.
        return {}
    before, after = _before(plan), means_of(e, rows)
    pair = filter(None, _pair([m for m in before if m in after]))
    return {m: (before[m].dropna(), after[m].dropna()) for m in pair}


def _before(plan):
    """The means of the run as published, else the paper's own points; no columns where there are neither."""
    if plan.other is not None:
        return means_of(plan.experiment, plan.other)
    printed = pd.DataFrame(rings(plan, ()), columns=["method", "x", "mean", "good"])
    return printed.pivot_table(index="x", columns="method", values="mean")


def _pair(methods):
    """The leading one of some methods and its rival; None for each that is not among them."""
    first = next((m for m in LEAD if m in methods), None)
    return first, next((m for m in _RIVALS if m in methods and m != first), None)


def _gap(experiment, means):
    first, rival = _pair(means.columns)
    if first in (None, "nonprivate") or rival is None:
        return None
    pair = means[[first, rival]].dropna()
    if experiment.y_log:
        pair = np.log(pair.clip(lower=_least(experiment)))
    gaps = abs(pair[first] - pair[rival])
    if gaps.empty or gaps.max() == 0:
        return None
    x = gaps.idxmax()
    return Gap(float(x), first, rival, means.loc[x])


def _least(experiment):
    return _LEAST if (experiment.measure, experiment.axis) == ("failure", "noise") else 1e-300

"""What a correction changes in a figure, at one point, and how much of that the errors make."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.pages.decide.papers.model import Plan
from dashboard.reproduce import comparison, kept
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
    """The leading method at one point, as published and corrected.

    Attributes
    ----------
    x : float
    method : str
    was, now : float
    printed : bool
        Whether the paper printed what was, or a run as published gave it.
    errors : float or None
        The value with the errors corrected alone, where that is known.
    """

    x: float
    method: str
    was: float
    now: float
    printed: bool = False
    errors: float | None = None


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
    means = comparison.summary(experiment, rows).pivot_table(index="x", columns="method", values="mean")
    first = next((m for m in LEAD if m in means and m != "nonprivate"), None)
    rival = next((m for m in _RIVALS if m in means and m != first), None)
    if first is None or rival is None:
        return None
    pair = means[[first, rival]].dropna()
    gaps = abs(pair[first] - pair[rival])
    if experiment.y_log:
        large = np.log(pair.clip(lower=_least(experiment)))
        gaps = abs(large[first] - large[rival])
    if gaps.empty or gaps.max() == 0:
        return None
    x = gaps.idxmax()
    return Gap(float(x), first, rival, means.loc[x])


def change(plan: Plan, rows: pd.DataFrame) -> Change | None:
    """The change of the leading method; None if it has none that can be written, or one convention was not run."""
    e = plan.experiment
    if e.y_published:  # The two draw different quantities.
        return None
    if plan.other is None:
        return _since_print(plan, rows)
    before, after = (pd.Series(dict(zip(x, y, strict=True))) for x, y in lines(plan, rows))
    method = _leading(plan, rows)
    shared = [x for x in before.index if x in after.index and number_text(before[x]) != number_text(after[x])]
    if not shared:
        return None
    # It is read where the published figure is; else where the relative difference is largest.
    at = widest_gap(e, _both(plan, rows)[0])
    least = _least(e)
    x = max(shared, key=lambda v: abs(math.log(max(after[v], least) / max(before[v], least))))
    x = at.x if at is not None and at.x in shared else x
    half = kept.halfway(plan.runs)
    errors = half[2] if half is not None and half[:2] == (method, x) else None
    return Change(float(x), method, float(before[x]), float(after[x]), errors=errors)


def lines(plan: Plan, rows: pd.DataFrame) -> tuple[tuple[list, list], tuple[list, list]]:
    """x and mean of the leading method as published, and corrected; empty where one convention was not run."""
    method = _leading(plan, rows)
    if method is None:
        return ([], []), ([], [])
    tables = (comparison.summary(plan.experiment, some) for some in _both(plan, rows))
    before, after = (means[means.method == method] for means in tables)
    return (list(before.x), list(before["mean"])), (list(after.x), list(after["mean"]))


def _both(plan, rows):
    return (rows, plan.other) if plan.convention == "published" else (plan.other, rows)


def _leading(plan, rows):
    if plan.other is None or rows.empty:
        return None
    return next((m for m in LEAD if m in {*rows.method} & {*plan.other.method}), None)


def _since_print(plan, rows):
    """The largest change of the leading method from the paper's own points; None if it has none here."""
    if plan.convention != "corrected" or rows.empty:
        return None
    printed = {(method, x): y for method, x, y, _ in rings(plan, ())}
    means = comparison.summary(plan.experiment, rows).set_index(["method", "x"])["mean"]
    method = next((m for m in LEAD if m in {name for name, _ in printed}), None)
    shared = [x for name, x in means.index if name == method and (method, x) in printed]
    if not shared:
        return None
    scale = (lambda y: math.log(max(y, 1e-300))) if plan.experiment.y_log else float
    x = max(shared, key=lambda v: abs(scale(printed[method, v]) - scale(means[method, v])))
    return Change(x, method, printed[method, x], float(means[method, x]), printed=True)


def _least(experiment):
    return _LEAST if (experiment.measure, experiment.axis) == ("failure", "noise") else 1e-300

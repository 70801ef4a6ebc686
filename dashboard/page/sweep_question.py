"""What a class may guess of a page's curve, and the answer."""

from __future__ import annotations

import numpy as np

from core.schemes import is_private
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_plan import SweepPlan
from dashboard.plotting.guess import Question
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import label


def question(sweep: Sweep) -> Question | None:
    """The height of the curve of CAPE, or of another private method if CAPE is not shown, at the present settings."""
    plan, method = sweep.plan, _asked_for(sweep.plan)
    if method is None or sweep.measured is None:
        return None
    here, axis = plan.here[plan.axis], sweep.curve.figure.xaxis[0].axis_label
    shown = sweep.measured(plan)
    return Question(
        f"At {axis} = {number_text(here)}, {shown.words.format(label(method))}",
        shown.low,
        shown.high,
        shown.log,
        shown.unit,
        at=here,
    )


def answer(sweep: Sweep) -> float | None:
    """The height of that curve; None before each of its points was run."""
    plan, method = sweep.plan, _asked_for(sweep.plan)
    if method is None or sweep.curve.stale or not sweep.covers(method):
        return None
    x, y = map(np.array, sweep.curve.points(method))
    at = plan.here[plan.axis]
    if plan.logarithmic:
        x, at = np.log(x), np.log(at)
    return float(np.interp(at, x, y)) if len(x) else None


def _asked_for(plan: SweepPlan | None) -> str | None:
    shown = [] if plan is None else [m for m in plan.shown if is_private(m) and m != "random"]
    return None if not shown else "cape" if "cape" in shown else shown[0]

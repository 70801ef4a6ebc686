"""A privately trained network on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

import math

import pandas as pd

from core.schemes import is_private
from dashboard.algorithms.network import drawing, guarantee
from dashboard.algorithms.network.model import AXES, MOST_STEPS, NetworkModel, Plan, fits, means
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.problems.setup import imbalance_for
from dashboard.runs.sweep_plan import compared, program
from dashboard.state.number_text import equals
from dashboard.theme.scheme_style import coloured, spoken, subject

_SAID = ("cape", "conventional", "local")
_BELOW = 0.025  # The mark of a play is so far below the best training, rounded down to a twentieth.
_ALIKE = 3  # Points of two curves, at least, before a sentence compares them.
_RECORDS = {"test": "unseen", "train": "training"}


def _headline(plan: Plan, results: Results) -> str:
    """How often the networks of the schemes are right at the step that is shown."""
    known = {m: coloured(m, drawing.value(plan, results, m), "b") for m in plan.shown if m in results.spots}
    right = {m: known[m] for m in _SAID if m in known} or known
    if not right:
        return ""
    first, *others = right
    said = f"{spoken(first)} classifies {right[first]} of {_RECORDS[plan.judged_on]} records correctly"
    said += "".join(f", {spoken(m)} {right[m]}" for m in others)
    if plan.step < plan.steps:
        said += f", after {plan.step} of {plan.steps} steps"
    return said + (", with a target for every step" if plan.budget == "step" else "")


def _needed(plan: Plan, results: Results) -> str:
    """What ε is for one step or for all, and which curves cannot be told apart."""
    epsilon = plan.settings.epsilon
    other = (
        f"One step alone has {equals('ε', plan.step_epsilon(epsilon))}, at the same δ."
        if plan.budget == "total"
        else f"All {plan.steps} steps together have <b>{equals('ε', plan.total_epsilon(epsilon))}</b>, at the same δ."
    )
    return " ".join(filter(None, (other, alike(results.means), _ahead(results))))


def alike(means: pd.DataFrame | None) -> str:
    """That the curves of CAPE and of one curator cannot be told apart, if so: one may lie above the other by chance."""
    if means is None:
        return ""
    one, other = (means[means.scheme == s].set_index("epsilon") for s in ("cape", "pooled"))
    both = one.index.intersection(other.index)
    if len(both) < _ALIKE:
        return ""
    one, other = one.loc[both], other.loc[both]
    overlap = (one.low <= other.high) & (other.low <= one.high)
    return "CAPE and pooled agree within their bands." if overlap.all() else ""


def _ahead(results):
    """Why CAPE is ahead of training without privacy, if it is."""
    last = {m: float(spot.course[-1]) for m, spot in results.spots.items()}
    if not {"cape", "nonprivate"} <= last.keys() or last["cape"] <= last["nonprivate"]:
        return ""
    if drawing.percent(last["cape"]) == drawing.percent(last["nonprivate"]):
        return ""
    return "Here the noise happens to put CAPE ahead of training without privacy."


def _reached(plan: Plan, results: Results) -> Reached | None:
    """Which schemes are right, from the step that is shown on, as often as the mark asks for."""
    spots = results.shown()
    if not spots:
        return None
    mark = math.floor(20 * (max(spot.course[-1] for spot in spots) - _BELOW)) / 20
    who = {
        subject(s.method): bool((s.course[plan.step :] >= mark).all()) for s in spots if is_private(s.method)
    }
    right = drawing.percent(mark)
    what = f"at least {right} of {_RECORDS[plan.judged_on]} records were classified correctly, and stayed so, with"
    return Reached(what, who, "step", " ", short=f"{right} right")


def _further(plan: Plan, results: Results) -> list[tuple[str, str]]:
    return [
        ("Accuracy during the training, in per cent", drawing.courses(plan, results)),
        ("Loss on the training records, one training", drawing.losses(plan, results)),
        ("ε of all steps so far", drawing.spent(plan, results)),
    ]


def _script(plan: Plan, own) -> str:
    p = plan.problem
    options = (
        f"data_settings={p.data_settings!r},\n    options={p.options!r},\n    start_seed={p.start_seed},"
    )
    return program(
        plan,
        title=f"Accuracy of a privately trained network along ε: {plan.source.title}.",
        imports="from core import network, sweep\nfrom data.catalogue.labelled import load_classes",
        problem=f"network.Problem(\n    load_classes,\n    {options}\n)",
        measure=plan.judged_on,
        factor=100,
    )


def _least(plan: Plan) -> int:
    """Records of a site: one for every batch."""
    return dict(plan.problem.options)["batches"]


_TRAINED = {
    "steps": 100,
    "hidden": 16,
    "clip": 1.0,
    "learning_rate": 2.0,
    "batches": 1,
    "calibration": "exact",
}

NETWORK = Comparison(
    name="network",
    model=NetworkModel,
    shared=compared("k", unequal=True),
    # At ε = 1 all borders but that of one site look alike.
    opens={"epsilon": 0.2, "sites": 20, "samples": 300},
    play=(0, 1, 2, 5, 10, 20, 35, 50, 70, 100, 150, 200, 300, MOST_STEPS),
    sliders=("step", "epsilon", "delta", "sites", "samples"),
    hidden=("data", "judged_on", "schemes"),
    result=Result(draw=drawing.result, about=drawing.about, fits=fits, wide=True),
    curve=Curve(
        measures={
            "test": Measure("Accuracy", "% of unseen records", (math.nan, 101)),
            "train": Measure("Accuracy on training records", "%", (math.nan, 101)),
        },
        means=means,
        judged="judged_on",
        needed=_needed,
    ),
    law=guarantee.LAW,
    headline=_headline,
    further=_further,
    reached=_reached,
    most=lambda plan: {"step": plan.steps, **imbalance_for(plan.here, least=_least(plan))},
    least=_least,
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=_script,
    presets=(
        Preset(
            "CAPE learns the better boundary",
            {"data": "moons", "budget": "total", "epsilon": 0.2, "delta": 1e-5, "sites": 20, "samples": 300}
            | _TRAINED,
        ),
        Preset(
            "A small ε in every step adds up",
            {"data": "rings", "budget": "step", "epsilon": 0.2, "delta": 1e-5, "sites": 10, "samples": 300}
            | _TRAINED
            | {"steps": 200},
        ),
        Preset(
            "The paper's Figure 2(b), as published",
            {"data": "classes", "budget": "step", "epsilon": 0.03, "delta": 1e-2, "sites": 4, "samples": 1750}
            | _TRAINED
            | {"hidden": 5, "learning_rate": 0.5, "calibration": "published"},
        ),
    ),
    code=("core.network.steps", "core.network.model.gradient"),
    equation=r"""
$$\hat y=\sigma\big(w_2^{\top}\,\mathrm{ReLU}(W_1x+b_1)+b_2\big),\qquad
\theta\leftarrow\theta-\frac{\eta}{S}\sum_{s=1}^{S}\Big(\frac1{n_s}\sum_{n}\operatorname{clip}_C(\nabla\ell_n)+e_s+g_s\Big),
\quad\sum_se_s=0$$

Each record's gradient, over all parameters at once, is clipped to norm C. Replacing one record then changes a
site's average by at most $$\Delta=2C/n_s$$. T steps compose exactly: $$\mu^2=\sum_t\mu_t^2=T\mu_1^2$$, and from μ
follow all pairs (ε, δ). With B batches a record is used in every B-th step only. No amplification by sampling is
claimed. In code: `core.network.train`; source: [Cape] section 5.1. Its program divided gradients by the batch
size twice, so only the ranking of its curves is comparable with ours.
""",
)
PAGE = comparison(NETWORK)

__all__ = ["AXES", "NETWORK", "PAGE"]

"""Regression on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

from dashboard.algorithms.regression import drawing, guarantee, text
from dashboard.algorithms.regression.model import CURATORS, Plan, RegressionModel, fits, means
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.problems.setup import absent_for, most_for
from dashboard.runs.sweep_plan import compared
from dashboard.state.html_text import plain

_MEASURES = {
    "auc": Measure("AUC", "", (0.4, 1.02)),
    "explained": Measure("R²", "", (-0.2, 1.02)),
    "error": Measure("err_w", "‖w* − ŵ‖ / d", log=True),
    "loss": Measure("Average loss", log=True),
    "excess": Measure("Lost improvement over w = 0", "% of non-private", log=True),
    "lost": Measure("Lost improvement over the mean", "% of non-private", log=True),
}


def _further(plan: Plan, results: Results) -> list[tuple[str, str]]:
    return [
        ("Figures of every mechanism", text.table(plan, results)),
        ("Coefficients", drawing.coefficients(plan, results)),
        (f"Prediction along {plain(drawing.feature(plan))}", drawing.along(plan, results)),
    ]


def _absent(plan: Plan) -> list[str]:
    absent = [] if plan.source.synthetic else ["dimension"]
    if plan.source.name != "own":
        absent += ["response", "labels", "dots"]
    elif plan.problem.load.table.parts[plan.problem.load.response].two_valued:
        absent.append("labels")  # The column leaves no choice.
    absent += absent_for(plan.source)
    absent += [] if plan.source.name == "linear" else ["noise"]
    return absent + (["repair"] if plan.settings.calibration == "published" else [])


REGRESSION = Comparison(
    name="regression",
    model=RegressionModel,
    shared=compared("k", unequal=True),
    opens={"epsilon": 1.0, "sites": 10, "samples": 1000, "repeats": 10},
    sliders=("epsilon", "delta", "sites", "samples", "dimension"),
    hidden=("data", "own_records", "axis", "measure", "schemes", "curators"),
    methods=dict.fromkeys(CURATORS, "curators"),
    play=(0.2, 0.5, 1.0, 2.0, 5.0, 10.0),  # Below ε = 0.15 every scheme predicts about the mean.
    result=Result(draw=drawing.result, about=drawing.about, fits=fits, wide=True),
    curve=Curve(
        measures=_MEASURES,
        means=means,
        judged="measure",
        needed=text.needed,
    ),
    law=guarantee.LAW,
    headline=text.headline,
    further=_further,
    reached=text.reached,
    absent=_absent,
    most=lambda plan: most_for(plan.source, plan.here),
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=text.script,
    presets=(
        Preset(
            "Five hospitals fit as well as one curator",
            {"data": "linear", "axis": "epsilon", "epsilon": 1.0, "delta": 1e-5}
            | {"sites": 5, "samples": 2000, "dimension": 20, "noise": 0.05, "repair": "shrink"}
            | {"calibration": "exact"},
        ),
        Preset(
            "442 patients are too few",
            {"data": "diabetes", "axis": "epsilon", "epsilon": 2.0, "delta": 1e-3}
            | {"sites": 4, "samples": 110, "repair": "shrink", "calibration": "exact"},
        ),
        Preset(
            "The paper's Figure 7(b), as published",
            {"data": "linear", "axis": "epsilon", "measure": "error", "epsilon": 1.0, "delta": 1e-5}
            | {"sites": 5, "samples": 4000, "dimension": 20, "noise": 0.0, "calibration": "published"}
            | {"curators": ["dpfm", "objpert"]},
        ),
    ),
    code=("core.functional.fit", "core.functional.gains", "core.functional.losses.MarginLoss"),
    equation=r"""
$$f_D(w)=\Lambda_0+\Lambda_1^{\top}w+w^{\top}\Lambda_2w,\qquad
\hat\Lambda_j=\frac1S\sum_{s=1}^{S}\big(\Lambda_j^{s}+E_j^{s}+G_j^{s}\big),\quad \sum_sE_j^s=0,\qquad
\hat w=\arg\min_{\|w\|_\infty\le B}\hat f_D(w)$$

Linear: $$\Lambda_1=-\tfrac2NX^{\top}y,\ \Lambda_2=\tfrac1NX^{\top}X$$. Logistic, by Taylor to degree two:
$$\Lambda_1=\tfrac1NX^{\top}(\tfrac12-y),\ \Lambda_2=\tfrac1{8N}X^{\top}X$$. For $$\|x\|_2\le1$$ one replaced
record changes $$\big(\Lambda_1/\Delta_1,\ \Lambda_2/\Delta_2\big)$$ together by at most $$1.25/n_s$$, with
$$\Delta_1=4,\ \Delta_2=\sqrt2$$ (linear) or $$1,\ \sqrt2/8$$ (logistic): one release, one budget. *Published*
gives each of $$\Lambda_0,\Lambda_1,\Lambda_2$$ the whole $$(\varepsilon,\delta)$$, so that the true μ is 1.5
(1.25) times larger, uses the classical τ, and minimises over the box as it is. *Shrink* divides by
$$a+\kappa^2/a$$ instead of an eigenvalue a of $$\hat\Lambda_2$$, where κ is the public noise level.
In code: `core.functional.fit`; source: [Cape] section 4 and appendix H.
""",
)
PAGE = comparison(REGRESSION)

__all__ = ["PAGE", "REGRESSION"]

"""Principal components on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

from core import pca
from core.schemes import is_private, presented
from dashboard.algorithms.pca import drawing, guarantee, text
from dashboard.algorithms.pca.model import AXES, PcaModel, Plan, fits, means
from dashboard.compare.curve import needed
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.problems.setup import absent_for, most_for
from dashboard.runs.sweep_plan import compared
from dashboard.state.html_text import plain
from dashboard.state.number_text import percent_text
from dashboard.theme.scheme_style import coloured, spoken, subject

_KEPT = {"energy": "captured energy", "variance": "explained variance"}


def _headline(plan: Plan, results: Results) -> str:
    """What the schemes keep at the present settings."""
    spots = results.spots
    kept = {
        m: f"{spoken(m)} {coloured(m, percent_text(spots[m].energy), 'b')}"
        for m in ("cape", "conventional", "local")
        if m in spots
    }
    if not kept:
        return ""
    first, *others = kept.values()
    said = f"{first.replace(' <b', ' is <b', 1)} as good as without noise ({_KEPT[plan.problem.measure]})"
    return ", ".join((said, *others))


def _needed(plan: Plan, results: Results) -> str:
    """The ε that the schemes need, once the whole curve is known."""
    known = [m for m in presented(plan.shown) if is_private(m)]
    if plan.axis != "epsilon" or not results.whole or not known or results.means is None:
        return ""
    needs = ", ".join(needed(results.points_of(m), m, text.ENOUGH) for m in known)
    return (
        f"{text.ENOUGH:g} % of the {_KEPT[plan.problem.measure]} of {plain(plan.source.title)} needs {needs}."
    )


def _further(plan: Plan, results: Results) -> list[tuple[str, str]]:
    return [
        ("Components as images", drawing.components(plan, results)),
        ("Spectrum of the released second moment", drawing.spectrum(results)),
        ("Errors and numbers sent", text.table(results.shown(), plan)),
    ]


def _reached(plan: Plan, results: Results) -> Reached | None:
    spots = {m: s for m, s in results.spots.items() if m in presented(plan.shown) and is_private(m)}
    who = {subject(m): 100 * round(spots[m].energy, 3) >= text.ENOUGH for m in presented(spots)}
    kept = f"{text.ENOUGH:g}\u00a0% kept"
    return Reached(f"at least {kept.replace(' kept', '')} was kept by", who, short=kept)


def _absent(plan: Plan) -> list[str]:
    absent = ["dpdispca"] if plan.problem.measure == "variance" else ["share"]
    absent += ["judged"] if plan.settings.calibration == "published" else []
    return absent + absent_for(plan.source)


PCA = Comparison(
    name="pca",
    model=PcaModel,
    shared=compared(unequal=True),
    # Forty small sites: the schemes part in captured energy.
    opens={"epsilon": 2.0, "k": 16, "sites": 40, "repeats": 12},
    sliders=("epsilon", "delta", "sites", "samples", "k"),
    hidden=("data", "own_records", "axis", "judged", "schemes", "dpdispca"),
    methods={"dpdispca": "dpdispca"},
    play=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    result=Result(draw=drawing.result, about=drawing.about, fits=fits),
    curve=Curve(
        measures={
            "energy": Measure("Captured energy", "% of non-private", (0, 104), relative=True),
            "variance": Measure("Explained variance", "% of non-private", (0, 104), relative=True),
        },
        means=means,
        needed=_needed,
    ),
    law=guarantee.LAW,
    headline=_headline,
    further=_further,
    reached=_reached,
    absent=_absent,
    most=lambda plan: most_for(plan.source, plan.here),
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=text.script,
    presets=(
        Preset(
            "Digits fade as ε falls",
            {"data": "digits", "axis": "epsilon", "epsilon": 0.5, "delta": 1e-5, "sites": 5, "k": 16}
            | {"samples": 1000, "calibration": "exact"},
        ),
        Preset(
            "Fifty small sites need CAPE",
            {"data": "low_rank", "axis": "sites", "epsilon": 1.0, "delta": 1e-5, "sites": 20, "k": 50}
            | {"samples": 500, "calibration": "exact", "repeats": 4},
        ),
        Preset(
            "The paper's Figure 2(a), as published",
            {"data": "low_rank", "axis": "epsilon", "epsilon": 1.0, "delta": 1e-2, "sites": 10, "k": 50}
            | {"samples": 1000, "calibration": "published", "repeats": 4, "dpdispca": True},
        ),
    ),
    code=("core.pca.fit", "core.pca.fit_about_mean", "core.pca.sensitivity", "core.pca.captured_energy"),
    equation=r"""
$$A_s=\frac{1}{n_s}X_s^{\top}X_s,\qquad \hat A=\frac1S\sum_{s=1}^{S}\big(A_s+E_s+G_s\big),\quad
\sum_s E_s=0,\qquad \hat V=\text{top-}k(\hat A),\qquad
q=\frac{\operatorname{tr}(\hat V^{\top}A\hat V)}{\operatorname{tr}(V^{\top}AV)}$$

With $$\|x\|_2\le 1$$ replacing one record changes $$A_s$$ by at most $$\Delta=\sqrt2/n_s$$ in Frobenius norm,
and the noise of a message has standard deviation $$\tau=\Delta/\mu(\varepsilon,\delta)$$ on every entry;
averaging it with its transpose afterwards has no privacy cost. *Published* takes $$\Delta=1/n_s$$, the classical τ,
a mirrored triangle of noise, the largest *absolute* eigenvalues, and scales records by their own largest norm.

*Explained variance* is judged by the covariance $$C=A-mm^{\top}$$ in place of A. Each site then sends the mean $$m_s$$
of its records with $$A_s$$, as one release, with a share t of the budget for the mean: at t = 0.1 its joint sensitivity is
0.975 of what two releases would need, and $$\hat V=\text{top-}k(\hat A-\hat m\hat m^{\top})$$.
In code: `core.pca.fit`, `core.pca.fit_about_mean`; source: [Fact] Algorithm 2.
""",
)
PAGE = comparison(PCA)

__all__ = ["AXES", "PAGE", "PCA", "pca"]

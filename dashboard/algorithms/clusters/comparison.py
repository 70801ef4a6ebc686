"""Clusters and single topics on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

from dashboard.algorithms.clusters import drawing, guarantee, text
from dashboard.algorithms.clusters.model import ClustersModel, Plan, fits, means
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.problems.setup import absent_for
from dashboard.runs.sweep_plan import compared


def _further(plan: Plan, results: Results) -> list[tuple[str, str]]:
    return [
        ("Errors and numbers sent", drawing.numbers(plan, results.shown())),
        ("Spectrum of the released second moment", drawing.spectrum(results)),
    ]


def _reached(plan: Plan, results: Results) -> Reached | None:
    found = text.all_found(plan, results)
    many = plan.settings.repeats
    where = f"in all {many} releases" if many > 1 else "in the release"
    return Reached(f"all centres were found {where} by", found, short="all found") if found else None


def _absent(plan: Plan) -> list[str]:
    if plan.own is None:
        return ["deviation", *(["length"] if plan.here["model"] == "gaussians" else [])]
    return ["dimension", "length", *absent_for(plan.source)]


CLUSTERS = Comparison(
    name="components",
    model=ClustersModel,
    shared=compared(unequal=True),
    # Fifty small sites: CAPE finds all three centres of these records in five of five releases, the conventional scheme
    # two on average, and one site 0.8. The drawn release is typical: 3, 2 and 0.
    opens={"k": 3, "sites": 50, "samples": 1000, "epsilon": 0.5, "repeats": 5, "data_seed": 8},
    sliders=("epsilon", "delta", "sites", "samples", "k"),
    hidden=("model", "own_records", "axis", "measure", "schemes", "avn", "random"),
    methods={"avn": "avn", "random": "random"},
    records="model",
    # From two centres of CAPE's to all of every scheme but one.
    play=(0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
    result=Result(draw=drawing.result, about=drawing.about, fits=fits, wide=True),
    curve=Curve(
        measures={
            "matched": Measure("Recovery error", "distance to the true one", (0, 1.5)),
            "error": Measure("q_comp", "distance to the nearest true one", (0, 1.5)),
            "weights": Measure("Error of the mixing weights", "", (0, 1)),
        },
        means=means,
        judged="measure",
        needed=text.below,
    ),
    law=guarantee.LAW,
    headline=text.headline,
    further=_further,
    reached=_reached,
    absent=_absent,
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=text.script,
    presets=(
        Preset(
            "Clusters are lost as ε falls",
            {"model": "gaussians", "dimension": 20, "axis": "epsilon", "measure": "matched", "epsilon": 0.1}
            | {"delta": 1e-5, "sites": 50, "samples": 1000, "k": 3, "share": 0.5, "calibration": "exact"}
            | {"repeats": 5},
        ),
        Preset(
            "Both noisy steps need their share of ε",
            {"model": "gaussians", "dimension": 10, "axis": "share", "measure": "matched", "epsilon": 1.0}
            | {"delta": 1e-5, "sites": 5, "samples": 5000, "k": 3, "share": 0.5, "calibration": "exact"}
            | {"repeats": 8},
        ),
        Preset(
            "The paper's Figure 4(c), as published",
            {"model": "topics", "dimension": 50, "length": 3, "axis": "epsilon", "measure": "error"}
            | {"epsilon": 1.0, "delta": 1e-2, "sites": 5, "samples": 20_000, "k": 10, "share": 0.5}
            | {"calibration": "published", "repeats": 6},
        ),
    ),
    code=("core.decomposition.fit", "core.moments.whitening.whiten"),
    equation=r"""
$$M_2=\sum_{i=1}^{k}w_i\,a_ia_i^{\top},\qquad M_3=\sum_{i=1}^{k}w_i\,a_i\otimes a_i\otimes a_i,\qquad
W^{\top}\hat M_2W=I,\qquad \hat T=\hat M_3(W,W,W)=\sum_i w_i^{-1/2}\,v_i\otimes v_i\otimes v_i+\text{noise}$$

One topic a document: $$M_2=\mathbb E[t_1t_2^{\top}]$$, $$M_3=\mathbb E[t_1\otimes t_2\otimes t_3]$$ over its words,
averaged over their order. Replacing a document changes each by at most $$\Delta=\sqrt2/n_s$$. Gaussians of variance
σ² subtract $$\sigma^2I$$, and $$\sigma^2\sum_d(\mathbb E t\otimes e_d\otimes e_d+\cdots)$$:
$$\Delta_2=\sqrt2/n_s$$, $$\Delta_3=\tfrac2{n_s}\sqrt{1-6\sigma^2+(3d+6)\sigma^4}$$. Both releases go through the
scheme, $$\mu^2=\mu_2^2+\mu_3^2$$, and the tensor's noise is drawn after whitening by $$W$$: $$k^3$$ numbers, never $$d^3$$.
*Published* halves ε and δ, mirrors a triangle of noise, and uses singular values as eigenvalues and one random start.
In code: `core.decomposition.fit`; source: [Fact] Algorithm 3 and appendix E.
""",
)
PAGE = comparison(CLUSTERS)

__all__ = ["CLUSTERS", "PAGE"]

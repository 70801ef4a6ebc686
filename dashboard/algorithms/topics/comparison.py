"""Topics in documents on *Compare*: settings, measures, presets, and which functions compute, draw and explain."""

from __future__ import annotations

from dashboard.algorithms.topics import guarantee, text, words
from dashboard.algorithms.topics.model import (
    CURATOR,
    Plan,
    TopicsModel,
    at_sites,
    fits,
    means,
)
from dashboard.algorithms.topics.own_text import OwnDocuments
from dashboard.compare.sheet import comparison
from dashboard.compare.spec import Comparison, Curve, Measure, Result
from dashboard.compare.store import Results
from dashboard.page.lesson import Preset
from dashboard.runs.sweep_plan import compared

_MEASURES = {
    "found": Measure("Topics found", "", (0, float("nan"))),
    "error": Measure("Recovery error", "ℓ1 distance, 0 to 2", (0, float("nan"))),
    "overlap": Measure("Top words right", "share", (0, 1.04)),
    "mass": Measure("Topic mass right", "share", (0, 1.04)),
    "perplexity": Measure("Held-out perplexity", "lower is better", log=True),
}


def _absent(plan: Plan) -> list[str]:
    absent = [] if plan.source.synthetic else ["documents", "data_seed"]
    absent += ["data"] if plan.source.name == "own" else []
    return absent + ([] if at_sites(plan) else ["sites", "adversary", "colluding", "dropouts"])


def _further(plan: Plan, results: Results) -> list[tuple[str, str]]:
    return [
        ("All ten words", words.words_table(plan, results, count=words.WORDS)),
        ("Where one curator adds the noise", text.configurations(plan, results)),
    ]


TOPICS = Comparison(
    name="topics",
    model=TopicsModel,
    shared=compared("samples", "k"),
    # Of the notes, CAPE finds the topics from ε = 0.2 on, the conventional scheme from 1 on, one site alone at 5.
    opens={"epsilon": 0.2, "sites": 20, "repeats": 6},
    play=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
    sliders=("epsilon", "delta", "sites", "documents", "topics"),
    hidden=("data", "measure", "compare", "configurations", "cut", "schemes"),
    methods=dict.fromkeys(CURATOR, "configurations"),
    result=Result(draw=words.words_table, about=words.about, fits=fits, wide=True),
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
    guarantee=guarantee.guarantee,
    unprotected=guarantee.unprotected,
    script=text.script,
    above=OwnDocuments,
    presets=(
        Preset(
            "Real texts: help of Python programs",
            {"data": "docstrings", "compare": "schemes", "epsilon": 2.0, "delta": 1e-5, "sites": 20}
            | {"topics": 5, "vocabulary": 200, "alpha0": 0.1, "measure": "found", "repeats": 6},
        ),
        Preset(
            "Where to add the noise",
            {"data": "synthetic", "compare": "configurations", "epsilon": 1.0, "delta": 1e-6, "repeats": 3}
            | {"topics": 5, "vocabulary": 200, "documents": 10_000, "alpha0": 0.1, "measure": "error"},
        ),
        Preset(
            "Mixed topics are hard to separate",
            {
                "data": "synthetic",
                "compare": "schemes",
                "epsilon": 3.0,
                "delta": 1e-6,
                "sites": 5,
                "repeats": 5,
            }
            | {"topics": 5, "vocabulary": 200, "documents": 10_000, "alpha0": 5.0, "measure": "error"},
        ),
    ),
    code=("core.topics.configuration_e.fit", "core.topics.fit"),
    equation=r"""
$$E_r=\frac1N\sum_p w_{r,p}D_{r,p},\qquad w_{r,p}=\min\!\Big(1,\frac{B_r}{\|D_{r,p}\|_F}\Big),\quad
B_1=\frac{\varphi}{\sqrt L},\; B_2=\frac{\varphi}{\sqrt{L(L-1)}}$$

$$M_2=E_2-\tfrac{\alpha_0}{\alpha_0+1}E_1\!\otimes\!E_1=\sum_i\tfrac{\alpha_i}{\alpha_0(\alpha_0+1)}\mu_i\!\otimes\!\mu_i,
\qquad W^{\top}\hat M_2W=I,\qquad T=M_3(W,W,W)$$

$$D_1=\frac cl,\quad D_2=\frac{cc^{\top}-\operatorname{diag}c}{l(l-1)}$$ for a document with counts $$c$$ and $$l$$ words.
Replacing a document changes $$E_r$$ by at most $$\sqrt2B_r/N$$ and the clipped third moment by $$2C/N$$; Gaussian
noise on the weights, $$E_1$$, $$E_2$$ and $$T$$ adds up to $$\mu^2=\sum\mu_i^2$$ exactly. The decomposition
$$T=\sum\lambda_iv_i^{\otimes3}$$ gives each topic's direction $$(W^{\top})^{\dagger}v_i$$, and its entries sum to one.
In code: `core.topics.fit`; sources: [Lda], and our configuration E.
""",
)
PAGE = comparison(TOPICS)

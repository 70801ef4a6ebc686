"""Findings about δ(ε): [Cape] Theorem 1 and Figures 5 and 6."""

from __future__ import annotations

import numpy as np

from core import cape
from core.findings.finding import Curve, Shown, finding

_SETTING = {"samples": 100, "sites": 10, "colluding": 3}
_EPSILON = 1e-3


def _along_tau():
    taus = np.geomspace(5, 150, 80)
    lines = {
        "Theorem 1": cape.delta(_EPSILON, tau=taus, form="theorem", **_SETTING),
        "exact": cape.delta(_EPSILON, tau=taus, **_SETTING),
    }
    return Curve("message noise τ", "δ", taus, lines, (True, True))


def _at(tau):
    return (float(cape.delta(_EPSILON, tau=tau, form=form, **_SETTING)) for form in ("theorem", "exact"))


@finding(
    key="delta-tail",
    papers=("Cape",),
    place="[Cape] Theorem 1, where δ is small",
    kind="overstated",
    plain="Where δ is small, the true δ is many times larger than the formula says",
    title="In the tail, the δ of Theorem 1 is too small by orders of magnitude",
    says="δ = 2 (σ_z/(ε−μ_z)) φ((ε−μ_z)/σ_z).",
    true="The too small σ_z² of equation (5) enters the exponent. The exact δ of the Gaussian mechanism "
    "with the right μ is larger there. That CAPE's δ is below the conventional scheme's at the same "
    "noise stays true, exactly, as long as two sites are honest.",
    changes="At S = 10, S_C = 3, ε = 0.001, τ = 100 δ is {correct}, not {published}: {ratio} times as large.",
    ours=("core.cape.delta",),
)
def delta_tail(rng):
    return Shown(*_at(100.0), "δ at ε = 0.001, τ = 100", ("Theorem 1", "exact"), _along_tau())


@finding(
    key="delta-loose",
    papers=("Cape",),
    place="[Cape] Theorem 1, where δ is large",
    kind="valid",
    plain="Where δ is large, the bound is loose: much less noise gives the same guarantee",
    title="Near δ = 1 the bound of Theorem 1 is loose",
    says="δ is bounded by the probability that the privacy loss exceeds ε in size.",
    true="(ε, δ) privacy requires less: δ is by how much the probability of an event *exceeds* e^ε times that without "
    "the record. The analytic Gaussian δ(ε) is smaller by orders of magnitude where noise is weak, so much smaller "
    "noise gives the same guarantee.",
    changes="At τ = 10 the guarantee is δ = {correct}, where Theorem 1 gives {published}.",
    ours=("core.privacy.gdp_delta", "core.cape.delta"),
)
def delta_loose(rng):
    return Shown(*_at(10.0), "δ at ε = 0.001, τ = 10", ("Theorem 1", "exact"), _along_tau())


@finding(
    key="plotted-delta",
    papers=("Cape",),
    place="[Cape] Figures 5 and 6",
    kind="overstated",
    plain="A figure suggests that collusion protects; in truth every colluder makes it worse",
    title="The plotted δ falls as more sites collude",
    says="Figure 6 draws δ against the share of colluding sites; the curve drawn is 2Q((ε−μ_z)/σ_z) with a "
    "variance that is not that of equation (5).",
    true="That variance first falls with S_C, as if colluders protected the honest sites, until about a third of the "
    "sites collude. The exact δ rises with every colluder.",
    changes="Of 30 sites the plotted δ is least at {published} colluders, the exact one at {correct}.",
    ours=("core.cape.delta",),
)
def plotted_delta(rng):
    colluding = np.arange(29)
    deltas = {
        name: cape.delta(0.01, tau=5.0, samples=100, sites=30, colluding=colluding, form=form)
        for name, form in (("plotted", "plotted"), ("exact", "exact"))
    }
    curve = Curve("colluding sites of 30", "δ", colluding, deltas, (False, True))
    least = (float(colluding[d.argmin()]) for d in deltas.values())
    return Shown(*least, "number of colluders at which δ is least, S = 30", ("plotted", "exact"), curve)


@finding(
    key="conventional-delta",
    papers=("Cape",),
    place="[Cape] appendix B, δ_conv in Figures 5 and 6",
    kind="understated",
    plain="The conventional scheme's δ is cruder than CAPE's, so CAPE's advantage looks too large",
    title="The conventional scheme's δ comes from a cruder formula than CAPE's",
    says="At the pooled noise the conventional scheme has δ_conv = 1.25 exp(−(τ ε n_s)²/(2S)), to be "
    "compared with CAPE's.",
    true="This inverts the classical formula outside its range and can exceed 1. Both schemes are Gaussian, "
    "so both have an exact δ. In an equal comparison CAPE is still better, by less than the figures show.",
    changes="At τ = 10, S = 10, ε = 0.001 the conventional δ is {correct}, not {published}.",
    ours=("core.cape.conventional_delta",),
)
def conventional_delta(rng):
    options = {"samples": _SETTING["samples"], "sites": _SETTING["sites"]}
    taus = np.geomspace(5, 150, 80)
    forms = {"published": "published", "exact": "exact"}
    lines = {k: cape.conventional_delta(_EPSILON, tau=taus, form=f, **options) for k, f in forms.items()}
    lines["exact, CAPE"] = cape.delta(_EPSILON, tau=taus, **_SETTING)
    at = (float(cape.conventional_delta(_EPSILON, tau=10.0, form=f, **options)) for f in forms)
    curve = Curve("message noise τ", "δ", taus, lines, (True, True))
    return Shown(*at, "δ of the conventional scheme at ε = 0.001, τ = 10", ("published", "exact"), curve)

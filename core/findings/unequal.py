"""Findings about sites of unequal size. [Cape] Remark 3 and Proposition 2, [Fact] section III-A."""

from __future__ import annotations

import math

import numpy as np

from core import cape
from core.findings.finding import Shown, finding
from core.privacy import Privacy, gaussian_mu, gdp_delta

_UNEQUAL = np.array([10, 20, 270])
_TARGET = Privacy(1.0, 1e-5)


@finding(
    key="equal-weights",
    papers=("Cape",),
    place="[Cape] Remark 3 and Proposition 2",
    kind="overstated",
    plain="If sites differ in size, readers of the average can learn more than the target allows",
    title="With equal weights and unequal sizes the public average protects less than a message",
    says="For unequal sizes the average of the messages has variance Σ τ_s²/S³; H(n) compares it with the "
    "pooled one.",
    true="The smallest site's record moves the average by Δ_s/S, and its noise τ_s was chosen for Δ_s. If "
    "sizes differ, Σ τ_s²/S³ is below (τ_s/S)², so every reader of the result learns more "
    "than the aggregator may learn from the message. Weights n_s/N, which the remark discusses "
    "next, or a target of max w_s τ_s meet the privacy target.",
    changes="For sizes 10, 20, 270 and (1, 10⁻⁵), with the paper's own noise, the public average has δ = "
    "{correct} at ε = 1 instead of {published}.",
    ours=("core.schemes.noise_design.design", "core.cape.excess"),
)
def equal_weights(rng):
    mu = gaussian_mu(_TARGET, calibration="published")
    changes = 1 / _UNEQUAL
    std = changes / mu
    average = math.sqrt((std**2).sum() / len(std) ** 3)
    public = (changes / len(std)).max() / average
    delta = float(gdp_delta(_TARGET.epsilon, public))
    return Shown(_TARGET.delta, delta, "δ at ε = 1 for the smallest site", ("target", "true value"))


@finding(
    key="unequal-noise",
    papers=("Cape",),
    place="[Cape] Algorithms 1 and 2, equation (2), with τ_s that differ",
    kind="overstated",
    plain="If sites need different noise, the noisiest site's message gets too little",
    title="With unequal τ_s the noisiest site's message has too little noise",
    says="ê_s ~ N(0, τ_s²) and e_s = ê_s − Σ ê/S give e_s the variance (1 − 1/S) τ_s².",
    true="For equal τ_s. In general Var e_s = (1 − 2/S) τ_s² + Σ τ²/S²: more than required at sites with little noise, "
    "and less at the noisiest, whose privacy loss is then larger than its target. The theorem "
    "is stated for equal τ_s, but its notation τ_s suggests unequal ones.",
    changes="For sizes 10, 20, 270 the message of the smallest site has {correct} of the noise standard "
    "deviation it needs ({published}).",
    ours=("core.schemes.noise_design.design", "core.schemes.noise_design.NoiseDesign.seeds"),
)
def unequal_noise(rng):
    tau = 1 / _UNEQUAL
    sites = len(tau)
    forms = (np.eye(sites) - 1 / sites) * tau  # e in terms of independent ê/τ
    sent = np.sqrt((forms**2).sum(axis=1) + tau**2 / sites)
    return Shown(1.0, float(sent[0] / tau[0]), "noise of the smallest site's message / τ", ("needed", "sent"))


@finding(
    key="weighted-form",
    papers=("Fact",),
    place="[Fact] section III-A and appendix A",
    kind="accuracy",
    plain="From four equal sites on, a printed formula for the noise has no solution",
    title="The closed form for unequal sites has no solution from four equal sites on",
    says="Noise variances for weighted averages and unequal privacy targets are given in closed form, which for "
    "weights N_s/N is the equal-site scheme again.",
    true="In that form the last site cancels all the others. For equal sites its own noise would need the "
    "variance (3 − S) τ²/2, negative from S = 4 on. Contributions ê_s from *every* site with the right "
    "variances solve the same problem whenever a solution exists, and give [Cape]'s scheme for "
    "equal sites.",
    changes="At S = 10 equal sites the least noise of the average is {published} of a message's noise with the closed form, "
    "and {correct} with the other solution, as the scheme states.",
    ours=("core.schemes.noise_design.design", "core.schemes.noise_design.published_design"),
)
def weighted_form(rng):
    try:
        nearest = cape.published_design(np.ones(10)).target
    except cape.UnreachableTarget as error:
        nearest = cape.published_design(np.ones(10), target=error.nearest).target
    exact = cape.design(np.ones(10)).average_std()
    return Shown(
        nearest, exact, "least noise of the average, in messages' noise", ("closed form", "all sites")
    )


@finding(
    key="convex-sensitivity",
    papers=("Cape",),
    place="[Cape] Proposition 2, first case",
    kind="accuracy",
    plain="Unequal sites cost accuracy in a case where the paper says that they do not",
    title="A convex sensitivity does not remove the cost of unequal sizes",
    says="If Δ(N) is convex and Δ(N/S) = S Δ(N), CAPE has H(n) = 1: the pooled noise.",
    true="The proof finds the *least* value of Σ Δ²(N_s) over sizes with sum N, which is at equal sizes, "
    "and shows H = 1 there. For other sizes H is larger: Δ = 1/N meets both conditions at every N and "
    "S. The second case of the proposition states what is needed.",
    changes="For the mean of sizes 10, 20, 270 H is {correct}, not {published}.",
    ours=("core.cape.excess",),
)
def convex_sensitivity(rng):
    return Shown(1.0, cape.excess(_UNEQUAL), "H(n), variance over the pooled one", ("Proposition 2", "H(n)"))

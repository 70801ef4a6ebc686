"""Findings about how far one document moves the moments of LDA, and the noise made for it. [Lda] Theorem 4, appendix H."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp

from core.findings.finding import Curve, Shown, finding
from core.moments import lda
from core.privacy import Privacy, gaussian_mu, gdp_delta


def _largest(documents, kinds, alpha0, order, norm):
    """Largest N-fold change of a moment over corpora of a few kinds, one document replaced."""
    size = len(kinds[0])
    result = {}
    for chosen in itertools.combinations_with_replacement(range(len(kinds)), documents):
        counts = lda.documents(sp.csr_array(np.array([kinds[i] for i in chosen], dtype=float)))
        result[chosen] = (
            lda.unbiased_second(counts, alpha0) @ np.eye(size)
            if order == 2
            else lda.unbiased_third(counts, np.eye(size), alpha0)
        )
    return documents * max(
        norm(result[tuple(sorted((*rest, i)))] - result[tuple(sorted((*rest, j)))])
        for rest in itertools.combinations_with_replacement(range(len(kinds)), documents - 1)
        for i, j in itertools.combinations(range(len(kinds)), 2)
    )


_PURE = [[3, 0, 0, 0], [0, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 3]]
_MIXED = [*_PURE, [1, 1, 1, 0]]


@finding(
    key="global-sensitivity",
    papers=("Lda",),
    place="[Lda] Theorem 4 against appendix H.1 and H.2",
    kind="overstated",
    plain="One document can change the counts of words more than a theorem says",
    title="The sensitivities of M2 and M3 depend on α₀",
    says="Both are at most 2/N.",
    true="The paper's appendix derives 2 + 4α₀/(α₀+1) and more, divided by N. In the Frobenius norm, which Gaussian "
    "noise protects, the exact values are √(2+4a²) for M2 and √(2+6b²+6(c−b)²) for M3: above 2 from "
    "moderate α₀ on, up to √14 for M3.",
    changes="At α₀ = 30 one of five documents moves N·M3 by {correct}, not {published}.",
    ours=("core.moments.lda.second_sensitivity", "core.moments.lda.third_sensitivity"),
)
def global_sensitivity(rng):
    alphas = np.geomspace(0.01, 1000, 60)
    lines = {
        "Theorem 4": np.full(len(alphas), 2.0),
        "M2": np.array([float(lda.second_sensitivity(a)) for a in alphas]),
        "M3": np.array([lda.third_sensitivity(a) for a in alphas]),
    }
    curve = Curve("α₀", "N Δ", alphas, lines, (True, False))
    seen = _largest(5, _PURE, 30.0, 3, np.linalg.norm)
    return Shown(
        lda.third_sensitivity(30.0, form="published"), float(seen), "N Δ3", ("Theorem 4", "seen"), curve
    )


@finding(
    key="l1-third",
    papers=("Lda",),
    place="[Lda] appendix H.2",
    kind="overstated",
    plain="The noise for a guarantee without δ is made for a smaller change than one document can cause",
    title="The l1 bound for M3 counts one of three placements",
    says="The l1 sensitivity of M3 is (2 + 4b + 6c (N−1)/(N−2))/N.",
    true="B1, B2 and B3 each change by up to 4b/N: 2 + 12b + 6c bounds the change. It matters for the "
    "pure-ε version of configuration 1, whose Laplace noise is scaled to it.",
    changes="At α₀ = 0.1 one of five documents moves N·M3 by {correct} in l1, more than {published}.",
    ours=("core.moments.lda.third_sensitivity", "core.topics.configurations.fit"),
)
def l1_third(rng):
    alpha0 = 0.1
    seen = _largest(5, _MIXED, alpha0, 3, lambda t: np.abs(t).sum())
    return Shown(
        lda.third_sensitivity(alpha0, form="published-l1", documents=5),
        float(seen),
        "N Δ3 in l1",
        ("appendix H.2", "seen"),
    )


@finding(
    key="least-documents",
    papers=("Lda",),
    place="[Lda] Lemma 21, the unbiased M3 for very few documents",
    kind="overstated",
    plain="With three documents a formula gives too little noise; this app asks for five",
    title="With three documents the sensitivity of the unbiased third moment exceeds its formula",
    says="The sensitivity of the unbiased M3 falls as 1/N.",
    true="The exact value √(2+6b²+6(c−b)²)/N fails for three documents, where a product of different "
    "documents weighs more than 1/N. With four or more documents no corpus that we tried exceeds it. This project "
    "requires at least five.",
    changes="With three documents at α₀ = 30 one of them moves N·M3 by {correct}; the formula for larger N "
    "gives {published}.",
    ours=("core.moments.lda.LEAST_DOCUMENTS", "core.topics.configurations.fit"),
)
def least_documents(rng):
    sizes = np.arange(3, 8)
    seen = np.array([_largest(int(n), _PURE[:3], 30.0, 3, np.linalg.norm) for n in sizes])
    bound = lda.third_sensitivity(30.0)
    curve = Curve("documents N", "N Δ3", sizes, {"formula": np.full(len(sizes), bound), "seen": seen})
    return Shown(bound, float(seen[0]), "N Δ3 at N = 3", ("formula", "seen"), curve)


@finding(
    key="tau-squared",
    papers=("Lda",),
    place="[Lda] Procedure 1, line 13, and all noise of section 6",
    kind="overstated",
    plain="A square is missing: at small ε the printed noise is too weak",
    title="The variance of the noise has τ where τ² belongs",
    says="Noise N(0, LS² τ) with τ = √(2 ln(1.25/δ))/ε is added.",
    true="τ is a standard deviation per unit of sensitivity: the variance is LS² τ², as Lemma 8 of the same "
    "paper states it. For τ above 1, that is for ε below √(2 ln(1.25/δ)), the printed noise is too "
    "small, otherwise too large.",
    changes="At ε = 0.1, δ = 10⁻⁶ the printed variance gives δ = {correct} instead of {published}.",
    ours=("core.privacy.gaussian_std", "core.topics.configurations.fit"),
)
def tau_squared(rng):
    delta, epsilons = 1e-6, np.geomspace(0.05, 5, 50)

    def kept(epsilon):
        tau = 1 / gaussian_mu(Privacy(epsilon, delta), calibration="published")
        return float(gdp_delta(epsilon, tau**-0.5))

    lines = {"target": np.full(len(epsilons), delta), "true value": np.array([kept(e) for e in epsilons])}
    curve = Curve("ε", "δ", epsilons, lines, (True, True))
    return Shown(delta, kept(0.1), "δ at ε = 0.1", ("target", "true value"), curve)


@finding(
    key="dropped-constants",
    papers=("Lda",),
    place="[Lda] sections 6.1 and 6.2, against Theorem 4 and appendix H",
    kind="overstated",
    plain="The printed noise on topics lacks its constants and is too weak",
    title="Section 6 prints the noise without the constants of the sensitivities",
    says="Noise of variance τ/N² is added to M2 and M3, and of variance k³τ/(N²σ̃³) to T = M3(W,W,W).",
    true="That is noise for sensitivities of 1/N. Theorem 4 has 2/N, appendix H more, and the relevant "
    "Frobenius norm is √2/N or more for any α₀; the bound for T has a constant too (equation 64; "
    "about 15 at α₀ = 1). The formulas have the right order in N but too little noise. Here "
    "configuration 1 as published has the appendix's constants, and 2 to 4 have none, as printed.",
    changes="At α₀ = 10 the noise is made for a change of N·M3 by {published}; one document can move it by "
    "{correct}.",
    ours=("core.moments.lda.second_sensitivity", "core.moments.lda.third_sensitivity"),
)
def dropped_constants(rng):
    alphas = np.geomspace(0.01, 1000, 40)
    lines = {
        "section 6": np.ones(len(alphas)),
        "M2": np.array([lda.second_sensitivity(a) for a in alphas]),
        "M3": np.array([lda.third_sensitivity(a) for a in alphas]),
    }
    curve = Curve("α₀", "N times the sensitivity", alphas, lines, (True, False))
    return Shown(
        1.0, float(lda.third_sensitivity(10.0)), "N times the change of M3", ("section 6", "true"), curve
    )

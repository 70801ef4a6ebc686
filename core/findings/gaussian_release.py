"""Eight findings about one Gaussian release: its calibration, its composition, and the scale of the records."""

from __future__ import annotations

import numpy as np

from core import moments, noise, pca
from core.findings.finding import Curve, Shown, finding
from core.moments import sensitivities
from core.privacy import Privacy, gaussian_mu, gaussian_std, gdp_delta, gdp_mu, split


@finding(
    key="classical-beyond-one",
    papers=("Fact", "Cape"),
    place="[Fact] section II and Figures 2 to 5; [Cape] equation (1) and Figures 2 to 4 and 7",
    kind="overstated",
    plain="For large ε the papers' formula adds too little noise",
    title="The classical noise formula is used beyond ε = 1",
    says="Gaussian noise of standard deviation (Δ/ε) √(2 ln(1.25/δ)) gives (ε, δ) privacy; experiments use "
    "it up to ε = 10.",
    true="The formula is proved for ε up to 1. For large ε its noise falls like 1/ε, although it may fall only like "
    "1/√ε, and from some ε on the true δ is larger than the target.",
    changes="At ε = 10 the true δ is {correct}, not {published}: at the right end of the ε axis "
    "curves have less noise than their labels require.",
    ours=("core.privacy.gaussian_std", "core.privacy.gdp_delta"),
)
def classical_beyond_one(rng):
    delta, epsilons = 0.01, np.geomspace(0.1, 20, 60)

    def kept(epsilon):
        return float(gdp_delta(epsilon, gaussian_mu(Privacy(epsilon, delta), calibration="published")))

    lines = {"target": np.full(len(epsilons), delta), "true value": np.array([kept(e) for e in epsilons])}
    curve = Curve("ε", "δ", epsilons, lines, (True, True))
    return Shown(delta, kept(10.0), "δ at ε = 10", ("target", "true value"), curve)


@finding(
    key="classical-within-one",
    papers=("Fact", "Cape", "Lda", "Power"),
    place="[Fact] section II; [Cape] equation (1); [Lda] section 6; [Power] Algorithm 3",
    kind="valid",
    plain="Up to ε = 1 the usual formula adds more noise than needed",
    title="Up to ε = 1 the classical formula adds more noise than needed",
    says="(ε, δ) privacy needs noise of (Δ/ε) √(2 ln(1.25/δ)).",
    true="This is sufficient, but the least sufficient noise (Balle and Wang, 2018) is smaller. Every method "
    "of the papers becomes more accurate at the same guarantee when its noise is calibrated exactly.",
    changes="At ε = 1, δ = 0.01 the noise is {published} sensitivities where {correct} suffice: {ratio} "
    "times too much.",
    ours=("core.privacy.gaussian_std",),
)
def classical_within_one(rng):
    delta, epsilons = 0.01, np.geomspace(0.05, 1, 40)

    def stds(calibration):
        return np.array([gaussian_std(1.0, Privacy(e, delta), calibration=calibration) for e in epsilons])

    published, exact = stds("published"), stds("exact")
    curve = Curve("ε", "noise / Δ", epsilons, {"classical": published, "exact": exact}, (True, True))
    unit = "noise in sensitivities at ε = 1, δ = 0.01"
    return Shown(published[-1], exact[-1], unit, ("classical", "exact"), curve)


@finding(
    key="basic-composition",
    papers=("Fact", "Lda"),
    place="[Fact] Theorem 2, capeAGN; [Lda] section 6, composite ε",
    kind="valid",
    plain="Adding up ε and δ wastes budget: an exact count allows less noise",
    title="Two Gaussian releases cost less than the sum of their ε and δ",
    says="ε and δ of the two stages add up, so each stage gets half of both.",
    true="Adding up is valid for any mechanisms. Gaussian releases compose exactly by μ² = μ₂² + μ₃², which "
    "leaves a larger budget for each. It also answers the open question of [Fact] how to divide the "
    "budget: the share of μ² is one parameter.",
    changes="At ε = 1, δ = 0.01, calibrated exactly either way, each stage needs noise of {correct} "
    "sensitivities instead of {published}.",
    ours=("core.privacy.compose", "core.decomposition.budget.stages"),
)
def basic_composition(rng):
    whole = Privacy(1.0, 0.01)
    # Exactly calibrated too, or the slack of the classical formula would count as one of composition.
    halves = gaussian_std(1.0, Privacy(whole.epsilon / 2, whole.delta / 2))
    exact = 1 / split(gdp_mu(whole), (1, 1))[0]
    return Shown(halves, float(exact), "noise of each stage, in sensitivities", ("halves", "exact"))


@finding(
    key="data-bound",
    papers=("Fact", "Cape"),
    place="[Fact] section VI and [Cape] section 5.2, preprocessing; both say themselves that this step is not "
    "private",
    kind="valid",
    plain="One long record moves the result about {ratio} times further than the bound for clipped records",
    title="Records are divided by the largest norm among them",
    says="Records are normalised by the largest norm in the data set, so that all norms are at most 1; "
    "sensitivities follow from that bound. Both papers say themselves that this step is not private.",
    true="The bound is then itself a function of the data. If the longest record is replaced, *all* records "
    "are rescaled, which no sensitivity of the form √2/n covers. Clipping to a bound that is fixed in "
    "advance costs no privacy.",
    changes="With 1,000 records, of which one is ten times as long as the others, replacing it moves the "
    "second moment by {correct}; the bound √2/n, which holds for clipped records, is {published}, about {ratio} times less.",
    ours=("core.pca.second_moments",),
)
def data_bound(rng):
    n = 1000
    records = rng.standard_normal((n, 5))
    records *= 0.1 / np.linalg.norm(records, axis=1, keepdims=True)
    longest, replaced = records.copy(), records.copy()
    longest[0] *= 10

    def moment(x):
        return pca.second_moments([x / np.linalg.norm(x, axis=1).max()])[0]

    moved = float(np.linalg.norm(moment(longest) - moment(replaced)))
    unit = "change of the second moment when one record is replaced"
    return Shown(float(pca.sensitivity(n)), moved, unit, ("bound √2/n", "seen"))


@finding(
    key="estimated-variance",
    papers=("Fact",),
    place="[Fact] Algorithm 3 and appendix, mixture of Gaussians",
    kind="overstated",
    plain="A spread that is estimated from the records lets one record change more than the noise hides",
    title="σ² taken from the records is not public",
    says="M2 = E[ttᵀ] − σ²I and M3 are formed with a σ² whose origin is not stated; the "
    "usual estimate uses the same records.",
    true="An estimated σ² moves when a record is replaced, and M2 moves by that much in all d entries of "
    "the diagonal. The stated sensitivities hold for a public σ² only.",
    changes="At d = 10, k = 5, n = 100 one record moves M2 by {correct} when σ² is estimated; a valid bound "
    "for a public σ² is {published}, and the published one is √2 smaller still.",
    ours=("core.moments.gaussian_mixture", "core.decomposition.fit"),
)
def estimated_variance(rng):
    n, d, k = 100, 10, 5
    # Five directions with many records, five with one each: what one record adds to σ² counts.
    directions = np.concatenate([rng.integers(k, size=n - (d - k)), np.arange(k, d)])
    records = np.eye(d)[directions]
    replaced = records.copy()
    replaced[-1] = np.eye(d)[0]

    def moment(x):
        return moments.gaussian_mixture(x, moments.estimate_variance([x], k)).second()

    moved = float(np.linalg.norm(moment(records) - moment(replaced)))
    allowed = float(sensitivities.second(n, model="gaussians"))
    return Shown(allowed, moved, "change of M2 when one record is replaced", ("allowed for", "seen"))


@finding(
    key="second-moment",
    papers=("Fact",),
    place="[Fact] section IV and Theorem 1 (capePCA); appendix, M2 of the mixture of Gaussians",
    kind="overstated",
    plain="The noise of private components is made for a change 1.4 times too small",
    title="The second moment has sensitivity √2/n, not 1/n",
    says="Replacing a record changes A = XᵀX/n by at most 1/n in spectral norm, and the noise of every "
    "entry is scaled to that.",
    true="Noise on entries protects against changes in the Frobenius norm. Two orthogonal records of length "
    "1 change A by √2/n in this norm, also over the triangle with its diagonal.",
    changes="Every guarantee on A has μ √2 times as large as the formula for its noise assumes. At ε = 1 and "
    "δ = 0.01 the excess noise of the classical formula still covers that; at ε = 5, on the axis of Figure 2, the "
    "same noise would keep δ = {published} if 1/n were right, but its true δ is {correct}.",
    ours=("core.pca.sensitivity", "core.moments.sensitivities.second"),
)
def second_moment(rng):
    e = np.eye(3)
    n, target = 100, Privacy(5.0, 0.01)
    others = e[rng.integers(3, size=n - 1)]
    first, second = pca.second_moments([np.vstack([others, e[i]]) for i in (0, 1)])
    moved = float(np.linalg.norm(first - second))
    taken = float(pca.sensitivity(n, form="published"))
    mu = gaussian_mu(target, calibration="published")
    kept = (float(gdp_delta(target.epsilon, mu * change / taken)) for change in (taken, moved))
    return Shown(*kept, "δ of the classical noise at ε = 5", ("if 1/n were correct", "true value"))


@finding(
    key="copied-noise",
    papers=("Fact", "Lda"),
    place="[Fact] Algorithms 2 and 3; [Lda] section 6",
    kind="valid",
    plain="Noise on a symmetric table can be smaller at the same guarantee",
    title="Symmetric noise can be √2 smaller off the diagonal",
    says="Noise on a symmetric matrix or tensor is drawn on its distinct entries and copied to the others.",
    true="Drawing it on the whole array and averaging over the orders of the indices is post-processing of "
    "a release with the same sensitivity. It has √2 less noise off the diagonal of a matrix, √6 less "
    "where three indices of a tensor differ.",
    changes="Off the diagonal the noise of a third moment is {correct} instead of {published} for copied noise, "
    "at no privacy cost.",
    ours=("core.noise.gaussian",),
)
def copied_noise(rng):
    apart = noise.entry_std((4,) * 3, 1.0, distribution="symmetrised")[0, 1, 2]
    return Shown(
        float(noise.entry_std((4,) * 3, 1.0, distribution="copied")),
        float(apart),
        "noise of an entry with i, j, k distinct",
        ("copied", "averaged"),
    )


@finding(
    key="magnitude-order",
    papers=("Fact",),
    place="[Fact] Algorithm 2, SVD of the noisy matrix",
    kind="valid",
    plain="Where noise is strong, another order of the components keeps more of the energy",
    title="Negative eigenvalues of the noisy matrix are ranked as large ones",
    says="The components are the leading singular vectors of the noisy second moment.",
    true="A second moment has no negative eigenvalues, so in the noisy one they are noise; singular vectors "
    "rank them by their size. Ranking by the signed eigenvalue is post-processing and captures more "
    "energy if noise is strong.",
    changes="In a noisy example (d = 100, k = 10) the captured energy rises from {published} to {correct} "
    "by the order alone.",
    ours=("core.pca.top_eigenvectors",),
)
def magnitude_order(rng):
    d, k, repeats = 100, 10, 20
    truth = np.diag(np.concatenate([np.linspace(10, 1, 10), np.full(d - 10, 0.2)]))
    captured = {"magnitude": 0.0, "signed": 0.0}
    for _ in range(repeats):
        noisy = truth + noise.gaussian((d, d), 0.6, rng=rng, distribution="copied")
        for order in captured:
            result, _ = pca.top_eigenvectors(noisy, k, order=order)
            captured[order] += pca.captured_energy(result, truth) / repeats
    unit = f"captured energy, mean of {repeats} (at most {np.trace(truth[:10, :10]):.0f})"
    return Shown(captured["magnitude"], captured["signed"], unit, ("by size", "by sign"))

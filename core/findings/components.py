"""Findings about components from second and third moments. [Fact] section V and its appendices."""

from __future__ import annotations

import numpy as np

from core import decomposition, metrics, moments, noise, schemes
from core.findings.finding import Curve, Shown, finding
from core.moments import sensitivities, whitening
from core.privacy import Privacy


@finding(
    key="asymmetric-moments",
    papers=("Fact",),
    place="[Fact] Algorithm 3 and appendix, single topic model",
    kind="overstated",
    plain="Some differences of the released numbers have no noise at all",
    title="Symmetric noise does not cover the antisymmetric part of a moment",
    says="Two tables count which words stand first, second (M2) and third (M3) in a document; symmetric noise is "
    "added to both.",
    true="These tables are not symmetric: how much more often one word came before another than after it stays "
    "without any noise, at any ε. The difference M̂2 − M̂2ᵀ, times n, is a table of whole numbers. Averaging over the "
    "order of the words first (or independent noise on every entry) removes the leak and keeps the "
    "sensitivity.",
    changes="At ε = 0.001 the noise of every entry of M̂2 has standard deviation {published}, that of M̂2 − M̂2ᵀ {correct}: "
    "the rounding of the computer.",
    ours=("core.moments.single_topic", "core.schemes.release", "core.decomposition.fit"),
)
def asymmetric_moments(rng):
    n, words = 50, 6
    documents = [rng.integers(words, size=(n, 3)) for _ in range(2)]
    sites = [moments.single_topic(x, words, triples="first", symmetrised=False).second() for x in documents]
    target = Privacy(1e-3, 1e-5)
    result = schemes.release(
        *(sites, sensitivities.second(n), target),
        **{"scheme": "cape", "calibration": "published", "noise": "copied", "leaky": True, "rng": rng},
    )
    counts = (result.value - result.value.T) * 2 * n
    left = float(np.abs(counts - np.round(counts)).max() / (2 * n))
    unit = "noise (standard deviation) at ε = 0.001"
    return Shown(
        float(np.max(result.std)), left, unit, ("an entry of M̂2", "M̂2 − M̂2ᵀ: rounding of the computer")
    )


@finding(
    key="mixture-third",
    papers=("Fact",),
    place="[Fact] section V and appendix, Δ3 of the mixture of Gaussians",
    kind="valid",
    plain="The stated noise for mixtures is more than needed",
    title="The sensitivity of the third moment of a mixture is smaller than stated",
    says="Replacing a record changes M3 by at most 2/n + 6dσ²/n.",
    true="The terms of M3 with σ² partly cancel the others: the largest change is (2/n) √(1 − 6σ² + "
    "(3d+6)σ⁴), attained by a record and its opposite.",
    changes="At d = 10, σ² = 0.05 the noise of M3 can be {ratio} times smaller ({correct}/n instead of "
    "{published}/n).",
    ours=("core.moments.sensitivities.third",),
)
def mixture_third(rng):
    d, variance = 10, 0.05
    mixture = {"model": "gaussians", "d": d}
    variances = np.linspace(0, 0.1, 41)
    lines = {
        form: np.array([sensitivities.third(1, variance=v, form=form, **mixture) for v in variances])
        for form in ("published", "exact")
    }
    pair = (moments.GaussianMoments(sign * np.eye(d)[:1], variance) for sign in (1, -1))
    one, other = (m.dense_third() for m in pair)
    published = sensitivities.third(1, variance=variance, form="published", **mixture)
    curve = Curve("σ²", "n Δ3", variances, lines)
    return Shown(published, float(np.linalg.norm(one - other)), "n times the change of M3", curve=curve)


@finding(
    key="shared-estimates",
    papers=("Fact",),
    place="[Fact] section VI, the error q_comp",
    kind="valid",
    plain="The paper's error does not notice that several estimates are the same",
    title="The component error does not penalise identical estimates",
    says="q_comp is the mean distance of each estimate to the true component nearest to it.",
    true="Several estimates may share one true component, so k copies of the easiest one score as well as k "
    "good ones. A one-to-one matching of least total distance penalises this.",
    changes="Ten copies of one true component have q_comp = {published}; their matched error is {correct}.",
    ours=("core.metrics.matched_error",),
)
def shared_estimates(rng):
    true = np.linalg.qr(rng.standard_normal((20, 10)))[0].T
    copies = np.repeat(true[:1], 10, axis=0)
    unit = "error of ten copies of one component"
    errors = (float(error(true, copies)) for error in (metrics.component_error, metrics.matched_error))
    return Shown(*errors, unit, ("nearest", "matched"))


@finding(
    key="whitening-by-size",
    papers=("Fact",),
    place="[Fact] Algorithm 3, W = U D^(-1/2) from the SVD of M̂2",
    kind="valid",
    plain="Components that are pure noise are used like real ones",
    title="Whitening treats eigenvectors of pure noise as components",
    says="The projection is made of the K leading singular vectors and values of the noisy M2.",
    true="After noise some eigenvalues are negative; their absolute values are taken for components, "
    "and dividing by the square root amplifies noise. The number of eigenvalues above zero, and above the edge "
    "of the noise spectrum, is the number of identifiable components.",
    changes="In a noisy example all {published} eigenvectors are used, but only {correct} have an eigenvalue "
    "above the noise edge.",
    ours=("core.moments.whitening.whiten", "core.moments.whitening.noise_edge"),
)
def whitening_by_size(rng):
    d, k, std = 50, 5, 0.02
    vectors = np.linalg.qr(rng.standard_normal((d, k)))[0]
    clean = (vectors * np.array([1.0, 0.6, 0.05, 0.04, 0.03])) @ vectors.T
    noisy = clean + noise.gaussian((d, d), std, rng=rng, distribution="copied")
    used = whitening.whiten(noisy, k, order="magnitude", strict=False).rank
    values = whitening.top_eigenpairs(noisy, k)[0]
    identified = int((values > whitening.noise_edge(d, std, distribution="copied")).sum())
    return Shown(float(used), float(identified), "components whitened", ("used", "above noise"))


@finding(
    key="same-samples",
    papers=("Fact",),
    place="[Fact] Figures 3 and 5(a–d), how the mixtures of Gaussians were dealt to the sites",
    kind="accuracy",
    plain="Five sites that should hold different records all hold the same ones",
    title="In Figures 3 and 5(a–d) all sites hold the same records",
    says="N = S N_s records are dealt to five sites.",
    true="The data script gives every site the same first fifth. The errors, most of all the non-private "
    "one, are then those of N/5 records; with distinct records they are smaller by about √5. The "
    "ranking of the methods does not change.",
    changes="Repeated with 20,000 records at five sites, the non-private component error is {correct} instead "
    "of {published}.",
    ours=("core.decomposition.fit",),
)
def same_samples(rng):
    d, k, size, sites, variance = 10, 5, 4000, 5, 0.02
    means = np.linalg.qr(rng.standard_normal((d, k)))[0].T * 0.5

    def records(count):
        return means[rng.integers(k, size=count)] + np.sqrt(variance) * rng.standard_normal((count, d))

    errors = [[], []]
    for _ in range(4):
        fifth = records(size)
        dealt = [fifth] * sites, [fifth, *(records(size) for _ in range(sites - 1))]
        for kept, tables in zip(errors, dealt, strict=True):
            result = decomposition.fit(
                tables,
                k,
                model="gaussians",
                scheme="nonprivate",
                privacy=None,
                rng=rng,
                variance=variance,
                bound=2.0,
            )
            true = means / np.linalg.norm(means, axis=1, keepdims=True)
            kept.append(metrics.component_error(true, result.components))
    unit = "non-private component error"
    return Shown(*(float(np.mean(e)) for e in errors), unit, ("same fifth", "all records"))

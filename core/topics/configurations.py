"""The four published configurations of differentially private spectral LDA. [Lda] sections 5 and 6.

A configuration is a set of edges of the algorithm's flow graph that are made noisy, and that cut the
documents off from the topics:

====  ==========  ==============================================  =====================
name  edges       noise on                                        guarantee
====  ==========  ==============================================  =====================
1     e3, e4, e8  M3, and M2 twice (for W and for its way back)   valid where checked
1-pure            the same arrays once each, Laplace noise        valid, pure ε
2     e6, e8      T = M3(W, W, W), and M2 for the way back        not proved
3     e7, e8      eigenvalues and eigenvectors of T, and M2       not valid
4     e9          the topics                                      not valid
====  ==========  ==============================================  =====================

The unbiased moments need documents of at least three words, so a document's neighbours are other such documents,
and N, their number, is public. Counting shorter ones as zero, with all documents as public N, would keep the
sensitivities but bias the moments: E1, E2 and E3 would shrink by the share of longer documents, and the products of
E1 taken off by its square and cube.

Configurations 2 to 4 whiten with the true M2 and scale their noise by a lower bound on its σ_k (and on
the gap γ of T) that is released first: Procedure 1. They are here to be looked at, not relied on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from core import check, noise
from core.moments import lda
from core.privacy import (
    Calibration,
    Privacy,
    compose,
    gaussian_std,
    gdp_delta,
    gdp_mu,
    laplace_scale,
    split,
)
from core.schemes.projected_noise import ProjectedNoise
from core.tensors import Method
from core.topics.scaled_noise import Constants, gap, local_sensitivity, lower_bound
from core.topics.spectral import (
    Guarantee,
    Topics,
    by_eigenvalue,
    corpus,
    decompose,
    leading,
    recover,
    simplex,
)

EDGES = {
    "1": ("e3", "e4", "e8"),
    "1-pure": ("e3", "e4"),
    "2": ("sigma", "e6", "e8"),
    "3": ("sigma", "gamma", "e7", "e8"),
    "4": ("sigma", "gamma", "e9"),
}

NEIGHBOURS = (
    " Documents have at least three words, also the one that replaces another; their number is public."
)
_WAY_BACK = (
    " The way back is turned to fit the true W, which no release pays for; the paper does not say how."
)
_NOT_PROVED = (
    "The noise on T rests on [Lda] Theorem 5, whose proof bounds M3(W,W,W) − M3(W',W',W') by M3(W−W',W−W',W−W'), "
    "which does not follow. No valid guarantee is known." + _WAY_BACK
)
_NOT_VALID = (
    "The noise rests on [Lda] Lemma 9, which bounds how much one document moves the gap γ of T. There is no such "
    "bound: one document has moved it 7 times as far. The guarantee does not hold."
)


@dataclass(frozen=True)
class _Moments:
    """The unbiased moments, and how to see the third through any W."""

    counts: object
    alpha0: float
    second: np.ndarray

    @classmethod
    def of(cls, counts, k, alpha0):
        counts = corpus(counts, k)
        if counts.shape[0] < lda.LEAST_DOCUMENTS:
            raise ValueError(
                f"counts must have at least {lda.LEAST_DOCUMENTS} documents, below which the sensitivity of M3 "
                f"does not hold, got {counts.shape[0]}"
            )
        return cls(counts, alpha0, lda.unbiased_second(counts, alpha0) @ np.eye(counts.shape[1]))

    def third(self, factors):
        return lda.unbiased_third(self.counts, factors, self.alpha0)

    @property
    def documents(self):
        return self.counts.shape[0]


@check.arguments
def fit(
    counts,
    k: int,
    *,
    alpha0: float,
    configuration: str,
    privacy: Privacy | float,
    rng: np.random.Generator,
    calibration: Calibration = "published",
    shares: Iterable[float] | None = None,
    constants: Constants = "dropped",
    method: Method | None = None,
) -> Topics:
    """Private topics by a published configuration.

    Parameters
    ----------
    counts : sparse array (N, d)
        Every document needs at least three words.
    configuration : {"1", "1-pure", "2", "3", "4"}
    privacy : Privacy, or float for "1-pure"
        The privacy target; for "1-pure" a number ε.
    calibration : {"published", "exact"}
        "published": the papers' sensitivities (appendix H for M2 and M3), classical Gaussian noise, and ε and
        δ divided over the edges. "exact", of configuration 1: Frobenius sensitivities, M2 released once, and μ²
        divided; of the others: analytic Gaussian noise, and M2's Frobenius sensitivity.
    shares : iterable of float, optional
        How the budget is divided over `EDGES[configuration]` (exact configuration 1: over e3 and e4);
        default equally.
    constants : {"dropped", "appendix"}
        Noise of configurations 2 to 4 as in section 6, or with the constants of appendix H (equation 64).

    Returns
    -------
    Topics
        Without topics, and with `abstained` saying why, where σ̃_k or γ̃ came out as 0.
    """
    check.choice("configuration", configuration, EDGES)
    moments = _Moments.of(counts, k, alpha0)
    if configuration == "1-pure":
        return _pure(moments, k, check.positive("privacy", privacy), _shares(shares, 2), rng, method)
    if not isinstance(privacy, Privacy):
        raise ValueError(f"privacy must be a Privacy for configuration {configuration}, got {privacy!r}")
    if configuration == "1":
        levels, guarantee = _first_levels(moments, privacy, calibration, shares)
        return _first(moments, k, privacy, levels, guarantee, rng, method)
    budget = _Budget(privacy, configuration, _shares(shares, len(EDGES[configuration])), calibration)
    return _local(moments, k, budget, constants, rng, method)


def projected_copied(factors: np.ndarray, draw) -> np.ndarray:
    """Z(W, W, W) of a symmetric d×d×d array with independent entries i ≤ j ≤ k, never formed: O(d³ r).

    `draw(n)` gives n independent entries: any distribution.
    """
    d, r = factors.shape
    result = np.zeros((r, r, r))
    for i in range(d):
        rest, size = factors[i + 1 :], d - 1 - i
        block = np.zeros((size, size))
        block[np.triu_indices(size)] = draw(size * (size + 1) // 2)
        block = block + np.triu(block, 1).T
        # i < j ≤ k stands in three places; i = j < k likewise; i = j = k once.
        other = rest.T @ block @ rest
        edge, corner = draw(size), draw(1)
        pair = np.outer(factors[i], factors[i])
        result += 3 * lda.symmetric_third(np.multiply.outer(other, factors[i]))
        vector = 3 * (edge @ rest) + corner * factors[i]
        result += lda.symmetric_third(np.multiply.outer(pair, vector))
    return result


def aligned(back: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Turn (Wᵀ)†, computed from another noisy M2, so that backᵀ W is as near to I as a rotation brings it."""
    if not back.shape[1]:
        return back
    left, _, right = np.linalg.svd(back.T @ factors)
    return back @ left @ right


@check.arguments(parts=check.whole(1))
def search(
    counts,
    k: int,
    *,
    score: Callable[[Topics], float],
    parts: int = 4,
    rng: np.random.Generator,
    configuration: str,
    **options,
) -> tuple[tuple[float, ...], Topics]:
    """Divide the budget over the edges by grid search, as [Lda] appendix J does. *Not private.*

    Every division into whole parts (`parts` − 1 more of them than edges) is run, and `score(topics)`, larger
    is better, picks one.
    The pick depends on the documents through all runs and the score: the guarantee of the result covers
    neither. [Lda] perturbs the likelihood it scores with; the runs that lost count too. Search on public
    documents of the same kind, and use the division found.
    """
    check.choice("configuration", configuration, EDGES)
    edges = len(EDGES[configuration])
    best: Any = None
    for division in product(range(1, parts + 1), repeat=edges):
        if sum(division) != parts + edges - 1:
            continue
        shares = tuple(part / sum(division) for part in division)
        topics = fit(counts, k, configuration=configuration, shares=shares, rng=rng, **options)
        value = -math.inf if topics.abstained else float(score(topics))
        if best is None or value > best[0]:
            best = value, shares, topics
    return best[1], best[2]


@dataclass(frozen=True)
class _Budget:
    """ε and δ over the edges of a configuration, by basic composition. γ and σ take δ for their coverage."""

    privacy: Privacy
    configuration: str
    shares: tuple[float, ...]
    calibration: Calibration

    def part(self, edge: str) -> Privacy:
        share = self.shares[EDGES[self.configuration].index(edge)]
        return Privacy(self.privacy.epsilon * share, self.privacy.delta * share)

    def std(self, edge: str, sensitivity: float) -> float:
        return gaussian_std(sensitivity, self.part(edge), calibration=self.calibration)

    def bound(self, edge: str, value: float, documents: int, rng) -> float:
        part = self.part(edge)
        return lower_bound(value, 2 / documents, epsilon=part.epsilon, delta=part.delta, rng=rng)


def _first_levels(moments, privacy, calibration, shares):
    """Noise of configuration 1 on M3, M2 for W, M2 for the way back, and its guarantee."""
    n, alpha0 = moments.documents, moments.alpha0
    exact2, exact3 = lda.second_sensitivity(alpha0) / n, lda.third_sensitivity(alpha0) / n
    if calibration == "exact":
        mu = gdp_mu(privacy)
        mu3, mu2 = split(mu, _shares(shares, 2))
        levels = {"M3": exact3 / mu3, "M2": exact2 / mu2}
        reason = "Gaussian releases of M2 and M3 with exact sensitivities." + NEIGHBOURS
        return levels, Guarantee(True, reason, mu, mu, mu)
    budget = _Budget(privacy, "1", _shares(shares, 3), calibration)
    form = {"form": "published-l1"}
    published2 = lda.second_sensitivity(alpha0, **form) / n
    levels = {
        "M3": budget.std("e3", lda.third_sensitivity(alpha0, **form, documents=n) / n),
        "M2": budget.std("e4", published2),
        "M2 again": budget.std("e8", published2),
    }
    mu = compose(exact3 / levels["M3"], exact2 / levels["M2"], exact2 / levels["M2 again"])
    delta = float(gdp_delta(privacy.epsilon, mu))
    held = delta <= privacy.delta
    reason = f"The three releases compose to μ = {mu:.4g}: δ = {delta:.3g} at the nominal ε, " + (
        "within the privacy target."
        if held
        else "above the privacy target: the classical formula fails at this ε."
    )
    reason += NEIGHBOURS
    return levels, Guarantee(held, reason, mu, mu, mu)


def _first(moments, k, privacy, levels, guarantee, rng, method):
    distribution = "symmetrised" if "M2 again" not in levels else "copied"
    d = moments.second.shape

    def noisy(std):
        return leading(moments.second + noise.gaussian(d, std, rng=rng, distribution=distribution), k)

    white = noisy(levels["M2"])
    back = noisy(levels["M2 again"]).inverse if "M2 again" in levels else white.inverse
    seen = (
        ProjectedNoise(white.matrix, distribution).gaussian(levels["M3"], rng=rng)
        if white.rank
        else np.zeros((0,) * 3)
    )
    return _finish(moments, "1", privacy, white, back, seen, levels, guarantee, rng, method)


def _pure(moments, k, epsilon, shares, rng, method):
    n, alpha0, d = moments.documents, moments.alpha0, len(moments.second)
    scales = [
        laplace_scale(sensitivity(alpha0, form="l1") / n, share * epsilon)
        for sensitivity, share in zip((lda.third_sensitivity, lda.second_sensitivity), shares, strict=True)
    ]
    upper = np.triu(noise.laplace((d, d), scales[1], rng=rng))
    white = leading(moments.second + upper + np.triu(upper, 1).T, k)
    t3 = projected_copied(white.matrix, lambda size: noise.laplace(size, scales[0], rng=rng))
    levels = {"M3": math.sqrt(2) * scales[0], "M2": math.sqrt(2) * scales[1]}
    reason = "Laplace noise on M2 and M3 with valid l1 sensitivities: pure ε." + NEIGHBOURS
    guarantee = Guarantee(True, reason)
    return _finish(moments, "1-pure", epsilon, white, white.inverse, t3, levels, guarantee, rng, method)


def _finish(moments, configuration, privacy, white, back, t3, levels, guarantee, rng, method):
    """Topics from M3(W, W, W) and its noise; a way back of smaller rank leaves the last directions out."""
    r = min(white.rank, back.shape[1])
    w = white.matrix[:, :r]
    tensor = moments.third(w) + t3[:r, :r, :r] if r else np.zeros((0, 0, 0))
    words, alpha = recover(
        tensor, aligned(back[:, :r], w), moments.alpha0, rng=rng, method=method, scale="eigenvalue"
    )
    return Topics(
        words=words,
        alpha=alpha,
        alpha0=moments.alpha0,
        configuration=configuration,
        guarantee=guarantee,
        privacy=privacy,
        spectrum=white.values,
        noise=levels,
        abstained="" if r else "Noise has drowned every direction of the second moment.",
    )


def _local(moments, k, budget, constants, rng, method):
    """Configurations 2, 3 and 4: Procedure 1, then noise scaled by it."""
    configuration, n, alpha0 = budget.configuration, moments.documents, moments.alpha0
    white = leading(moments.second, k)
    guarantee = Guarantee(False, _NOT_PROVED if configuration == "2" else _NOT_VALID)
    tensor = moments.third(white.matrix)
    pairs = decompose(tensor, method, rng=rng)
    known = {"sigma_k": budget.bound("sigma", white.values[k - 1], n, rng)}
    if configuration != "2":
        known["gamma"] = budget.bound("gamma", gap(pairs.values), n, rng)
    shell = {
        "alpha0": alpha0,
        "configuration": configuration,
        "guarantee": guarantee,
        "privacy": budget.privacy,
        "spectrum": white.values,
    }
    lost = [name for name, value in known.items() if value == 0]
    if lost or white.rank < k:
        name = {"sigma_k": "σ_k of M2", "gamma": "gap γ of T"}[lost[0] if lost else "sigma_k"]
        return Topics(
            np.zeros((0, len(moments.second))),
            np.zeros(0),
            abstained=f"The lower bound on the {name} came out as 0: at this ε the mechanism abstains.",
            **shell,
        )
    size = local_sensitivity(
        configuration,
        documents=n,
        k=k,
        sigma_1=white.values[0],
        alpha0=alpha0,
        lambda_1=pairs.values[0],
        constants=constants,
        **known,
    )
    levels = {"main": budget.std({"2": "e6", "3": "e7", "4": "e9"}[configuration], size)}
    back = white.inverse
    if configuration != "4":
        form = "exact" if budget.calibration == "exact" else "published-l1"
        levels["M2"] = budget.std("e8", lda.second_sensitivity(alpha0, form=form) / n)
        noisy = moments.second + noise.gaussian(
            moments.second.shape, levels["M2"], rng=rng, distribution="copied"
        )
        back = aligned(_padded(leading(noisy, k).inverse, k), white.matrix)
    words, alpha = _perturbed(configuration, tensor, pairs, back, levels["main"], alpha0, rng, method)
    order = np.argsort(-alpha, kind="stable")
    return Topics(words[order], alpha[order], noise=levels, **shell)


def _shares(shares, length):
    """Parts of a budget, summing to one; equal unless given."""
    shares = check.positives("shares", np.ones(length) if shares is None else tuple(shares), length=length)
    return tuple((shares / shares.sum()).tolist())


def _padded(back, k):
    """Columns of zeros for directions that were lost."""
    return np.pad(back, ((0, 0), (0, k - back.shape[1])))


def _perturbed(configuration, tensor, pairs, back, std, alpha0, rng, method):
    """Noise on T, on its eigenpairs, or on the topics."""
    if configuration == "2":
        noisy = tensor + noise.gaussian(tensor.shape, std, rng=rng, distribution="copied")
        return recover(noisy, back, alpha0, rng=rng, method=method, scale="eigenvalue")
    values, vectors = pairs.values, pairs.vectors
    if configuration == "3":
        values = values + noise.gaussian(values.shape, std, rng=rng)
        vectors = vectors + noise.gaussian(vectors.shape, std, rng=rng)
        return by_eigenvalue(values, vectors @ back.T, alpha0)
    along = (alpha0 + 2) / 2 * values[:, None] * (vectors @ back.T)
    alpha = 4 * alpha0 * (alpha0 + 1) / ((alpha0 + 2) ** 2 * values**2)
    along = along + noise.gaussian(along.shape, std, rng=rng)
    return simplex(along), np.maximum(alpha + noise.gaussian(alpha.shape, std, rng=rng), 0)

"""Configuration E: private topics from equalised documents, at one site or many (this project's own method).

1. Every document's D1 and D2 is scaled down to a public Frobenius norm B1, B2, so that long or bursty
   documents weigh no more than others. Released: their sums, and the sums of the weights to divide by.
2. M2 from these noisy raw moments gives the whitening W, which is public from then on.
3. Every document's D3 seen through W, k×k×k, is scaled down to a norm C computed from released figures.
   Released: their sum.

Both stages are Gaussian releases, so their μ² add exactly; noise is drawn on whole arrays and symmetrised.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from core import check, noise, schemes
from core.moments import documents_of_sites, lda
from core.privacy import Calibration, Privacy, gaussian_mu, gdp_delta
from core.schemes import Adversary
from core.schemes.graph_noise import graph_option
from core.schemes.noise_design import amplitude_option
from core.tensors import Method
from core.topics.spectral import (
    NO_PRIVACY,
    Guarantee,
    Topics,
    WhitenedMoments,
    leading,
    recover,
    simplex,
)

_SINGLE = 4000  # Wider vocabularies keep d×d arrays in single precision; the noise covers what that rounds.
_CHUNK = 2**20
_PROVED = "Every release is a Gaussian mechanism with a sensitivity that holds for any documents; the μ² add exactly."
_LEAST_WEIGHT = 1e-3


@check.arguments
@dataclass(frozen=True)
class Equalisation:
    """The public choices of configuration E: none may be taken from the documents.

    Attributes
    ----------
    length : float
        L ≥ 3, a typical document's number of words.
    spread : float
        φ: a document may weigh φ times what L different words do, B1 = φ/√L, B2 = φ/√(L(L−1)). Small φ
        means less noise, and a bias, because repeated words lower a document's weight.
    clip : float
        Scale on C. Small means less noise on T, and a bias.
    longest : int
        L_max: longer documents are replaced by a random subset of their words.
    shares : tuple of four floats
        Shares of the budget μ² for the weights, E1, E2 and T; scaled to sum to one.
    """

    length: float = 50.0
    spread: float = 1.5
    clip: float = 1.0
    longest: int = 1000
    shares: tuple[float, float, float, float] = (0.02, 0.0392, 0.7448, 0.196)

    def __post_init__(self):
        if not check.positive("length", self.length) >= 3:
            raise ValueError(f"length must be at least 3, got {self.length}")
        check.positive("spread", self.spread)
        check.positive("clip", self.clip)
        check.integer("longest", self.longest, low=3)
        shares = check.positives("shares", self.shares, length=4)
        object.__setattr__(self, "shares", tuple((shares / shares.sum()).tolist()))

    @classmethod
    @check.arguments
    def suited(cls, privacy: Privacy | None = None, **choices) -> Equalisation:
        """Defaults that depend on ε alone: φ = 1.5 ε^0.3 within [1.5, 8], scale of C ε^0.3 within [1, 2]."""
        growth = max(1.0, (1.0 if privacy is None else privacy.epsilon) ** 0.3)
        return cls(**{"spread": min(1.5 * growth, 8.0), "clip": min(growth, 2.0), **choices})

    @property
    def bounds(self) -> tuple[float, float]:
        """B1 and B2."""
        return self.spread / math.sqrt(self.length), self.spread / math.sqrt(self.length * (self.length - 1))

    @property
    def scales(self) -> np.ndarray:
        """What weights, E1 and E2 are multiplied by before noise: √share over the sensitivity times n.

        Three weights in [0, 1] change by √3/n; non-negative arrays of norm ≤ B_r by √2 B_r/n.
        """
        b1, b2 = self.bounds
        return np.sqrt(self.shares[:3]) / [math.sqrt(3), math.sqrt(2) * b1, math.sqrt(2) * b2]


def _places(name, values):
    """Numbers of sites."""
    if not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a collection of sites, got {check.shown(values)}")
    return tuple(check.integer(name, site, low=0) for site in values)


@check.arguments(amplitude=amplitude_option, graph=graph_option, dropped=_places)
@dataclass(frozen=True)
class Sharing:
    """How statistics are joined and perturbed; see `core.schemes.release`. No scheme: one curator."""

    privacy: Privacy | None
    scheme: str = ""
    calibration: Calibration = "exact"
    against: Adversary = "message"
    colluding: int = 0
    dropouts: int = 0
    amplitude: Any = None
    graph: Any = None
    dropped: Iterable[int] = ()

    @check.arguments(sizes=check.sized, statistics=check.sequence)
    def join(self, statistics, sizes, *, rng: np.random.Generator, rounding: float = 0.0):
        """Noisy average of the sites' vectors: value, its std and the guarantee.

        Each vector has the sensitivity 1/n_s, and `rounding` more where it was rounded before.
        """
        sizes = np.asarray(sizes, dtype=float)
        change = 1 / sizes + rounding
        if sizes.shape != (len(statistics),) or not len(sizes):
            raise ValueError(
                f"statistics must be as many as sizes, one a site, got {len(statistics)} and shape {sizes.shape}"
            )
        for s, statistic in enumerate(statistics):
            if not isinstance(statistic, np.ndarray) or statistic.dtype.kind != "f":
                raise ValueError(
                    f"statistics must be arrays of floats, got {check.shown(statistic)} at site {s}"
                )
        if not self.scheme:
            value = statistics[0].copy()
            if self.privacy is None:
                return value, 0.0, NO_PRIVACY
            mu = gaussian_mu(self.privacy, calibration=self.calibration)
            std = float(change[0]) / mu
            for start in range(0, len(value), _CHUNK):
                part = value[start : start + _CHUNK]
                part += std * rng.standard_normal(len(part), dtype=part.dtype)
            return value, std, self._guarantee(mu, mu, mu)
        out = schemes.release(
            statistics,
            change,
            self.privacy,
            scheme=self.scheme,
            rng=rng,
            weights=sizes / sizes.sum(),
            calibration=self.calibration,
            against=self.against,
            colluding=self.colluding,
            dropouts=self.dropouts,
            amplitude=self.amplitude,
            graph=self.graph,
            dropped=self.dropped,
            keep="value",
        )
        if self.privacy is None or not schemes.is_private(self.scheme):
            return out.value, 0.0, NO_PRIVACY
        guarantee = self._guarantee(out.mu_public, out.mu_message, out.mu_aggregator)
        return out.value, float(np.max(out.std)), guarantee

    def _guarantee(self, public, message, aggregator):
        """Whether the release meets the privacy target; with the classical calibration it may not."""
        seen = public if math.isinf(message) else max(public, message)
        delta = float(gdp_delta(self.privacy.epsilon, seen))
        held = self.calibration == "exact" or delta <= self.privacy.delta
        failing = f"The classical calibration fails at this ε: the true δ is {delta:.3g}."
        return Guarantee(held, _PROVED if held else failing, public, message, aggregator)


@dataclass(frozen=True)
class Statistics:
    """What the sites compute from their documents before any noise; good for every ε and repeat.

    Attributes
    ----------
    counts : tuple of CSR arrays (n_s, d)
        Documents of each site, capped in length.
    packed : tuple of arrays of shape (3 + d + d²,)
        Mean weights, weighted means of D1 and of D2, times `Equalisation.scales`: all together they change
        by at most √(1 − share of T)/n_s when a document is replaced.
    equalisation : Equalisation
    """

    counts: tuple
    packed: tuple[np.ndarray, ...]
    equalisation: Equalisation

    @property
    def sizes(self) -> np.ndarray:
        """Number of documents n_s of each site."""
        return np.array([c.shape[0] for c in self.counts])

    @cached_property
    def side_by_side(self) -> documents_of_sites.SitesDocuments:
        """The sites' documents, prepared for third moments through any directions."""
        return documents_of_sites.SitesDocuments(self.counts)

    @cached_property
    def held(self) -> schemes.Held | tuple[np.ndarray, ...]:
        """`packed`, checked for release once."""
        single = len(self.packed) < 2 or self.packed[0].dtype == np.float32
        return self.packed if single else schemes.Held(self.packed)

    @property
    def rounding(self) -> float:
        """Largest extra change of a site's vector from rounding to single precision; 0 in double precision.

        In units in which the vector moves by 1/n_s. Rounding moves an entry by at most 2⁻²⁴ of its size, so
        each of two neighbours' vectors by 2⁻²⁴ of its length, and that is at most √(s₀ + s₁/2 + s₂/2).
        """
        if self.packed[0].dtype != np.float32:
            return 0.0
        shares = self.equalisation.shares
        length = math.sqrt(shares[0] + (shares[1] + shares[2]) / 2)
        return 2.0**-23 * length / math.sqrt(sum(shares[:3]))


@check.arguments
def statistics(counts, equalisation: Equalisation, *, rng: np.random.Generator) -> Statistics:
    """Equalised first and second moments of each site's documents.

    Parameters
    ----------
    counts : sparse array (N, d), or list of them
        One curator's documents, or one array per site over the same vocabulary.
    rng : numpy.random.Generator
        Chooses the words that documents longer than L_max keep.
    """
    sites = tuple(counts) if isinstance(counts, list | tuple) else (counts,)
    sites = tuple(lda.cap_lengths(c, equalisation.longest, rng=rng) for c in sites)
    if len({c.shape[1] for c in sites}) > 1:
        raise ValueError(
            f"counts must have one vocabulary, got {[c.shape[1] for c in sites]} words at the sites"
        )
    return Statistics(sites, tuple(_packed(c, equalisation) for c in sites), equalisation)


@check.arguments
def fit(
    data: Statistics,
    k: int,
    *,
    alpha0: float,
    sharing: Sharing,
    rng: np.random.Generator,
    method: Method | None = None,
) -> Topics:
    """Private topics by configuration E.

    Parameters
    ----------
    data : Statistics
        Of one curator, or of S ≥ 2 sites (then with a scheme).
    k : int
        Topics sought.
    sharing : Sharing
        With privacy=None it runs without noise, which shows the bias of φ and C.

    Raises
    ------
    ValueError
        If scheme and number of sites do not go together, or k exceeds the vocabulary.
    """
    d = data.counts[0].shape[1]
    check.integer("k", k, low=1, high=d)
    if (len(data.counts) > 1) != bool(sharing.scheme):
        raise ValueError(
            f"scheme must be given for several sites and only then, got {sharing.scheme!r} "
            f"for {len(data.counts)} site(s)"
        )
    value, std, guarantee = sharing.join(data.held, data.sizes, rng=rng, rounding=data.rounding)
    weights, e1, e2 = _unpacked(value, data.equalisation, d)
    white = leading(_second(e2, e1, alpha0), k)
    w = white.matrix
    moments, levels, clipped = _third_stage(data, white, weights, e1, e2, sharing, k, alpha0, rng)
    tensor, inverse = moments.whitened(alpha0)
    words, alpha = recover(tensor, inverse, alpha0, rng=rng, method=method)
    e = data.equalisation
    noise_levels = {
        "E1": float(std / e.scales[1] / weights[0]),
        "E2": float(std / e.scales[2] / weights[1]),
        **levels,
    }
    drowned = "" if w.shape[1] else "Noise has drowned every direction of the second moment."
    return Topics(
        words=words,
        alpha=alpha,
        alpha0=alpha0,
        configuration="E",
        guarantee=replace(
            guarantee,
            # The clip bound and the whitening of the second stage are made of the first one's average.
            mu_message=schemes.over_stages.trusted(
                guarantee.mu_message, guarantee.mu_aggregator, 1 - data.equalisation.shares[3]
            ),
        ),
        privacy=sharing.privacy,
        scheme=sharing.scheme,
        spectrum=white.values,
        noise=noise_levels,
        abstained=drowned,
        moments=moments,
        diagnostics={"clipped": clipped},
    )


def clip_bound(equalisation: Equalisation, factors, word_law, k: int, alpha0: float) -> float:
    """C from released figures: roughly what documents of L different words, or of one topic, come to."""
    n = equalisation.length
    size = float(word_law @ (factors**2).sum(axis=1))
    different = 1.5 * size**1.5 / math.sqrt(n * (n - 1) * max(n - 2, 1))
    return equalisation.clip * math.hypot(different, 1.2 * (k * (alpha0 + 1)) ** 1.5)


def document_weights(counts, equalisation: Equalisation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """w_1 and w_2 = min(1, B_r/‖D_r‖), and w_3 = 1 for documents of three words: each (n,), 0 where D_r is not."""
    weights = [
        np.divide(np.minimum(b, size), size, out=np.zeros_like(size), where=size > 0)
        for b, size in zip(
            equalisation.bounds, (lda.first_norms(counts), lda.second_norms(counts)), strict=True
        )
    ]
    return *weights, (lda.lengths(counts) >= 3).astype(float)


def _packed(counts, equalisation):
    d = counts.shape[1]
    dtype = np.float32 if d > _SINGLE else np.float64
    w1, w2, w3 = document_weights(counts, equalisation)
    scale = equalisation.scales
    packed = np.empty(3 + d + d * d, dtype=dtype)
    packed[:3] = scale[0] * np.array([w1.mean(), w2.mean(), w3.mean()])
    packed[3 : 3 + d] = scale[1] * w1.mean() * lda.first(counts, w1)
    lda.second(counts, w2, out=packed[3 + d :].reshape(d, d), scale=scale[2] * w2.mean())
    return packed


def _unpacked(value, equalisation, d):
    """Noisy mean weights, E1 and symmetric E2. Overwrites `value`."""
    scale = equalisation.scales
    weights = np.maximum(value[:3].astype(float) / scale[0], _LEAST_WEIGHT)
    e1 = value[3 : 3 + d].astype(float) / (scale[1] * weights[0])
    e2 = value[3 + d :].reshape(d, d)
    e2 *= e2.dtype.type(0.5 / (scale[2] * weights[1]))
    step = max(1, _CHUNK // d)
    for start in range(0, d, step):
        rows = slice(start, start + step)
        both = e2[rows, start:] + e2[start:, rows].T
        e2[rows, start:] = both
        e2[start:, rows] = both.T
    return weights, e1, e2


def _second(e2, e1, alpha0):
    """M2 as an array, or for wide vocabularies as an operator that copies nothing."""
    if e2.dtype == np.float64:
        return lda.centred_second(e2, e1, alpha0)
    a, e1 = lda.coefficients(alpha0).second, e1.astype(e2.dtype)

    def product(x):
        return e2 @ x - e2.dtype.type(a) * np.multiply.outer(e1, e1 @ x)

    return LinearOperator(e2.shape, matvec=product, rmatvec=product, matmat=product, dtype=e2.dtype)


def _third_stage(data, white, weights, e1, e2, sharing, k, alpha0, rng):
    """Release E3(W, W, W); returns the whitened moments, noise levels and the share of documents clipped."""
    e, w, r = data.equalisation, white.matrix, white.rank
    clip = clip_bound(e, w, simplex(e1[None])[0], k, alpha0) if r else 1.0
    scale = math.sqrt(e.shares[3]) / (2 * clip)
    sent, clipped = _clipped_thirds(data, w, clip, scale)
    value, std, _ = sharing.join(sent, data.sizes, rng=rng) if r else (np.zeros(0), 0.0, None)
    third = noise.symmetrise(value.reshape(r, r, r)) / (scale * weights[2])
    seen = w.T @ (e2 @ w.astype(e2.dtype)).astype(float)
    moments = WhitenedMoments(e1 @ w, (seen + seen.T) / 2, third, w, white.inverse)
    return moments, {"T": float(std / (scale * weights[2]))}, clipped / int(data.sizes.sum())


def _clipped_thirds(data, factors, clip, scale):
    """Every site's sum of D3(W, W, W), clipped to norm C, times scale/n_s; and how many documents were clipped."""
    if 0 < factors.shape[1] <= documents_of_sites.MOST:
        sums, clipped = data.side_by_side.thirds(factors, clip)
        return [scale / n * third.ravel() for n, third in zip(data.sizes, sums, strict=True)], clipped
    sent, clipped = [], 0
    for counts in data.counts:
        size = lda.third_norms(counts, factors)
        weights = np.divide(np.minimum(clip, size), size, out=np.zeros_like(size), where=size > 0)
        clipped += int((size > clip).sum())
        sent.append(scale * weights.mean() * lda.third(counts, factors, weights).ravel())
    return sent, clipped

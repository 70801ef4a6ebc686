"""Components of a mixture from moments that stay at several sites: private orthogonal tensor decomposition.

Two releases, [Fact] Algorithm 3 (capeAGN) and appendix E (AGN, AVN): the sites' M2 through a scheme gives a
whitening W; the sites' M3(W,W,W), k×k×k, through the same scheme gives the components. Tensor noise is
drawn as W sees it and never formed (`core.schemes.projected_noise`), so d in the thousands is no burden.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp

from core import check, tensors
from core.decomposition.budget import VIEWS, Composition, stages
from core.moments import (
    Moments,
    TripleMoments,
    estimate_variance,
    gaussian_mixture,
    sensitivities,
    single_topic,
)
from core.moments.sensitivities import Model
from core.moments.whitening import Order, Whitening, noise_edge, top_eigenpairs, whiten
from core.noise import Symmetric, symmetrise
from core.privacy import Calibration, Form, Privacy
from core.schemes import SCHEMES, Names, Release, find, is_private, named, release
from core.schemes.projected_noise import ProjectedNoise

METHODS = Names(lambda: (*SCHEMES, "avn", "random"))
_CURATOR = "pooled"  # The scheme by which AVN releases M2.
MODELS = sensitivities.MODELS
Simplex = Literal["clip", "project"]
SIMPLEX: tuple[Simplex, ...] = get_args(Simplex)

PUBLISHED = {
    "calibration": "published",
    "composition": "published",
    "sensitivity_form": "published",
    "noise": "copied",
    "order": "magnitude",
    "simplex": "clip",
    "decomposer": "robust",
    "restarts": 1,
}
"""The conventions behind [Fact] Figures 3-4 as options of `fit`; only the symmetrised moments differ."""

_STREAMED = 1000  # From this width on sites' second moments are added one by one, not stacked.


@dataclass(frozen=True)
class Decomposition:
    """Components recovered from two releases.

    Attributes
    ----------
    components : ndarray of shape (k, d)
        Word distributions of the topics, or unit vectors along the means (with normalise=False the means). Rows
        beyond `identified` carry no information of their own: see `fit`.
    weights : ndarray of shape (k,)
        Estimated mixing weights; zero beyond `identified`, else summing to one.
    values : ndarray of shape (r,)
        Eigenvalues λ of the whitened third moment; without noise λ_i = w_i^{-1/2}.
    identified : int
        r, how many eigenvalues of the released M2 were positive enough to whiten by.
    above_noise : int
        How many are beyond the edge of the noise's own spectrum: these are distinguishable from noise.
    noise_edge : float
        That edge (`core.moments.whitening.noise_edge`), in units of M2's eigenvalues; 0 without noise.
    whitening : Whitening or None
    tensor : ndarray of shape (r, r, r) or None
        The released M3(W,W,W).
    method : str
        One of `METHODS`.
    second, third : Release or None
        The two releases ("avn" has no Gaussian third one), each with its true μ.
    mu_public, mu_message, mu_aggregator : float
        μ of both releases together, of the result, of one site's messages and of all that the aggregator
        sees; ∞ where nothing is promised (also if σ² was taken from the records). "avn" is (ε, δ)-private by
        basic composition: NaN.
    clipped : int
        Records shortened to the public bound. Taken from the data: not private.
    """

    components: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    identified: int
    above_noise: int
    noise_edge: float
    whitening: Whitening | None
    tensor: np.ndarray | None
    method: str
    second: Release | None
    third: Release | None
    mu_public: float
    mu_message: float
    mu_aggregator: float
    clipped: int = 0


@check.arguments(bound=check.sized)
def site_moments(
    sites: Sequence,
    *,
    model: Model = "topics",
    vocabulary: int | None = None,
    variance: float | str | None = None,
    bound: float = 1.0,
    k: int | None = None,
) -> list[Moments]:
    """Moments of every site; sites that are `Moments` already pass. See `fit` for the parameters."""
    if all(isinstance(s, Moments) for s in sites):
        moments = list(sites)
    elif model == "topics":
        if vocabulary is None and not all(isinstance(s, Moments) or sp.issparse(s) for s in sites):
            raise ValueError(
                "sites must hold sparse word counts, or lists of word numbers with vocabulary= the number of words, "
                "for model='topics'; tables of records need model='gaussians'"
            )
        moments = [_at_site(s, single_topic, x, vocabulary) for s, x in enumerate(sites)]
    else:
        if variance is None:
            raise ValueError(
                "variance must be given for model='gaussians': a public σ², or variance='estimate' "
                "to take it from the records, which is not private"
            )
        if isinstance(variance, str):
            check.choice("variance", variance, ("estimate",))
            variance = estimate_variance(sites, check.integer("k", k, low=1))
        moments = [_at_site(s, gaussian_mixture, x, variance, bound=bound) for s, x in enumerate(sites)]
    if len(moments) < 2:
        raise ValueError(f"sites must be at least 2, got {len(moments)}")
    if len({m.d for m in moments}) > 1:
        raise ValueError(f"sites must have records of one width, got {[m.d for m in moments]}")
    if model == "gaussians" and len({m.variance for m in moments}) > 1:
        raise ValueError(f"sites must have one variance and bound, got {[m.variance for m in moments]}")
    return moments


@check.arguments(share=check.sized, bound=check.sized)
def fit(
    sites: Sequence,
    k: int,
    *,
    model: Model = "topics",
    scheme: str,
    privacy: Privacy | None,
    rng: np.random.Generator,
    share: float = 0.5,
    vocabulary: int | None = None,
    variance: float | str | None = None,
    bound: float = 1.0,
    calibration: Calibration = "exact",
    composition: Composition = "exact",
    sensitivity_form: Form = "exact",
    noise: Symmetric = "symmetrised",
    order: Order = "signed",
    simplex: Simplex = "clip",
    normalise: bool = True,
    decomposer: tensors.Method = "simultaneous",
    restarts: int = 10,
    leaky: bool = False,
    weights=None,
    **options,
) -> Decomposition:
    """Recover k components from records at several sites under a scheme.

    Parameters
    ----------
    sites : sequence of S
        Documents (model "topics", see `core.moments.single_topic`), tables of records (model "gaussians",
        see `core.moments.gaussian_mixture`), or `core.moments.Moments` of either.
    k : int
        Number of components, 1 ≤ k ≤ d.
    scheme : str
        One of `METHODS`. "pooled" is AGN with all data at one curator, "cape" is capeAGN, "avn" adds pure-ε
        vector noise to the curator's M3, "random" looks at nothing (with privacy=None, as "nonprivate").
    share : float
        Budget share of M2, 0 < share < 1.
    vocabulary : int
        d of documents; public.
    variance : float or "estimate"
        σ² of the records as given; "estimate" takes it from the records and is **not private**.
    bound : float
        ζ, public: records are divided by it, and shortened to 1 where that is not enough.
    composition : {"exact", "published"}
        "exact": both Gaussian releases together are μ-GDP, as the privacy target allows, μ2² : μ3² as the share
        says (and with less noise where no record moves both moments fully, `core.moments.sensitivities.joint`).
        "published": each has its share of ε and of δ.
    sensitivity_form, calibration : {"exact", "published"}
        See `core.moments.sensitivities` and `core.privacy.gaussian_std`.
    noise : {"symmetrised", "copied"}
        Distribution of the noise, see `core.noise`.
    order : {"signed", "magnitude"}
        See `core.moments.whitening.whiten`. Components without a positive eigenvalue of M2 are not identified: they
        are given as the distribution of all words (topics), or as M2's next eigenvectors.
    simplex : {"clip", "project"}
        Topics become distributions by dropping negative entries and scaling (published), or by Euclidean projection.
    normalise : bool
        Give Gaussian means as unit vectors (published); else in the units of the records as given.
    decomposer : {"simultaneous", "jacobi", "robust"}
        Method of `core.tensors`. The first two agree, and under noise err up to a third less than "robust"
        (published) at k = 10.
    restarts : int
        Random starts; "jacobi" needs none.
    leaky : bool
        Allow moments that were not symmetrised, from which symmetric noise does not protect M2 − M2ᵀ.
    weights : array of shape (S,), optional
        w_s of the average; default n_s/N.
    **options
        Passed to `core.schemes.release`: against, colluding, zero_sum, keep.

    Raises
    ------
    ValueError
        Naming the parameter; also if, without privacy, fewer than k components are identifiable.
    """
    check.choice("scheme", scheme, METHODS)
    guessed = isinstance(variance, str)
    sites = site_moments(sites, model=model, vocabulary=vocabulary, variance=variance, bound=bound, k=k)
    d = sites[0].d
    k = check.integer("k", k, low=1, high=d)
    if scheme == "random":
        return _random(d, k, model, rng)
    leaks = _leaks(sites, leaky)
    samples = np.array([m.samples for m in sites], dtype=float)
    plan = stages(
        samples,
        privacy,
        scheme=scheme,
        share=share,
        model=model,
        d=d,
        variance=getattr(sites[0], "variance", None),
        calibration=calibration,
        composition=composition,
        form=sensitivity_form,
    )
    options = {
        "scheme": _CURATOR if scheme == "avn" else scheme,
        "weights": samples / samples.sum() if weights is None else weights,
        "calibration": plan.calibration,
        "keep": "value",
        "rng": rng,
        "leaky": leaks,
        **options,
    }
    second = _release_second(sites, plan, noise, options)
    whitening = whiten(second.value, k, order=order, strict=not is_private(scheme))
    edge = noise_edge(d, float(np.max(second.std)), distribution=noise)
    third = tensor = pairs = None
    if whitening.rank:
        third, tensor = _release_third(sites, plan, ProjectedNoise(whitening.matrix, noise), scheme, options)
        starts = {} if decomposer == "jacobi" else {"restarts": restarts}
        # Of published moments and their noise only what is symmetric has eigenvectors to look for.
        seen = symmetrise(tensor) if leaks else tensor
        pairs = tensors.decompose(seen, method=decomposer, rng=rng, **starts)
    components, mixing = _components(second.value, whitening, pairs, k, model, simplex, normalise)
    if model == "gaussians" and not normalise:
        components = components * bound
    second, third, (public, message, aggregator) = _guaranteed(
        second, third, plan, scheme, covered=not (leaks or guessed)
    )
    return Decomposition(
        components,
        mixing,
        np.zeros(0) if pairs is None else pairs.values,
        whitening.rank,
        int((whitening.values > edge).sum()),
        edge,
        whitening,
        tensor,
        scheme,
        second,
        third,
        public,
        message,
        aggregator,
        clipped=sum(getattr(m, "clipped", 0) for m in sites),
    )


@check.arguments
def communication(method: str, *, sites: int, width: int, k: int, form: str = "projected") -> int:
    """Numbers sent between sites, aggregator and noise generator for one fit.

    capeAGN published: 3SD² + 2SD³ + SDK + SK³ ([Fact] section IV-B); projected: 3SD² + SDK + 3SK³, the same
    protocol once each tensor is sent as W sees it. "conventional": S(D² + DK + K³). 0 where sites send no
    messages: one site alone, "random", or a curator, who is sent the records themselves.
    """
    check.choice("method", method, METHODS)
    check.choice("form", form, ("projected", "published"))
    scheme = find(method)
    if scheme is None or scheme.sends.nothing:
        return 0
    third = scheme.sends.numbers(k**3, noise=None if form == "projected" else width**3)
    return sites * (scheme.sends.numbers(width**2) + width * k + third)


def _at_site(site, function, *args, **options):
    try:
        return function(*args, **options)
    except ValueError as error:
        raise ValueError(f"site {site}: {error}") from None


def _leaks(sites, allowed):
    """Whether the moments are not symmetric; refuse them unless that is allowed."""
    result = any(isinstance(m, TripleMoments) and not m.symmetrised for m in sites)
    if result and not allowed:
        raise ValueError(
            "sites must have symmetrised moments: of others M2 − M2ᵀ is released without noise; "
            "pass leaky=True to run them as published"
        )
    return result


def _release_second(sites, plan, noise, options):
    """Release M2; large matrices are added to the noise site by site to save memory."""
    options = {**options, "noise": noise, "assumed": plan.assumed[0]}
    if sites[0].d < _STREAMED:
        held = [m.kept_second for m in sites]
        return release(held, plan.sensitivities[0], plan.targets[0], **options)
    nothing = [np.broadcast_to(0.0, (m.d, m.d)) for m in sites]
    result = release(nothing, plan.sensitivities[0], plan.targets[0], **options)
    alone = named(options["scheme"]).one_site
    for moments, weight in [(sites[0], 1.0)] if alone else zip(sites, options["weights"], strict=True):
        moments.add_second(result.value, weight)
    return result


def _guaranteed(second, third, plan, scheme, *, covered):
    """The releases and μ of both together; ∞ unless noise and sensitivity cover the statistics."""
    if not covered:
        nothing = dict.fromkeys(VIEWS, math.inf)
        return *(r and replace(r, **nothing) for r in (second, third)), tuple(nothing.values())
    return second, third, (math.nan,) * 3 if scheme == "avn" else plan.mus(second, third)


def _release_third(sites, plan, projected, scheme, options):
    """Release M3(W,W,W): (the Gaussian release, its value); AVN's value has no Gaussian release behind it."""
    seen = np.stack([m.third(projected.matrix) for m in sites])
    if scheme != "avn":
        options = {**options, "noise": projected, "assumed": plan.assumed[1]}
        result = release(seen, plan.sensitivities[1], plan.targets[1], **options)
        return result, result.value
    weights = np.asarray(options["weights"])
    scale = float((weights * plan.assumed[1]).max()) / plan.targets[1]
    return None, np.tensordot(weights, seen, axes=1) + projected.vector(scale, rng=options["rng"])


def _random(d, k, model, rng):
    """Gaussian vectors, post-processed like estimates: the baseline without information ([Fact] section V)."""
    rows = rng.standard_normal((k, d))
    rows = to_simplex(rows) if model == "topics" else rows / np.linalg.norm(rows, axis=1, keepdims=True)
    nothing = (np.zeros(0), 0, 0, 0.0, None, None, "random", None, None)
    return Decomposition(rows, np.full(k, 1 / k), *nothing, 0.0, 0.0, 0.0)


def _components(m2, whitening, pairs, k, model, simplex, normalise):
    """Un-whiten: a_i = λ_i (Wᵀ)†v_i, w_i = λ_i^{-2}; rows beyond the identified are filled up."""
    rank = whitening.rank
    rows = np.zeros((rank, len(m2)))
    weights = np.zeros(k)
    if rank:
        rows = pairs.values[:, None] * (pairs.vectors @ whitening.inverse.T)
        # Without noise every λ = w^{-1/2} is at least 1.
        weights[:rank] = np.maximum(np.abs(pairs.values), 1) ** -2
        weights /= weights.sum()
    if model == "topics":
        rows = to_simplex(np.vstack([rows, np.repeat(m2.sum(axis=1)[None], k - rank, axis=0)]), how=simplex)
        return rows, weights
    if rank < k:
        rows = np.vstack([rows, top_eigenpairs(m2, k)[1].T[rank:]])
    if normalise:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return rows, weights


@check.arguments(rows=check.matrix)
def to_simplex(rows: np.ndarray, *, how: Simplex = "clip") -> np.ndarray:
    """Rows as probability distributions: "clip" drops negative entries and scales (published), "project" is the
    nearest point of the simplex. A row without a positive entry becomes uniform."""
    d = rows.shape[1]
    if how == "clip":
        positive = np.maximum(rows, 0)
        totals = positive.sum(axis=1, keepdims=True)
        return np.divide(positive, totals, out=np.full(rows.shape, 1 / d), where=totals > 0)
    falling = -np.sort(-rows, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, d + 1)
    support = (falling > excess).sum(axis=1)
    return np.maximum(rows - excess[np.arange(len(rows)), support - 1][:, None], 0)

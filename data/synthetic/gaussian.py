"""Gaussian records: the low-rank distribution of [Fact] Figure 2 and the mixtures of [Fact] Figure 3.

A Gaussian record has no bound. The public bounds used here come from the distribution, not from the sample: for
x ~ N(m, Σ), ‖x − m‖² ≤ tr Σ + 2√t ‖Σ‖_F + 2t ‖Σ‖₂ except with probability e^(−t) (Laurent & Massart 2000,
Lemma 1). With t = 8 about one row in 3000 at most is clipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from data import bounds, check

Scaling = Literal["published", "public"]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)
_ROWS = 4096
_TAIL = 8.0


@dataclass(frozen=True)
class LowRank:
    """What `low_rank` drew.

    Attributes
    ----------
    records : ndarray (N, d)
        Rows with ‖x‖ ≤ 1.
    spectrum : ndarray (d,)
        Diagonal of the population second moment A, in the units before scaling: the units in which
        [Fact] Figure 2(a) reports captured energy.
    scale : float
        The norm that records were divided by.
    clipped : int
        Rows shortened to the bound; not private.
    private : bool
        False for the published preprocessing: its mean and largest norm are taken from the data.
    """

    records: np.ndarray
    spectrum: np.ndarray
    scale: float
    clipped: int
    private: bool

    @property
    def second_moment(self) -> np.ndarray:
        """A, shape (d, d), before scaling; the records' own is A/scale²."""
        return np.diag(self.spectrum)


@dataclass(frozen=True)
class Mixture:
    """What `mixture_of_gaussians` drew.

    Attributes
    ----------
    records : ndarray (N, d)
        Draws divided by `scale`, ‖t‖ ≤ 1 unless the bound was infinite.
    labels : ndarray (N,)
        The component of each record, 0 … k − 1.
    components : ndarray (k, d)
        The means a_k, before scaling; ‖a_k‖ ≤ 1.
    weights : ndarray (k,)
        Probabilities of the components.
    variance : float
        σ² of every coordinate about its mean, before scaling.
    scale : float
        ζ, the public norm bound that records were divided by.
    clipped : int
        Rows shortened to the bound; not private.
    """

    records: np.ndarray
    labels: np.ndarray
    components: np.ndarray
    weights: np.ndarray
    variance: float
    scale: float
    clipped: int

    @property
    def record_variance(self) -> float:
        """σ²/ζ²: the coordinate variance of the scaled records, what their moments subtract."""
        return self.variance / self.scale**2


@check.arguments
def low_rank(
    samples: int = 10_000,
    *,
    dimension: int = 200,
    rank: int = 50,
    population: int = 60_000,
    scaling: Scaling = "published",
    bound: float | None = None,
    rng: np.random.Generator,
) -> LowRank:
    """Zero-mean Gaussian records with `rank` strong directions above a weak floor: [Fact] Figure 2(a).

    The population second moment is A = diag(linspace(10, 1, rank), then 0.5 · U(0, 1) for the rest).

    Parameters
    ----------
    samples : int
        N records returned.
    dimension, rank : int
        d and the number of strong directions, 1 ≤ rank ≤ d.
    population : int
        Records drawn in all (at least N) for the largest norm of "published".
    scaling : {"published", "public"}
        "published": divide by the largest norm in the population drawn, then subtract the sample mean, as
        the paper does (and clip what that pushed past 1): **not private**. "public": divide by `bound` and
        clip; nothing is taken from the data.
    bound : float, optional
        Public norm bound; default the tail bound of the distribution (see the module's description).
    """
    check.integer("samples", samples, low=1)
    check.integer("dimension", dimension, low=1)
    check.integer("rank", rank, low=1, high=dimension)
    check.choice("scaling", scaling, SCALINGS)
    if bound is not None and scaling == "published":
        raise ValueError('bound must be None with scaling="published", which divides by the largest norm')
    spectrum = np.concatenate([np.linspace(10, 1, rank), 0.5 * rng.random(dimension - rank)])
    std = np.sqrt(spectrum)
    records = rng.standard_normal((samples, dimension))
    records *= std
    if scaling == "public":
        bound = _tail_bound(spectrum) if bound is None else bound
        scaled = bounds.to_unit_ball(records, bound=bound)
        return LowRank(scaled.records, spectrum, float(bound), scaled.clipped, private=True)
    check.integer("population", population, low=1)
    # Rows are exchangeable: the first N of the population are a random subset of it.
    largest = bounds.row_norms(records).max()
    for rows in _blocks(max(population - samples, 0)):
        largest = max(largest, bounds.row_norms(rng.standard_normal((rows, dimension)) * std).max())
    records /= largest
    records -= records.mean(axis=0)
    # Centring can push the longest row past 1.
    scaled = bounds.clip(records)
    return LowRank(scaled.records, spectrum, float(largest), scaled.clipped, private=False)


@check.arguments(bound=check.optional(check.extended))
def mixture_of_gaussians(
    samples: int = 100_000,
    *,
    dimension: int = 10,
    components: int | np.ndarray = 5,
    variance: float = 0.05,
    weights=None,
    bound: float | None = None,
    dtype=np.float64,
    rng: np.random.Generator,
) -> Mixture:
    """Spherical Gaussians around k means of at most unit length: [Fact] appendix D.2, Figure 3.

    Needs O(N d + k d) memory: d in the thousands is no burden (`dtype=numpy.float32` halves it).

    Parameters
    ----------
    samples, dimension : int
        N and d.
    components : int or array (k, d)
        k ≤ d, for means that are columns of a random orthogonal matrix; or the means, ‖a_k‖ ≤ 1.
    variance : float
        Common variance σ² of every coordinate.
    weights : array (k,), optional
        Probabilities of the components; default `weights_of_figure(k)`.
    bound : float, optional
        Public norm bound ζ. Default: 1 + σ √(d + 2√(8d) + 16), which the distribution exceeds with probability below
        e^(−8). `math.inf`: records are neither scaled nor clipped.
    """
    check.integer("samples", samples, low=1)
    check.integer("dimension", dimension, low=1)
    if not isinstance(dtype, type | np.dtype | str) or dtype not in (np.float64, np.float32):
        raise ValueError(f"dtype must be numpy.float64 or numpy.float32, got {dtype!r}")
    if bound is not None and bound != math.inf:
        bound = check.sized("bound", bound)
    std = math.sqrt(check.number("variance", variance, low=0))
    means = _means(components, dimension, rng)
    weights = _weights(weights, len(means))
    labels = rng.choice(len(means), samples, p=weights)
    records = rng.standard_normal((samples, dimension), dtype=dtype)
    records *= np.dtype(dtype).type(std)
    start = 0
    for rows in _blocks(samples):
        records[start : start + rows] += means[labels[start : start + rows]].astype(dtype)
        start += rows
    truth = {"labels": labels, "components": means, "weights": weights, "variance": float(variance)}
    if bound == math.inf:
        return Mixture(records, **truth, scale=1.0, clipped=0)
    bound = 1 + _tail_bound(np.full(dimension, float(variance))) if bound is None else bound
    records /= np.dtype(dtype).type(check.number("bound", bound, low=0))
    scaled = bounds.clip(records)
    return Mixture(scaled.records, **truth, scale=float(bound), clipped=scaled.clipped)


@check.arguments
def weights_of_figure(components: int) -> np.ndarray:
    """Component probabilities behind [Fact] Figures 3-4: proportional to linspace(1, 10 k, k), shape (k,)."""
    weights = np.linspace(1, 10 * components, check.integer("components", components, low=1))
    return weights / weights.sum()


@check.arguments(dimension=check.whole(1))
def orthonormal(components: int, dimension: int, *, rng: np.random.Generator) -> np.ndarray:
    """k orthonormal rows in ℝ^d, uniform among such, shape (k, d); O(k d) memory."""
    check.integer("components", components, low=1, high=dimension)
    q, r = np.linalg.qr(rng.standard_normal((dimension, components)))
    return (q * np.sign(np.diag(r))).T


def _means(components, dimension, rng):
    if np.ndim(components) == 0:
        return orthonormal(components, dimension, rng=rng)
    means = check.table("components", components)
    if means.shape[1] != dimension:
        raise ValueError(f"components must have {dimension} columns, got shape {means.shape}")
    longest = bounds.row_norms(means).max()
    if longest > 1 + 1e-12:
        raise ValueError(f"components must have norm at most 1, got {longest:.6g}")
    return means


def _weights(weights, count):
    return (
        weights_of_figure(count) if weights is None else check.distribution("weights", weights, length=count)
    )


def _tail_bound(spectrum):
    norm = np.sqrt((spectrum**2).sum())
    return math.sqrt(spectrum.sum() + 2 * math.sqrt(_TAIL) * norm + 2 * _TAIL * spectrum.max())


def _blocks(total):
    return [min(_ROWS, total - start) for start in range(0, total, _ROWS)]

"""Two-sided geometric noise that sites draw in parts, exactly and in whole numbers, and the pure ε of what they sum to.

With q = exp(−1/t) the difference of two numbers of law P[n] = (1 − q) qⁿ is two-sided geometric, P[n] ∝ q^|n|, and a whole
number that may move by k steps is k/t-private under it: δ = 0. Differences of negative binomials of shape 1/h, drawn by
h sites, add up to it. For the derivations see core/README.md, "Pure ε in parts".
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy

from core import check
from core.discrete.sampler import OperatingSystem, bernoulli_exp, uniform

LARGEST_SCALE = 2**44  # Its draws then stay far below 2^62.
_EXACT = 4096  # Terms of a sum that are added one by one; further ones in blocks of 1/1024 of their place.


@check.arguments(shape=check.shape)
def divided(shape, scale: int, parts: int = 1, *, rng: np.random.Generator | OperatingSystem) -> np.ndarray:
    """Draw differences of two negative binomials of shape 1/h and q = exp(−1/t), exactly: int64 of this shape.

    Parameters
    ----------
    shape : int or tuple of int
    scale : int
        t, a whole number of steps.
    parts : int
        h: so many of them add up to a two-sided geometric number. 1: it is one.
    rng : numpy.random.Generator or OperatingSystem
        Source of the bits, as of `core.discrete.gaussian`.

    Notes
    -----
    A geometric number N is Σ of h negative binomials of shape 1/h. One of them given N is what a uniform random permutation
    of N elements has in its cycles, if each cycle is coloured with probability 1/h; the cycle of an element is uniform on
    1 … n of n that are left. So a part costs about ln N uniform numbers.

    Examples
    --------
    >>> drawn = divided((10, 20_000), 50, 10, rng=np.random.default_rng(0))
    >>> round(float(np.abs(drawn.sum(axis=0)).mean()) / 50, 1)
    1.0
    """
    scale = check.integer("scale", scale, low=1, high=LARGEST_SCALE)
    parts = check.integer("parts", parts, low=1, high=10**6)
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    both = _parts(_geometric(2 * math.prod(int(n) for n in sizes), scale, rng), parts, rng)
    return (both[::2] - both[1::2]).reshape(sizes)


@check.arguments(scale=check.numbers_in(1, LARGEST_SCALE), parts=check.whole(1))
def deviation(scale: float, parts: int = 1) -> float:
    """Standard deviation of `divided`: √(2q/h)/(1 − q)."""
    return 1 / (math.sqrt(2 * parts) * math.sinh(0.5 / scale))


@check.arguments(std=check.numbers_in(1e-9, LARGEST_SCALE), parts=check.whole(1))
def scale_for(std: float, parts: int = 1) -> int:
    """Least whole scale t at which `deviation` is at least `std`, to 12 digits."""
    return max(math.ceil(0.5 / math.asinh(1 / (math.sqrt(2 * parts) * std)) * (1 - 1e-12)), 1)


@check.arguments(shape=check.numbers_in(1e-6, 1e3))
def divided_probabilities(scale: int, shape: float, reach: int) -> np.ndarray:
    """P[X = n] for n = −reach … reach, X the difference of two negative binomials of this shape: (2 reach + 1,).

    By direct sums over 60 scales beyond `reach`, whose tails keep their relative accuracy.
    """
    scale = check.integer("scale", scale, low=1, high=200)
    reach = check.integer("reach", reach, low=1, high=10**4)
    places = np.arange(reach + 60 * scale)
    one = np.exp(_log_terms(shape, places) - places / scale) * (-math.expm1(-1 / scale)) ** shape
    return np.convolve(one, one[::-1])[len(one) - 1 - reach : len(one) + reach]


@check.arguments(
    scale=check.whole(1),
    shape=check.nonnegative,
    steps=check.numbers_in(0, LARGEST_SCALE),
    size=check.whole(1),
)
def largest_ratio(scale: int, shape: float, steps: float, size: int = 1) -> float:
    """Pure ε of `size` whole numbers that move by k = `steps` together, plus differences of negative binomials: upwards.

    Parameters
    ----------
    scale : int
        t.
    shape : float
        That of the sum of all parts that the observer does not know: their number divided by h. From 1 on ε is k/t.
        Below, P is a mixture of geometric laws, hence log-convex on both sides of 0, and the largest ratio is P[0]/P[k]; 0:
        no noise.

    Examples
    --------
    Of ten parts that make a whole number of scale 1, three are known: ε is 1.34 where 1 was meant.

    >>> round(largest_ratio(1, 0.7, 1), 2)
    1.34
    """
    if shape >= 1 or steps == 0:
        return steps / scale
    return math.inf if shape < 1e-9 else _below_one(scale, shape, math.ceil(steps / size), size)


@lru_cache(maxsize=256)
def _below_one(scale, shape, moved, size):
    """The same for a shape below 1: the sites of a release ask alike."""
    ratio = math.log(_autocorrelation(shape, scale, 0, upper=True)) - math.log(
        _autocorrelation(shape, scale, moved, upper=False)
    )
    return size * (ratio + moved / scale) * (1 + 1e-9)


def _autocorrelation(shape, scale, moved, *, upper):
    """A bound on Σ_j c_j c_{j+k} q^{2j} with Σ c_j z^j = (1 − z)^{−shape}, whose terms fall."""
    blocks = math.ceil(math.log1p(60 * scale / _EXACT) / math.log1p(2**-10))
    at = np.concatenate(
        [np.arange(_EXACT), np.unique((_EXACT * (1 + 2**-10) ** np.arange(blocks + 1)).round())]
    )
    seen = at[:-1] if upper else at[1:] - 1
    terms = np.exp(_log_terms(shape, seen) + _log_terms(shape, seen + moved) - 2 * seen / scale)
    rest = terms[-1] / -math.expm1(-2 / scale) if upper else 0.0
    return float((np.diff(at) * terms).sum() + rest)


def _log_terms(shape, places):
    """ln of c_j, c_j = Γ(j + shape)/(Γ(shape) j!)."""
    places = np.asarray(places, dtype=float)
    return -np.log(places + shape) - scipy.special.betaln(shape, places + 1) if shape != 1 else 0.0 * places


def _geometric(size, scale, rng):
    """Numbers of law (1 − q) qⁿ: a uniform one below t, kept with probability exp(−u/t), and t times one of exp(−1)."""
    low, left = np.empty(size, dtype=np.int64), np.arange(size)
    while len(left):
        tried = uniform.trusted(scale, len(left), rng=rng)
        kept = bernoulli_exp.trusted(tried, scale, rng=rng)
        low[left[kept]] = tried[kept]
        left = left[~kept]
    high, left = np.zeros(size, dtype=np.int64), np.arange(size)
    while len(left):
        left = left[bernoulli_exp.trusted(np.ones(len(left), dtype=np.int64), 1, rng=rng)]
        high[left] += 1
    return low + scale * high


def _parts(totals, parts, rng):
    """Of each total the elements in coloured cycles of a random permutation."""
    if parts == 1:
        return totals
    found, rest = np.zeros_like(totals), totals.copy()
    left = np.flatnonzero(rest)
    while len(left):
        cycle = 1 + _below(rest[left], rng)
        found[left] += np.where(uniform.trusted(parts, len(left), rng=rng) == 0, cycle, 0)
        rest[left] -= cycle
        left = left[rest[left] > 0]
    return found


def _below(bounds, rng):
    """Uniform whole numbers from 0 to each bound − 1."""
    masks = bounds - 1
    for shift in (1, 2, 4, 8, 16, 32):
        masks = masks | (masks >> shift)
    found, left = np.empty_like(bounds), np.arange(len(bounds))
    while len(left):
        tried = uniform.trusted(2**62, len(left), rng=rng) & masks[left]
        fits = tried < bounds[left]
        found[left[fits]] = tried[fits]
        left = left[~fits]
    return found

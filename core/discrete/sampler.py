"""Exact sampler of the discrete Gaussian: whole numbers only, no floating-point number anywhere.

P[X = n] ∝ exp(−n²/(2σ²)) for a whole number σ. Every decision is a comparison of uniform whole numbers, whose bits come
from the source passed in. Rejection as C. Karney, *Sampling exactly from the normal distribution*, 2016, section 5, with
the Bernoulli(exp(−x)) of C. Canonne, G. Kamath, T. Steinke, *The Discrete Gaussian for Differential Privacy*, 2020,
Algorithm 1. Vectorised: all numbers of an array are drawn side by side.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core import check

LARGEST_STD = 2**30  # 2σ² and all numerators then fit 62 bits.


class Bits(Protocol):
    """A source of random bits; every `numpy.random.Generator` is one, though none of NumPy's is cryptographic."""

    def bytes(self, length: int, /) -> bytes: ...


@dataclass(frozen=True)
class OperatingSystem:
    """The operating system's cryptographic generator as a source of random bits; nothing repeats it."""

    @check.arguments
    def bytes(self, length: int) -> bytes:
        """Random bytes."""
        return os.urandom(check.integer("length", length, low=0))


OPERATING_SYSTEM = OperatingSystem()


@check.arguments(shape=check.shape)
def gaussian(shape, std: int, *, rng: np.random.Generator | OperatingSystem) -> np.ndarray:
    """Draw from the discrete Gaussian, exactly.

    Parameters
    ----------
    shape : int or tuple of int
    std : int
        σ, a whole number from 1 to 2^30: steps of a grid.
    rng : numpy.random.Generator or OperatingSystem
        Source of the bits. A Generator repeats the draw from its seed, and is not cryptographic.

    Returns
    -------
    ndarray of int64

    Notes
    -----
    |n| = kσ + j with 0 ≤ j < σ. k ∝ exp(−k²/2) and a uniform j are proposed and accepted with the probability
    exp(−j²/(2σ²)) exp(−j/σ)^k; a sign is drawn, and minus zero is rejected.
    """
    std = check.integer("std", std, low=1, high=LARGEST_STD)
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    size = math.prod(int(n) for n in sizes)
    result = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        # About half of the proposals are accepted.
        more = _proposals(2 * (size - filled) + 16, std, rng)[: size - filled]
        result[filled : filled + len(more)] = more
        filled += len(more)
    return result.reshape(sizes)


@check.arguments
def uniform(bound: int, size: int, *, rng: np.random.Generator | OperatingSystem) -> np.ndarray:
    """Uniform whole numbers from 0 to `bound` − 1 (at most 2^62), by rejection: shape (size,), int64."""
    bound = check.integer("bound", bound, low=1, high=2**62)
    size = check.integer("size", size, low=0)
    bits = (bound - 1).bit_length()
    width = next(n for n in (1, 2, 4, 8) if 8 * n >= bits)
    result = np.empty(0, dtype=np.int64)
    while len(result) < size:
        count = (size - len(result)) * 2 + 8 if bound & (bound - 1) else size
        words = np.frombuffer(rng.bytes(width * count), dtype=f"<u{width}").astype(np.int64)
        words &= (1 << bits) - 1
        result = np.concatenate([result, words[words < bound]])
    return result[:size]


@check.arguments(numerators=check.reals)
def bernoulli_exp(numerators, denominator: int, *, rng: np.random.Generator | OperatingSystem) -> np.ndarray:
    """Independent events of probability exp(−a/b), for whole numbers 0 ≤ a ≤ b ≤ 2^62: a bool array like a.

    Count K up while events of probability a/(bK) happen, each as two: a uniform number below b is less than a, and
    a uniform number below K is 0. The first K at which none happens is odd with probability exp(−a/b).
    """
    numerators = np.asarray(numerators)
    denominator = check.integer("denominator", denominator, low=1, high=2**62)
    if numerators.dtype.kind not in "iu" or (numerators < 0).any() or (numerators > denominator).any():
        raise ValueError(
            f"numerators must be whole numbers from 0 to {denominator}, got {check.shown(numerators)}"
        )
    return _exp(numerators.ravel(), denominator, rng).reshape(numerators.shape)


def _exp(numerators, denominator, rng):
    odd = np.zeros(len(numerators), dtype=bool)
    active, k = np.arange(len(numerators)), 1
    while len(active):
        happens = uniform.trusted(denominator, len(active), rng=rng) < numerators[active]
        if k > 1:
            place = np.flatnonzero(happens)
            happens[place] = uniform.trusted(k, len(place), rng=rng) == 0
        odd[active[~happens]] = k % 2 == 1
        active, k = active[happens], k + 1
    return odd


def _half(count, rng):
    """Events of probability exp(−1/2)."""
    return _exp(np.ones(count, dtype=np.int64), 2, rng)


def _proposals(count, std, rng):
    """Accepted proposals, of `count` that are made."""
    k = np.zeros(count, dtype=np.int64)
    active = np.arange(count)
    while len(active):
        active = active[_half(len(active), rng)]
        k[active] += 1
    # k has probability ∝ exp(−k/2); keep it with exp(−k(k − 1)/2).
    k = k[_all_of(k * (k - 1), lambda left: _half(len(left), rng))]
    j = uniform.trusted(std, len(k), rng=rng)
    kept = _exp(j * j, 2 * std * std, rng)
    k, j = k[kept], j[kept]
    kept = _all_of(k, lambda left: _exp(j[left], std, rng))
    k, j = k[kept], j[kept]
    minus = uniform.trusted(2, len(k), rng=rng).astype(bool)
    values = k * std + j
    return np.where(minus, -values, values)[~(minus & (values == 0))]


def _all_of(times, event):
    """Whether so many independent events all happen: `event(places)` draws one for each place."""
    alive, left = np.ones(len(times), dtype=bool), np.flatnonzero(times > 0)
    done = 0
    while len(left):
        happened = event(left)
        alive[left[~happened]] = False
        done += 1
        left = left[happened]
        left = left[times[left] > done]
    return alive

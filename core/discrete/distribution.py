"""The discrete Gaussian N_Z(0, σ²) and sums of them: probabilities, exact δ, and the μ of their privacy.

For the derivations see core/README.md, "Discrete noise".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
import scipy

from core import check

# In grid steps. Sums of such noise differ from a discrete Gaussian by a factor within 1e-60 of one.
LEAST_STD = 4.0
_STD = check.positives_in(1e-3, 1e6)  # Distributions are arrays of some 80 entries a standard deviation.


@check.arguments(std=_STD)
def probabilities(std: float, reach: int | None = None) -> np.ndarray:
    """P[X = n] for n = −reach … reach, X ~ N_Z(0, std²): shape (2 reach + 1,).

    `reach` is 40 standard deviations unless given, beyond which less than 1e-300 remains.
    """
    reach = math.ceil(40 * std) + 1 if reach is None else check.integer("reach", reach, low=1, high=10**8)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / std) ** 2)
    return weights / weights.sum()


@check.arguments(stds=_STD)
def sum_probabilities(stds: Sequence[float]) -> np.ndarray:
    """The same for the sum of independent X_i ~ N_Z(0, std_i²), by convolution: an array of odd length about 0."""
    return reduce(np.convolve, [probabilities(float(std)) for std in check.positives("stds", stds)])


@check.arguments(first=check.vector, second=check.vector)
def total_variation(first: np.ndarray, second: np.ndarray) -> float:
    """½ Σ |P[n] − Q[n]| of two distributions on whole numbers, given about 0: arrays of odd length."""
    length = max(len(first), len(second))
    padded = [np.pad(p, (length - len(p)) // 2) for p in (first, second)]
    return 0.5 * float(np.abs(padded[0] - padded[1]).sum())


@check.arguments(distribution=check.vector)
def exact_delta(epsilon: float, distribution: np.ndarray, shift: int) -> float:
    """Least δ at ε of a release of a whole number plus noise, for neighbours that differ by `shift`: by enumeration.

    δ = Σ_n max(0, P[n] − e^ε P[n − shift]), the larger of both directions.
    """
    check.nonnegative("epsilon", epsilon)
    shift = abs(shift)
    first, second = np.pad(distribution, (0, shift)), np.pad(distribution, (shift, 0))
    excess = [np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((first, second), (second, first))]
    return float(max(excess))


@check.arguments(std=check.positives_in(1e-3, check.HUGE))
def gdp_step(std):
    """μ of one grid step: a release plus N_Z(0, std²), of l2 sensitivity Δ in grid steps, is μ-GDP with μ = Δ · this.

    2 Φ⁻¹(½ + ½ P[X = 0]), which is (1/std)(1 + 1/(24 std²)) up to higher orders. Broadcasts.

    Notes
    -----
    The best tests of X against X + 1 are thresholds k, with 1 − α = P[X < k] and β = P[X < k − 1]. So X against
    X + Δ is μ-GDP with the largest Q(k) − Q(k − Δ), Q(k) = Φ⁻¹(P[X < k]), which is at most Δ times the largest step
    of Q. That the middle step, from k = 0 to 1, is the largest was computed, not proved: see core/README.md, "Discrete
    noise". Independent coordinates compose to μ = √Σ μ_i².
    """
    std = np.asarray(std, dtype=float)
    mass = math.sqrt(2 * math.pi) * std * (1 + 2 * np.exp(-2 * math.pi**2 * std**2))
    direct = 1 + 2 * sum(np.exp(-0.5 * (n / std) ** 2) for n in range(1, 9))
    # Poisson's sum from half a step on, the direct one below.
    return (2 * math.sqrt(2) * scipy.special.erfinv(1 / np.where(std > 0.5, mass, direct)))[()]


@check.arguments(mu=check.positives_in(1e-9, 1e9), steps=check.positives_in(1e-9, 1e15))
def std_for(mu: float, steps: float) -> int:
    """Least whole σ ≥ 4 such that N_Z(0, σ²) makes a release of l2 sensitivity `steps` (in grid steps) μ-GDP."""
    std = max(math.ceil(steps / mu), math.ceil(LEAST_STD))
    while steps * float(gdp_step.trusted(np.float64(std))) > mu:
        std += 1
    return std


@check.arguments(stds=_STD)
def convolution_error(stds: Sequence[float]) -> float:
    """Bound on |log P[n]/Q[n]| over all n, P the sum of independent N_Z(0, std_i²) and Q = N_Z(0, Σ std_i²).

    Adding one to a sum of variance v multiplies every ratio by at most (1 + a)/(1 − a), a = 2 Σ_j exp(−2π² s² j²) with
    1/s² = 1/v + 1/std². P. Kairouz, Z. Liu, T. Steinke, *The Distributed Discrete Gaussian Mechanism*, 2021, Theorem 11
    and Corollary 12.
    """
    parts = check.positives("stds", stds)
    error, total = 0.0, float(parts[0] ** 2)
    for std in parts[1:]:
        square = 1 / (1 / total + 1 / std**2)
        a = 2 * sum(math.exp(-2 * math.pi**2 * square * j * j) for j in range(1, 20))
        error += math.log1p(a) - math.log1p(-a) if a < 1 else math.inf
        total += float(std**2)
    return error

"""Exact discrete noise for releases: statistics rounded to a public grid, noise in whole numbers, their exact μ.

In units of the weighted average every site sends round(w_s f_s / step) + N_Z(0, σ_s²), a whole number. All sums are sums
of whole numbers. The grid's step is a power of two, chosen from sensitivities, targets and the statistic's size, which
are public. So what is released is a whole number times a power of two, and no floating-point number is ever perturbed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import check
from core.discrete import OperatingSystem, gaussian, gdp_step, std_for
from core.discrete.distribution import LEAST_STD

FINENESS = (
    8192  # Grid steps in the smallest sensitivity and in the smallest noise, at least: a price below 0.1 %.
)
# Grid steps by which rounding of one entry moves two neighbours apart, with two roundings of floats: see `summing`.
ROUNDING = 1.01
# Of a statistic in grid steps: rounding it to a float, and its product with a weight, then cost at most 2^-9 steps each.
_LARGEST = 2.0**44


def _sites(name, values):
    """Numbers of the sites in a row."""
    return np.atleast_1d(check.positives_in(1e-150, 1e150)(name, check.positives(name, values)))


@dataclass(frozen=True)
class Grid:
    """A public grid for a statistic of `size` entries.

    Attributes
    ----------
    step : float
        Its step, in units of the weighted average.
    size : int
        d, the number of entries.
    """

    step: float
    size: int

    def steps(self, changes):
        """l2 sensitivity in grid steps after rounding, of l2 sensitivities `changes`: Δ/step + 1.01 √d."""
        return np.asarray(changes, dtype=float) / self.step + ROUNDING * math.sqrt(self.size)

    def stds(self, changes, mus, *, parts: int = 1) -> np.ndarray:
        """Noise of each of `parts` equal independent parts, in grid steps, so that their sum meets each μ: shape (S,).

        Raises
        ------
        ValueError
            If the noise would be below 4 steps, with the nearest grid that works.
        """
        changes, mus = np.atleast_1d(changes), np.atleast_1d(mus)
        noise = float((changes / mus).min()) / math.sqrt(parts)
        if self.step > noise / LEAST_STD:
            nearest = math.ldexp(0.5, math.frexp(noise / LEAST_STD)[1])
            raise ValueError(
                f"grid must be at most {nearest!r}, the largest power of two within a quarter of the noise, got "
                f"{self.step!r}"
            )
        return np.array(
            [_std_of_part(mu, float(self.steps(c)), parts) for c, mu in zip(changes, mus, strict=True)]
        )

    def mu(self, changes, std):
        """μ of releases of l2 sensitivities `changes` with noise of `std` grid steps."""
        return self.steps(changes) * gdp_step.trusted(np.asarray(std, dtype=float))

    def price(self, changes, mus, *, parts: int = 1) -> float:
        """Largest relative increase of the noise's variance by rounding, over continuous Gaussian noise of the same μ."""
        exact = np.asarray(changes, dtype=float) / np.asarray(mus, dtype=float) / math.sqrt(parts)
        return float(((self.stds(changes, mus, parts=parts) * self.step / exact) ** 2).max() - 1)

    def levels(self, statistic: np.ndarray, site: int) -> np.ndarray:
        """The statistic in grid steps, int64; ValueError where floats of its size are too coarse for the grid."""
        scaled = np.asarray(statistic, dtype=float) / self.step
        largest = float(np.abs(scaled).max(initial=0.0))
        if largest > _LARGEST:
            nearest = self.step * 2.0 ** math.ceil(math.log2(largest / _LARGEST))
            raise ValueError(
                f"statistics of site {site} must be at most 2^44 grid steps of {self.step:.3g}, got "
                f"{largest:.3g} steps; subtract a public centre, or use a grid of {nearest!r} or more"
            )
        return np.rint(scaled).astype(np.int64)


@check.arguments(changes=_sites, mus=_sites)
def grid_for(changes, mus, size: int, *, parts: int = 1, grid: float | None = None) -> Grid:
    """The grid of a release, from public numbers.

    Parameters
    ----------
    changes, mus : array of shape (S,)
        w_s Δ_s and the μ_s that it may have.
    size : int
        Number of entries of the statistic.
    parts : int
        Number of independent parts that the noise of the sum has.
    grid : float, optional
        The step, rounded down to a power of two. Default: the largest power of two that is at most 1/8192 of the
        smallest sensitivity divided by √d, and of the smallest noise of a part; but at least 2^-29 of the largest noise.

    Examples
    --------
    The mean of 100 numbers at each of ten sites: the grid raises the variance by less than 0.1 %.

    >>> grid = grid_for(np.full(10, 1e-3), np.full(10, 1.0), 1)
    >>> grid.step == 2.0**-23, grid.price(np.full(10, 1e-3), np.full(10, 1.0)) < 1e-3
    (True, True)
    """
    if len(changes) != len(mus) or not len(changes):
        raise ValueError(f"changes and mus must be one for each site, got {len(changes)} and {len(mus)}")
    size = max(check.integer("size", size, low=0), 1)
    parts = check.integer("parts", parts, low=1)
    if grid is None:
        least = min(float(changes.min()) / math.sqrt(size), float((changes / mus).min()) / math.sqrt(parts))
        # Noise far above every sensitivity needs no finer steps than the sampler has.
        grid = max(least / FINENESS, float((changes / mus).max()) / 2**29)
    return Grid(
        2.0 ** math.floor(math.log2(check.positives_in(1e-150, 1e150)("grid", check.positive("grid", grid)))),
        size,
    )


@check.arguments(samples=check.sized, length=check.sized)
def summing(samples, length):
    """How much further apart floats move the means of n_s records of two neighbours than exact arithmetic.

    A mean of n products of two numbers, added in any order and divided by n, errs by at most γ Σ |x|/n with
    γ = (n + 2) u/(1 − (n + 2) u) and u = 2⁻⁵³ (Higham, *Accuracy and Stability of Numerical Algorithms*, (3.5)); two
    neighbours by twice as much. Add it to the sensitivity for noise="discrete", whose grid has room for two roundings
    only: at n = 10⁶ and 10⁴ entries the sum of floats could move 91 steps where one is accounted for.

    Parameters
    ----------
    samples : float or array of shape (S,)
        n_s.
    length : float
        l2 bound of a record whose entries are averaged, in the statistic's units.

    Examples
    --------
    >>> f"{summing(1000, 1.0):.5g}"
    '2.2249e-13'
    """
    rounded = (check.at_least("samples", samples, 1.0) + 2) * 2.0**-53
    return 2 * check.positive("length", length) * rounded / (1 - rounded)


def noise(shape, std: int, rng: np.random.Generator | OperatingSystem) -> np.ndarray:
    """Draw discrete noise of `std` grid steps."""
    return gaussian.trusted(shape, int(std), rng=rng)


def _std_of_part(mu, steps, parts):
    if parts == 1:
        return std_for.trusted(mu, steps)
    part = max(math.ceil(steps / mu / math.sqrt(parts)), math.ceil(LEAST_STD))
    while steps * float(gdp_step.trusted(np.float64(math.sqrt(parts) * part))) > mu:
        part += 1
    return part

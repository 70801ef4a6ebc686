"""Synthetic numbers in [0, 1], one per record, for the problem of an average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data import check
from data.sites import Sites


@dataclass(frozen=True)
class BoundedValues:
    """What `bounded` drew.

    Attributes
    ----------
    sites : Sites
        S arrays of shape (n_s,), values in [0, 1].
    means : ndarray (S,)
        The mean of each site's distribution.
    """

    sites: Sites
    means: np.ndarray


@check.arguments
def bounded(
    sites: int, *, samples=1000, mean: float = 0.5, spread: float = 0.05, rng: np.random.Generator
) -> BoundedValues:
    """Values in [0, 1] at sites whose means differ a little, as hospitals' averages do.

    Site s draws Beta(4 m_s, 4 (1 − m_s)), of mean m_s ~ N(mean, spread²) kept within [0.02, 0.98] and of
    standard deviation √(m_s (1 − m_s)/5), about 0.22.

    Parameters
    ----------
    sites : int
        S ≥ 2.
    samples : int or sequence of S ints
        n_s ≥ 1 of every site.
    mean : float
        Centre of the sites' means, in (0, 1).
    spread : float
        Standard deviation of the sites' means, in [0, 1).
    """
    check.integer("sites", sites, low=2)
    sizes = check.numeric("samples", samples)
    sizes = np.broadcast_to(sizes, (sites,)) if sizes.ndim == 0 else sizes
    if sizes.shape != (sites,):
        raise ValueError(f"samples must be one number or {sites}, one a site, got {len(sizes)}")
    counts = [check.integer("samples", n, low=1) for n in sizes.tolist()]
    centre = check.number("mean", mean, low=0, high=1)
    spread = check.number("spread", spread, low=-1e-300, high=1)
    means = np.clip(centre + spread * rng.standard_normal(sites), 0.02, 0.98)
    values = [rng.beta(4 * m, 4 * (1 - m), n) for m, n in zip(means, counts, strict=True)]
    return BoundedValues(Sites(values), means)

"""What the page Gain computes: noise variances of sites of any sizes, by formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import param

from core import cape
from dashboard.page.model import Model
from dashboard.state.controls import LogNumber

POINTS = 80
FAMILIES = ("one giant", "two halves", "geometric")


@dataclass(frozen=True)
class GainPicture:
    """G and H along a family of sizes, at the chosen imbalance, and the gain at equal privacy against colluders.

    Arrays `ratio`, `gain`, `excess` have shape (POINTS,), `sizes` (S,), `honest` (S,).
    """

    sites: int
    total: int
    colluding: int
    family: str
    chosen: float
    ratio: np.ndarray
    gain: np.ndarray
    excess: np.ndarray
    bounds: tuple[float, float]
    sizes: np.ndarray
    chosen_gain: float
    honest: np.ndarray
    capped: bool


def sizes(total: float, sites: int, ratio: float, family: str) -> np.ndarray:
    """Site sizes that sum to `total`, the largest `ratio` times the smallest, in ascending order.

    They need not be whole: the gain is a smooth function of them.
    """
    if family == "one giant":
        shape = np.r_[np.ones(sites - 1), ratio]
    elif family == "two halves":
        shape = np.r_[np.ones((sites + 1) // 2), np.full(sites // 2, ratio)]
    else:
        shape = np.geomspace(1, ratio, sites)
    return total * shape / shape.sum()


def public_excess(samples: np.ndarray) -> float:
    """μ of the smallest site's records in the published average at equal weights, over that of its message.

    The record moves the average by Δ_s/S, whose noise is √(Σ τ_s²/S³): μ/μ_s = max τ_s √(S/Σ τ_s²), τ_s ∝ 1/n_s.
    """
    tau = 1 / np.asarray(samples, dtype=float)
    return float(tau.max() * np.sqrt(len(tau) / (tau**2).sum()))


@lru_cache(maxsize=64)
def largest_ratio(total: int, sites: int, family: str) -> float:
    """The ratio of largest to smallest size at which the smallest site holds one record."""
    low, high = 1.0, float(total)
    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if sizes(total, sites, middle, family)[0] >= 1 else (low, middle)
    return low


@lru_cache(maxsize=64)
def _along(total, sites, family):
    ratio = np.geomspace(1, largest_ratio(total, sites, family), POINTS)
    gains = np.array([cape.gain(sizes(total, sites, r, family)) for r in ratio])
    return ratio, gains


class GainModel(Model):
    """Settings of the site sizes."""

    imbalance = LogNumber(
        4.0,
        bounds=(1.0, 100_000.0),
        label="Imbalance: largest ÷ smallest site",
        doc="1: all sites hold equally many records.",
    )
    family = param.Selector(
        default="one giant",
        objects=list(FAMILIES),
        label="Shape",
        doc="One large site among equal ones, two groups of equal sites, or sizes in geometric progression.",
    )

    def picture(self) -> GainPicture:
        """Compute the gains for the present settings."""
        c = self.controls
        total = c.sites * c.samples
        ratio, gains = _along(total, c.sites, self.family)
        chosen = min(self.imbalance, ratio[-1])
        here = sizes(total, c.sites, chosen, self.family)
        return GainPicture(
            sites=c.sites,
            total=total,
            colluding=c.colluding,
            family=self.family,
            chosen=chosen,
            ratio=ratio,
            gain=gains,
            excess=gains / c.sites,
            bounds=cape.gain_bounds(total, c.sites),
            sizes=here,
            chosen_gain=cape.gain(here),
            honest=np.array([cape.honest_gain(c.sites, colluding) for colluding in range(c.sites)]),
            capped=self.imbalance > ratio[-1],
        )

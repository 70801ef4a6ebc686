"""What the page Gain computes: noise variances of sites of any sizes, by formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import param

from core import SCHEMES, Privacy, cape, release
from dashboard.page.model import Model
from dashboard.state.controls import Controls, LogNumber

POINTS = 80
FAMILIES = ("one giant", "two halves", "geometric")
RUNS = 100  # Averages of each scheme that are drawn.
_STREAM = 4
_UNIT = Privacy(1.0, 1e-5)  # In units of one message's noise, the same for every ε and δ.


@dataclass(frozen=True)
class NoiseRuns:
    """Noise of both schemes at the same privacy against the aggregator and the colluding sites.

    Each is in units of the standard deviation of one conventional message: the noise of every `messages` (S,) of one
    run, that of the average in `RUNS` runs (`errors`), and its standard deviation by design (`stds`).
    """

    sites: int
    colluding: int
    messages: dict[str, np.ndarray]
    errors: dict[str, np.ndarray]
    stds: dict[str, float]


@lru_cache(maxsize=64)
def noise_runs(sites: int, colluding: int, seed: int) -> NoiseRuns:
    """Release zeros under both schemes, so that noise alone remains."""
    against = {"against": "colluders", "colluding": colluding} if colluding else {"against": "aggregator"}
    zeros, made = np.zeros((sites, RUNS)), {}
    for scheme in ("conventional", "cape"):
        rng = np.random.default_rng([seed, SCHEMES.index(scheme), _STREAM])
        made[scheme] = release(zeros, 1.0, _UNIT, scheme=scheme, rng=rng, **against)
    unit = float(made["conventional"].std) * np.sqrt(sites)
    return NoiseRuns(
        sites=sites,
        colluding=colluding,
        messages={scheme: one.messages[:, 0] / unit for scheme, one in made.items()},
        errors={scheme: one.value / unit for scheme, one in made.items()},
        stds={scheme: float(one.std) / unit for scheme, one in made.items()},
    )


@dataclass(frozen=True)
class GainPicture:
    """G and H along a family of sizes, at the chosen imbalance, and the gain at equal privacy against colluders.

    Arrays `ratio`, `gain`, `excess` have shape (POINTS,), `sizes` (S,); `honest` is the gain at equal privacy of as
    many sites as the array `numbers` says.
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
    numbers: np.ndarray
    honest: np.ndarray
    capped: bool
    runs: NoiseRuns

    @property
    def fair_gain(self) -> float:
        """The gain at equal privacy of the chosen sites: how many times less noise variance CAPE has."""
        return float(self.honest[np.flatnonzero(self.numbers == self.sites)[0]])

    @property
    def closer(self) -> float:
        """How many times less CAPE's averages spread: the root of that gain."""
        return float(np.sqrt(self.fair_gain))


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


def _numbers(colluding):
    """The numbers of sites of which so many can collude."""
    low, high = Controls.param.sites.bounds
    return np.arange(max(low, colluding + 1), high + 1)


class GainModel(Model):
    """Settings of the site sizes."""

    imbalance = LogNumber(
        4.0,
        bounds=(1.0, 100_000.0),
        label="Imbalance of unequal sites",
        doc="Records of the largest site over those of the smallest, where sizes differ. 1: all sites hold equally "
        "many. Pictures of equal sites do not change with it.",
    )
    family = param.Selector(
        default="one giant",
        objects=list(FAMILIES),
        label="Shape of the imbalance",
        doc="One large site among equal ones, two groups of equal sites, or sizes in geometric progression.",
    )

    def picture(self) -> GainPicture:
        """Compute the gains for the present settings."""
        c = self.controls
        total = c.sites * c.samples
        ratio, gains = _along(total, c.sites, self.family)
        chosen = min(self.imbalance, ratio[-1])
        here = sizes(total, c.sites, chosen, self.family)
        numbers = _numbers(c.colluding)
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
            numbers=numbers,
            honest=np.array([cape.honest_gain(int(sites), c.colluding) for sites in numbers]),
            capped=self.imbalance > ratio[-1],
            runs=noise_runs(c.sites, c.colluding, c.noise_seed),
        )

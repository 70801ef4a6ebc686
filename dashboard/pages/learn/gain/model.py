"""What the page Gain computes: noise variances of sites of any sizes, by formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import param

from core import SCHEMES, Privacy, cape, release
from dashboard.page.model import Model
from dashboard.problems.site_sizes import FAMILIES, largest_ratio, sizes
from dashboard.state.controls import Controls

POINTS = 80
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
        messages={scheme: one.messages[:, 0] / unit for scheme, one in made.items()},
        errors={scheme: one.value / unit for scheme, one in made.items()},
        stds={scheme: float(one.std) / unit for scheme, one in made.items()},
    )


@dataclass(frozen=True)
class Curve:
    """G(n) at points of an axis; H(n) is G(n)/S, with as many `sites` at each point."""

    x: tuple[float, ...]
    gain: tuple[float, ...]
    sites: tuple[int, ...]

    @property
    def excess(self) -> tuple[float, ...]:
        """H(n)."""
        return tuple((np.array(self.gain) / self.sites).tolist())


@dataclass(frozen=True)
class GainPlan:
    """Sizes of the sites, and the gains at them and along the axes.

    Attributes
    ----------
    sites, total, samples, colluding : int
        S, N, N/S, S_C.
    imbalance : float
        Largest over smallest size; at most where the smallest site holds one record, and then `capped`.
    sizes : array of shape (S,)
    along_imbalance, along_sites : Curve
        The latter at this imbalance, with the same number of records a site on average.
    numbers, honest : tuple
        Numbers of sites, and the gain at equal privacy of so many.
    runs : NoiseRuns
    """

    sites: int
    total: int
    samples: int
    colluding: int
    family: str
    imbalance: float
    capped: bool
    sizes: np.ndarray
    gain: float
    bounds: tuple[float, float]
    along_imbalance: Curve
    along_sites: Curve
    numbers: tuple[int, ...]
    honest: tuple[float, ...]
    runs: NoiseRuns

    @property
    def excess(self) -> float:
        """H(n) of the chosen sizes."""
        return self.gain / self.sites

    @property
    def fair_gain(self) -> float:
        """The gain at equal privacy of the chosen sites: how many times less noise variance CAPE has."""
        return self.honest[self.numbers.index(self.sites)]


def public_excess(samples: np.ndarray) -> float:
    """μ of the smallest site's records in the published average at equal weights, over that of its message.

    The record moves the average by Δ_s/S, whose noise is √(Σ τ_s²/S³): μ/μ_s = max τ_s √(S/Σ τ_s²), τ_s ∝ 1/n_s.
    """
    tau = 1 / np.asarray(samples, dtype=float)
    return float(tau.max() * np.sqrt(len(tau) / (tau**2).sum()))


@lru_cache(maxsize=64)
def _along_imbalance(total, sites, family):
    ratios = np.geomspace(1, largest_ratio(total, sites, family), POINTS).tolist()
    gains = cape.gain([sizes(total, sites, ratio, family) for ratio in ratios])
    return Curve(tuple(ratios), tuple(gains.tolist()), (sites,) * POINTS)


@lru_cache(maxsize=64)
def _along_sites(samples, imbalance, family):
    low, high = Controls.param.sites.bounds
    numbers = tuple(range(low, high + 1))
    gains = []
    for sites in numbers:
        ratio = min(imbalance, largest_ratio(sites * samples, sites, family))
        gains.append(cape.gain(sizes(sites * samples, sites, ratio, family)))
    return Curve(numbers, tuple(gains), numbers)


@lru_cache(maxsize=64)
def _honest(colluding):
    """The numbers of sites of which so many can collude, and their gains at equal privacy."""
    low, high = Controls.param.sites.bounds
    numbers = tuple(range(max(low, colluding + 1), high + 1))
    return numbers, tuple(cape.honest_gain(sites, colluding) for sites in numbers)


class GainModel(Model):
    """Settings of the site sizes."""

    family = param.Selector(
        default=FAMILIES[0],
        objects=list(FAMILIES),
        label="Shape of the imbalance",
        doc="The sizes are geometric, each larger than the one before by one factor, as on every page that compares "
        "schemes. Or one site is large among equal ones, or there are two groups of equal sites.",
    )

    def plan(self) -> GainPlan:
        """Compute the gains for the present settings."""
        c = self.controls
        total = c.sites * c.samples
        curve = _along_imbalance(total, c.sites, self.family)
        chosen = min(c.imbalance, curve.x[-1])
        here = sizes(total, c.sites, chosen, self.family)
        numbers, honest = _honest(c.colluding)
        return GainPlan(
            sites=c.sites,
            total=total,
            samples=c.samples,
            colluding=c.colluding,
            family=self.family,
            imbalance=chosen,
            capped=c.imbalance > curve.x[-1],
            sizes=here,
            gain=cape.gain(here),
            bounds=cape.gain_bounds(total, c.sites),
            along_imbalance=curve,
            along_sites=_along_sites(c.samples, c.imbalance, self.family),
            numbers=numbers,
            honest=honest,
            runs=noise_runs(c.sites, c.colluding, c.noise_seed),
        )

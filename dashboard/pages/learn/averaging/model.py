"""What the page Averaging computes: one run of the protocol, and the distribution over many repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import param

from core import SCHEMES, Privacy, release
from core.schemes import named
from dashboard.page.model import Model
from dashboard.state.controls import LogInteger
from data import synthetic

STEPS = {"1 values": 1, "2 zero-sum": 2, "3 local": 3, "4 messages": 4, "5 average": 5}
CONFIDENCE = 3.29  # Standard errors: one correct variance in a thousand lies farther off.


@dataclass(frozen=True)
class Law:
    """Distribution of a scheme's average over many repetitions.

    Attributes
    ----------
    predicted_std : float
        Standard deviation of the released average, by design.
    bias : float
        Mean error of the average: the first site's deviation from the true average for "local", else 0.
    errors : ndarray (R,)
        Released average minus true average.
    """

    scheme: str
    predicted_std: float
    bias: float
    errors: np.ndarray

    @property
    def ratio(self) -> float:
        """Measured over predicted variance; the mean is known by design and not estimated."""
        return self.variance / self.predicted_std**2 if self.predicted_std else 1.0

    @property
    def variance(self) -> float:
        """Measured variance."""
        return float(np.mean((self.errors - self.bias) ** 2))

    @property
    def allowed(self) -> float:
        """Allowed distance of the ratio from 1: CONFIDENCE standard errors of √(2/R)."""
        return CONFIDENCE * np.sqrt(2 / len(self.errors))


@dataclass(frozen=True)
class AveragingPicture:
    """One run of the protocol, arrays of shape (S,), and the distribution under every scheme."""

    values: np.ndarray
    zero_sum: np.ndarray
    local: np.ndarray
    messages: np.ndarray
    average: float
    conventional: float
    message_std: float
    laws: tuple[Law, ...]
    step: int

    @property
    def truth(self) -> float:
        """The true average."""
        return float(self.values.mean())


@lru_cache(maxsize=32)
def site_averages(sites: int, samples: int, seed: int) -> np.ndarray:
    """The average of each site's records, numbers in [0, 1]; one record changes it by at most 1/Nₛ."""
    drawn = synthetic.bounded(sites, samples=samples, spread=0.0, rng=np.random.default_rng(seed))
    averages = np.array([values.mean() for values in drawn.sites])
    averages.setflags(write=False)
    return averages


class AveragingModel(Model):
    """The number of repetitions, and the last step of the protocol that is shown."""

    step = param.Selector(
        default=5,
        objects=STEPS,
        label="Steps shown",
        doc="The last step of the protocol that the figure shows.",
    )
    draws = LogInteger(
        2000,
        bounds=(100, 20_000),
        label="Repetitions",
        doc="How many independent repetitions of the protocol the histograms count.",
    )

    def picture(self) -> AveragingPicture:
        """Run the protocol `draws` times under every scheme; the figure shows the first run."""
        c = self.controls
        values = site_averages(c.sites, c.samples, c.data_seed)
        shown = {scheme: self._runs(values, scheme) for scheme in {*c.schemes, "cape", "conventional"}}
        cape = shown["cape"]
        truth = values.mean()
        alone = values[0] - truth  # Error of one site's own average ("local").
        laws = tuple(
            Law(s, float(shown[s].std), alone if named(s).one_site else 0.0, shown[s].value - truth)
            for s in SCHEMES
            if s in c.schemes
        )
        return AveragingPicture(
            values=values,
            zero_sum=cape.zero_sum[:, 0],
            local=cape.local[:, 0],
            messages=cape.messages[:, 0],
            average=float(cape.value[0]),
            conventional=float(shown["conventional"].value[0]),
            message_std=float(cape.design.std[0]),
            laws=laws,
            step=self.step,
        )

    def _runs(self, values, scheme):
        """Independent repetitions as columns: noise is i.i.d. over the entries of a statistic."""
        c = self.controls
        repeated = np.repeat(values[:, None], self.draws, axis=1)
        rng = np.random.default_rng([c.noise_seed, SCHEMES.index(scheme)])
        privacy = Privacy(c.epsilon, c.delta)
        return release(repeated, 1 / c.samples, privacy, scheme=scheme, rng=rng, calibration=c.calibration)

"""What the page Averaging computes: one run of the protocol, and the distribution over many repetitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core import SCHEMES, Privacy, release
from core.schemes import named, planned
from dashboard.page.model import Model
from dashboard.problems.protocol import (
    BATCH,
    COMPARED,
    MOST_BATCHES,
    ProtocolRun,
    ProtocolSteps,
    site_averages,
)
from dashboard.state.controls import LogInteger

STREAM = 14  # Of the noise: under the first seed both errors of the first run are near their standard errors.
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
    """One run of the protocol, the step up to which it is told, and the distribution under every scheme.

    `cape_std` is the standard deviation of CAPE's average, by design.
    """

    run: ProtocolRun
    cape_std: float
    laws: tuple[Law, ...]
    step: int


class AveragingModel(Model, ProtocolSteps):
    """The number of repetitions, and how far the play of the protocol has come."""

    draws = LogInteger(
        2000,
        bounds=(100, 20_000),
        label="Repetitions",
        doc="How many independent repetitions of the protocol the histograms count.",
    )

    def picture(self) -> AveragingPicture:
        """Run the protocol `draws` times under every scheme; the play shows the first run, and then the next ones."""
        c = self.controls
        values, shown = self._all_runs()
        truth = values.mean()
        alone = values[0] - truth  # Error of one site's own average ("local").
        laws = tuple(
            Law(s, float(shown[s].std), alone if named(s).one_site else 0.0, shown[s].value - truth)
            for s in SCHEMES
            if s in c.schemes
        )
        return AveragingPicture(self._first(values, shown), float(shown["cape"].std), laws, self.step)

    def terms(self) -> dict[str, Any]:
        """Whom the target holds against, as options of a release; here every site sends."""
        settings = replace(self.controls.snapshot(), dropouts=0)
        return planned(settings.terms(settings.sites), settings.sites)

    @property
    def most(self) -> int:
        """How many runs there are beside the first that the play can show: whole batches of the repetitions."""
        return BATCH * min(MOST_BATCHES, (self.draws - 1) // BATCH)

    def _first(self, values, shown):
        cape, other = (shown[scheme] for scheme in COMPARED)
        more = slice(1, 1 + min(BATCH * self.batches, self.most))
        return ProtocolRun(
            values=values,
            zero_sum=cape.zero_sum[:, 0],
            local=cape.local[:, 0],
            messages=cape.messages[:, 0],
            average=float(cape.value[0]),
            conventional_messages=other.messages[:, 0],
            conventional=float(other.value[0]),
            conventional_std=float(other.std),
            louder=float(cape.design.std[0] / other.std / len(values) ** 0.5),
            further={s: shown[s].value[more] for s in COMPARED},
        )

    def _all_runs(self):
        """The releases of these settings; they are kept, since most changes are steps of the play."""
        c = self.controls
        schemes = frozenset(c.schemes) | set(COMPARED)
        settings = c.sites, c.samples, c.data_seed, c.noise_seed, c.epsilon, c.delta, c.calibration
        key = (*settings, *self.terms().items(), schemes, self.draws)
        if key != getattr(self, "_key", None):
            values = site_averages(c.sites, c.samples, c.data_seed)
            self._kept = values, {scheme: self._runs(values, scheme) for scheme in schemes}
            self._key = key
        return self._kept

    def _runs(self, values, scheme):
        """Independent repetitions as columns: noise is i.i.d. over the entries of a statistic."""
        c = self.controls
        repeated = np.repeat(values[:, None], self.draws, axis=1)
        rng = np.random.default_rng([c.noise_seed, SCHEMES.index(scheme), STREAM])
        options = {"calibration": c.calibration, **self.terms()}
        return release(
            repeated, 1 / c.samples, Privacy(c.epsilon, c.delta), scheme=scheme, rng=rng, **options
        )

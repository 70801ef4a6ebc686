"""What the page Averaging computes: one run of the protocol, and the distribution over many repetitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import param

from core import SCHEMES, Privacy, release
from core.cape import design
from core.privacy import gaussian_mu
from core.schemes import named
from dashboard.page.model import Model
from dashboard.problems.protocol import (
    BATCH,
    COMPARED,
    MOST_BATCHES,
    REACH,
    WHOLE,
    ProtocolRun,
    ProtocolSteps,
    amplitude_of,
    site_averages,
)
from dashboard.state.controls import LogInteger

STREAM = 14  # Of the noise: under the first seed both errors of the first run are near their standard errors.
_WHOLE = "cape, whole"  # CAPE itself, beside the scheme with a share of its zero-sum noise.
_SHARES = range(0, WHOLE + 1, 20)
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

    Attributes
    ----------
    cape_std : float
        Standard deviation of CAPE itself, whatever share of its zero-sum noise the run has.
    room : dict of str to float
        Of this run with any share: "reach" is the largest distance of a message from the true average, "low" and
        "high" are the ends of the running sums, "errors" is where the axis of errors ends. Bars and bells keep
        their scale while the share changes.
    """

    run: ProtocolRun
    cape_std: float
    laws: tuple[Law, ...]
    step: int
    room: dict[str, float]


class AveragingModel(Model, ProtocolSteps):
    """The way from the conventional scheme to CAPE, the number of repetitions, and how far the play has come."""

    share = param.Integer(
        WHOLE,
        bounds=(0, WHOLE),
        step=5,
        label="Noise that cancels (blue), in % of CAPE's",
        doc="How large the noise that sums to zero is beside CAPE's, at equal noise of a message: at 50 the blue bars are "
        "half as long. With 0 all noise is the site's own: the conventional scheme. With 100 a part of 1 − 1/S of its "
        "variance cancels in the average: CAPE.",
    )
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
        run, whole = self._first(values, shown), shown[_WHOLE]
        if self._space is None:
            self._space = self._room(run, whole)
        return AveragingPicture(run, float(whole.std), laws, self.step, self._space)

    def terms(self) -> dict[str, Any]:
        """Whom the target holds against and how loud zero-sum noise is, as options of a release; every site sends."""
        amplitude = (
            {} if self.share == WHOLE else {"amplitude": amplitude_of(self.share, self.controls.sites)}
        )
        return self._against() | amplitude

    def _against(self):
        settings = replace(self.controls.snapshot(), dropouts=0)
        return settings.terms(settings.sites)

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
            average_std=float(cape.std),
            share=self.share,
        )

    def _room(self, run, whole):
        """How far messages and running sums of the first run go with any share of the zero-sum noise."""
        sites, against = len(run.values), self._against()
        zero = whole.zero_sum[:, 0] / whole.design.zero_sum_std
        local = whole.local[:, 0] / whole.design.local_std
        alone = np.full(sites, run.conventional_std * sites**0.5)
        plans = [design(alone, amplitude=amplitude_of(share, sites), **against) for share in _SHARES]
        noise = [(plan.zero_sum_std * zero, plan.local_std * local) for plan in plans]
        noise.append((0 * zero, run.conventional_messages - run.values))
        # From ε = 1 on a larger ε shortens the bars and leaves the scale and the true values where they are.
        c = self.controls
        kept = gaussian_mu(Privacy(c.epsilon, c.delta), calibration=c.calibration) / gaussian_mu(
            Privacy(1.0, c.delta), calibration=c.calibration
        )
        noise = [(max(1.0, kept) * e, max(1.0, kept) * g) for e, g in noise]
        sums = [0.0, *np.cumsum(np.array(noise[:-1]), axis=-1).ravel()]
        reach = max(float(np.abs(run.values + e + g - run.truth).max()) for e, g in noise)
        errors = REACH * run.conventional_std * max(1.0, kept)
        return {"reach": reach, "low": float(min(sums)), "high": float(max(sums)), "errors": errors}

    def _all_runs(self):
        """The releases of these settings; those that a change leaves alone are kept, as most do."""
        c, against, amplitude = self.controls, self._against(), self.terms().get("amplitude")
        settings = c.sites, c.samples, c.data_seed, c.noise_seed, c.epsilon, c.delta, c.calibration
        key = (*settings, *against.items(), self.draws)
        if key != getattr(self, "_key", None):
            self._key, self._kept, self._space = key, {}, None
        values = site_averages(c.sites, c.samples, c.data_seed)
        # The share of zero-sum noise changes only schemes that have some.
        wanted = {s: (s, amplitude if named(s).agrees else None) for s in {*c.schemes, *COMPARED}}
        wanted[_WHOLE] = ("cape", None)
        self._kept = {
            one: self._kept[one] if one in self._kept else self._runs(values, *one, against)
            for one in wanted.values()
        }
        return values, {name: self._kept[one] for name, one in wanted.items()}

    def _runs(self, values, scheme, amplitude, against):
        """Independent repetitions as columns: noise is i.i.d. over the entries of a statistic."""
        c = self.controls
        repeated = np.repeat(values[:, None], self.draws, axis=1)
        rng = np.random.default_rng([c.noise_seed, SCHEMES.index(scheme), STREAM])
        options = {"calibration": c.calibration, "amplitude": amplitude, **against}
        return release(
            repeated, 1 / c.samples, Privacy(c.epsilon, c.delta), scheme=scheme, rng=rng, **options
        )

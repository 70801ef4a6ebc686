"""What the page Protocol computes: one run of the protocol, and the averages of many under every scheme."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import param

from core import SCHEMES, Privacy
from core.cape import design
from core.privacy import gaussian_mu
from core.schemes import named
from dashboard.components.protocol_play import STEPS
from dashboard.guarantee.guarantee import Terms
from dashboard.page.model import Model
from dashboard.pages.learn.protocol.dropout import SCHEME, Dropout, dropped
from dashboard.problems.protocol import (
    BATCH,
    COMPARED,
    MOST_BATCHES,
    REACH,
    STREAM,
    WHOLE,
    Averages,
    ProtocolRun,
    amplitude_of,
    averages,
    site_averages,
)
from dashboard.state.controls import LogInteger, Settings

_SHARES = range(0, WHOLE + 1, 20)


@dataclass(frozen=True)
class ProtocolPlan:
    """One run of the protocol, the step up to which it is told, and the averages of many under every scheme.

    Attributes
    ----------
    settings : Settings
        The shared ones.
    share, step, draws, together
        The page's own settings, see `ProtocolModel`.
    most : int
        How many runs there are beside the first that the play can show.
    against, terms : tuple of pairs
        Whom the target holds against; and that together with the amplitude of the zero-sum noise, if it is not CAPE's:
        options of a release.
    run : ProtocolRun
        The run that is played.
    cape_std : float
        Standard deviation of CAPE itself, whatever share of its zero-sum noise the run has.
    laws : tuple of Averages
        Of the chosen schemes.
    room : dict of str to float
        Of this run with any share: "reach" is the largest distance of a message from the true average, "low" and
        "high" are the ends of the running sums, "errors" is where the axis of errors ends. Bars and bells keep
        their scale while the share changes.
    dropout : Dropout or None
        What the last site leaves if it drops out, if that is asked for.
    order : str
        In which order of sum and messages the play then shows it: "before" or "after".
    """

    settings: Settings
    share: int
    step: int
    draws: int
    together: bool
    most: int
    against: Terms
    terms: Terms
    run: ProtocolRun
    cape_std: float
    laws: tuple[Averages, ...]
    room: dict[str, float]
    dropout: Dropout | None = None
    order: str = "before"

    @property
    def privacy(self) -> Privacy:
        """The target."""
        return Privacy(self.settings.epsilon, self.settings.delta)

    @property
    def chosen(self) -> list[str]:
        """The chosen schemes."""
        return [law.scheme for law in self.laws]

    @property
    def law(self) -> dict[str, Any]:
        """What the noise of a release by these sites depends on beside its target."""
        return {
            "sites": self.settings.sites,
            "calibration": self.settings.calibration,
            "terms": self.terms,
        }


class ProtocolModel(Model):
    """The way from the conventional scheme to CAPE, the number of runs, and how far the play has come."""

    step = param.Selector(
        default=len(STEPS),
        objects=STEPS,
        label="Step",
        doc="The play has reached this step of the protocol.",
    )
    batches = param.Integer(
        0,
        bounds=(0, MOST_BATCHES),
        label="Repetitions shown",
        doc=f"How many times {BATCH} further runs, each with new noise, are counted in the two histograms.",
    )
    share = param.Integer(
        WHOLE,
        bounds=(0, WHOLE),
        step=5,
        label="Share of CAPE's cancelling noise (blue), %",
        doc="The noise that sums to zero has this size beside CAPE's, at equal noise of a message: at 50 the blue"
        " bars are half as long. With 0 all noise is the site's own: the conventional scheme. With 100 a part"
        " of 1 − 1/S of its variance cancels in the average: CAPE.",
    )
    draws = LogInteger(
        101,
        bounds=(100, 20_000),
        label="Runs",
        doc="The histograms count so many independent runs of the protocol. The one that is played is among them.",
    )
    together = param.Boolean(
        False,
        label="Runs drawn together",
        doc="One stream gives the noise of all runs, as on the former page Averaging. Otherwise the first run has a "
        f"stream, and every {BATCH} further ones.",
    )

    drops = param.Boolean(
        False,
        label="One site drops out",
        doc="The last site sends nothing after all have drawn their noise. The play shows the average of the "
        "others in one order of sum and messages. The numbers below it are of both.",
    )
    order = param.Selector(
        default="before",
        objects={"sum, then messages (as published)": "before", "messages, then sum": "after"},
        label="Order",
        doc="As published, the sites sum their blue noise before they send messages: every site's part allows for"
        " all others. Or they sum it afterwards, over the sites that sent.",
    )

    def plan(self) -> ProtocolPlan:
        """Run the protocol `draws` times under every scheme; the play shows the first run, and then the next ones."""
        settings = replace(self.controls.snapshot(), dropouts=0)  # Every site sends.
        against = settings.terms(settings.sites)
        terms = against | self._amplitude()
        found = {s: self._averages(s, terms) for s in SCHEMES if s in {*settings.schemes, *COMPARED}}
        most = BATCH * min(MOST_BATCHES, (self.draws - 1) // BATCH)
        run, whole = self._first(found, most), self._averages("cape", against)
        return ProtocolPlan(
            settings=settings,
            share=self.share,
            step=self.step,
            draws=self.draws,
            together=self.together,
            most=most,
            against=tuple(against.items()),
            terms=tuple(terms.items()),
            run=run,
            cape_std=whole.std,
            laws=tuple(found[s] for s in SCHEMES if s in settings.schemes),
            room=self._room(run, whole, against),
            dropout=self._dropped(run, found["cape"].design, whole, against) if self.drops else None,
            order=self.order,
        )

    def _dropped(self, run, plan, whole, against):
        """What the last site leaves in the played run."""
        sites, c = len(run.values), self.controls
        # The zero-sum part of normal numbers has been drawn; their mean is independent of it.
        rng = np.random.default_rng([c.noise_seed, SCHEMES.index(SCHEME), 0, STREAM])
        parts = whole.zero_sum / whole.design.zero_sum_std * (1 - 1 / sites) ** 0.5
        normal = parts + rng.standard_normal() / sites**0.5
        return dropped(run, plan, run.conventional_std * sites**0.5, against, normal)

    def _amplitude(self):
        """How loud zero-sum noise is, as an option of a release; CAPE's own needs none."""
        whole = self.share == WHOLE
        return {} if whole else {"amplitude": amplitude_of(self.share, self.controls.sites)}

    def _values(self):
        """The true average of every site."""
        c = self.controls
        return site_averages(c.sites, c.samples, c.data_seed)

    def _averages(self, scheme, terms):
        c = self.controls
        return averages(
            self._values(),
            c.samples,
            Privacy(c.epsilon, c.delta),
            scheme,
            seed=c.noise_seed,
            runs=self.draws,
            together=self.together,
            calibration=c.calibration,
            **of_scheme(scheme, terms),
        )

    def _first(self, found, most):
        values, (cape, other) = self._values(), (found[scheme] for scheme in COMPARED)
        more = slice(1, 1 + min(BATCH * self.batches, most))
        return ProtocolRun(
            values=values,
            zero_sum=cape.zero_sum,
            local=cape.local,
            messages=cape.messages,
            average=float(cape.values[0]),
            conventional_messages=other.messages,
            conventional=float(other.values[0]),
            conventional_std=other.std,
            louder=float(cape.design.std[0] / other.std / len(values) ** 0.5),
            further={s: found[s].values[more] for s in COMPARED},
            average_std=cape.std,
            share=self.share,
        )

    def _room(self, run, whole, against):
        """How far messages and running sums of the first run go with any share of the zero-sum noise."""
        sites = len(run.values)
        zero = whole.zero_sum / whole.design.zero_sum_std
        local = whole.local / whole.design.local_std
        plans = _plans(sites, run.conventional_std * sites**0.5, tuple(against.items()))
        noise = [(zero_sum_std * zero, local_std * local) for zero_sum_std, local_std in plans]
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


def of_scheme(scheme: str, terms: dict[str, Any]) -> dict[str, Any]:
    """The terms that mean something to a scheme: the share of zero-sum noise changes only those that have some."""
    return terms if named(scheme).agrees else {n: v for n, v in terms.items() if n != "amplitude"}


@lru_cache(maxsize=32)
def _plans(sites, std, against):
    """Standard deviations of both kinds of noise at several shares; they are the same in most sessions."""
    plans = [
        design(np.full(sites, std), amplitude=amplitude_of(share, sites), **dict(against))
        for share in _SHARES
    ]
    return [(plan.zero_sum_std, plan.local_std) for plan in plans]

"""Start: the idea of CAPE in one minute: hospitals average a number, and the protocol is played."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import pandas as pd
import param

from core import Privacy
from core.privacy import attack_risk, gdp_mu
from dashboard.components.layout import LiveText
from dashboard.components.protocol_play import still
from dashboard.page.base import Page
from dashboard.page.description import GROUPS
from dashboard.page.guarantee import Guarantee, Unprotected, exposures, sentence
from dashboard.page.ledger_costs import settings_words, under_scheme
from dashboard.page.lesson import Preset
from dashboard.page.model import Model
from dashboard.problems.protocol import (
    BATCH,
    COMPARED,
    STREAM,
    ProtocolRun,
    ProtocolSteps,
    equal_privacy_text,
    play_of,
    played,
    run_protocol,
    site_averages,
)
from dashboard.state.html_text import paragraph, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals, hundred_text
from dashboard.theme.assets import beside

_WAYS = beside(__file__, "ways.css")
_ACTS = (
    "Move ",
    "Choose ",
    "Slide ",
)  # How a sentence begins that names a page's controls.
SAMPLES = 100  # Records of a hospital: so few that noise and differences between hospitals are of one size.
DATA_SEED = 1


@dataclass(frozen=True)
class StartPicture:
    """One run of the protocol, and the step up to which it is told."""

    run: ProtocolRun
    step: int


class StartModel(Model, ProtocolSteps):
    """Some hospitals that average a number, and how far the play has come."""

    hospitals = param.Integer(
        5,
        bounds=(2, 20),
        label="Hospitals S",
        doc="Number of hospitals that take part. At equal noise on a message, that of the conventional average falls as "
        "1/√S, CAPE's as 1/S.",
    )

    def picture(self) -> StartPicture:
        """Release the hospitals' average under CAPE and under the conventional scheme."""
        return StartPicture(self._run(), self.step)

    def _run(self):
        """The run of these settings; it is kept, since most changes are steps of the play."""
        c = self.controls
        key = self.hospitals, c.epsilon, c.delta, c.noise_seed, self.batches
        if getattr(self, "_key", None) != key:
            self._kept = run_protocol(
                site_averages(self.hospitals, SAMPLES, DATA_SEED),
                SAMPLES,
                Privacy(c.epsilon, c.delta),
                seed=c.noise_seed,
                batches=self.batches,
            )
            self._key = key
        return self._kept


class StartPage(Page):
    """The protocol, played: what privacy costs when data stay at several sites, and which part CAPE removes."""

    name = "start"
    model_type = StartModel
    shared = ("epsilon", "delta", "colluding", "noise_seed")
    hidden = ("epsilon", "delta", "colluding", "step", "batches")
    primary = "hospitals"
    first_figure = False
    picture_first = True
    noise_button = False
    presets = (
        Preset("Three hospitals", {"hospitals": 3}),
        Preset("Five", {"hospitals": 5}),
        Preset("A consortium of twenty", {"hospitals": 20}),
    )

    def compute(self) -> StartPicture:
        return self.model.picture()

    def body(self):
        self._play = play_of(self.model, self.controls)
        return self._play

    def after(self):
        """Links to the other pages."""
        return LiveText(_WAYS, text=self._ways()).pane

    def draw(self, picture: StartPicture) -> None:
        self._play.run = played(picture.run, noun="hospital")

    def still(self) -> str:
        return still(self._play.run, step=self.model.step)

    def words(self, picture: StartPicture) -> str:
        sites = len(picture.run.values)
        return paragraph("With more hospitals CAPE wins more: slide.") + rest(
            f"At equal privacy against the aggregator, CAPE's typical error is only {equal_privacy_text(sites)} times "
            "smaller than the conventional one. Why: "
            f"<a href='?page=gain&amp;sites={sites}&amp;colluding=0'>see Gain</a>.",
            f"At {equals('ε', self.controls.epsilon)}, an observer of the result or of one message, not of both, guesses "
            "which of two records is a patient's, and is right on average "
            f"at most {self._right()} of 100 times; a coin is 50.",
            "A typical error is the standard deviation over many runs.",
            "CAPE is short for Correlation Assisted Private Estimation.",
        )

    def _right(self):
        """Of 100 guesses, those that the best observer of a Gaussian release has right on average."""
        mu = gdp_mu(Privacy(self.controls.epsilon, self.controls.delta))
        return hundred_text(50 + 50 * float(attack_risk.advantage(mu)))

    def guarantee(self, picture: StartPicture) -> Guarantee:
        c, sites = self.controls, len(picture.run.values)
        privacy, colluding = Privacy(c.epsilon, c.delta), min(c.colluding, sites - 1)
        found = exposures(COMPARED, privacy, sites=sites, colluding=colluding, calibration="exact")
        return Guarantee(
            sentence(privacy, found, colluding=colluding, noun="hospital"), privacy, colluding, found
        )

    def unprotected(self, picture: StartPicture) -> tuple[Unprotected, ...]:
        itself = "this figure: it shows values and noise that nobody sees in the protocol"
        return (Unprotected("records", itself),)

    def releases(self, picture: StartPicture) -> list[Drawn]:
        """The first run under both schemes, and every batch of further runs that has fallen."""
        c, model = self.controls, self.model
        privacy, law = Privacy(c.epsilon, c.delta), {"sites": model.hospitals, "calibration": "exact"}
        found = (
            under_scheme(
                scheme,
                privacy,
                identity=(privacy, model.hospitals, c.noise_seed, batch),
                data=f"Made-up numbers in [0, 1], data seed {DATA_SEED}",
                settings=settings_words(c.epsilon, c.delta, model.hospitals, SAMPLES),
                draws=BATCH if batch else 1,
                **law,
            )
            for scheme in COMPARED
            for batch in range(model.batches + 1)
        )
        return [one for one in found if one is not None]

    def table(self) -> pd.DataFrame:
        run = (self.picture or self.compute()).run
        errors = [(scheme, error) for scheme in COMPARED for error in run.errors(scheme)]
        return pd.DataFrame({"scheme": [s for s, _ in errors], "error": [error for _, error in errors]})

    def script(self) -> str:
        c, model = self.controls, self.model
        values = site_averages(model.hospitals, SAMPLES, DATA_SEED).tolist()
        return f'''"""Errors of a private average over {model.hospitals} hospitals, under two schemes."""
import numpy as np

from core import SCHEMES, Privacy, release

values = np.array({values})  # averages of {SAMPLES} numbers in [0, 1] each
privacy = Privacy({c.epsilon!r}, {c.delta!r})
columns = {{"scheme": [], "error": []}}
for scheme in {COMPARED}:
    for batch in range({model.batches} + 1):
        # One run, then batches of {BATCH}: noise is independent over the entries of a statistic.
        statistics = np.repeat(values[:, None], {BATCH}, axis=1) if batch else values
        rng = np.random.default_rng([{c.noise_seed}, SCHEMES.index(scheme), batch, {STREAM}])
        released = release(statistics, 1 / {SAMPLES}, privacy, scheme=scheme, rng=rng)
        errors = np.atleast_1d(released.value) - values.mean()
        columns["scheme"] += [scheme] * len(errors)
        columns["error"] += errors.tolist()
    print(scheme, "first error:", columns["error"][columns["scheme"].index(scheme)])
'''

    def exhibits(self) -> tuple:
        self.content()
        return (self._play,)

    def _ways(self):
        """Links to the other pages by group, in HTML."""
        lists = []
        for group in GROUPS:
            links = "".join(_link(kind) for kind in self.others if kind.group == group)
            if links:
                name = html.escape(group, quote=True)
                lists.append(f"<section><h2>{name}</h2><ul aria-label='{name}'>{links}</ul></section>")
        return f"<div class='ways'>{''.join(lists)}</div>"


def _link(kind):
    name, icon, title, lead = (
        html.escape(text, quote=True) for text in (kind.name, kind.icon, kind.title, _about(kind.lead))
    )
    icon = f"<span class='material-icons' aria-hidden='true'>{icon}</span>"
    return f"<li><a href='?page={name}' data-page='{name}'>{icon}<span>{title}<small>{lead}</small></span></a></li>"


def _about(lead):
    """What a page is about, without what to do there: its controls are not on this page."""
    sentences = re.split(r"(?<=[.?]) ", lead)
    about = [sentence for sentence in sentences if not sentence.startswith(_ACTS)]
    question = sentences[-1].rpartition(": ")[2]
    return " ".join(about) or question[:1].upper() + question[1:]

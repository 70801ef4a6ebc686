"""Protocol: one run of the protocol, played, and the averages of many runs under every scheme."""

from __future__ import annotations

from typing import Any

import pandas as pd
import panel as pn

from core import SCHEMES, Privacy
from core.privacy import gdp_epsilon
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText
from dashboard.components.protocol_play import STEPS, ProtocolPlay, still
from dashboard.components.sketch import Sketch
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected, exposures, sentence, views
from dashboard.page.ledger_costs import settings_words, under_scheme
from dashboard.page.lesson import Preset, Tool
from dashboard.pages.learn.protocol.drawing import SHEET, averages_html
from dashboard.pages.learn.protocol.learned import HEIGHT, learned_sketch
from dashboard.pages.learn.protocol.model import ProtocolModel, ProtocolPicture
from dashboard.pages.learn.protocol.text import below, learnt
from dashboard.problems.protocol import (
    BATCH,
    COMPARED,
    MOST_BATCHES,
    STREAM,
    STREAM_TOGETHER,
    WHOLE,
    played,
    streams,
)
from dashboard.state import seeds
from dashboard.state.controls import Controls
from dashboard.state.ledger import Drawn

_ONE = {"samples": 100, "adversary": "message", "share": WHOLE, "together": False}


class ProtocolPage(Page):
    """The protocol, played: what privacy costs when data stay at several sites, and which part CAPE removes."""

    name = "protocol"
    model_type = ProtocolModel
    shared = (
        "epsilon",
        "sites",
        "samples",
        "delta",
        "adversary",
        "colluding",
        "schemes",
        "calibration",
        "data_seed",
        "noise_seed",
    )
    opens = {"samples": 100, "sites": 5}  # noqa: RUF012 – so few that noise and differences between sites are of one size.
    hidden = ("step", "batches", "data_seed", "together")
    primary = "share"
    first = ("epsilon", "sites", "adversary", "samples", "colluding")
    first_figure = False
    picture_first = True
    noise_button = False
    presets = (
        # Noise seeds whose first run is typical: both averages are off by about a standard deviation.
        Preset("Five sites", _ONE | {"sites": 5, "epsilon": 1.0, "noise_seed": 1}),
        Preset("Two: the fewest", _ONE | {"sites": 2, "epsilon": 1.0, "noise_seed": 1}),
        Preset("A consortium of twenty", _ONE | {"sites": 20, "epsilon": 1.0, "noise_seed": 25}),
    )
    code = ("core.schemes.noise_design.design", "core.schemes.release")
    equation = r"""
Site s holds
$$f(x_s)=\tfrac1{N_s}\sum_n x_{s,n},\qquad \Delta=\tfrac1{N_s},$$
and needs noise of standard deviation τ for its (ε, δ). Together the sites draw noise that sums to zero, and
each adds a small independent part:

$$\hat f_s = f(x_s)+e_s+g_s,\qquad \sum_{s=1}^S e_s=0,\qquad
\operatorname{Var} e_s=\Big(1-\tfrac1S\Big)\tau^2,\qquad \operatorname{Var} g_s=\tfrac{\tau^2}{S}.$$

Each message carries variance τ², and only the local parts remain in the average:
$$\frac1S\sum_s \hat f_s=\frac1S\sum_s f(x_s)+\frac1S\sum_s g_s,\qquad
\operatorname{Var}=\frac{\tau^2}{S^2}\quad\text{instead of}\quad\frac{\tau^2}{S}.$$

The slider goes from the conventional scheme, f = 0, to CAPE, f = 1. It is the standard deviation of $$e_s$$ in parts of
CAPE's, the length of the blue bars. At equal noise of a message,
$$\operatorname{Var} e_s=f^2\Big(1-\tfrac1S\Big)\tau^2,\qquad
\operatorname{Var}\Big(\frac1S\sum_s g_s\Big)=\frac{\tau^2}{S}\Big(1-f^2\Big(1-\tfrac1S\Big)\Big).$$

To draw
$$e_s=\hat e_s-\tfrac1S\sum_j\hat e_j,\qquad \hat e_s\sim\mathcal N(0,\tau^2),$$
the sites need only the sum of their draws ê. Secure aggregation computes this sum without revealing any single draw.

If the target must hold against the aggregator, who sees all messages, CAPE's τ² is larger by $$2S/(S+1)$$, and with $$S_C$$
colluding sites by $$\tfrac{S}{S+1}\big(1+\tfrac{S}{S-S_C}\big)$$. The conventional scheme's τ stays.
"""

    @classmethod
    def warm(cls) -> None:
        """Draw the runs with which the page opens, unless every session has noise of its own."""
        if not seeds.secret():
            ProtocolModel(Controls(**cls.opens)).picture()

    def compute(self) -> ProtocolPicture:
        return self.model.picture()

    def body(self):
        self._averages, self._learned = LiveText(SHEET), Sketch()
        slider = self.model.param.share.label
        self._play = ProtocolPlay(
            step=self.model.step,
            slider=slider,
            on_more=self._further,
            on_new_noise=self._new_noise,
            on_share=self._slide,
        )
        self._play.param.watch(lambda event: setattr(self.model, "step", event.new), "step")
        self.model.param.watch(lambda event: setattr(self._play, "step", event.new), "step")
        self._slid: tuple[int, int] | None = None  # Where the play has slid the noise, and where it will end.
        self.said.param.watch(self._end_at, "step")
        return self._play

    def _further(self):
        self.model.batches = min(self.model.batches + 1, MOST_BATCHES)

    def _new_noise(self):
        self.controls.noise_seed = seeds.next_seed(self.controls.noise_seed)

    def _end_at(self, event):
        """On a slide, Play ends at the slide's own step; the first shows the values and plays the next."""
        self._play.ends = max(2, event.new.values["step"]) if event.new else len(STEPS)
        if self.picture is not None:
            self._draw_learned(self.picture)

    def _slide(self, share, home):
        self._slid = share, home
        self.model.share = share

    def closed(self) -> None:
        """The page leaves the front: a slide of the play that is not over ends where it began."""
        super().closed()
        self.content()
        if self._slid is not None and self._slid[0] == self.model.share:
            self.model.share = self._slid[1]
        self._slid = None

    def more(self) -> pn.viewable.Viewable:
        self.content()
        return Stack(self._averages.pane, self._learned.pane, **FULL)

    def draw(self, picture: ProtocolPicture) -> None:
        # The share of zero-sum noise can be changed, so everything keeps its scale.
        room = picture.room
        learns = learnt(aggregator=self._loss(), target=self.controls.epsilon)
        told = played(picture.run, most=self.model.most) | {"learns": learns}
        self._play.run = told | {"room": room, "reach": room["errors"]}

    def draw_more(self, picture: ProtocolPicture) -> None:
        self._averages.show(averages_html(picture))
        self._draw_learned(picture)

    def _draw_learned(self, picture):
        """On a slide, who learns how much under CAPE."""
        c, found = self.controls, self._exposures(self._chosen(), colluding=self.controls.colluding)
        cape = next((one for one in found if one.scheme == "cape" and self.said.step is not None), None)
        settings = {
            "sites": c.sites,
            "colluding": c.colluding,
            "epsilon": c.epsilon,
            "name": picture.run.name,
        }
        shapes = "" if cape is None else learned_sketch(cape, **settings)
        height = HEIGHT if shapes else 0
        self._learned.show(shapes, height=height, said="δ of three observers, to scale")

    def tools(self) -> tuple[Tool, ...]:
        return (Tool("Class", "groups", self._live_class),)

    def exhibits(self) -> tuple:
        self.content()
        return (self._play, self._averages.pane, self._learned.pane)

    def still(self) -> str:
        if not self._play.visible:  # A slide shows who learns what instead.
            return self._learned.still()
        return still(self._play.run, step=self.model.step)

    def still_more(self) -> str:
        return f"<style>{SHEET}</style>{averages_html(self.picture)}" if self.picture else ""

    def words(self, picture: ProtocolPicture) -> str:
        c = self.controls
        (seen,) = self._exposures(("cape",), colluding=0)
        return below(picture, Privacy(c.epsilon, c.delta), aggregator=seen.aggregator)

    def _exposures(self, schemes, *, colluding):
        """What every observer learns under some schemes."""
        c, terms = self.controls, tuple(self.model.terms().items())
        law = {"sites": c.sites, "calibration": c.calibration, "terms": terms}
        return exposures(schemes, Privacy(c.epsilon, c.delta), colluding=colluding, **law)

    def _loss(self):
        """The exact ε, at the target's δ, of whoever sees all messages of the blue scheme."""
        c, terms = self.controls, tuple(self.model.terms().items())
        law = {"sites": c.sites, "calibration": c.calibration, "terms": terms}
        _, mu, _ = views("cape", Privacy(c.epsilon, c.delta), colluding=0, **law)
        return gdp_epsilon(c.delta, mu)

    def guarantee(self, picture: ProtocolPicture) -> Guarantee:
        c, share = self.controls, self.model.share
        privacy, terms = Privacy(c.epsilon, c.delta), tuple(self.model.terms().items())
        found = self._exposures(self._chosen(), colluding=c.colluding)
        here = "" if share == WHOLE else f" CAPE has {share} % of its noise that cancels here."
        return Guarantee(
            sentence=sentence(privacy, found, terms=terms, colluding=c.colluding) + here,
            nominal=privacy,
            colluding=c.colluding,
            exposures=found,
            not_private=(
                "repetitions on the same records: in a real release, the privacy loss of each would add up",
            ),
        )

    def unprotected(self, picture: ProtocolPicture) -> tuple[Unprotected, ...]:
        itself = "this figure: it shows values and noise that nobody sees in the protocol"
        return (Unprotected("records", itself),)

    def releases(self, picture: ProtocolPicture) -> list[Drawn]:
        """Every run under every scheme in the histograms; CAPE and the conventional scheme are always run.

        Below 100 % of CAPE's noise, CAPE with all of it is run, too: the picture's scale is that of both.
        """
        model, terms = self.model, self.model.terms()
        whole = {name: value for name, value in terms.items() if name != "amplitude"}
        runs = [(s, model.of_scheme(s, terms)) for s in {*self.controls.schemes, *COMPARED}]
        costs = (self._costs(*run) for run in [*runs, *([("cape", whole)] if terms != whole else [])])
        return [one for found in costs for one in found if one is not None]

    def _costs(self, scheme, terms):
        """The cost of the runs under a scheme, for every stream of noise."""
        c, model = self.controls, self.model
        privacy = Privacy(c.epsilon, c.delta)
        words = settings_words(c.epsilon, c.delta, c.sites, c.samples)
        if "amplitude" in terms:
            words += f", {model.share} % of CAPE's noise that cancels"
        law = {"sites": c.sites, "calibration": c.calibration, "terms": tuple(terms.items())}
        for stream, count in streams(model.draws, together=model.together):
            yield under_scheme(
                scheme,
                privacy,
                identity=(privacy, *law.items(), c.samples, c.data_seed, c.noise_seed, count, *stream),
                data=f"Made-up numbers in [0, 1], data seed {c.data_seed}",
                settings=words,
                draws=count,
                **law,
            )

    def table(self) -> pd.DataFrame:
        laws = (self.picture or self.compute()).laws
        return pd.DataFrame(
            {
                "scheme": [law.scheme for law in laws],
                "predicted_std": [law.std for law in laws],
                "measured_std": [law.measured_std for law in laws],
                "first_error": [float(law.errors[0]) for law in laws],
            }
        )

    def script(self) -> str:
        c, model = self.controls, self.model
        terms = "".join(f", {name}={value!r}" for name, value in model.terms().items())
        last = streams(model.draws, together=model.together)[-1][0][0]
        drawn = f"[([0, {STREAM}], 1), *(([batch, {STREAM}], {BATCH}) for batch in range(1, {last + 1}))]"
        if model.together:
            drawn = f"[([{STREAM_TOGETHER}], {model.draws})]"
        return f'''"""Averages of numbers of {c.sites} sites in {model.draws} runs of the protocol under each scheme."""
import numpy as np

from core import SCHEMES, Privacy, release
from core.schemes import named

site_averages = np.array({model.values().tolist()})  # of {c.samples} numbers in [0, 1] each
privacy = Privacy(epsilon={c.epsilon!r}, delta={c.delta!r})
streams = {drawn}  # of noise, with the number of runs that each draws

columns = {{"scheme": [], "predicted_std": [], "measured_std": [], "first_error": []}}
for scheme in {self._chosen()}:
    averages = []
    for stream, runs in streams:
        # Noise is independent over the entries of a statistic, so columns are independent runs.
        statistics = np.repeat(site_averages[:, None], runs, axis=1)
        rng = np.random.default_rng([{c.noise_seed}, SCHEMES.index(scheme), *stream])
        released = release(
            statistics, 1 / {c.samples}, privacy, scheme=scheme, rng=rng, calibration={c.calibration!r}{terms}
        )
        averages += released.value.tolist()
    errors = np.array(averages) - site_averages.mean()
    columns["scheme"].append(scheme)
    columns["predicted_std"].append(float(np.max(released.std)))
    bias = site_averages[0] - site_averages.mean() if named(scheme).one_site else 0.0
    columns["measured_std"].append(float(np.sqrt(np.mean((errors - bias) ** 2))))
    columns["first_error"].append(float(errors[0]))

for row in zip(*columns.values()):
    print("%-12s %12.6g %12.6g %12.6g" % row)
'''

    def _chosen(self):
        return [scheme for scheme in SCHEMES if scheme in self.controls.schemes]

    def _live_class(self) -> Any:
        from dashboard.class_room.live_class import LiveClass  # Needed by lecturers alone.

        return LiveClass(lambda: Privacy(self.controls.epsilon, self.controls.delta))

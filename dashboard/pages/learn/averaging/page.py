"""Averaging: one run of the protocol, and the distribution of the average over many repetitions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core import SCHEMES, Privacy
from core.privacy import gdp_epsilon
from core.schemes import named
from dashboard.components.protocol_play import STEPS, still
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected, exposures, sentence, views
from dashboard.page.ledger_costs import settings_words, under_scheme
from dashboard.page.lesson import Preset, Tool
from dashboard.pages.learn.averaging.figures import AveragingFigures
from dashboard.pages.learn.averaging.model import STREAM, AveragingModel, AveragingPicture
from dashboard.pages.learn.averaging.text import below, learnt
from dashboard.problems.protocol import (
    WHOLE,
    play_of,
    played,
    site_averages,
)
from dashboard.state.ledger import Drawn

_ONE = {"samples": 100, "adversary": "message", "share": WHOLE}


class AveragingPage(Page):
    """One run of the protocol, step by step, and the distribution of the average under every scheme."""

    name = "averaging"
    model_type = AveragingModel
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
    opens = {"samples": 100}  # noqa: RUF012 – as on Start: noise and differences between sites are of one size.
    hidden = ("step", "batches", "data_seed")
    primary = "share"
    first = ("epsilon", "sites", "adversary", "samples", "colluding")
    first_figure = False
    picture_first = True
    noise_button = False
    presets = (
        # Noise seeds whose first run is typical: both averages are off by about a standard error.
        Preset("Ten sites", _ONE | {"sites": 10, "epsilon": 1.0, "noise_seed": 1}),
        Preset("Two: the fewest", _ONE | {"sites": 2, "epsilon": 1.0, "noise_seed": 5}),
        Preset("Fifty (one message)", _ONE | {"sites": 50, "epsilon": 0.3, "noise_seed": 2}),
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

    def compute(self) -> AveragingPicture:
        return self.model.picture()

    def body(self):
        self._parts = AveragingFigures()
        slider = self.model.param.share.label
        self._play = play_of(self.model, self.controls, on_share=self._slide, slider=slider)
        self._slid: tuple[int, int] | None = None  # Where the play has slid the noise, and where it will end.
        self.said.param.watch(self._end_at, "step")
        return self._play

    def _end_at(self, event):
        """On a slide, Play ends at the slide's own step; the first shows the values and plays the next."""
        self._play.ends = max(2, event.new.values["step"]) if event.new else len(STEPS)

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

    def more(self):
        self.content()
        return self._parts.more

    def draw(self, picture: AveragingPicture) -> None:
        # The share of zero-sum noise can be changed, so everything keeps its scale.
        room = picture.room
        learns = learnt(aggregator=self._loss(), target=self.controls.epsilon)
        told = played(picture.run, most=self.model.most) | {"learns": learns}
        self._play.run = told | {"room": room, "reach": room["errors"]}

    def draw_more(self, picture: AveragingPicture) -> None:
        name = picture.run.name
        self._parts.draw(picture.laws, name)
        c, found = self.controls, self.guarantee(picture).exposures
        cape = next((one for one in found if one.scheme == "cape"), None)
        self._parts.draw_learned(cape, sites=c.sites, colluding=c.colluding, epsilon=c.epsilon, name=name)

    def tools(self) -> tuple[Tool, ...]:
        return (Tool("Class", "groups", self._live_class),)

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def exhibits(self) -> tuple:
        self.content()
        return (self._play, *self._parts.figures, self._parts.table, self._parts.learned.pane)

    def still(self) -> str:
        if not self._play.visible:  # A slide shows who learns what instead.
            return self._parts.learned.still()
        return still(self._play.run, step=self.model.step)

    def words(self, picture: AveragingPicture) -> str:
        return below(picture, aggregator=self._seen().aggregator, target=self.controls.delta)

    def _seen(self):
        """What whoever sees one message, or all, learns from the blue scheme."""
        c = self.controls
        privacy, terms = Privacy(c.epsilon, c.delta), tuple(self.model.terms().items())
        (found,) = exposures(
            ("cape",), privacy, sites=c.sites, colluding=0, calibration=c.calibration, terms=terms
        )
        return found

    def _loss(self):
        """The exact ε, at the target's δ, of whoever sees all messages of the blue scheme."""
        c = self.controls
        terms = tuple(self.model.terms().items())
        privacy = Privacy(c.epsilon, c.delta)
        _, mu, _ = views("cape", privacy, sites=c.sites, colluding=0, calibration=c.calibration, terms=terms)
        return gdp_epsilon(c.delta, mu)

    def guarantee(self, picture: AveragingPicture) -> Guarantee:
        c = self.controls
        privacy = Privacy(c.epsilon, c.delta)
        terms = tuple(self.model.terms().items())
        found = exposures(
            self._private(),
            privacy,
            sites=c.sites,
            colluding=c.colluding,
            calibration=c.calibration,
            terms=terms,
        )
        share = self.model.share
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

    def unprotected(self, picture: AveragingPicture) -> tuple[Unprotected, ...]:
        itself = "this figure: it shows values and noise that nobody sees in the protocol"
        return (Unprotected("records", itself),)

    def releases(self, picture: AveragingPicture) -> list[Drawn]:
        """One record for each scheme in the histograms; CAPE and the conventional scheme are always run.

        Below 100 % of CAPE's noise, CAPE with all of it is run, too: the picture's scale is that of both.
        """
        c, draws = self.controls, self.model.draws
        privacy = Privacy(c.epsilon, c.delta)
        found, loud = [], self.model.terms()
        whole = {name: value for name, value in loud.items() if name != "amplitude"}
        # The share of zero-sum noise changes nothing of the draws of a scheme without any.
        runs = [(s, loud if named(s).agrees else whole) for s in {*c.schemes, "cape", "conventional"}]
        for scheme, terms in [*runs, *([("cape", whole)] if loud != whole else [])]:
            words = settings_words(c.epsilon, c.delta, c.sites, c.samples)
            if "amplitude" in terms:
                words += f", {self.model.share} % of CAPE's noise that cancels"
            law = {"sites": c.sites, "calibration": c.calibration, "terms": tuple(terms.items())}
            cost = under_scheme(
                scheme,
                privacy,
                identity=(privacy, *law.items(), c.samples, c.data_seed, c.noise_seed, draws),
                data=f"Made-up numbers in [0, 1], data seed {c.data_seed}",
                settings=words,
                draws=draws,
                **law,
            )
            found.append(cost)
        return [one for one in found if one is not None]

    def table(self) -> pd.DataFrame:
        laws = (self.picture or self.compute()).laws
        return pd.DataFrame(
            {
                "scheme": [law.scheme for law in laws],
                "predicted_std": [law.predicted_std for law in laws],
                "measured_std": [float(np.sqrt(law.variance)) for law in laws],
                "first_error": [float(law.errors[0]) for law in laws],
            }
        )

    def script(self) -> str:
        c = self.controls
        values = site_averages(c.sites, c.samples, c.data_seed).tolist()
        terms = "".join(f", {name}={value!r}" for name, value in self.model.terms().items())
        return f'''"""Distribution of a private average over {c.sites} sites: {self.model.draws} repetitions a scheme."""
import numpy as np

from core import SCHEMES, Privacy, release
from core.schemes import named

site_averages = np.array({values})  # of {c.samples} numbers in [0, 1] each
privacy = Privacy(epsilon={c.epsilon!r}, delta={c.delta!r})
# Noise is independent over the entries of a statistic, so columns are independent repetitions.
statistics = np.repeat(site_averages[:, None], {self.model.draws}, axis=1)

columns = {{"scheme": [], "predicted_std": [], "measured_std": [], "first_error": []}}
for scheme in {[s for s in SCHEMES if s in c.schemes]}:
    rng = np.random.default_rng([{c.noise_seed}, SCHEMES.index(scheme), {STREAM}])
    released = release(
        statistics, 1 / {c.samples}, privacy, scheme=scheme, rng=rng, calibration={c.calibration!r}{terms}
    )
    errors = released.value - site_averages.mean()
    columns["scheme"].append(scheme)
    columns["predicted_std"].append(float(released.std))
    bias = site_averages[0] - site_averages.mean() if named(scheme).one_site else 0.0
    columns["measured_std"].append(float(np.sqrt(np.mean((errors - bias) ** 2))))
    columns["first_error"].append(float(errors[0]))

for row in zip(*columns.values()):
    print("%-12s %12.6g %12.6g %12.6g" % row)
'''

    def _private(self):
        return [scheme for scheme in SCHEMES if scheme in self.controls.schemes]

    def _live_class(self):
        from dashboard.class_room.live_class import LiveClass  # Needed by lecturers alone.

        return LiveClass(lambda: Privacy(self.controls.epsilon, self.controls.delta))

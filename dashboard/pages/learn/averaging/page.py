"""Averaging: the protocol that everything else rests on, one draw and the law of many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import param

from core import SCHEMES, Privacy, release
from dashboard.page.base import Model, Page, Preset, paragraph
from dashboard.page.guarantee import Guarantee, Unprotected, exposures, sentence
from dashboard.page.ledger_costs import settings_words, under_scheme
from dashboard.pages.learn.averaging.figures import AveragingFigures, centre_of
from dashboard.plotting.guess import Answer
from dashboard.shell import lecture_steps
from dashboard.state.controls import LogInteger
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals, number_text
from data import synthetic

STEPS = {"1 values": 1, "2 zero-sum": 2, "3 local": 3, "4 messages": 4, "5 average": 5}
CONFIDENCE = 3.29  # Standard errors: one honest variance in a thousand lies farther off.


@dataclass(frozen=True)
class Law:
    """The law of a scheme's average over many draws.

    Attributes
    ----------
    predicted_std : float
        Standard deviation of the released average, by design.
    bias : float
        Its mean error: that of one site's own average for "local", none for the others.
    errors : ndarray (R,)
        Released average minus true average.
    """

    scheme: str
    predicted_std: float
    bias: float
    errors: np.ndarray

    @property
    def ratio(self) -> float:
        """Measured over predicted variance; the mean is not estimated, it is known by design."""
        return self.variance / self.predicted_std**2 if self.predicted_std else 1.0

    @property
    def variance(self) -> float:
        """Measured variance."""
        return float(np.mean((self.errors - self.bias) ** 2))

    @property
    def allowed(self) -> float:
        """How far the ratio may lie from 1: √(2/R) is its standard error."""
        return CONFIDENCE * np.sqrt(2 / len(self.errors))


@dataclass(frozen=True)
class AveragingPicture:
    """One draw of the protocol, arrays of shape (S,), and the law of every scheme."""

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
    """The average of each site's records: numbers in [0, 1], so one record moves it by at most 1/Nₛ."""
    drawn = synthetic.bounded(sites, samples=samples, spread=0.0, rng=np.random.default_rng(seed))
    averages = np.array([values.mean() for values in drawn.sites])
    averages.setflags(write=False)
    return averages


class AveragingModel(Model):
    """How many draws show the law, and how much of the protocol is uncovered."""

    step = param.Selector(default=5, objects=STEPS, label="Uncover", doc="The protocol, one step at a time.")
    draws = LogInteger(
        2000,
        bounds=(100, 20_000),
        label="Draws of the law",
        doc="How many independent runs of the protocol the histograms count.",
    )

    def picture(self) -> AveragingPicture:
        """Run the protocol `draws` times under every scheme; the first run is the one that is drawn."""
        c = self.controls
        values = site_averages(c.sites, c.samples, c.data_seed)
        shown = {scheme: self._runs(values, scheme) for scheme in {*c.schemes, "cape", "conventional"}}
        cape = shown["cape"]
        truth = values.mean()
        bias = {"local": values[0] - truth}
        laws = tuple(
            Law(s, float(shown[s].std), bias.get(s, 0.0), shown[s].value - truth)
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
        """Independent runs side by side: noise is i.i.d. over the entries of a statistic."""
        c = self.controls
        repeated = np.repeat(values[:, None], self.draws, axis=1)
        rng = np.random.default_rng([c.noise_seed, SCHEMES.index(scheme)])
        privacy = Privacy(c.epsilon, c.delta)
        return release(repeated, 1 / c.samples, privacy, scheme=scheme, rng=rng, calibration=c.calibration)


class AveragingPage(Page):
    """One draw of the protocol, step by step, and the law of the average under all five schemes."""

    name, title, group, icon = "averaging", "Averaging", "Learn", "hub"
    lead = "Every site adds noise before it speaks. Part of it cancels when the messages are averaged."
    model_type = AveragingModel
    shared = (
        "epsilon",
        "sites",
        "samples",
        "delta",
        "colluding",
        "schemes",
        "calibration",
        "data_seed",
        "noise_seed",
    )
    hidden = ("step", "data_seed")
    primary = "epsilon"
    steps = lecture_steps.AVERAGING
    presets = (
        Preset("Noise that cancels", {"sites": 10, "samples": 100, "epsilon": 1.0, "step": 5}),
        Preset("Two sites: the least that helps", {"sites": 2, "samples": 100, "epsilon": 1.0, "step": 5}),
        Preset("Many sites: as if all data were in one place", {"sites": 50, "samples": 100, "epsilon": 0.3}),
    )
    code = ("core.schemes.noise_design.design", "core.schemes.release")
    equation = r"""
Site s holds
$$f(x_s)=\tfrac1{N_s}\sum_n x_{s,n},\qquad \Delta=\tfrac1{N_s},$$
and needs noise of standard deviation τ for its (ε, δ). Together the sites draw noise that sums to zero, and
each adds a little of its own:

$$\hat f_s = f(x_s)+e_s+g_s,\qquad \sum_{s=1}^S e_s=0,\qquad
\operatorname{Var} e_s=\Big(1-\tfrac1S\Big)\tau^2,\qquad \operatorname{Var} g_s=\tfrac{\tau^2}{S}.$$

Each message carries variance τ², and in the average only the local parts are left:
$$\frac1S\sum_s \hat f_s=\frac1S\sum_s f(x_s)+\frac1S\sum_s g_s,\qquad
\operatorname{Var}=\frac{\tau^2}{S^2}\quad\text{instead of}\quad\frac{\tau^2}{S}.$$

To draw
$$e_s=\hat e_s-\tfrac1S\sum_j\hat e_j,\qquad \hat e_s\sim\mathcal N(0,\tau^2),$$
the sites need only the sum of their draws, which secure aggregation gives without showing any one of them.
"""

    def compute(self) -> AveragingPicture:
        return self.model.picture()

    def body(self):
        self._parts = AveragingFigures(self.model)
        return self._parts.main

    def more(self):
        return self._parts.more

    def draw(self, picture: AveragingPicture) -> None:
        self._parts.draw(picture)

    def draw_more(self, picture: AveragingPicture) -> None:
        self._parts.draw_more(picture)

    def answer(self) -> Answer | None:
        p = self.picture
        if p is None:
            return None
        here = centre_of(len(p.values))
        return Answer("CAPE's average", here, x=[here], y=[p.average])

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: AveragingPicture) -> str:
        cape = abs(picture.average - picture.truth)
        conventional = abs(picture.conventional - picture.truth)
        sites = len(picture.values)
        return paragraph(
            f"In this draw CAPE's average misses the truth by <b>{number_text(cape)}</b>, the conventional "
            f"one by <b>{number_text(conventional)}</b>.",
            f"Over many draws CAPE's typical error is {number_text(picture.message_std / sites)} instead of "
            f"{number_text(picture.message_std / sites**0.5)}: "
            f"<b>{equals(f'√{sites}', sites**0.5)} times</b> smaller, as if one curator held all records.",
        )

    def guarantee(self, picture: AveragingPicture) -> Guarantee:
        c = self.controls
        privacy = Privacy(c.epsilon, c.delta)
        found = exposures(
            self._private(), privacy, sites=c.sites, colluding=c.colluding, calibration=c.calibration
        )
        return Guarantee(
            sentence=sentence(privacy, found),
            nominal=privacy,
            colluding=c.colluding,
            exposures=found,
            not_private=("new draws on the same records, which in earnest would add up",),
        )

    def unprotected(self, picture: AveragingPicture) -> tuple[Unprotected, ...]:
        itself = "this picture itself: it uncovers values and noise that in the protocol nobody sees"
        return (Unprotected("records", itself),)

    def releases(self, picture: AveragingPicture) -> list[Drawn]:
        """Every draw that the histograms count; CAPE's and the conventional one are drawn in any case."""
        c, draws = self.controls, self.model.draws
        privacy = Privacy(c.epsilon, c.delta)
        law = {"sites": c.sites, "calibration": c.calibration}
        found = (
            under_scheme(
                scheme,
                privacy,
                identity=(privacy, *law.items(), c.samples, c.data_seed, c.noise_seed, draws),
                data=f"Made-up numbers in [0, 1], data seed {c.data_seed}",
                settings=settings_words(c.epsilon, c.delta, c.sites, c.samples),
                draws=draws,
                **law,
            )
            for scheme in {*c.schemes, "cape", "conventional"}
        )
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
        return f'''"""The law of a private average over {c.sites} sites: {self.model.draws} draws a scheme."""
import numpy as np

from core import SCHEMES, Privacy, release

site_averages = np.array({values})  # of {c.samples} numbers in [0, 1] each
privacy = Privacy(epsilon={c.epsilon!r}, delta={c.delta!r})
# Noise is independent over the entries of a statistic, so columns are independent runs.
statistics = np.repeat(site_averages[:, None], {self.model.draws}, axis=1)

columns = {{"scheme": [], "predicted_std": [], "measured_std": [], "first_error": []}}
for scheme in {[s for s in SCHEMES if s in c.schemes]}:
    rng = np.random.default_rng([{c.noise_seed}, SCHEMES.index(scheme)])
    released = release(
        statistics, 1 / {c.samples}, privacy, scheme=scheme, rng=rng, calibration={c.calibration!r}
    )
    errors = released.value - site_averages.mean()
    columns["scheme"].append(scheme)
    columns["predicted_std"].append(float(released.std))
    bias = site_averages[0] - site_averages.mean() if scheme == "local" else 0.0
    columns["measured_std"].append(float(np.sqrt(np.mean((errors - bias) ** 2))))
    columns["first_error"].append(float(errors[0]))

for row in zip(*columns.values()):
    print("%-12s %12.6g %12.6g %12.6g" % row)
'''

    def _private(self):
        return [scheme for scheme in SCHEMES if scheme in self.controls.schemes]

"""Guarantee: the published and the exact δ, and what each adversary can learn."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core import Privacy
from core.privacy import gdp_delta, gdp_epsilon
from dashboard.page.base import Page
from dashboard.page.guarantee import Exposure, Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.learn.guarantee.figures import GuaranteeFigures
from dashboard.pages.learn.guarantee.game import Game, best_percent
from dashboard.pages.learn.guarantee.model import (
    FLOOR,
    FORMS,
    NEARLY,
    POINTS,
    GuaranteeModel,
    GuaranteePicture,
    conventional,
)
from dashboard.pages.learn.guarantee.sketch import factor
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import at_most_text, count_text, equals, number_text


class GuaranteePage(Page):
    """δ against τ and against S_C in every published and exact form, and the trade-off functions."""

    name = "guarantee"
    model_type = GuaranteeModel
    shared = ("epsilon", "delta", "sites", "colluding", "noise_seed")
    first, at_once = (
        ("colluding", "sites", "epsilon", "delta"),
        2,
    )  # The others change no picture above the text.
    primary = along = "noise"
    presets = (
        Preset("Everyday noise", {"epsilon": 1.0, "noise": 5.0, "sites": 10, "colluding": 3, "delta": 1e-5}),
        Preset(
            "A bound too small",
            {"epsilon": 1.0, "noise": 9.0, "sites": 10, "colluding": 3, "delta": 1e-5},
        ),
        Preset(
            "Twenty collude",
            {"epsilon": 0.5, "noise": 20.0, "sites": 30, "colluding": 20, "delta": 1e-5},
        ),
    )
    code = (
        "core.cape.delta",
        "core.cape.leakage",
        "core.privacy.gdp_delta",
        "core.cape.conventional_delta",
        "core.privacy.tradeoff",
    )
    equation = r"""
**Exact.** With S_C colluding sites, S_H = S − S_C sites are honest. For the aggregator and the colluding sites, one message
of CAPE together with all the others is a Gaussian release with
$$\mu^2=\Big(\frac{\Delta}{\tau}\Big)^2\,\frac{S}{S+1}\Big(1+\frac{S}{S_H}\Big),\qquad
\delta(\varepsilon)=\Phi\Big(\frac\mu2-\frac\varepsilon\mu\Big)
-e^{\varepsilon}\,\Phi\Big(-\frac\mu2-\frac\varepsilon\mu\Big).$$

**Theorem** ([Cape], Theorem 1), with its variance from equations 4-5 and needing ε > μ_z:
$$\delta=\frac{2\sigma_z}{\varepsilon-\mu_z}\,\varphi\Big(\frac{\varepsilon-\mu_z}{\sigma_z}\Big),
\qquad \mu_z=\frac{\sigma_z^2}2.$$
Its variance is too small for two reasons. The covariance of the messages is inverted wrongly, which without
colluders is the whole error. And the theorem ignores that colluders know their own contribution to the zero-sum
noise. The theorem's δ is loose where δ is large, too small by orders of magnitude in the tail, and
has no value where the variance is
negative.

**As plotted** ([Cape], Figures 5-6): the figures show a third form, 2Q((ε − μ_z)/σ_z), which wrongly
falls as more sites collude.

**Conventional**, with messages of variance τ²/S each, so that their average has the same variance as CAPE's:
$$\mu=\sqrt S\,\frac\Delta\tau\quad\text{exactly; published:}\quad
\delta=1.25\,e^{-\frac{(\tau\varepsilon/\Delta)^2}{2S}}.$$

**Trade-off.** An attacker who guesses whether a record was used, with false alarms at rate α, misses it at a rate of
at least
$$T(\alpha)=\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big).$$
The closer this curve is to the diagonal, the less can be learned.
"""

    _game: Game | None = None  # Begun with the first picture.

    def compute(self) -> GuaranteePicture:
        return self.model.picture()

    def body(self):
        self._parts = GuaranteeFigures(FORMS, FLOOR, self._press)
        return self._parts.main

    def more(self):
        return self._parts.more

    def draw(self, picture: GuaranteePicture) -> None:
        if self._game is None:
            self._game = Game(picture.setting)
        self._game.follow(picture.setting)
        self._parts.play(self._game)
        self._parts.draw(picture)

    def _press(self, name: str, number: int) -> None:
        """A guess of the visitor, or a hundred of the best observer."""
        if self._game is None:
            return
        if name == "guess":
            self._game.guess(number)
        elif name == "many":
            self._game.watch()
        self._parts.play(self._game)

    def draw_more(self, picture: GuaranteePicture) -> None:
        self._parts.draw_more(picture)

    def exhibits(self) -> tuple:
        return (*self.figures(), self._parts.table, self._parts.game, self._parts.delta.pane.object)

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: GuaranteePicture) -> str:
        exact, theorem = picture.here["cape_exact"], picture.here["cape_theorem"]
        at = equals("ε", picture.epsilon)
        exactly = (
            f"For Ada: whatever the messages show is at most e<sup>ε</sup> ≈ {factor(picture.epsilon)} times as likely with "
            f"her record as with another's, plus {equals('δ', exact)} ({at}; the point on the solid blue curve)."
            if exact >= FLOOR
            else f"CAPE's exact δ at {at} is below 10⁻³⁰, where the curves end."
        )
        small = np.isfinite(theorem) and theorem < exact / NEARLY and exact >= FLOOR
        second = (
            f"The published theorem's δ (dashed) is <b>too small by {_factor(exact, theorem)}</b>."
            if small
            else ""
        )
        mu = picture.setting.mu
        moved = f"It moves the estimate by {equals('μ', mu)} standard deviations."
        return paragraph(self._first(picture)) + rest(exactly, moved, second)

    def _first(self, picture):
        """How often the best observer is right."""
        who = _onlookers(picture.chosen_colluding)
        plural = picture.chosen_colluding > 0
        see, know = ("see", "know") if plural else ("sees", "knows")
        seen = f"{who[0].upper()}{who[1:]} {see} all messages and {know} all other records."
        guess = "they guess" if plural else "it guesses"
        return (
            f"{seen} If a coin decides about Ada's, {guess} right in at most "
            f"<b>{at_most_text(best_percent(picture.setting.mu))} % of runs</b>, counted over many; a blind guess: 50 %."
        )

    def guarantee(self, picture: GuaranteePicture) -> Guarantee:
        public, aggregator, colluders, other = (o.mu for o in picture.onlookers)
        views = (public, aggregator, colluders)
        epsilon = gdp_epsilon(picture.delta, colluders)
        learn = "learn" if picture.chosen_colluding else "learns"
        return Guarantee(
            sentence=f"With noise {equals('τ/Δ', picture.chosen_noise)}, {_onlookers(picture.chosen_colluding)} {learn} "
            f"at most what {equals('ε', epsilon)} allows at {equals('δ', picture.delta)}, exactly. "
            "Ada is made up; no record is used on this page.",
            nominal=Privacy(picture.epsilon, max(picture.onlookers[0].delta, 1e-300)),
            colluding=picture.chosen_colluding,
            exposures=(
                Exposure("cape", *(float(gdp_delta(picture.epsilon, mu)) for mu in (*views, public))),
                Exposure("conventional", *conventional(picture.epsilon, other, picture.sites)),
            ),
        )

    def table(self) -> pd.DataFrame:
        picture = self.picture or self.compute()
        return pd.DataFrame({"noise_multiplier": picture.noise, **picture.along_noise})

    def script(self) -> str:
        c, p = self.controls, self.picture or self.compute()
        return f'''"""δ against the noise multiplier τ/Δ, in every published and exact form."""
import numpy as np

from core import cape

noise = np.geomspace({float(p.noise[0])!r}, {float(p.noise[-1])!r}, {POINTS})  # τ/Δ
setting = dict(tau=noise, samples=None, sensitivity=1.0, sites={c.sites})
columns = {{"noise_multiplier": noise.tolist()}}
for form in {[f.form for f in FORMS if f.scheme == "cape"]}:
    deltas = cape.delta({c.epsilon!r}, colluding={c.colluding}, form=form, **setting)
    columns[f"cape_{{form}}"] = deltas.tolist()
for form in {[f.form for f in FORMS if f.scheme == "conventional"]}:
    deltas = cape.conventional_delta({c.epsilon!r}, form=form, **setting)
    columns[f"conventional_{{form}}"] = deltas.tolist()

print(*columns)
for row in zip(*columns.values()):
    print(*("%.5g" % value for value in row))
'''


def _onlookers(colluding):
    if not colluding:
        return "the aggregator"
    return f"the aggregator and {count_text(colluding, 'colluding site')}"


def _factor(exact, stated):
    """How much too small a stated δ is."""
    if stated <= 0 or exact / stated > 1000:
        powers = math.log10(max(exact, 1e-300)) - math.log10(max(stated, 1e-300))
        return f"{powers:.1f} powers of ten"
    return f"a factor of {number_text(exact / stated, digits=2)}"

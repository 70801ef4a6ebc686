"""Guarantee: the published and the exact δ, and what each adversary can learn."""

from __future__ import annotations

from dashboard.components.live_picture import LivePicture
from dashboard.components.sketch import SHEET as SKETCH
from dashboard.page.lesson import Preset
from dashboard.pages.learn.guarantee import guess
from dashboard.pages.learn.guarantee.game import Game
from dashboard.pages.learn.guarantee.model import FORMS, POINTS, GuaranteeModel, GuaranteePlan
from dashboard.pages.learn.guarantee.view import view
from dashboard.sheet.spec import Live, Sheet

_SHEET = (
    SKETCH
    + """
.who :is(th, td) { padding-right: 12px } .who small { display: block } .card > .sketch { overflow: hidden }
"""
)
_EQUATION = r"""
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


def script(plan: GuaranteePlan) -> str:
    """A program that computes δ against the noise in every form."""
    return f'''"""δ against the noise multiplier τ/Δ, in every published and exact form."""
import numpy as np

from core import cape

noise = np.geomspace({plan.noise[0]!r}, {plan.noise[-1]!r}, {POINTS})  # τ/Δ
setting = dict(tau=noise, samples=None, sensitivity=1.0, sites={plan.sites})
columns = {{"noise_multiplier": noise.tolist()}}
for form in {[f.form for f in FORMS if f.scheme == "cape"]}:
    deltas = cape.delta({plan.epsilon!r}, colluding={plan.chosen_colluding}, form=form, **setting)
    columns[f"cape_{{form}}"] = deltas.tolist()
for form in {[f.form for f in FORMS if f.scheme == "conventional"]}:
    deltas = cape.conventional_delta({plan.epsilon!r}, form=form, **setting)
    columns[f"conventional_{{form}}"] = deltas.tolist()

print(*columns)
for row in zip(*columns.values()):
    print(*("%.5g" % value for value in row))
'''


class Guessing(Live):
    """The game of one guess; it follows the noise of the page.

    Attributes
    ----------
    view : LivePicture
    """

    def __init__(self, page):
        self._game: Game | None = None
        self.view = LivePicture(
            sheet=":host { color: var(--mui-palette-text-primary) }" + SKETCH + guess.SHEET,
            chosen=self._press,
        )

    def show(self, plan: GuaranteePlan) -> None:
        """Play with the noise of a plan: with another the visitor begins again."""
        if self._game is None:
            self._game = Game(plan.setting)
        self._game.follow(plan.setting)
        self._draw()

    def _press(self, name, number):
        """A guess of the visitor, or a hundred of the best observer."""
        if self._game is None:
            return
        if name == "guess":
            self._game.guess(number)
        elif name == "many":
            self._game.watch()
        self._draw()

    def _draw(self):
        drawn = guess.markup(self._game)
        if drawn != self.view.picture:
            self.view.picture = drawn


GUARANTEE = Sheet(
    name="guarantee",
    model=GuaranteeModel,
    view=view,
    places={"noise": 3, "epsilon": 3, "game": 3, "area": 3, "colluding": 3, "tradeoff": 3, "observers": 6},
    charts=("noise", "epsilon", "colluding", "tradeoff"),
    live={"game": Guessing},
    shared=("epsilon", "delta", "sites", "colluding", "noise_seed"),
    sliders=("noise", "epsilon", "colluding", "sites", "delta", "published"),
    presets=(
        Preset(
            "Everyday noise",
            {"epsilon": 1.0, "noise": 5.0, "sites": 10, "colluding": 3, "delta": 1e-5, "published": False},
        ),
        Preset(
            "A bound too small",
            {"epsilon": 1.0, "noise": 9.0, "sites": 10, "colluding": 3, "delta": 1e-5, "published": True},
        ),
        Preset(
            "Twenty collude",
            {"epsilon": 0.5, "noise": 20.0, "sites": 30, "colluding": 20, "delta": 1e-5, "published": True},
        ),
    ),
    equation=_EQUATION,
    code=(
        "core.cape.delta",
        "core.cape.leakage",
        "core.privacy.gdp_delta",
        "core.cape.conventional_delta",
        "core.privacy.tradeoff",
    ),
    script=script,
    sheet=_SHEET,
)

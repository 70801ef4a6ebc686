"""When does CAPE not help? Its noise beside the alternatives, at one true guarantee."""

from __future__ import annotations

import pandas as pd
import panel as pn

from core import Privacy, pca, sweep
from dashboard.compare import store
from dashboard.compare.store import Results
from dashboard.components.fold import Fold
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.components.live_picture import LivePicture, faces
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.pages.trust.limits import ring, text
from dashboard.pages.trust.limits.figures import AmplitudeCurve, Counted
from dashboard.pages.trust.limits.model import (
    AMPLITUDES,
    EPSILONS,
    MOST,
    LimitsModel,
    Plan,
    counted,
    fits,
    means,
    order_of,
)
from dashboard.plotting.comparison_curve import Curve
from dashboard.sheet.store import Store
from dashboard.state.background_runs import Runs
from dashboard.state.deferred import Deferred
from dashboard.state.ledger import Drawn
from dashboard.theme import colours
from dashboard.theme.assets import beside

_SHEET = f":host, .limits {{ --cape: {colours.CAPE} }}" + faces.SHEET + beside(__file__, "ring.css")
_PACE = 1100  # Milliseconds between two sites that drop out.
_LATER = 300  # Milliseconds before runs start: those of values that a slider passes would delay the ring.
_OFF = {"collusion": False, "silence": False, "unequal": False, "same": True, "amplitude": 1.0, "sites": 10}
_RING = 3  # The exhibit of the ring of sites with its bars, after three figures.


class LimitsPage(Page):
    """Noise of all schemes at one guarantee, by formula; the same as captured energy of private PCA."""

    name = "limits"
    model_type = LimitsModel
    first_figure = False
    shared, primary = ("sites", "noise_seed"), "sites"
    hidden = ("collusion", "colluders", "silence", "silent")  # The ring of sites has them.
    first, at_once = ("same", "unequal", "amplitude", "along"), 2  # The others steer figures far below.
    presets = (
        Preset("All send", {**_OFF}),
        Preset("1 drops out", {**_OFF, "silence": True, "silent": 1}),
        Preset("3 collude", {**_OFF, "collusion": True, "colluders": 3}),
        Preset(
            "3 collude, 4 drop out",
            {**_OFF, "collusion": True, "colluders": 3, "silence": True, "silent": 4},
        ),
    )
    code = ("core.schemes.variance_ratio", "core.schemes.best_amplitude", "core.schemes.noise_factor")
    equation = r"""
S equal sites, c colluders, r sites that drop out, h = S − c. Contributions ê_s have variance D, local noise γ; the
**amplitude** is a = D/(Sγ), and a = 1 as published. The aggregator and the colluders learn
$$\frac{\mu^2}{\Delta^2}=\frac1{D+\gamma}\Big(1+\frac{D}{\gamma\,h}\Big),\qquad
\operatorname{Var}=\frac{\gamma+D\,r/S}{S-r}.$$
At one guarantee, over the variance of a trusted curator,
$$\frac{S^2}{S-r}\cdot\frac{1+aS/h}{1+aS}\cdot(1+a\,r),\qquad
a^\ast=\frac1S\Big(\sqrt{(h-1)(S-r)/r}-1\Big).$$
a = 0 is independent noise. Secure aggregation has S²/((S − c − r)(S − r)). Without dropouts a larger a is always
better, and the factor tends to S/h.

Sources: [Cape]; for given numbers of colluders and dropouts, Vithana, Cadambe, Calmon and Jeong (CorDP-DME, 2024); noise on
a graph, Sabater, Bellet and Ramon (GOPA, 2022), Allouah et al. (2024); distributed noise under secure aggregation,
Kairouz, Liu and Steinke (2021).
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.runs = Runs()
        self.store = Store()
        self.results: Results | None = None  # What is known of the latest settings.
        self._jobs = None  # Runs of the latest settings that have not started.
        self._start = Deferred(self._start_runs, milliseconds=_LATER)
        self._dropping, self._left = False, None  # A step of the play; the picture that the last one left.
        self._next = Deferred(self._drop, milliseconds=_PACE)
        self.said.param.watch(self._start, "step")

    @property
    def along(self) -> str:
        return "amplitude"

    def body(self):
        self._roles: list[str] = []
        self._amplitude, self._counted = AmplitudeCurve(), Counted()
        y_label = "captured energy, % of non-private"
        self.curve = Curve(EPSILONS.label, y_label, x_log=True, schemes=pca.METHODS, height=360)
        self.curve.figure.name = "energy"
        self._details = Fold("All numbers: who learns what, and what it costs", margin=(8, 0))
        self._ring = LivePicture(sheet=_SHEET, chosen=self._choose)
        return self._ring

    def more(self):
        self.content()
        figures = (bokeh_pane(plot) for plot in self.figures())
        return pn.Column(self._details, *figures, **FULL)

    def still(self) -> str:
        if self.said.step is not None and _RING not in self.said.step.figures:
            return ""
        return f"<style>{_SHEET}</style><div class='limits'>{self._ring.picture}</div>"

    def exhibits(self) -> tuple:
        return *self.figures(), self._ring, self._details

    def _choose(self, name: str, number: int) -> None:
        """Take what was chosen in the ring, if enough honest sites remain."""
        asked = self.picture.question
        counts = {"colluders": asked.colluding, "silent": asked.dropouts}
        if name == "play":
            self._play(number)
        elif name == "site" and number < asked.sites:
            self._take(ring.after_press(self._roles, number))
        elif name in counts:
            counts[name] = min(number, MOST, asked.sites - 2 - sum(counts.values()) + counts[name])
            self._fail(counts)

    def _play(self, number):
        """Stop the play, begin it, or let all sites send again, as the button's number says."""
        was, self._left = self._left, self.picture if number == 1 else None
        if number == 1 and was is None:
            self._drop()
        elif number == 0 and was is not None:
            self.draw(self.picture)
            self._start()
        elif number == 2:
            self._take(ring.all_send(self._roles))

    def _drop(self):
        """One more site drops out, and after a while the next, until the play ends or somebody changes a setting."""
        if self._left is None or self._left is not self.picture:
            self._left = None
            return
        self._dropping = True
        try:
            self._take(ring.after_drop(self._roles))
        finally:
            self._dropping = False
        self._left = None if ring.ended(self.picture, self._roles) else self.picture
        if self._left is not None:
            self._next()

    def closed(self) -> None:
        if self._left is not None:
            self._left = None
            self.life.outdate()  # When the page returns, it shows Play again, and its runs start.
        super().closed()

    def _take(self, roles):
        """Let each site do what its role says."""
        self._roles = roles
        self._fail({"colluders": roles.count(faces.COLLUDES), "silent": roles.count(faces.SILENT)})

    def _fail(self, counts):
        self.set(
            {"collusion": counts["colluders"] > 0, "silence": counts["silent"] > 0}
            | {key: count for key, count in counts.items() if count}
        )

    def absent(self, plan: Plan) -> list[str]:
        model = self.model
        return [*([] if model.collusion else ["colluders"]), *([] if model.silence else ["silent"])]

    def begin(self, plan: Plan) -> None:
        with pn.io.hold():  # Else its words would reach the browser before its ring.
            before = self.results and self.results.plan
            self._jobs = store.missing(self.store, plan, fits(plan))
            if before is None or (before.key, before.shown) != (plan.key, plan.shown):
                grid = [cell[plan.axis] for cell in plan.cells]
                self.curve.start(plan.shown, plan.label, grid=grid, also=[plan.here[plan.axis]], log=True)
            self._know(plan)
            self.said.param.update(problem="", absent=self.absent(plan), most=self.most(plan))
            self.show(plan)  # Formulas do not wait for the runs.
        if not self._goes_on(plan):
            self._start()

    def _know(self, plan):
        """Take what is known of a plan, and draw its curve as far as it is."""
        self.results = store.known(self.store, plan, fits(plan), summary=means)
        found = self.results.means
        for method in plan.shown if found is not None else ():
            points = found[found.scheme == method]
            self.curve.update(method, points[plan.axis], points["mean"], points.low, points.high)

    def arrived(self) -> bool:
        return True  # Everything above the fold is a formula.

    def clear(self) -> None:
        super().clear()
        self.store.clear()
        self.results = None

    def _goes_on(self, plan):
        """Whether the play will let another site drop out of this picture."""
        return self._dropping and not ring.ended(plan, self._roles)

    def _start_runs(self):
        step = self.said.step
        if self._jobs is not None and step is not None and step.figures == (_RING,):
            self.runs.clear()  # A slide without curves needs no runs; they start when it is left.
            return
        jobs, self._jobs = self._jobs, None
        if jobs is not None and not self.said.problem:  # Else the latest settings have no plan.
            self.runs.start(jobs, paint=self.paint)

    def paint(self, results: list) -> None:
        if self._jobs is not None:  # They are of settings that the ring no longer shows.
            return
        made = store.add(self.store, self.plan, results)
        self.spend(cost for job in made if (cost := self.cost(self.plan, job)) is not None)
        self._know(self.plan)
        self.show(self.plan)

    def cost(self, plan: Plan, job: sweep.Job) -> Drawn | None:
        """Privacy cost of one run of PCA, for the ledger."""
        return ledger_costs.of_job(job, data=plan.source.title, calibration="exact")

    def draw(self, picture: Plan) -> None:
        graph = self.results.spots.get("graph")
        self._roles = ring.roles_of(picture.question, self._roles)
        self._ring.picture = ring.picture(picture, self._roles, playing=self._goes_on(picture))
        self._amplitude.draw(picture, graph)

    def draw_more(self, picture: Plan) -> None:
        asked, along = picture.question, self.model.along
        now = asked.dropouts if along == "dropouts" else asked.colluding
        self._counted.draw(counted(asked, along), along, now)
        spots, energies = self.results.spots, order_of(self.results.means, picture)
        self._details.text = text.details(
            picture, graph=spots.get("graph"), energies=energies, traffic=spots.get("traffic")
        )

    def words(self, picture: Plan) -> str:
        return text.words(picture)

    def guarantee(self, picture: Plan) -> Guarantee:
        asked, privacy = picture.question, Privacy(1.0, picture.settings.delta)
        found = guarantees.exposures(
            picture.shown,
            privacy,
            sites=asked.sites,
            colluding=asked.colluding,
            calibration="exact",
            terms=guarantees.terms_of(picture.here),
        )
        return Guarantee(
            guarantees.sentence(
                privacy, found, terms=guarantees.terms_of(picture.here), colluding=asked.colluding
            ),
            privacy,
            asked.colluding,
            found,
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        answer = "the non-private answer of the digits, and all energies, which are computed from it"
        return (Unprotected("answer", answer, where="energy"),)

    def table(self) -> pd.DataFrame:
        p = self.picture or self.compute()
        return pd.DataFrame({"amplitude": AMPLITUDES, "cape": p.curve})

    def figures(self) -> tuple:
        self.content()
        return self._amplitude.figure, self._counted.figure, self.curve.figure

    def script(self) -> str:
        return _script(self.picture or self.compute())


def _script(plan: Plan) -> str:
    asked = plan.question
    return f'''"""CAPE's noise over a trusted curator's along the amplitude, beside the other schemes."""
import numpy as np

from core.schemes import average_std
from core.schemes.amplitude import design, worst_dropouts

sites, dropouts, terms = {asked.sites}, {asked.dropouts}, {asked.terms!r}
std = np.array({asked.std.tolist()!r})  # what each message needs
pooled = std.max() / sites
lost = range(sites - dropouts, sites)

columns = {{"amplitude": [], "cape": []}}
for amplitude in np.geomspace({AMPLITUDES[0]!r}, {AMPLITUDES[-1]!r}, {len(AMPLITUDES)}):
    noise, _ = worst_dropouts(design(std, amplitude=float(amplitude), **terms), dropouts)
    columns["amplitude"].append(float(amplitude))
    columns["cape"].append((noise / pooled) ** 2)
for scheme in ("conventional", "secure"):
    print(scheme, (average_std(scheme, std, dropped=lost, **terms) / pooled) ** 2)
for row in zip(*columns.values()):
    print("%10.4g %10.5g" % row)
'''

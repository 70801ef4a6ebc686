"""Power method, private: the accuracy of each component with noise in every step, or on the whole tensor."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import panel as pn
from bokeh.models import ColumnDataSource, FixedTicker

from core import power, sweep
from core.schemes import PLAIN
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.fold import Fold
from dashboard.components.layout import FULL, bokeh_pane, grid
from dashboard.components.tiles import Tiles
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs, openings
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_plan import means_text
from dashboard.pages.analyse.power import pictures
from dashboard.pages.analyse.power.model import (
    AXES,
    DATA_SETTINGS,
    METHODS,
    WIDE,
    WIDEST,
    Plan,
    PowerModel,
    accounts,
    fits,
    flatness,
    means,
    mu_of,
    needed,
)
from dashboard.plotting.figure import house_figure, rule
from dashboard.plotting.guess import Measured
from dashboard.state.html_text import listed, paragraph, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import amount_text, count_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, label
from data.check import grouped

_TITLES = {
    "exact": "exact composition",
    "zcdp": "concentrated (zCDP)",
    "theorem": "advanced composition, as proved",
    "published": "as printed in Algorithm 3",
}

_CUBE = (
    "A pattern is a group of squares that come together. In a cube of words the patterns lead to the topics "
    "(<a href='?page=topics'>Topics in text</a>)."
)
# As their rows are called.
_WITH = {"input": "noise once, on every count", "alg3_exact": "noise each step"}
_BY = {"entry": "", "published": " (the paper's six-term sum)"}
_MADE_FOR = {
    "entry": "They are made for the six-term sum, 6‖u‖²<sub>∞</sub>, where one entry needs 2√3‖u‖²<sub>∞</sub>. ",
    "published": "",
}


class PowerPage(Page):
    """Correlation with the truth of Algorithm 3 and input perturbation along ε, λ or d, with all accountings."""

    name, title, group, icon = "power", "Power method", "Analyse", "bolt"
    heading = "Power method"
    lead = "Topics and clusters hide in a cube of counts. Add noise once, as sites do under CAPE, or in each step?"
    model_type = PowerModel
    live = False
    guessable = True
    shared, primary = ("epsilon", "delta", "repeats", "data_seed", "noise_seed"), "epsilon"
    protects = "one count – not one person's records –"
    plays_over = tuple(e for e in AXES["epsilon"].values if e >= 0.1)  # Below it no search finds a pattern.
    first, at_once = ("d", "components"), 2
    first_figure, follows = False, True
    # At ε = 1 both find all patterns, below 0.2 neither does.
    opens: ClassVar = {"repeats": 4, "epsilon": 0.25}
    presets = (
        Preset(
            "The paper adds too much",
            {"axis": "epsilon", "epsilon": 1.0, "delta": 1e-6, "d": 100, "strength": 1000.0, "components": 3}
            | {"share": 1.0, "neighbours": "entry", "restarts": 3, "iterations": 6},
        ),
        Preset(
            "Too wide for noise once",
            {"axis": "d", "epsilon": 2.0, "delta": 1e-6, "d": 1000, "strength": 1000.0, "components": 2}
            | {"share": 1.0, "neighbours": "entry", "restarts": 3, "iterations": 6},
        ),
        Preset(
            "Patterns on few numbers",
            {"axis": "strength", "epsilon": 1.0, "delta": 1e-6, "d": 100, "strength": 1000.0, "components": 3}
            | {"share": 0.05, "neighbours": "entry", "restarts": 3, "iterations": 6},
        ),
    )
    code = ("core.power.private", "core.power.accounting")
    equation = r"""
$$\bar u_{t+1}=(T-D)(I,u_t,u_t)+\frac{\Delta_1(u_t)}{\mu_{\rm step}}\,z_t,\qquad
u_{t+1}=\frac{\bar u_{t+1}}{\|\bar u_{t+1}\|},\qquad
\tilde\lambda=(T-D)(u_R,u_R,u_R)+\frac{\Delta_2(u_R)}{\mu_{\rm step}}\,z$$

With L restarts and R iterations for each of k components this makes
$$K=kL(R+1)$$
releases, and Gaussian releases compose exactly:
$$\mu=\mu_{\rm step}\sqrt K.$$
The vectors u are public once released, so the noise may follow them. With a ≥ b ≥ c the three largest entries
of |u|, one symmetrised entry of T changes a step by at most
$$\Delta_1(u)=\max\Big(2\sqrt{a^2b^2+a^2c^2+b^2c^2},\ \sqrt{4a^2b^2+a^4}\Big)\le 2\sqrt3\,\|u\|_\infty^2 .$$

Flat vectors need little noise. This is why the incoherence
$$\mu_0=\tfrac dk\max_i\|V^{\top}e_i\|^2$$
appears in Theorem 4.2: the first pair is found if ε exceeds a constant times
$$\frac{\mu_0\,k^2\ln(\lambda_{\max}d/\delta)}{\lambda_{\min}}.$$
All this protects one entry of T. Where T is the third moment of n records with ‖x‖ ≤ 1, protecting a *record* needs
Δ₁ = Δ₂ = 2/n at every unit vector instead: `neighbours="record"`.
In code: `core.power.private`, `core.power.perturbed`; source: [Power] Algorithm 3.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.sweep = Sweep(
            self,
            means=means,
            cost=cost,
            fits=fits,
            together=_together,
            marks=self._follow,
            measured=_measured,
        )
        self._drawn: Any = None  # What the pictures are of.
        self._of: Plan | None = None
        self._how = ""

    @classmethod
    def warm(cls) -> None:
        openings.prepare(cls)

    def body(self):
        self.tiles = Tiles()
        y_label = "|cos| with the truth, mean"
        self.curve = self.sweep.build(AXES["epsilon"].label, y_label, height=400, schemes=METHODS)
        figure = self.curve.figure
        figure.y_range.update(start=0, end=1.03)
        rule(figure, "width", location=power.FOUND)
        self._build_components()
        self._search = Fold("How the search works")
        self._accounts = pn.pane.HTML("", stylesheets=[css.FINE], **FULL)
        return self.tiles

    def more(self):
        self.content()
        figures = grid(self._each_pane, self._accounts, least=400)
        return Stack(self._search, bokeh_pane(self.curve.figure), figures, **FULL)

    def still(self) -> str:
        if self.plan is not None and not self.tiles.spec:
            self._draw_tiles(self.plan)
        return self.tiles.still()

    def _follow(self, means):
        """Say what the curve shows as it becomes known."""
        self._mark_components(means)
        self._search.text = self._how + rest(self._needed(self.sweep.plan), self.sweep.spread())

    def _draw_tiles(self, picture):
        # Until all are known, the pictures of the settings before stay, unless they are of another tensor.
        of = tuple(picture.here[n] for n in DATA_SETTINGS)
        if of != self._drawn or len(self.sweep.spots) == len(fits(picture)):
            self._drawn, self._of = of, picture
            self.tiles.show(**pictures.tiles(self.sweep.spots, picture))

    def settled(self, picture: Plan) -> bool:
        return self._of is picture

    def exhibits(self) -> tuple:
        return self.content(), *self.figures()

    def draw(self, picture: Plan) -> None:
        self.sweep.mark_here(AXES[picture.axis].label)
        self._draw_tiles(picture)
        self._how = self._explained(picture)
        self._follow(self.sweep.means)
        k = picture.here["components"]
        self._each.x_range.update(start=0.5, end=k + 0.5)
        self._each.xaxis.ticker = FixedTicker(ticks=list(range(1, k + 1)))
        self._accounts.object = _account_table(picture)

    def _mark_components(self, means):
        picture = self.sweep.plan
        here = means[means[picture.axis] == picture.here[picture.axis]] if means is not None else None
        for place, method in enumerate(METHODS):
            found = here[here.scheme == method] if here is not None else ()
            columns = [f"cosine_{i}" for i in range(1, picture.here["components"] + 1)] if len(found) else []
            self._marks[method].data = {
                "i": [i + 0.18 * (place - 1) for i in range(1, len(columns) + 1)],
                "cosine": [float(found[c].iloc[0]) for c in columns],
            }
        self._each_pane.visible = any(source.data["i"] for source in self._marks.values())

    def words(self, picture: Plan) -> str:
        protected = "Protected is <b>one count, not one person's records</b>, which change many counts."
        size = _size(picture.here["d"]) if picture.here["d"] > WIDEST else ""
        pictured = means_text(picture.repeats_here, drawn="the pictures show", own=False)
        return paragraph(self._found(picture)) + rest(_who(picture), protected, pictured, size)

    def _explained(self, picture):
        """How the search works, and what the accountings come to, for the fold above the curve."""
        ratio = {a.calibration: a.ratio for a in accounts(picture)}["published"]
        step = (
            "A number of the cube adds up products of three numbers of each pattern. A step of the search multiplies "
            f"the cube by a guess, twice: the next guess. Of {count_text(picture.problem.restarts, 'random start')} the "
            "best is kept."
        )
        constants = (
            f"The paper's constants add {number_text(ratio, digits=2)} times the noise that the target needs."
        )
        size = _size(picture.here["d"])
        count = (
            f"A count is an entry of the cube{_BY[picture.problem.neighbours]}. Its protection holds even against "
            "whoever sees every step."
        )
        return rest(_CUBE, step, count, constants, size)

    def _found(self, picture):
        """How many patterns both searches found, in the order of the pictures."""
        k, spots, several = picture.here["components"], self.sweep.spots, picture.repeats_here > 1
        known = {m: amount_text(spots[m].found, k) for m in METHODS if m in spots}
        what = " pattern" if k == 1 else " patterns"
        # A bold number is an average: one run may be a lucky one.
        number = "<b>{}\u00a0of\u00a0{}</b>" if several else "{}\u00a0of\u00a0{}"
        parts = [(number.format(known[m], k), f" with {words}") for m, words in _WITH.items() if m in known]
        if not parts:
            return "Computing the first points …"
        (first, how), *others = parts
        survive = ", ".join([first + what + how, *map("".join, others)])
        one = "" if several else " (one run)"
        return f"At {equals('ε', picture.settings.epsilon)} the search finds {survive}{one}."

    def reached(self, picture: Plan) -> Reached | None:
        k, spots = picture.here["components"], self.sweep.spots
        often = "in every run" if picture.repeats_here > 1 else "in its run"
        what = f"all {k} patterns were found" if k > 1 else "the pattern was found"
        return Reached(
            f"{what} {often} with", {label(m): spots[m].found >= k for m in pictures.ORDER if m in spots}
        )

    def _needed(self, picture):
        """The ε at which the curve of each method passes the dotted line; nothing before it is complete."""
        least = needed(self.sweep.means, picture)
        if not least:
            return ""
        names = {"input": " for noise once", "alg3_exact": " for noise each step"} | {
            "alg3_published": " as the paper computes its noise"
        }
        most = number_text(AXES["epsilon"].values[-1])
        texts = [
            (number_text(least[m], digits=2) if math.isfinite(least[m]) else f"more than {most}") + name
            for m, name in names.items()
            if m in least
        ]
        return f"How little is enough? On average over the runs of the curve, about ε = {listed(texts)}."

    def guarantee(self, picture: Plan) -> Guarantee:
        s = picture.settings
        kept = {a.calibration: a for a in accounts(picture)}["published"].epsilon
        relation = (
            "one entry of the tensor with its permutations, changed by at most 1; not one person's record, which "
            "changes many entries"
            if picture.problem.neighbours == "entry"
            else "the six-term sum of Definition 4.2: an entry off the diagonal by 1, one on it by 6; not one "
            "person's record"
        )
        return Guarantee(
            sentence=f"All pairs together have {equals('ε', s.epsilon)}, {equals('δ', s.delta)} by exact "
            f"composition, for one entry of the tensor. The exact ε of the printed constants, for the same neighbours, is "
            f"{number_text(kept)}.",
            unit=relation,
            not_private=(
                "cosines, μ₀ and λ, which are computed from the true components",
                "each curve is a separate release: in a real release, their privacy losses would add up",
            ),
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        return guarantees.chosen(picture.repeats_here, "a number of found patterns", own=False)

    def script(self) -> str:
        return _script(self.plan or self.compute())

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, self._each

    def _build_components(self):
        plot = self._each = house_figure(
            "component, by falling λ",
            "|cos| with the truth",
            height=280,
            title="Each component, at the present settings",
            x_range=(0.5, 1.5),
        )
        plot.y_range.update(start=0, end=1.03)
        plot.xgrid.grid_line_color = None
        self._marks = {}
        for method in METHODS:
            look, source = LOOKS[method], ColumnDataSource({"i": [], "cosine": []})
            plot.vbar("i", 0.03, "cosine", source=source, color=look.colour, alpha=0.5)
            plot.scatter("i", "cosine", source=source, color=look.colour, marker=look.marker, size=11)
            self._marks[method] = source
        self._each_pane = bokeh_pane(plot)
        self._each_pane.visible = False  # Until the runs at the present settings are there.


def _who(plan):
    """Who adds the noise of both searches, where and when."""
    releases = grouped(_releases(plan))
    return (
        "<a href='?page=components'>Clusters</a> and <a href='?page=topics'>Topics</a> find theirs in such a cube, too, "
        "with noise of the sites. Here one trusted curator holds it. <b>Noise once</b>: the curator adds noise to every "
        "count, then searches. Sites under CAPE add as little in all, if only the result or one message is seen. "
        "<b>Noise each step</b>: the curator searches in the exact counts and adds noise to the result of each step; "
        f"{releases} such results share ε."
    )


def _releases(plan):
    """How many noisy results the search with noise in each step has."""
    return plan.here["components"] * plan.problem.restarts * (plan.problem.iterations + 1)


def _together(plan):
    """What the pictures show at once; noise on a wide cube takes longer than the other methods."""
    return METHODS if plan.here["d"] <= WIDE else ()


def _size(width):
    """What noise on the whole cube needs, in words."""
    entries = grouped(width**3)
    if width > WIDEST:
        gigabytes = number_text(8e-9 * width**3, digits=2)
        return f"Noise on the whole cube would need {gigabytes} GB and is left out."
    return (
        f"Noise once needs all {entries} numbers of the cube; noise each step never forms them, and alone reaches "
        f"{equals('d', 1000)}."
    )


def _measured(plan: Plan) -> Measured:
    return Measured("how close do the components of {} come to the true ones, as a mean |cos|?", 0, 1)


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    if job.scheme == PLAIN:
        return None
    data = ledger_costs.seeded("A tensor of known components, one entry of it", job)
    return ledger_costs.of_curator(job, data=data, mu=mu_of(plan.problem, job))


def _account_table(plan):
    mu0, order = flatness(tuple((n, plan.here[n]) for n in DATA_SETTINGS), plan.settings.delta)
    rows = "".join(
        f"<tr><th scope='row'>{_TITLES[a.calibration]}</th><td>{a.ratio:.2f} ×</td><td>{number_text(a.epsilon)}</td></tr>"
        for a in accounts(plan)
    )
    return (
        f"<p>{_releases(plan)} noisy releases with a total privacy target of {equals('ε', plan.settings.epsilon)}:</p>"
        "<div class='scroll'><table><thead><tr><th>accounting</th><th scope='col'>noise</th>"
        f"<th scope='col'>exact ε</th></tr></thead><tbody>{rows}</tbody></table></div>"
        "<p>The printed constants add more noise than ε needs, though their ε′ is larger than the theorem they cite allows. "
        f"{_MADE_FOR[plan.problem.neighbours]}"
        f"The components have μ₀ = {number_text(mu0)}, and Theorem 4.2 requires ε above a constant times "
        f"{number_text(order)}.</p>"
    )


def _script(plan: Plan) -> str:
    s, p = plan.settings, plan.problem
    wide = sorted({j.settings for j in plan.jobs if j.scheme == "input"})
    cells = sorted({j.settings for j in plan.jobs})
    return f'''"""Correlation with the truth of private power iterations along {plan.axis}."""
import numpy as np

from core import power, sweep
from data.synthetic.tensors import tensor_components


def load(settings):
    return tensor_components(
        settings["components"], dimension=settings["d"], strength=settings["strength"],
        share=settings["share"], rng=np.random.default_rng(settings["data_seed"]),
    )


problem = power.Problem(
    load, {DATA_SETTINGS!r}, neighbours={p.neighbours!r},
    restarts={p.restarts}, iterations={p.iterations},
)
fixed = { ({n: v for n, v in plan.here.items() if n != plan.axis})!r}
cells = [fixed | {{"{plan.axis}": x}} for x in {[dict(c)[plan.axis] for c in cells]!r}]
narrow = [c for c in cells if c["{plan.axis}"] in {[dict(c)[plan.axis] for c in wide]!r}]

mean = {{}}
for method in {METHODS!r}:
    there = narrow if method == "input" else cells  # noise on d³ numbers is slow
    for cell in there:
        wide = method == "input" and cell["d"] > {WIDE}
        rows = sweep.run(problem, [cell], schemes=[method], repeats=1 if wide else {s.repeats}, seed={s.noise_seed})
        mean[method, cell["{plan.axis}"]] = rows.cosine.mean()

columns = {{"scheme": [m for m, _ in mean], "{plan.axis}": [x for _, x in mean], "mean": list(mean.values())}}
for row in zip(*columns.values()):
    print("%-16s %10g %8.4f" % row)
'''

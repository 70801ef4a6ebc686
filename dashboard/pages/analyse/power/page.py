"""Power method, private: what sites find with noise on every count, once, and a curator with noise in every step."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import panel as pn
from bokeh.models import ColumnDataSource, FixedTicker

from core import Privacy, power, sweep
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
from dashboard.page.sweep_plan import means_text, noise_options
from dashboard.pages.analyse.power import pictures
from dashboard.pages.analyse.power.model import (
    AXES,
    DATA_SETTINGS,
    METHODS,
    ONCE,
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
from dashboard.problems.patterns import RULE
from dashboard.state.html_text import listed, paragraph, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import amount_text, at_most_text, count_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, subject
from data.check import grouped

_TITLES = {
    "exact": "exact composition",
    "zcdp": "concentrated (zCDP)",
    "theorem": "advanced composition, as proved",
    "published": "as printed in Algorithm 3",
}

_CUBE = (
    "A number of the cube says how often three things stand together. Of words, the patterns lead to the topics "
    "(<a href='?page=topics'>Topics in text</a>); of measurements, to the centres of clusters "
    "(<a href='?page=components'>Clusters</a>)."
)
_SUMMED = (
    "Each site holds a cube of its own. Under <b>CAPE</b> and the <b>conventional</b> scheme it adds noise to every count, "
    "once, and sends them. The search sees their sum alone. A message has the same noise under both; in the sum of "
    "CAPE, only as much is left as one trusted curator would add."
)
_WHO = {m: subject(m) for m in ONCE} | {"alg3_exact": "a curator with noise each step"}
_BY = {"entry": "", "published": " (the paper's six-term sum)"}
_MADE_FOR = {
    "entry": "They are made for the six-term sum, 6‖u‖²<sub>∞</sub>, where one entry needs 2√3‖u‖²<sub>∞</sub>. ",
    "published": "",
}


class PowerPage(Page):
    """Patterns that are found in the noisy sum of the sites' counts and by Algorithm 3, along ε, λ₁, S or d."""

    name, title, group, icon = "power", "Power method", "Compare", "bolt"
    tab_of = "pca"
    heading = "Power method"
    lead = "A search turns random pixels, step by step, into a hidden pattern. Which noise spoils the search?"
    model_type = PowerModel
    live = False
    shared, primary = ("sites", "epsilon", "delta", "repeats", "data_seed", "noise_seed"), "epsilon"
    protects = "one count – not one person's records –"
    plays_over = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0)  # From no pattern to all of them, under every scheme.
    first, at_once = ("sites", "components", "d"), 3
    first_figure, follows = False, True
    # CAPE finds all patterns, the others about one. At ε = 1 all do, below 0.1 none.
    opens: ClassVar = {"sites": 5, "repeats": 4, "epsilon": 0.25}
    presets = (
        Preset(
            "More sites, no more noise under CAPE",
            {"axis": "sites", "sites": 20, "epsilon": 0.5, "delta": 1e-5, "d": 64, "strength": 1000.0}
            | {"components": 3, "share": 1.0, "neighbours": "entry", "restarts": 3, "iterations": 6},
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
    code = ("core.power.perturbed", "core.power.private", "core.power.accounting")
    equation = r"""
Noise once: site s sends its cube with noise of variance τ² on every count, where
$$\tau=\frac1{\mu(\varepsilon,\delta)},\qquad \operatorname{var}\Big(\sum_{s=1}^S\tilde T_s\Big)=
\tau^2\ \text{(CAPE)},\qquad S\,\tau^2\ \text{(conventional)}.$$
Noise each step, with D the patterns found before:
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
In code: `core.power.perturbed`, `core.power.private`; source: [Power] Algorithm 3.
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
            scale=_scale,
        )
        self._drawn: Any = None  # What the pictures are of.
        self._of: Plan | None = None
        self._how = ""

    @classmethod
    def warm(cls) -> None:
        openings.prepare(cls)
        openings.prepare_stops(cls)

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
                "i": [i + 0.15 * (place - 1.5) for i in range(1, len(columns) + 1)],
                "cosine": [float(found[c].iloc[0]) for c in columns],
            }
        self._each_pane.visible = any(source.data["i"] for source in self._marks.values())

    def words(self, picture: Plan) -> str:
        protected = "Protected is <b>one count, not one person's records</b>, which change many counts."
        size = _size(picture.here["d"]) if picture.here["d"] > WIDEST else ""
        pictured = means_text(picture.repeats_here, drawn="the pictures show", own=False)
        return paragraph(self._found(picture)) + rest(protected, pictured, size)

    def _explained(self, picture):
        """Who adds noise, how the search works, and what the accountings come to, for the fold above the curve."""
        ratio = {a.calibration: a.ratio for a in accounts(picture)}["published"]
        step = (
            "A number of the cube adds up products of three numbers of each pattern. A step of the search multiplies "
            f"the cube by a guess, twice: the next guess. Of {count_text(picture.problem.restarts, 'random start')} the "
            f"best is kept. {RULE}"
        )
        each = (
            "<b>Noise each step</b>: one trusted curator holds all counts, searches in them as they are, and adds noise to "
            f"the result of each step. {grouped(_releases(picture))} such results share ε, which holds even against "
            "whoever sees them all. The constants of Wang and Anandkumar (2016), who state this search, add "
            f"{number_text(ratio, digits=2)} times the noise that the target needs."
        )
        count = f"A count is an entry of the cube{_BY[picture.problem.neighbours]}."
        return rest(_SUMMED, each, _CUBE, step, count, _size(picture.here["d"]))

    def _found(self, picture):
        """How many patterns were found, in the order of the pictures."""
        k, spots, several = picture.here["components"], self.sweep.spots, picture.repeats_here > 1
        known = {
            m: f"{amount_text(spots[m].found, k)}\u00a0of\u00a0{k}" for m in pictures.ORDER if m in spots
        }
        if not known:
            return "Computing the first points …"
        # A bold number is an average: one run may be a lucky one.
        bold = [m for m in ONCE if several and m in known]
        known |= {m: f"<b>{known[m]}</b>" for m in bold}
        first, *others = known
        finds = f"finds {'on average ' if several else ''}{known[first]} {'patterns' if k > 1 else 'pattern'}"
        seen = f", {guarantees.observed(())}" if first in ONCE else ""
        rest_of = "".join(f", {_WHO[m]} {known[m]}" for m in others)
        one = "" if several else " (one run)"
        return f"At {equals('ε', picture.settings.epsilon)}{seen}, {_WHO[first]} {finds}{rest_of}{one}."

    def reached(self, picture: Plan) -> Reached | None:
        k, spots = picture.here["components"], self.sweep.spots
        often = f"in all {picture.repeats_here} runs" if picture.repeats_here > 1 else "in its run"
        what = f"all {k} patterns were found" if k > 1 else "the pattern was found"
        who = {subject(m): spots[m].found >= k for m in pictures.ORDER if m in spots}
        return Reached(f"{what} {often} with", who, short="all found")

    def _needed(self, picture):
        """The ε at which the curve of each method passes the dotted line; nothing before it is complete."""
        least = needed(self.sweep.means, picture)
        if not least:
            return ""
        names = {m: f" for {subject(m)}" for m in ONCE} | {
            "alg3_exact": " for noise each step",
            "alg3_published": " for noise each step as it is published",
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
            "one count of one site with its permutations (one entry of the tensor), changed by at most 1; not one "
            "person's record, which changes many counts"
            if picture.problem.neighbours == "entry"
            else "the six-term sum of Definition 4.2: an entry off the diagonal by 1, one on it by 6; not one "
            "person's record"
        )
        target = Privacy(s.epsilon, s.delta)
        options = {"sites": picture.here["sites"], "colluding": 0, "calibration": "exact"}
        found = guarantees.exposures(ONCE, target, **options) if picture.here["d"] <= WIDEST else ()
        # The sum of equal sites tells what their average tells.
        once = guarantees.sentence(target, found).replace("average", "sum") + " " if found else ""
        return Guarantee(
            sentence=f"{once}All results of noise each step together have {equals('ε', s.epsilon)}, "
            f"{equals('δ', s.delta)} by exact composition; the exact ε of its published constants is {at_most_text(kept)}.",
            nominal=target if found else None,
            exposures=found,
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


def _releases(plan):
    """How many noisy results the search with noise in each step has."""
    return plan.here["components"] * plan.problem.restarts * (plan.problem.iterations + 1)


def _together(plan):
    """What the pictures show at once; noise once on a wide cube takes longer than noise each step."""
    return METHODS if plan.here["d"] <= WIDE else ()


def _size(width):
    """What noise on the whole cube needs, in words."""
    if width > WIDEST:
        gigabytes = number_text(8e-9 * width**3, digits=2)
        return f"Noise once on the whole cube would need {gigabytes} GB and is left out."
    return (
        f"Noise once needs all {grouped(width**3)} counts; noise each step never forms the cube, and alone reaches "
        f"{equals('d', 1000)}."
    )


def _scale(plan: Plan) -> tuple[float, float]:
    return 0, 1


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    if job.scheme == PLAIN:
        return None
    data = ledger_costs.seeded("Counts of known patterns, one count at one site", job)
    if job.scheme in ONCE:
        return ledger_costs.of_job(job, data=data, calibration="exact")
    return ledger_costs.of_curator(job, data=data, mu=mu_of(plan.problem, job))


def _account_table(plan):
    mu0, order = flatness(tuple((n, plan.here[n]) for n in DATA_SETTINGS), plan.settings.delta)
    rows = "".join(
        f"<tr><th scope='row'>{_TITLES[a.calibration]}</th><td>{a.ratio:.2f} ×</td><td>{at_most_text(a.epsilon)}</td></tr>"
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
    wide = sorted({j.settings for j in plan.jobs if j.scheme in ONCE})
    cells = sorted({j.settings for j in plan.jobs})
    return f'''"""Correlation with the truth of private power iterations along {plan.axis}."""
import numpy as np

from core import Privacy, power, sweep
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
    once = method in {ONCE!r}  # noise on d³ numbers is slow
    for cell in narrow if once else cells:
        repeats = 1 if once and cell["d"] > {WIDE} else {s.repeats}
        rows = sweep.run(problem, [cell], schemes=[method], repeats=repeats, {noise_options(plan)})
        mean[method, cell["{plan.axis}"]] = rows.cosine.mean()

columns = {{"scheme": [m for m, _ in mean], "{plan.axis}": [x for _, x in mean], "mean": list(mean.values())}}
for row in zip(*columns.values()):
    print("%-16s %10g %8.4f" % row)
'''

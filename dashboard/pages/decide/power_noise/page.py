"""Power method under disturbances of four kinds: the largest size of each at which random starts succeed."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
import pandas as pd
import panel as pn
from bokeh.models import Label, Span

from core import power
from core.sweep.workers import Call
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.components.tiles import Tiles
from dashboard.page import openings
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.pages.decide.power_noise import pictures
from dashboard.pages.decide.power_noise.model import (
    PICTURED,
    NoiseModel,
    Plan,
    Spots,
    Trial,
    share,
    spots,
    threshold_text,
    thresholds,
    tried,
)
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import rule
from dashboard.problems.patterns import RULE
from dashboard.state.controls import Controls
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import amount_text, count_text, equals, number_text, percent_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, label

_LEAST = 5  # Runs: with fewer, bands would cover the curves of all kinds.
_LABELS = {"size": "noise, ‖E‖ / λ (1: as strong as a pattern)", "d": "numbers in a pattern d"}
_WHERE = {
    "adversarial": "all in one direction",
    "round": "random on each number",
    "weak": "random off the patterns",
    "quiet": "made of false patterns",
}
_UNDER = {"round": "random noise", "quiet": "false patterns"}
_ORDERS = {"adversarial": "1/d", "round": "1/√d", "weak": "1/√k", "quiet": "1/√k"}


class NoisePage(Page):
    """What a search finds under random noise and under fakes, and its success with four kinds along their size."""

    name = "power_noise"
    model_type = NoiseModel
    live = False
    shared, primary, follows = ("repeats", "data_seed", "noise_seed"), "size", True
    plays_over = (0.3, 0.5, 0.7, 0.9, 1.2)  # Where the kinds part.
    first, first_figure = ("d", "components", "restarts"), False
    presets = (
        Preset(
            "A larger tensor",
            {"axis": "d", "size": 0.9, "d": 100, "components": 3, "restarts": 4, "iterations": 12},
        ),
        Preset(
            "Two patterns, d = 60",
            {"axis": "size", "size": 0.8, "d": 60, "components": 2, "restarts": 4, "iterations": 20},
        ),
        Preset(
            "More random starts",
            {"axis": "size", "size": 0.5, "d": 40, "components": 2, "restarts": 20, "iterations": 20},
        ),
    )
    code = ("core.power.disturbance", "core.tensors.robust")
    equation = (
        r"""
$$\tilde T=\sum_{i=1}^k\lambda_i\,v_i\otimes v_i\otimes v_i+E,\qquad
u_{t+1}=\frac{\tilde T(I,u_t,u_t)}{\|\tilde T(I,u_t,u_t)\|}$$

[Power] Section 2 states recovery up to
$$\|E\|_{\rm op}=O(\lambda_{\min}/d)$$
for any E, up to
$$O(\lambda_{\min}/\sqrt d)$$
where E is round, and up to
$$O(\lambda_{\min}/\sqrt k)$$
where E is weakly correlated with the components,
$$\|E(v_i,I,I)\|=O(\lambda_{\min}/d).$$
The constants are not known. A random start has
$$(v_i^{\top}u_0)^2\approx 1/d.$$
The first step leaves about
$$a=\frac{\lambda}{d}\Big/\|E(I,u_0,u_0)\|$$
along a component, and the second is lost if λa² is below what E adds. So E wins from about
$$\|E\|_{\rm op}\approx\lambda/\sqrt d$$
on whenever it is large at random vectors. This order is no less than the first stated one and equals the second.
It contradicts the third: Gaussian noise with E(v_i, I, I) = 0 is large there.
The method tolerates disturbances that are small there, such as other components, up to a size that falls no faster
than 1/√ln d.
In code: `core.power.disturbances`, `core.tensors.robust`.
"""
        + RULE
    )

    def __init__(self, controls):
        super().__init__(controls)
        self._found: dict[tuple[str, int, float], list[bool]] = {}
        self._done: set[Trial] = set()
        self._along: Plan | None = None  # What the curve is of.
        self._spots: Spots | None = None

    @classmethod
    def warm(cls) -> None:
        plan = cls(Controls(**cls.opens)).compute()
        openings.keep(plan.pictured, partial(spots, plan, threading.Event()))

    def body(self):
        self.tiles = Tiles()
        self.curve = Curve(
            _LABELS["size"],
            "all components found, share of runs",
            x_log=True,
            height=400,
            schemes=power.KINDS,
            shade=0.06,  # Four bands lie over each other.
        )
        self.pins = self.curve.pins
        self.curve.figure.y_range.update(start=-0.03, end=1.03)
        self._here = rule(self.curve.figure, "height")
        self._promises = {
            kind: Span(dimension="height", line_color=LOOKS[kind].colour, line_dash="dotted", line_width=2)
            for kind in ("adversarial", "round", "weak")
        }
        self._named = {
            kind: Label(
                text=_ORDERS[kind],
                text_color=LOOKS[kind].colour,
                text_font_size="13px",
                x=1,  # Until the first picture; it must have a place.
                x_offset=4,
                y=place,
                y_units="screen",
            )
            for kind, place in zip(self._promises, (6, 6, 24), strict=True)
        }
        for mark in (*self._promises.values(), *self._named.values()):
            self.curve.figure.add_layout(mark)
        self._table = pn.pane.HTML("", stylesheets=[css.FINE], **FULL)
        return self.tiles

    def more(self):
        self.content()
        return Stack(bokeh_pane(self.curve.figure), self._table, **FULL)

    def still(self) -> str:
        return self.tiles.still()

    def exhibits(self) -> tuple:
        return self.content(), *self.figures()

    def settled(self, picture: Plan) -> bool:
        return self._spots is None or self._spots.plan == picture.pictured

    def arrived(self) -> bool:
        """The curve's runs may go on."""
        return self._spots is not None and self._spots.plan == self.plan.pictured

    def begin(self, plan: Plan) -> list[Call] | None:
        if plan.curve != self._along:
            self._start(plan)
        if self._spots is None:
            self._spots = openings.kept(plan.pictured)
        wanted = self._spots is None or self._spots.plan != plan.pictured
        rest = [trial for trial in plan.trials if trial not in self._done]
        if self.picture is None or not wanted:  # Else the first run shows the picture, with its own settings.
            self.show(plan)
        if not wanted and not rest:
            return None
        first = [Call(spots, (plan,))] if wanted else []
        return [*first, *(Call(tried, (plan, trial)) for trial in rest)]

    def _start(self, plan):
        """Empty the curve."""
        self._along, self._found, self._done = plan.curve, {}, set()
        fixed = f"‖E‖ = {number_text(plan.size)} λ" if plan.axis == "d" else f"d = {plan.d}"
        text = f"{fixed}, k = {plan.components}, L = {plan.restarts}, R = {plan.iterations}"
        grid = {trial.d if plan.axis == "d" else trial.size for trial in plan.trials}
        self.curve.start(power.KINDS, text, grid=tuple(grid))

    def draw(self, picture: Plan) -> None:
        self.curve.figure.xaxis.axis_label = _LABELS[picture.axis]
        self._here.location = picture.d if picture.axis == "d" else picture.size
        if self._spots is None or self._spots.plan == picture.pictured:
            self.tiles.show(**pictures.tiles(self._spots, picture))
        for kind, span in self._promises.items():
            span.location = power.promised(kind, picture.d, picture.components)
            span.visible = self._named[kind].visible = picture.axis == "size"
            self._named[kind].x = span.location
        if picture.axis == "d":
            self._table.object = _FURTHER + _paragraphs(self._curve_words(picture))
            return
        reached = thresholds(self._found)
        rows = "".join(
            f"<tr><th scope='row'>{label(kind)}</th>"
            f"<td>{_ORDERS[kind]} = {number_text(power.promised(kind, picture.d, picture.components), digits=2)}</td>"
            f"<td>{threshold_text(reached.get(kind))}</td></tr>"
            for kind in power.KINDS
        )
        self._table.object = (
            "<div class='scroll'><table><thead><tr><th>disturbance</th><th scope='col'>stated order"
            "</th><th scope='col'>half of the runs succeed up to</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div><p>Wang and Anandkumar (2016) state these orders. "
            "Dotted lines in the figure: coloured, the orders with constant 1; grey, the present size.</p>"
        ) + f"{_FURTHER}{_paragraphs(self._curve_words(picture))}"

    def words(self, picture: Plan) -> str:
        if self._spots is None:
            return paragraph("Computing the first runs …")
        plan = self._spots.plan
        runs = plan.settings.repeats
        finds = "the power method finds on average" if runs > 1 else "in this run the power method finds"
        of = (
            f"Means of {count_text(runs, 'run')}; the pictures show the run nearest to them: {plan.iterations} steps "
            "from every start, then as many from the best."
            if runs > 1
            else ""
        )
        said = f"At noise {number_text(plan.size)}, {finds} {self._kinds()}."
        return paragraph(said) + rest(self._taken(), _fakes(plan), of)

    def _taken(self):
        """What the search found in place of patterns, in the pictures."""
        taken = sum(pictures.fakes(self._spots.kinds["quiet"]))
        each = (
            "one result is itself a false pattern"
            if taken == 1
            else f"{count_text(taken, 'result')} are themselves false patterns"
        )
        return (
            f"In the pictures, {each}: nothing shows the power method which patterns are false."
            if taken
            else ""
        )

    def reached(self, picture: Plan) -> Reached | None:
        if self._spots is None or self._spots.plan != picture.pictured:
            return None
        plan, kinds = self._spots.plan, self._spots.kinds
        found = {f"under {_UNDER[kind]}": s.all >= 0.5 for kind, s in kinds.items()}
        all_of_them = f"all {plan.components} patterns were" if plan.components > 1 else "the pattern was"
        runs = f" in at least half of {plan.settings.repeats} runs" if plan.settings.repeats > 1 else ""
        return Reached(
            f"{all_of_them} found{runs}",
            found,
            symbol="",
            quantity="noise",
            short="half of runs find all" if plan.settings.repeats > 1 else "all found",
            falls=True,
            looks={f"under {_UNDER[kind]}": kind for kind in kinds},
        )

    def _kinds(self):
        """How many patterns were found with both kinds of noise, and whether that of privacy hides fewer."""
        counts = [self._spots.kinds[kind].found for kind in PICTURED]
        of, several = self._spots.plan.components, self._spots.plan.settings.repeats > 1
        # A bold number is an average: one run may be a lucky one.
        number = "<b>{}\u00a0of\u00a0{}</b>" if several else "{}\u00a0of\u00a0{}"
        random, fakes = (number.format(amount_text(count, of), of) for count in counts)
        what = "patterns" if of > 1 else "pattern"
        if counts[0] == counts[1]:
            return f"{random} {what} under both"
        mild = (
            ". Here random noise, as privacy adds it, harms less" if counts[0] > counts[1] and of > 1 else ""
        )
        return (
            f"{random} {what} under random noise, but {fakes} under false patterns of the same strength{mild}"
        )

    def _curve_words(self, picture):
        """What the curve says, once all its points were run: over many runs, where the pictures are of one."""
        if not self._done >= set(picture.trials):
            return ()
        runs = picture.settings.repeats
        bands = f"from {_LEAST} on, bands: 95 %" if runs >= _LEAST else "too few for bands"
        repeats = f"({count_text(runs, 'run')} a point; {bands}.)"
        if picture.axis == "d":
            return self._words_along_width(picture, repeats)
        reached = thresholds(self._found)
        if len(reached) < len(power.KINDS):
            return ()
        most, least = (pick(reached, key=reached.get) for pick in (max, min))
        return (
            f"Over {count_text(runs, 'run')} a point, half find all up to noise {threshold_text(reached[most])} if it is "
            f"{_WHERE[most]}, and up to {threshold_text(reached[least])} if it is {_WHERE[least]}.",
            "" if runs >= _LEAST else "(Too few for bands.)",
        )

    def _words_along_width(self, picture, repeats):
        ends = {}
        for kind in ("adversarial", "weak", "quiet"):
            rates = [(d, np.mean(found)) for (k, d, _), found in sorted(self._found.items()) if k == kind]
            if len(rates) < len({trial.d for trial in picture.trials if trial.kind == kind}):
                return ()
            (narrow, first), (wide, last) = rates[0], rates[-1]
            ends[kind] = (
                f"from {percent_text(first)} at {equals('d', narrow)} to {percent_text(last)} at {equals('d', wide)}"
            )
        return (
            f"At this size the success rate changes {ends['adversarial']} with noise in one direction, "
            f"{ends['weak']} with noise off the patterns, and {ends['quiet']} with false patterns.",
            "The stated order 1/√k for weakly correlated noise holds for the last kind, which is small at a random start; "
            "not for the second, which is large there.",
            repeats,
        )

    def guarantee(self, picture: Plan) -> Guarantee:
        return Guarantee(
            sentence="No record is used on this page and no privacy is promised: the disturbances represent any noise, "
            "including private noise (noise on every count is of the kind random).",
            unit="none",
            not_private=("the success rate, which is computed from the true components",),
        )

    def table(self) -> pd.DataFrame:
        rows = [(*point, float(np.mean(found)), len(found)) for point, found in sorted(self._found.items())]
        return pd.DataFrame(rows, columns=["kind", "d", "size", "success", "runs"])

    def script(self) -> str:
        return _script(self.plan or self.compute())

    def figures(self) -> tuple:
        self.content()
        return (self.curve.figure,)

    def paint(self, results: list) -> None:
        for result in results:
            if isinstance(result, Spots):
                self._spots = result
            elif result is not None:
                trial, found = result
                self._done.add(trial)
                self._found.setdefault((trial.kind, trial.d, trial.size), []).append(found)
        self._draw_curve()
        self.show(self.plan)

    def _draw_curve(self):
        for kind in power.KINDS:
            found = sorted((d, size) for k, d, size in self._found if k == kind)
            points = [
                (d if self.plan.axis == "d" else size, *_banded(self._found[kind, d, size]))
                for d, size in found
            ]
            if points:
                self.curve.update(kind, *zip(*points, strict=True))


def _fakes(plan):
    """What the fakes are, and that the strengths are equal."""
    return (
        f"<b>False patterns</b>: {plan.d - plan.components} of them, as planted records would add. "
        "<b>Strength</b>: the most that the noise adds along "
        f"any direction, here {number_text(plan.size)} of the weight of a hidden pattern."
    )


# What the curve has besides the pictured kinds.
_FURTHER = (
    "<p><b>One way</b>: noise that pulls every estimate towards one direction. <b>Off patterns</b>: random noise "
    "without its part along the patterns, which would also push estimates towards them.</p>"
)


def _paragraphs(texts):
    """What the curve says, below it."""
    return f"<p>{' '.join(text for text in texts if text)}</p>" if any(texts) else ""


def _banded(found):
    """The share of successes with the ends of its band, which has no width while the runs are few."""
    p, low, high = share(found)
    return (p, low, high) if len(found) >= _LEAST else (p, p, p)


def _script(plan: Plan) -> str:
    s = plan.settings
    points = list(dict.fromkeys((t.kind, t.d, t.size) for t in plan.trials))
    return f'''"""Share of runs in which Algorithm 1 finds every component, by kind, width and size of the disturbance."""
import numpy as np

from core import power
from data.synthetic.tensors import tensor_components

columns = {{"kind": [], "d": [], "size": [], "success": []}}
for kind, d, size in {points}:
    truth = tensor_components(
        {plan.components}, dimension=d, strength=1.0, least=1.0, rng=np.random.default_rng({s.data_seed})
    )
    tensor = power.ComponentTensor(truth.values, truth.vectors)
    found = [
        power.recovered(
            tensor, kind, size, rng=np.random.default_rng([{s.noise_seed}, power.KINDS.index(kind), repeat]),
            restarts={plan.restarts}, iterations={plan.iterations},
        ).min() > power.FOUND
        for repeat in range({s.repeats})
    ]
    for name, value in zip(columns, (kind, d, size, float(np.mean(found)))):
        columns[name].append(value)
    print("%-12s d = %4d, size %6g: %.2f" % (kind, d, size, np.mean(found)))
'''

"""The figures of the Plan page: an interval for every scheme, the probes behind it, and the risk, updated in place."""

from __future__ import annotations

import math

import numpy as np
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker, Label, Range1d

from core.privacy import tradeoff
from core.schemes import PRIVATE
from core.sweep import search
from dashboard.components.layout import bokeh_pane, grid
from dashboard.pages.decide.plan.question import FREE, Question
from dashboard.pages.decide.plan.text import short
from dashboard.plotting.comparison_curve import Curve, band
from dashboard.plotting.figure import folding_legend, house_figure, in_lines, rule, subtitle
from dashboard.state.number_text import percent_text
from dashboard.theme.scheme_style import INK, LOOKS, QUIET, ink, label, planned_order

_ROW = 58  # Pixels of one scheme.
_DOTS = ("x", "y", "colour", "marker", "fill", "mean", "runs", "said")
_FILLED = {True: 1.0, False: 0.0, None: 0.4}
_STATES = {True: "meets the target", False: "misses it", None: "not decided yet"}
_ONLOOKERS = (("of the result", "solid"), ("of all messages", "dashed"), ("with colluding sites", "dotted"))
_SITES = [2, 5, 10, 20, 50]
_ALPHA = np.geomspace(1e-3, 1, 121)


class PlanFigures:
    """Answers by scheme; means of the probes along the free setting; the trade-off of the best attack."""

    def __init__(self):
        self._build_answers()
        self.curve = Curve(FREE["epsilon"][0], "", x_log=True, height=330, schemes=PRIVATE)
        self._aim = rule(self.curve.figure, "width", dash="dashed")
        self._build_floor()
        self._decades = [(plot, plot.xaxis[0].ticker) for plot in (self.answers, self.curve.figure)]
        self._build_risk()
        self.main = bokeh_pane(self.answers)
        self.more = grid(bokeh_pane(self.curve.figure), bokeh_pane(self.risk), least=380)
        self.all = self.answers, self.curve.figure, self.risk

    def start(self, question: Question) -> None:
        """Reset the figures for a new question.

        Only a search has points and intervals: the answer for an average is exact, and an error that is measured at one
        ε has no curve along it.
        """
        searched = question.problem is not None and not question.measured
        self.main.visible = self.curve.figure.visible = searched
        if question.measured:
            return
        x_label = FREE[question.free][0]
        low, high = question.cells[0][0], question.cells[-1][0]
        self.answers.xaxis.axis_label = self.curve.figure.xaxis.axis_label = x_label
        self.answers.y_range.factors = [label(s) for s in planned_order()[::-1] if s in question.schemes]
        self.answers.height = 96 + _ROW * len(question.schemes)
        for plot, decades in self._decades:
            plot.x_range.update(start=low / 1.3, end=high * 1.3)
            # Over less than two decades of whole numbers even ticks would crowd the upper end.
            plot.xaxis.ticker = FixedTicker(ticks=_SITES) if question.free == "sites" else decades
            plot.xgrid.ticker = plot.xaxis[0].ticker
        counted = question.chance is not None
        self.curve.figure.yaxis.axis_label = (
            "share of releases that do" if counted else question.metric.axis.format(**question.about)
        )
        self.curve.start(question.schemes, f"dashed: the target, {_aim_text(question)}")
        self._aim.location = question.chance if counted else question.target.value
        marks = "" if question.problem is None else "\nFilled marks meet the target, hollow ones miss it"
        self._line.text = f"{in_lines(question.label)}{marks}"
        # Old answers would appear under a new question; those of an average follow at once, and do not blink under Play.
        if question.problem is not None:
            self._show(False)
        self._floor_note.x = 1.25 * high
        self.draw_floor(math.nan)

    def draw(self, question: Question, answers: dict[str, search.Answer]) -> None:
        """Draw the answers so far."""
        if question.measured:
            return
        rows = {name: [] for name in ("y", "low", "high", "colour", "alpha")}
        marks = {name: [] for name in ("x", "y", "colour", "marker")}
        texts = {name: [] for name in ("x", "y", "text", "align", "colour")}
        dots: dict[str, list] = {name: [] for name in _DOTS}
        first, last = question.cells[0][0], question.cells[-1][0]
        for scheme, answer in answers.items():
            look, y = LOOKS[scheme], label(scheme)
            low = first / 1.3 if math.isnan(answer.low) else answer.low
            high = min(answer.high, last * 1.3)
            running = answer.state == "running"
            for name, value in zip(rows, (y, low, high, look.colour, 0.12 if running else 0.28), strict=True):
                rows[name].append(value)
            if math.isfinite(answer.estimate) and not running:
                for name, value in zip(marks, (answer.estimate, y, look.colour, look.marker), strict=True):
                    marks[name].append(value)
            at = math.sqrt(low * high)
            place = math.log(at / first) / math.log(last / first)
            align = "left" if place < 0.25 else "right" if place > 0.75 else "center"
            x = low if align == "left" else high if align == "right" else at
            for name, value in zip(texts, (x, y, short(question, answer), align, look.colour), strict=True):
                texts[name].append(value)
            _add_dots(dots, question, answer)
        self._show(True)
        self._rows.data, self._marks.data, self._texts.data, self._dots.data = rows, marks, texts, dots
        for scheme, answer in answers.items():
            points = [(p.x, *_band(p, question)) for p in answer.probes]
            if points:
                self.curve.update(scheme, *zip(*points, strict=True))

    def draw_floor(self, floor: float) -> None:
        """Draw what directions keep that are drawn at random; NaN: it is not known, or nobody asks."""
        self._floor.visible = self._floor_note.visible = math.isfinite(floor)
        if self._floor.visible:
            self._floor.location = self._floor_note.y = floor

    def _build_floor(self):
        self._floor = rule(self.curve.figure, "width")
        self._floor_note = Label(
            x=1.0,
            y=0.0,
            y_offset=2,
            text="random components",
            text_align="right",  # The curves are highest there.
            text_font_size="12px",
            text_color=ink(dark=False, quiet=True),
            tags=[QUIET],
        )
        self.curve.figure.add_layout(self._floor_note)

    def draw_risk(self, scheme: str | None, mus: tuple[float, float, float] | None, epsilon: str) -> None:
        """Draw the trade-off for the adversaries of one release; without a release, only the diagonal."""
        seen = mus or (math.nan,) * 3
        for (name, _), mu, less in zip(_ONLOOKERS, seen, (math.nan, *seen), strict=False):
            source, line, item = self._attacks[name]
            # Without colluding sites there is no third observer, and a curator is the only one.
            line.visible = item.visible = math.isfinite(mu) and mu != less
            source.data = {"x": _ALPHA, "y": 1 - tradeoff(_ALPHA, mu)} if line.visible else {"x": [], "y": []}
            if scheme is not None:
                line.glyph.line_color = LOOKS[scheme].colour
        self._risk_line.text = "" if scheme is None else f"{label(scheme)} at {epsilon}"

    def _show(self, visible):
        for renderer in self.answers.renderers:
            renderer.visible = visible

    def _build_answers(self):
        plot = self.answers = house_figure(
            FREE["epsilon"][0],
            "",
            x_log=True,
            height=330,
            y_range=FactorRange(),
            x_range=Range1d(1e-2, 10),
            hover=[("", "@y: @said"), ("at", "@x{0.[000]}"), ("mean", "@mean{0.[000]} (@runs runs)")],
        )
        plot.y_range.range_padding = 0.1
        self._line = subtitle(plot)
        self._rows = ColumnDataSource({name: [] for name in ("y", "low", "high", "colour", "alpha")})
        self._marks = ColumnDataSource({name: [] for name in ("x", "y", "colour", "marker")})
        self._texts = ColumnDataSource({name: [] for name in ("x", "y", "text", "align", "colour")})
        self._dots = ColumnDataSource({name: [] for name in _DOTS})
        plot.hbar(
            "y",
            left="low",
            right="high",
            height=0.4,
            source=self._rows,
            fill_color="colour",
            fill_alpha="alpha",
            line_color="colour",
            line_alpha="alpha",
        )
        dots = plot.scatter(
            "x",
            "y",
            source=self._dots,
            marker="marker",
            size=7,
            color="colour",
            fill_alpha="fill",
            line_alpha=0.95,
        )
        plot.scatter(
            "x",
            "y",
            source=self._marks,
            marker="marker",
            size=14,
            color="colour",
            line_color="white",
            line_width=1.5,
        )
        words = plot.text(
            "x",
            "y",
            text="text",
            source=self._texts,
            text_align="align",
            text_font_size="14px",
            text_color=ink(dark=False),
            y_offset=-16,
        )
        words.glyph.tags = [INK]
        plot.ygrid.visible = False
        plot.hover.renderers = [dots]

    def _build_risk(self):
        plot = self.risk = house_figure(
            "false accusations (innocent records accused)",
            "records found",
            x_log=True,
            height=330,
            title="Records found by the best attack",
            x_range=Range1d(1e-3, 1),
            y_range=Range1d(0, 1),
        )
        self._risk_line = subtitle(plot)
        nothing = plot.line(
            _ALPHA, _ALPHA, color=ink(dark=False, quiet=True), line_width=1.5, line_dash="dashed"
        )
        nothing.glyph.tags = [QUIET]
        self._attacks, drawn = {}, []
        for name, dash in _ONLOOKERS:
            source = ColumnDataSource({"x": [], "y": []})
            line = plot.line("x", "y", source=source, line_dash=dash, line_width=2.5)
            drawn.append((name, [line]))
        legend = folding_legend(plot, [*drawn, ("guessing", [nothing])])
        for (name, [line]), item in zip(drawn, legend.items, strict=False):
            self._attacks[name] = line.data_source, line, item
        mark = rule(plot, "height", location=0.01)
        mark.line_alpha = 0.8
        note = Label(
            x=0.0105,
            y=0.96,
            text="1 %",
            text_font_size="12px",
            text_color=ink(dark=False, quiet=True),
            text_baseline="top",
            tags=[QUIET],
        )
        plot.add_layout(note)


def _add_dots(dots, question, answer):
    look = LOOKS[answer.scheme]
    for p in answer.probes:
        values = (
            p.x,
            label(answer.scheme),
            look.colour,
            look.marker,
            _FILLED[p.meets],
            p.mean,
            len(p.scores),
            _STATES[p.meets],
        )
        for name, value in zip(_DOTS, values, strict=True):
            dots[name].append(value)


def _band(probe, question):
    """Mean of a probe's runs and its 95 % band: of their scores, or of the share that meets the target."""
    if question.chance is None:
        return band(list(probe.scores))
    return np.clip(band(list(question.target.margins(probe.scores) + question.chance)), 0, 1)


def _aim_text(question):
    """Text of the dashed line's height."""
    if question.chance is not None:
        return percent_text(question.chance)
    return question.metric.text(question.target.value)

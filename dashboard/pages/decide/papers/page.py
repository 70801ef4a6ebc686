"""Papers: every figure of the four papers, as published and corrected, beside the printed points."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import ClassVar

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource, CustomJS

from core.schemes import is_private
from core.sweep.workers import Call
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.inputs import control
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.page.base import Page
from dashboard.page.lesson import Preset
from dashboard.pages.decide.papers import axes
from dashboard.pages.decide.papers import text as papers_told
from dashboard.pages.decide.papers.changes import rings
from dashboard.pages.decide.papers.gain import Gain
from dashboard.pages.decide.papers.gallery import Gallery
from dashboard.pages.decide.papers.model import PapersModel, Plan, live, step
from dashboard.pages.decide.papers.reading import Reading
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import scale_y
from dashboard.reproduce import cache, comparison
from dashboard.reproduce.pictures.sketches import sketches
from dashboard.reproduce.script import program
from dashboard.state.html_text import paragraph
from dashboard.theme import css
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS, ink, label
from data import published
from data.published import experiments
from data.published.experiments import LINEAR

_METHODS = {m for e in map(experiments.load, experiments.names()) for m in (*e.methods, *e.corrected_methods)}
_BAND = 1.96  # Standard errors of a 95 % band.
_PATIENCE = 3.0  # Seconds.
_PALE = 0.4  # Opacity of what a revised figure leaves behind.


class PapersPage(Page):
    """A gallery of figures; the chosen one is drawn, from the cache or live, with the printed points."""

    name = "papers"
    above = (14, 0)
    presets_last = True
    model_type = PapersModel
    live = False
    hidden = ("figure", "convention")
    presets = (
        Preset("A figure of 2018, computed again", {"figure": "Fact-Fig2a", "convention": "published"}),
        Preset("What errors and better methods change", {"figure": "Fact-Fig4c", "convention": "corrected"}),
        Preset("Collusion that seemed to protect", {"figure": "Cape-Fig6b", "convention": "published"}),
    )
    run_settings: ClassVar = {"unit": "step", "units": "steps", "limit": 300.0}

    def __init__(self, controls):
        super().__init__(controls)
        self._rows = pd.DataFrame()
        self._parts: dict[int, pd.DataFrame] = {}
        self._key = self._named = ""
        self._run: Plan | None = None
        self._patient = (
            0.0  # Until then the curves of the other convention stay, so that they can move to the new ones.
        )

    def body(self):
        papers = [{"key": key, **asdict(paper)} for key, paper in experiments.papers().items()]
        cards = [_card(experiments.load(name)) for name in experiments.names()]
        self._gallery = Gallery(
            papers=papers, cards=cards, sketches=sketches(), sizing_mode="stretch_width", margin=(4, 0, 8, 0)
        )
        self._gallery.css_classes = ["gallery"]
        self._gallery.param.watch(self._chosen, "chosen")
        # A slide has one figure, which takes the place of the gallery.
        self.said.param.watch(lambda event: setattr(self._gallery, "visible", event.new is None), "step")
        self._caption = LiveText(_CAPTION + _BESIDE)
        switch = control(self.model, "convention", live=True, help=False)
        switch.stylesheets = [_SWITCH]
        self._seen = LiveText(_CAPTION)
        self.curve = Curve("", "value", x_log=True, height=400, schemes=_METHODS)
        self._tween = CustomJS(args={"plot": self.curve.figure}, code=beside(__file__, "tween.js"))
        self.curve.figure.js_on_change("inner_width", self._tween)
        self._moving: set[str] = set()
        self._rings, self._far = self._ring_source(), self._ring_source()
        self.reading, self.gain = Reading(self.curve), Gain(self.curve.figure)
        self._axes, self._legend = LiveText(css.FINE + _ONE_LINE), LiveText(css.FINE)
        self._axes.pane.object.css_classes = ["axes"]  # A phone has them below the figure.
        self._details = LiveText(css.FINE, margin=(6, 0, 0, 0))
        asked = Stack(switch, self._seen.pane, stylesheets=[_SIDE_BY_SIDE], **FULL)
        told = (self._caption.pane, asked, self._axes.pane)
        parts = *told, bokeh_pane(self.curve.figure), self._legend.pane, self._gallery
        return Stack(*parts, stylesheets=[_ORDER], **FULL)

    def opening(self) -> str:
        """What the figure shows, in the first picture."""
        caption = self._caption.text.replace("<h2>", f"<p {_TIGHT}'><b>").replace("</h2><p>", "</b> ")
        said = f"<div class='switch'></div>{self._seen.text}"
        return (
            f"<style>{_TWO_LINES}{_OPENING}</style>"
            + caption
            + f"{said}<div class='axes'>{self._axes.text}</div>".replace(
                "<p>", f"<p {_TIGHT};font-size:14px'>"
            )
        )

    def more(self):
        """The button to the live page, and the text on the figure."""
        button = pmui.Button(
            label="Open it live", icon="tune", variant="outlined", size="small", margin=(8, 0)
        )
        button.on_click(lambda event: self.visit(*live(self.plan.experiment, self.plan.convention)))
        return pn.Column(button, self._details.pane, **FULL)

    def begin(self, plan: Plan):
        # In one message: what a cached picture replaces must not arrive after it.
        with pn.io.hold():
            return self._begin(plan)

    def _begin(self, plan):
        e, key = plan.experiment, plan.runs.key(cache.version()) + plan.experiment.measure
        if key != self._key:
            self._forget()
            other = not self._rows.empty and self._named == e.name
            self._patient = time.monotonic() + _PATIENCE if other else 0.0
            self._key, self._parts, self._rows, self._named = key, {}, pd.DataFrame(), e.name
            self._dress(plan)
        if self._gallery.chosen != e.name:
            self._gallery.chosen = e.name
        self._caption.show(papers_told.caption(plan))
        self._draw_rings(plan, ())
        self.said.problem = ""
        self._caption.pane.object.css_classes = [] if plan.kept is None else ["idle"]
        if plan.kept is not None:
            self._rows = plan.kept
            self.show(plan)
            return []
        self._run = plan
        self._axes.show(papers_told.axes(plan, self._rows))
        if self._rows.empty:
            self._seen.show(papers_told.seen(plan, self._rows))
        self.said.words = self.words(plan)
        rest = [i for i in range(len(plan.steps)) if i not in self._parts]
        return [_piece(plan, i) for i in rest]

    def paint(self, results: list) -> None:
        rows = self.plan.runs.rows
        self._parts |= {place: rows(found) for place, found in results if found is not None}
        if self._parts and not (self._running(self.plan) and time.monotonic() < self._patient):
            self._rows = pd.concat([self._parts[i] for i in sorted(self._parts)], ignore_index=True)
            if len(self._parts) == len(self.plan.steps):
                cache.write(self.plan.runs, self._rows)
            self.show(self.plan)

    def draw(self, picture: Plan) -> None:
        means = comparison.summary(picture.experiment, self._rows)
        for method, part in means.groupby("method"):
            half = _BAND * np.nan_to_num(part.error)
            low = part["mean"] - half
            if picture.experiment.y_log:  # A logarithmic axis cannot show a band that reaches zero.
                low = np.maximum(low, part["mean"] / 30)
            self.curve.update(method, part.x, part["mean"], low, part["mean"] + half)
            self._move(method)
        running = self._running(picture)
        whole = self._rows.iloc[:0] if running else self._rows
        self._seen.show(papers_told.seen(picture, self._rows, self._decided(picture), running=running))
        self._axes.show(papers_told.axes(picture, whole))
        self._draw_rings(picture, self._decided(picture))
        self.gain.draw(picture, whole, dark=self.dark)
        self.reading.draw(*papers_told.reading(picture, whole), picture.experiment.chance)

    def draw_more(self, picture: Plan) -> None:
        self._details.show(papers_told.details(picture, self._rows, self._decided(picture)))

    def words(self, picture: Plan) -> str:
        points = self._points(picture)
        return paragraph(*papers_told.verdict(picture, self._rows, points, running=self._running(picture)))

    def script(self) -> str:
        return program((self.plan or self.compute()).runs)

    def table(self) -> pd.DataFrame:
        if self._rows.empty:
            return pd.DataFrame({"method": [], "x": [], "mean": []})
        plan = self.plan
        means = comparison.summary(plan.experiment, self._rows)
        printed = [ring[:3] for ring in rings(plan, ())]
        return means.merge(
            pd.DataFrame(printed, columns=["method", "x", "published"]), how="left", on=["method", "x"]
        )

    def figures(self) -> tuple:
        self.content()
        return (self.curve.figure,)

    def set_dark(self, dark: bool) -> None:
        super().set_dark(dark)
        if self.plan is not None:
            self._draw_rings(self.plan, self._decided(self.plan))

    def clear(self) -> None:
        self._forget()
        super().clear()
        self._rows, self._parts, self._key = pd.DataFrame(), {}, ""

    def _chosen(self, event):
        if event.new in experiments.names():
            self.model.figure = event.new

    def _move(self, method):
        """Let a curve move, in the browser, from one convention to the other."""
        if method not in self._moving:
            self._moving.add(method)
            self.curve.renderers(method)[1].data_source.js_on_change("data", self._tween)

    def _points(self, plan):
        if plan.convention != "published":
            return ()
        return comparison.compare(plan.experiment, self._rows) if len(self._rows) else ()

    def _running(self, plan):
        return plan.kept is None and len(self._parts) < len(plan.steps)

    def _decided(self, plan):
        """The compared points; none before the runs on all draws of the records have finished."""
        return () if self._running(plan) else self._points(plan)

    def _forget(self):
        """Free the records of the previous figure; a session that still needs them draws them again."""
        if self._run is not None:
            self._run.steps[0].forget()
            self._run = None

    def _dress(self, plan):
        """Set the axes and methods of the figure to those of another experiment."""
        e, plot = plan.experiment, self.curve.figure
        scale_y(plot, log=e.y_log)
        drawn = axes.counted(e, published=plan.runs.published)
        plot.name = f"{e.name} {drawn}"  # Curves move from one run to the other where both draw the same.
        plot.xaxis.axis_label, plot.yaxis.axis_label = axes.across(e), drawn
        far = {self._far[1], *(part for m in e.outside for part in self.curve.renderers(m))}
        plot.y_range.renderers = [part for part in plot.renderers if part not in far] if e.outside else "auto"
        self.reading.draw(None, {})
        title, log = papers_told.subtitle(plan), e.axis not in LINEAR
        self.curve.start(plan.runs.methods, title, grid=plan.runs.x, log=log)

    def _ring_source(self):
        """A source of printed points, and the renderers that draw it."""
        source = ColumnDataSource({"x": [], "y": [], "colour": [], "marker": [], "alpha": []})
        look = {"size": 14, "marker": "marker", "fill_alpha": 0, "line_color": "colour", "line_width": 1.6}
        look["line_alpha"] = "alpha"
        return source, self.curve.figure.scatter("x", "y", source=source, **look)

    def _colour(self, method):
        return LOOKS[method].colour if is_private(method) else ink(dark=self.dark)

    def _draw_rings(self, plan, points):
        printed = rings(plan, points)
        for source, far in ((self._rings[0], False), (self._far[0], True)):
            some = [ring for ring in printed if (ring[0] in plan.experiment.outside) == far]
            source.data = {
                "x": [x for _, x, _, _ in some],
                "y": [y for _, _, y, _ in some],
                "colour": [self._colour(method) for method, *_ in some],
                "marker": ["circle" if good else "circle_x" for *_, good in some],
                "alpha": [1.0 if plan.runs.published else _PALE] * len(some),
            }
        text = "A cross in a ring: not reproduced." if not all(good for *_, good in printed) else ""
        if plan.experiment.outside:
            text += f" {', '.join(map(label, plan.experiment.outside))} leaves the scale, as in print."
        self._legend.show(f"<p>{text}</p>" if text else "")


def _piece(plan, index):
    last = (index + 1) % len(plan.runs.x) == 0
    return Call(_placed, (index, plan.steps[index], last))


def _placed(index, of, last, cancelled):
    return index, step(of, last, cancelled)


def _card(experiment):
    measured = experiment.name in published.figures()
    return {
        "name": experiment.name,
        "paper": experiment.paper,
        "label": experiment.label,
        "caption": experiment.caption + ("" if experiment.available else " Run on other data."),
        "data": f"{'' if experiment.available else '≈ '}{experiment.data_title}",
        "mark": "○" if measured else "",
    }


_TIGHT = "style='margin:0"
_TWO_LINES = (
    "@media (min-width: 900px) { .codes-line { display: none } } "
    "@media (max-width: 899px) { .codes-dot { display: none } }"
)
_ONE_LINE = "p { max-width: none; margin: 0; font-size: calc(14px * var(--large, 1)) }" + _TWO_LINES
_ORDER = "@media (max-width: 899px) { .axes { order: 1 } .gallery { order: 2 } }"
_SIDE_BY_SIDE = beside(__file__, "side_by_side.css")
_CAPTION = beside(__file__, "caption.css")
_OPENING = beside(__file__, "opening.css")
_SWITCH = beside(__file__, "switch.css")
_BESIDE = beside(__file__, "beside_progress.css")

"""The layout of *Compare*: about twenty models; the controls at the left, four panels, and what unfolds below."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn

from dashboard.compare import view as views
from dashboard.compare.view import View
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.first_line import FirstLine, first_line
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.components.live_picture import LivePicture
from dashboard.plotting.chart_figure import ChartFigure
from dashboard.sheet import controls
from dashboard.sheet.background import background
from dashboard.sheet.layout import CARD, CARDS, FOOT, GRID, HALL
from dashboard.sheet.progress import Progress, progress
from dashboard.shell.actions import action_bar, background_names, unfolding
from dashboard.shell.browser import Browser
from dashboard.shell.staleness import Staleness
from dashboard.theme.assets import beside

NO_TABLE = "<small>No table of your own can be used here.</small>"
SHEET = beside(__file__, "rows.css") + CARDS + beside(__file__, "compare.css")
STAGE = HALL + beside(__file__, "stage.css")


class Board:
    """The parts of a comparison; each shows a section of the view.

    Attributes
    ----------
    stage : Stack
        The four panels with their sentence.
    curve : ChartFigure
    exhibits : tuple
        What a slide of a lecture shows or hides: result, curve, noise with privacy.
    """

    def __init__(self, page: Any):
        self._page = page
        self.curve = ChartFigure(ends=True)
        picture = partial(LivePicture, sheet=SHEET, chosen=page.press)
        self.head = picture(css_classes=["head"])
        self.result = picture(css_classes=["result"])
        self.title = picture(css_classes=["title"])
        self.formulas = picture(css_classes=["formulas"])
        self.runs = picture(css_classes=["runs"])
        self.tail = picture(css_classes=["tail"])
        self.chips = picture(css_classes=["chips"])
        self.first_line = FirstLine(css_classes=["first-line"])
        figure = bokeh_pane(self.curve.figure)
        self.lines = Stack(self.title, figure, css_classes=["curve"], stylesheets=[CARD], **FULL)
        self.stage = Stack(
            *(self.head, self.result, self.lines, self.formulas),
            css_classes=stage_classes(page.spec),
            stylesheets=[STAGE],
            **FULL,
        )
        self.exhibits = (self.result, self.lines, self.formulas)

    def show(self, shown: View) -> None:
        """Show a view; only sections that changed are sent."""
        sections = {
            self.head: shown.headline + shown.guaranteed,
            self.result: shown.result,
            self.title: shown.curve_title,
            self.formulas: shown.noise + shown.privacy,
            self.runs: shown.runs,
            self.tail: shown.curve_words + shown.further,
            self.chips: shown.chips,
        }
        with pn.io.hold():
            for part, text in sections.items():
                if part.picture != text:
                    part.picture = text
            self.curve.show(shown.curve)
            self.first_line.text = said_first(self._page)

    @property
    def figures(self) -> tuple:
        """The Bokeh figure."""
        return (self.curve.figure,)

    def paint(self) -> None:
        """Show the page's view; without any, why there is none."""
        if self._page.shown is None:
            self.head.picture = controls.problem(self._page.state.problem)
        else:
            self.show(self._page.shown)

    def report(self, at: Progress) -> None:
        """Show how far the runs have come."""
        self.runs.picture = progress(at)

    def clear(self) -> None:
        """Show nothing."""
        for part in (self.head, self.result, self.formulas, self.tail):
            part.picture = ""
        self.curve.clear()


def said_first(page: Any) -> str:
    """The first line with the number of sites that is set."""
    return first_line(
        page.plan.here.get("sites") if page.plan is not None and "sites" not in page.state.absent else None
    )


def stage_classes(spec: Any) -> list[str]:
    """The kinds of an algorithm's stage."""
    return ["stage", *(["wide"] if spec.wide else []), *(["low"] if spec.low else [])]


def laid_out(page: Any, browser: Browser) -> pn.viewable.Viewable:
    """The whole page, with its controls."""
    page.content()
    board = page.board
    tabs = LivePicture(
        sheet=SHEET,
        chosen=page.press,
        css_classes=["tabs"],
        picture=views.tabs(page.algorithms(), page.name),
    )
    side = _controls(page, board)
    actions = Stack(
        controls.pins(page),
        action_bar(page, browser),
        board.runs,
        unfolding(page, _UNFOLDING | background_names(page)),
        css_classes=["foot"],
        stylesheets=[FOOT],
        **FULL,
    )
    parts = [
        tabs,
        board.first_line,
        side,
        *([] if page.before() is None else [page.before()]),
        board.stage,
        actions,
        board.tail,
        background(page, CARDS),
        Staleness(page.state),
    ]
    whole = Stack(*parts, css_classes=["board"], stylesheets=[GRID], **FULL)

    def follow(event):
        whole.css_classes = ["board", *(["lecture"] if event.new else [])]
        shown = [f"shows-{place}" for place in event.new.figures] if event.new else []
        board.stage.css_classes = ["stage", "hall", *shown] if event.new else stage_classes(page.spec)
        side.css_classes = ["side", *(["slide"] if event.new else [])]

    page.state.param.watch(follow, "step")
    return whole


def _controls(page, board):
    spec = page.spec
    named = [name for name in (spec.primary, *spec.sliders) if name in (*page.shared, *page.own)]
    primary = controls.panel(
        page, named[:1], live=True, pause=controls.PAUSE, play=True, over=list(spec.plays_over)
    )
    sliders = controls.panel(page, named[1:], live=True, pause=controls.PAUSE)
    rest = [n for n in page.in_order() if n not in (*named, *page.hidden, "noise_seed", "adversary")]
    more = controls.panel(page, rest, first=0)
    controls.follow_play(page, primary)
    controls.for_slides(page, primary, sliders)
    primary.css_classes = ["primary"]
    data = Stack(page.above_settings(), css_classes=["data"], stylesheets=[_DATA], **FULL)
    examples = LivePicture(
        sheet=SHEET,
        chosen=page.press,
        css_classes=["examples"],
        picture=controls.examples([preset.name for preset in page.presets]),
    )
    parts = data, primary, sliders, board.chips, more, examples
    return controls.side(parts)


_UNFOLDING = {"Guarantee": ".guarantee > summary", "Figures": ".further > summary"}
_DATA = ":host { --menu: 100% } :host > .scroll-button { display: none }"

"""The layout of *Compare*: about twenty models; the controls at the left, four panels, and what unfolds below."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn

from dashboard.compare import view as views
from dashboard.compare.view import Progress, View
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.control_panel import ControlPanel
from dashboard.components.layout import FULL, Later, bokeh_pane
from dashboard.components.live_picture import LivePicture
from dashboard.page.played import Play
from dashboard.plotting.chart_figure import ChartFigure
from dashboard.shell.actions import action_bar
from dashboard.shell.browser import Browser
from dashboard.shell.page_layout import background
from dashboard.shell.staleness import Staleness
from dashboard.theme.assets import beside

SHEET = beside(__file__, "rows.css") + beside(__file__, "compare.css")
GRID, STAGE = beside(__file__, "board.css"), beside(__file__, "stage.css")
_PAUSE = 60  # Milliseconds between two values of a moving slider.


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
        self.curve = ChartFigure(narrow=page.spec.wide)
        picture = partial(LivePicture, sheet=SHEET, chosen=page.press)
        self.head = picture(css_classes=["head"])
        self.result = picture(css_classes=["result"])
        self.title = picture(css_classes=["title"])
        self.formulas = picture(css_classes=["formulas"])
        self.runs = picture(css_classes=["runs"])
        self.tail = picture(css_classes=["tail"])
        self.chips = picture(css_classes=["chips"])
        figure = bokeh_pane(self.curve.figure)
        self.lines = Stack(self.title, figure, css_classes=["curve"], stylesheets=[_CARD], **FULL)
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
            self.chips: views.chips(self._page.offered()),
        }
        with pn.io.hold():
            for part, text in sections.items():
                if part.picture != text:
                    part.picture = text
            self.curve.show(shown.curve)

    def report(self, progress: Progress) -> None:
        """Show how far the runs have come."""
        self.runs.picture = views.runs(progress)

    def problem(self, words: str) -> None:
        """Say why there is nothing to show."""
        self.head.picture = views.problem(words)

    def clear(self) -> None:
        """Show nothing."""
        for part in (self.head, self.result, self.formulas, self.tail):
            part.picture = ""


_CARD = """
:host { display: flex; flex-direction: column; min-width: 0; min-height: 0; box-sizing: border-box; overflow: hidden }
:host > .scroll-button { display: none }
"""


def stage_classes(spec: Any) -> list[str]:
    """The kinds of an algorithm's stage."""
    return ["stage", *(["wide"] if spec.wide else []), *(["low"] if spec.low else [])]


def laid_out(page: Any, browser: Browser) -> pn.viewable.Viewable:
    """The whole page, with its controls."""
    page.content()
    board, later = page.board, Later()
    tabs = LivePicture(
        sheet=SHEET,
        chosen=page.press,
        css_classes=["tabs"],
        picture=views.tabs(page.algorithms(), page.name),
    )
    side = _controls(page, board)
    actions = Stack(
        board.runs, pins(page), action_bar(page, browser), css_classes=["foot"], stylesheets=[_FOOT], **FULL
    )
    parts = [
        tabs,
        side,
        *([] if page.before() is None else [page.before()]),
        board.stage,
        actions,
        board.tail,
        later.place(background(page)),
        Staleness(page.said),
    ]
    whole = Stack(*parts, css_classes=["board"], stylesheets=[GRID], **FULL)

    def follow(event):
        whole.css_classes = ["board", *(["lecture"] if event.new else [])]
        shown = [f"shows-{place}" for place in event.new.figures] if event.new else []
        board.stage.css_classes = ["stage", "hall", *shown] if event.new else stage_classes(page.spec)
        side.css_classes = ["side", *(["slide"] if event.new else [])]

    page.said.param.watch(follow, "step")
    return whole


def pins(page):
    """Buttons that keep copies of the curves, and forget them."""
    row = Buttons(margin=(8, 0))
    row.add("Pin", "push_pin", act=page.pin)
    unpin = row.add("Unpin", "clear", act=page.unpin, visible=False)
    page.said.param.watch(lambda event: unpin.update(visible=bool(page.kept)), "shown")
    return row


def _for_slides(page, primary, sliders):
    """A slide has the one control that it names."""

    def follow(event):
        name = event.new.control if event.new else ""
        primary.visible = name in ("", page.primary)
        sliders.css_classes = ["on-slide"] if name and name != page.primary else ["sliders"]
        others = set(sliders.controls) - {name} if name in sliders.controls else set()
        sliders.hide({*page.said.absent, *others})

    page.said.param.watch(follow, "step")


def _controls(page, board):
    spec = page.spec
    named = [name for name in (spec.primary, *spec.sliders) if name in (*page.shared, *page.own)]
    primary = _panel(page, named[:1], live=True, pause=_PAUSE, play=True, over=list(spec.plays_over))
    sliders = _panel(page, named[1:], live=True, pause=_PAUSE)
    rest = [n for n in page.in_order() if n not in (*named, *page.hidden, "noise_seed", "adversary")]
    whom = [name for name in ("adversary",) if name in page.shared]
    more = _panel(page, whom + rest, first=len(whom))
    _follow_play(page, primary)
    _for_slides(page, primary, sliders)
    primary.css_classes = ["primary"]
    data = Stack(page.above_settings(), css_classes=["data"], stylesheets=[_DATA], **FULL)
    examples = LivePicture(
        sheet=SHEET,
        chosen=page.press,
        css_classes=["examples"],
        picture=views.examples([preset.name for preset in page.presets]),
    )
    parts = data, primary, sliders, board.chips, more, examples
    return Stack(*parts, css_classes=["side"], stylesheets=[_SIDE], **FULL)


_SIDE = """
:host > * { flex: none }
:host > .scroll-button { display: none }
:host(.slide) > :not(.primary, .on-slide) { display: none }
@media (max-width: 899px) { :host { display: contents } :host > .primary { order: 3 } :host > * { order: 7 } }
"""
# Six sliders and the schemes stand on the first screen.
_CLOSE = """
.item, .item:first-child, .item:last-child { margin: 1px 0 } .marks:empty { display: none }
.item:has(.menu) { margin: 8px 0 2px !important } .field::after { right: 9px }
.field button { padding: 6px 26px 6px 10px; font-size: 15px }
.line { gap: 8px } .play { padding-inline: 10px; white-space: nowrap }
details.more > summary, details.more[open] > summary { margin: 4px 0 0; padding: 6px 0 }
@media (max-width: 899px) { .item { margin: 6px 0 } }
"""
_DATA = ":host { --menu: 100% } :host > .scroll-button { display: none }"
_FOOT = """
:host { display: flex; flex-flow: row wrap; align-items: center; gap: 0 16px }
:host > .runs { flex: none; width: auto !important }
:host > .scroll-button { display: none }
"""


def _panel(page, names, **options):
    panel = ControlPanel(
        [(page.source(name), name) for name in names], protects=page.protects, sheets=[_CLOSE], **options
    )
    page.said.param.watch(lambda event: panel.hide(event.new), "absent")
    page.said.param.watch(lambda event: panel.limit(event.new), "most")
    panel.hide(page.said.absent)
    panel.limit(page.said.most)
    return panel


def _follow_play(page, panel):
    """Let a playing slider go on once everything stands that its value asked for, and keep marks of what it showed."""
    play = Play(lambda results: page.spec.reached(results.plan, results))
    panel.busy = "computing …"
    held: dict[str, Any] = {"about": None}

    def about():
        return {name: text for name, text in page.settings.texts().items() if name != page.primary}

    def answer(*events):
        if page.arrived():
            panel.busy = ""
            panel.answer()

    def note(event):
        if panel.stop == 0:
            play.begin()
        if panel.stop >= 0 and page.arrived():
            play.note(getattr(page.source(page.primary), page.primary), page.results)
        held["about"] = about()
        panel.marks = play.marks()

    def forget(*events):
        if held["about"] is not None and about() != held["about"]:
            held["about"] = None
            play.begin()
            panel.marks = {}

    def halt(event):
        if event.new in ("failed", "stopped"):
            panel.halt()

    answer()
    page.said.param.watch(answer, "shown")
    page.said.param.watch(forget, "shown")
    page.runs.param.watch(halt, "state")
    panel.param.watch(note, "answered")

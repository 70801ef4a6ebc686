"""The layout of a page: controls at the left, its parts beside them, and below what unfolds."""

from __future__ import annotations

import html
from functools import partial
from typing import Any

import panel as pn

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.first_line import FirstLine
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.components.live_picture import LivePicture
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee.guarantee import Guarantee
from dashboard.plotting.chart_figure import ChartFigure
from dashboard.sheet import controls
from dashboard.sheet.background import background
from dashboard.sheet.progress import Progress, progress
from dashboard.sheet.spec import Live, Sheet, View
from dashboard.shell.actions import action_bar, background_names, unfolding
from dashboard.shell.browser import Browser
from dashboard.shell.staleness import Staleness
from dashboard.theme.assets import beside

GRID, HALL, CARDS = (beside(__file__, f"{name}.css") for name in ("board", "hall", "cards"))
_NARROW = 2  # Sixths of the width that leave a legend little room.
# A chart's frame, and a figure in it as high as it leaves.
CARD = """
:host { display: flex; flex-direction: column; min-width: 0; min-height: 0; box-sizing: border-box; overflow: hidden }
:host > .scroll-button { display: none }
"""
# What runs say has what is left between the words at both ends, which it never moves.
FOOT = """
:host { display: flex; flex-flow: row; align-items: center; gap: 0 8px; min-height: 40px; margin-left: -8px }
:host > * { flex: none; width: auto !important }
:host > .runs { flex: 1 1 0; min-width: 0; order: 1; overflow: hidden }
:host > .unfolding { order: 2; margin-left: auto !important }
:host > .scroll-button { display: none }
@media (max-width: 1199px) {
  :host { flex-flow: row wrap }
  :host > .runs { flex: 1 0 100%; order: 3; min-height: 44px }
}
"""


class Board:
    """The parts of a page; each shows a section of the view.

    Attributes
    ----------
    stage : Stack
        The sentence and the parts.
    charts : mapping of str to ChartFigure
    live : mapping of str to Live
        Components of their own.
    exhibits : tuple
        The parts in their order: what a slide of a lecture shows or hides.
    """

    def __init__(self, page: Any):
        self._page, spec, look = page, page.spec, page.spec.look
        picture = partial(LivePicture, sheet=CARDS + look.sheet + spec.sheet, chosen=page.press)
        self.head, self.tail = picture(css_classes=["head"]), picture(css_classes=["tail"])
        self.charts = {place: _figure(spec, place) for place in spec.charts}
        self.live: dict[str, Live] = {}
        self._pictures: dict[str, LivePicture] = {}
        parts = []
        for number, place in enumerate(spec.places):
            kinds = part_classes(spec, number)
            if place in self.charts:
                title = [picture(css_classes=["title"])] if look.titled else []
                self._pictures |= {f"{place}_title": part for part in title}
                figure = bokeh_pane(self.charts[place].figure)
                parts.append(Stack(*title, figure, css_classes=kinds, stylesheets=[CARD], **FULL))
            elif place in spec.live:
                self.live[place] = spec.live[place](page)
                self.live[place].view.css_classes = kinds
                parts.append(self.live[place].view)
            else:
                self._pictures[place] = picture(css_classes=kinds)
                parts.append(self._pictures[place])
        self.runs = picture(css_classes=["runs"]) if page.runs is not None else None
        self.line = FirstLine(css_classes=["first-line"]) if look.line is not None else None
        self._pictures |= {look.beside: picture(css_classes=[look.beside])} if look.beside else {}
        self.exhibits = tuple(parts)
        sheets = [HALL + look.stage]
        self.stage = Stack(self.head, *parts, css_classes=["stage", *look.kinds], stylesheets=sheets, **FULL)
        page.state.param.watch(self._say, "step")

    @property
    def figures(self) -> tuple:
        """The Bokeh figures."""
        return tuple(chart.figure for chart in self.charts.values())

    @property
    def chosen(self) -> LivePicture | None:
        """What stands among the controls."""
        return self._pictures.get(self._page.spec.look.beside)

    def clear(self) -> None:
        """Show nothing."""
        places = (self._pictures[place] for place in self._page.spec.places if place in self._pictures)
        for part in (self.head, self.tail, *places):
            part.picture = ""
        for chart in self.charts.values() if self._page.spec.look.named else ():
            chart.clear()

    def paint(self) -> None:
        """Show the page's view; only what changed is sent. A problem stands in place of the sentence."""
        shown = self._page.shown
        sections = {self.head: sentence(self._page)}
        if shown is not None:
            sections |= {self.tail: tail(self._page)}
            sections |= {part: shown.sections.get(place, "") for place, part in self._pictures.items()}
        self.report(self._page.progress)
        if self.line is not None:
            self.line.text = self._page.spec.look.line(self._page)
        with pn.io.hold():
            for part, kinds in self._kinds(sections[self.head]).items():
                if part.css_classes != kinds:
                    part.css_classes = kinds
            for part, text in sections.items():
                if part.picture != text:
                    part.picture = text
            for place, chart in shown.charts.items() if shown is not None else ():
                self.charts[place].show(chart)
            for part in self.live.values() if self._page.plan is not None else ():
                part.show(self._page.plan)

    def report(self, at: Progress) -> None:
        """Show how far the runs have come."""
        if self.runs is not None:
            self.runs.picture = progress(at)

    def _say(self, *events):
        """Say what the slide needs that has just come, or the page that it was on."""
        said = sentence(self._page)
        self.head.param.update(picture=said, css_classes=head_classes(said))

    def _kinds(self, said):
        """The classes of the sentence and of the parts, where there is a view."""
        shown, spec = self._page.shown, self._page.spec
        parts = enumerate(self.exhibits) if shown is not None else ()
        return {self.head: head_classes(said)} | {p: part_classes(spec, n, shown) for n, p in parts}


def _figure(spec, place):
    """A chart's figure: names at the ends of its curves where the page has their axes' titles, else a legend."""
    return ChartFigure(narrow=not spec.look.titled and spec.places[place] <= _NARROW, ends=spec.look.titled)


def part_classes(spec: Sheet, number: int, shown: View | None = None) -> list[str]:
    """The kinds of a part: its name, or its number, for slides, its share of the width, and whether it is left out."""
    place, share = list(spec.places.items())[number]
    if spec.look.named:
        return [place]
    left_out = shown is not None and not any(place in of for of in (shown.sections, shown.charts, spec.live))
    return ["part", f"part-{number}", f"of-{share}", *(["absent"] if left_out else [])]


def head_classes(said: str) -> list[str]:
    """The kinds of what stands above the parts: whether it says anything."""
    return ["head", *([] if said else ["absent"])]


def sentence(page: Any) -> str:
    """What stands above the parts, or above those of the present slide: a problem, else the view's sentence."""
    promise = "" if page.shown is None else page.shown.promise
    if page.problem or page.shown is None:
        return controls.problem(page.problem) + promise
    places, step = list(page.spec.places), page.state.step
    part = places[step.figures[0]] if step and len(step.figures) == 1 else ""
    said = page.shown.alone.get(part, page.shown.headline)
    if said and not page.spec.look.named:
        said = f"<p class='headline'>{said}</p>"
    return said + promise


def tail(page: Any) -> str:
    """What stands below the parts: words, the guarantee, what unfolds, and on paper the settings."""
    shown = page.shown
    if shown.below is not None:
        return shown.below
    further = "".join(f"<h3>{html.escape(title)}</h3>{text}" for title, text in shown.further)
    folded = (
        f"<details class='further'><summary>Further figures</summary>{further}</details>" if further else ""
    )
    words = "; ".join(f"{name}: {value}" for name, value in page.settings_words().items() if value)
    printed = f"<p class='paper'><b>Settings.</b> {html.escape(words)}.</p>"
    return f"<div class='told'>{shown.words}</div>{guaranteed(shown.guarantee)}{folded}{printed}"


def guaranteed(found: Guarantee | None) -> str:
    """The guarantee's sentence; the exact numbers unfold."""
    if found is None:
        return ""
    told = f"<b>Guarantee.</b> {html.escape(found.sentence)}"
    return f"<details class='guarantee'><summary>{told}</summary>{guarantees.details(found)}</details>"


def laid_out(page: Any, browser: Browser) -> pn.viewable.Viewable:
    """The whole page, with its controls."""
    page.content()
    board = page.board
    look = page.spec.look
    picture = partial(LivePicture, sheet=CARDS + look.sheet, chosen=page.press)
    side = _controls(page, picture)
    names = {"Guarantee": ".guarantee > summary", "Figures": ".further > summary"} | background_names(page)
    foot = Stack(
        *([controls.pins(page)] if page.spec.charts else []),
        action_bar(page, browser),
        *([board.runs] if board.runs is not None else []),
        unfolding(page, names, absent=partial(_absent, page)),
        css_classes=["foot"],
        stylesheets=[FOOT],
        **FULL,
    )
    parts = (
        picture(css_classes=["tabs"], picture=look.heading(page)),
        board.line,
        side,
        page.before(),
        board.stage,
        foot,
        board.tail,
        background(page, CARDS),
        Staleness(page.state),
    )
    whole = Stack(
        *(part for part in parts if part is not None),
        css_classes=["board"],
        stylesheets=[GRID],
        **FULL,
    )

    def follow(event):
        shown = [f"shows-{place}" for place in event.new.figures] if event.new else []
        whole.css_classes = ["board", *(["lecture"] if event.new else [])]
        board.stage.css_classes = ["stage", *(["hall", *shown] if event.new else look.kinds)]
        side.css_classes = ["side", *(["slide"] if event.new else [])]

    page.state.param.watch(follow, "step")
    return whole


def _absent(page):
    """What the view does not have to unfold; one that says itself what stands below the parts has figures there."""
    shown = page.shown
    if shown is None:
        return ("Figures",)
    kept = {
        "Guarantee": shown.guarantee is not None,
        "Figures": bool(shown.further) or shown.below is not None,
    }
    return tuple([name for name in kept if not kept[name]])


def _controls(page, picture):
    spec, look = page.spec, page.spec.look
    sight = [name for name in spec.sliders if name in (*page.shared, *page.own)]
    options = {"live": True, "pause": controls.PAUSE}
    plays = {"play": True, **spec.play} if spec.play else {}
    primary = controls.panel(page, sight[:1], **options, **plays)
    if plays:
        controls.follow_play(page, primary)
    rest = [n for n in page.in_order() if n not in (*sight, *page.hidden, "noise_seed")]
    if look.beside:
        sliders = controls.panel(page, sight[1:], **options)
        more = [page.board.chosen, controls.panel(page, rest, first=0)]
    else:
        sliders = controls.panel(page, [*sight[1:], *rest], **options, first=len(sight) - 1)
        more = []
    primary.css_classes = ["primary", *(["above"] if look.search else [])]
    controls.for_slides(page, primary, sliders)
    above = page.above_settings()
    data = [] if above is None else [Stack(above, css_classes=["data"], stylesheets=[look.data], **FULL)]
    chips = controls.examples([preset.name for preset in page.presets])
    examples = picture(css_classes=["examples"], picture=chips)
    return controls.side([*data, primary, sliders, *more, examples])

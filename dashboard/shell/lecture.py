"""Lecture mode: large type, one step at a time, controlled by the keys of a presenter's remote control."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property

import panel as pn
import panel_material_ui as pmui
import param

from dashboard.components.layout import LiveText
from dashboard.page.base import SessionPage
from dashboard.page.lesson import Step
from dashboard.plotting import figure
from dashboard.shell.curtain import Curtain
from dashboard.shell.deferred import Deferred
from dashboard.state.controls import Controls
from dashboard.theme import css
from dashboard.theme.assets import beside

# On a phone the buttons stay where the thumb is; the page ends above them.
_KEYS = """
@media (max-width: 899px) {
  :host { position: fixed; z-index: 30; inset: auto 0 0; width: auto !important; height: 56px; margin: 0; padding: 4px 16px;
    box-sizing: border-box; justify-content: space-between; border-top: 1px solid var(--mui-palette-divider);
    background: var(--mui-palette-background-default) }
}
"""
# There the name of a button would stay after a touch, and cover the next one.
_NAMES = "@media (max-width: 899px) { .MuiTooltip-popper { display: none } }"
_BAR = beside(__file__, "lecture_bar.css")
_TURN = (
    "<p>Page Up and Page Down always turn slides. Arrow keys do, too, until a slider has been moved. "
    "On a slide with Play, the first key forward plays.</p>"
)
_SLIDES = beside(__file__, "lecture_slides.css")


class Lecture(param.Parameterized):
    """The steps of the session's pages, one after another.

    Parameters
    ----------
    kinds : sequence of Listed
        All pages, in their order; a lecture goes through those with steps.
    front : callable
        Returns the page in front.
    build : callable
        Returns the page of a name, built but not yet opened.
    visit : callable
        Brings the page of a name to the front.
    clear : callable
        Removes the notice of what went wrong on the slide before.
    curtain : Curtain, optional
        Asks the question of a slide before its answer is seen.

    Attributes
    ----------
    bar : viewable
        Title, step number and buttons, above the page.
    """

    place = param.Integer(0, bounds=(0, None), doc="Number of the current step, from 1; 0: no lecture.")
    short = param.Boolean(
        default=False, doc="Whether keys move through the slides of the ten-minute lecture only."
    )
    ask = param.Boolean(
        default=False, doc="Whether a slide with a question asks it before its answer is seen."
    )

    def __init__(
        self,
        kinds: Sequence,
        *,
        front: Callable[[], SessionPage],
        build: Callable[[str], SessionPage],
        visit: Callable[[str], None],
        clear: Callable[[], None] = lambda: None,
        curtain: Curtain | None = None,
    ):
        super().__init__()
        self.curtain = curtain or Curtain()
        self._clear, self._next, self._come = clear, None, Deferred(self._arrive)
        self._from = ""  # The page without steps on which the lecture was begun.
        self._listed, self._kinds = list(kinds), [kind for kind in kinds if kind.steps]
        self._front, self._build, self._visit = front, build, visit
        self._page: SessionPage | None = None
        self._text = LiveText(css.STEP)
        self._slides = LiveText(_SLIDES + css.SCREEN)
        self._slides.pane.visible = False
        self.bar = pn.Row(stylesheets=[_BAR], sizing_mode="stretch_width", margin=0, visible=False)

    @property
    def text(self) -> str:
        """Number, title and text of the current step, as HTML."""
        return self._text.text

    @cached_property
    def _buttons(self):
        """The buttons of the bar; built when the first lecture begins."""
        return [
            _button("Slides", "list", self._list),
            _button("Ask first", "help_outline", self._switch),
            _button("Previous step", "arrow_back", lambda: self.move(-1)),
            _button("Next step", "arrow_forward", lambda: self.move(1)),
            _button("Leave the lecture", "close", self.leave),
        ]

    def start(self, place: int = 1, *, keep: bool = False, short: bool = False, ask: bool = False) -> None:
        """Show a step of the page in front; a page without any is one slide, before that of the next page or tab.

        With `keep` the settings stay unchanged: they came with a link. With `short` keys move through the
        slides of the ten-minute lecture only. With `ask` slides with a question ask it first.
        """
        self.short, self.ask = short, ask
        page = self._front()
        if not page.steps:
            self._from = page.name
        self._show(page, min(place, len(_steps(page))), keep=keep or not page.steps)

    def move(self, by: int) -> None:
        """Move by one step forward or back; the last step of a page is followed by the first of the next."""
        if self.place and (slide := self._beside(by)):
            self._next = slide
            kind = next(kind for kind in self._listed if kind.name == slide[0])
            # A page may take a while to be built: its title comes first, and what it replaces pales.
            with pn.io.hold():
                self._clear()
                self._say(kind.kind, slide[1])
                self._page.state.leaves = True
            self._come()

    def _arrive(self):
        slide, self._next = self._next, None
        if slide is not None:
            self._show(self._build(slide[0]), slide[1])

    def _course(self):
        """Names of pages and numbers of their steps, in the order of the lecture."""
        # Steps are in the pages' modules, which are imported here at the latest.
        steps = (
            (kind.name, place, step) for kind in self._kinds for place, step in enumerate(kind.kind.steps, 1)
        )
        return [(name, place) for name, place, step in steps if step.short or not self.short]

    def _beside(self, by):
        """The slide `by` places from this one; None beyond the ends.

        A link may have opened this one outside the ten-minute lecture. Beyond the pages with steps the other pages
        and tabs follow, a slide each.
        """
        order = {kind.name: number for number, kind in enumerate(self._kinds)}
        name, place = self._next or (self._page.name, self.place)
        if name not in order:
            return self._neighbour(name, by)
        here = order[name], place
        course = [(order[name], place) for name, place in self._course()]
        at = (bisect_right(course, here) - 1 if by > 0 else bisect_left(course, here)) + by
        if 0 <= at < len(course):
            return self._kinds[course[at][0]].name, course[at][1]
        return None if self.short else self._neighbour(name, by)

    def _neighbour(self, name, by):
        """The slide `by` places from a page without steps: it is of the next page or tab, which may have none."""
        here = [kind.name for kind in self._listed].index(name)
        beyond = self._listed[here + 1 :] if by > 0 else self._listed[:here][::-1]
        if not beyond:
            return None
        kind = beyond[0]
        return kind.name, 1 if by > 0 or not kind.steps else len(kind.kind.steps)

    def leave(self, *, elsewhere: bool = False) -> None:
        """End the lecture; the settings stay.

        Show the page with all its controls, or the page without steps on which the lecture was begun. If it ends
        because its user goes `elsewhere`, that page is shown.
        """
        back, self._from = "" if elsewhere else self._from, ""
        if self.place:
            self._next = None
            self._undress()
            self.param.update(place=0, short=False, ask=False)
            self.curtain.ask(None)
            self._slides.pane.visible = False
            self.bar.param.update(visible=False, css_classes=[])
            if back and back != self._front().name:
                self._visit(back)

    def opened(self, page: SessionPage) -> None:
        """Another page was opened by other means: continue there if it has steps, otherwise end."""
        if self.place and page is not self._page:
            self._from = ""
            if page.steps:
                self._show(page, 1)
            else:
                self.leave()

    def _show(self, page, place, *, keep=False):
        # Title, settings and picture come in one message.
        with pn.io.hold():
            self._clear()
            self._put(page, place, keep=keep)

    def _put(self, page, place, *, keep):
        self._next, step = None, _steps(page)[place - 1]
        page.state.leaves = False
        if self._page is not page:
            self._undress()
        self._page, self.place = page, place
        self.curtain.ask(
            step.question if self.ask and not keep else None
        )  # Other settings have another answer.
        for number, exhibit in enumerate(page.exhibits() if page.steps else ()):
            exhibit.visible = number in step.figures
        for plot in page.figures():
            figure.enlarge(plot, large=True)
        page.state.step = step
        if not keep:
            page.set(settings_of(page, step))
        self._say(page, place)
        self._slides.pane.visible = False
        if not self.bar.objects:
            row = pn.Row(*self._buttons, margin=(4, 0, 0, 12), stylesheets=[css.SCREEN, _KEYS])
            self.bar.objects = [self._text.pane, row, self._slides.pane]
        self.bar.param.update(visible=True, css_classes=["given"])
        self._visit(page.name)

    def _say(self, page, place):
        """Number, title and text of a step of a page, or of a kind of page."""
        step = _steps(page)[place - 1]
        back, forward = self._buttons[2:4]
        back.disabled = self._beside(-1) is None
        forward.disabled = self._beside(1) is None
        where = f"{page.title} · {place} of {len(page.steps)}" if page.steps else f"{page.title} · one slide"
        if place >= len(page.steps) and (after := self._beside(1)):
            where += f" · next: {next(kind.title for kind in self._listed if kind.name == after[0])}"
        if self.short and step.short:
            course = self._course()
            where = f"In ten minutes · {course.index((page.name, place)) + 1} of {len(course)}"
        self._text.show(
            f"<p class='place'>{html.escape(where)}</p>"
            f"<div role='status'><h1>{html.escape(step.title)}</h1><p>{html.escape(step.look)}</p></div>"
        )

    @property
    def slides(self) -> str:
        """The menu of all steps, as HTML; "" while it is closed."""
        return self._slides.text if self._slides.pane.visible else ""

    def _switch(self):
        """Ask first from now on, also on this slide, or no more."""
        self.ask = not self.ask
        self.curtain.ask(_steps(self._page)[self.place - 1].question if self.ask else None)

    def _list(self):
        """Open or close the menu of slides; a click on a slide is a link to it."""
        shown = not self._slides.pane.visible
        if shown:
            course = self._course()
            groups = "".join(self._group(kind, course) for kind in self._kinds)
            self._slides.show(f"<nav aria-label='Slides'>{self._other_length()}{groups}{_TURN}</nav>")
        self._slides.pane.visible = shown

    def _other_length(self):
        number = sum(step.short for kind in self._kinds for step in kind.kind.steps)
        text, more = (
            ("All slides", "") if self.short else (f"In ten minutes: {number} slides", "&amp;short=1")
        )
        return f"<p><a href='?page={html.escape(self._kinds[0].name)}&amp;lecture=1{more}'>{text}</a></p>"

    def _group(self, kind, course):
        slides = [
            (place, step) for place, step in enumerate(kind.kind.steps, 1) if (kind.name, place) in course
        ]
        more = "&amp;short=1" if self.short else ""
        items = "".join(
            f"<li value='{place}'><a href='?page={html.escape(kind.name)}&amp;lecture={place}{more}'"
            f"{self._marked(kind, place)}>{html.escape(step.title)}</a></li>"
            for place, step in slides
        )
        return f"<section><h2>{html.escape(kind.title)}</h2><ol>{items}</ol></section>" if items else ""

    def _marked(self, kind, place):
        here = self._page is not None and (kind.name, place) == (self._page.name, self.place)
        return " aria-current='step'" if here else ""

    def _undress(self):
        page, self._page = self._page, None
        if page is not None:
            for exhibit in page.exhibits() if page.steps else ():
                exhibit.visible = True
            for plot in page.figures():
                figure.enlarge(plot, large=False)
            page.state.param.update(step=None, leaves=False)


def settings_of(page: SessionPage, step: Step) -> dict:
    """All settings of a step: the page's defaults, with the values that the step names."""
    sources = ((Controls.param, page.shared), (page.model.param, page.own))
    defaults = {name: source[name].default for source, names in sources for name in names}
    return defaults | dict(step.values)


def _steps(page) -> Sequence[Step]:
    """The steps of a page, or of a kind of page; one without any is a single slide: its own heading, lead and picture."""
    if page.steps:
        return page.steps
    title, look = page.heading or page.title, re.sub(r"<[^>]*>", "", page.lead)
    *before, last = re.split(r"(?<=[.?]) ", look)
    if before and last.endswith("?") and not title.endswith("?"):
        title, look = last, " ".join(before)  # A slide has its question as its title.
    return (Step(title, look, values=page.opens),)


def _button(label, icon, act):
    # The theme that the component brings along may be the light one.
    ink = {"color": "var(--mui-palette-text-primary)"}
    button = pmui.IconButton(
        icon=icon, description=label, margin=0, size="large", sx=ink, stylesheets=[_NAMES]
    )
    button.on_click(lambda event: act())
    return button

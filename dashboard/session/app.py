"""The app of one session: it opens the page that the URL names and switches between pages."""

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

import panel as pn

from core.sweep.workers.freed import give_back
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText
from dashboard.own_table.file import OwnFile
from dashboard.own_table.shared_table import SharedTable
from dashboard.page.base import SessionPage
from dashboard.pages import FRONT, LECTURED, LISTED, algorithm_of, former
from dashboard.session.open_pages import OpenPages
from dashboard.session.settings_dialog import SettingsDialog
from dashboard.shell.accessible_names import Names
from dashboard.shell.browser import Browser
from dashboard.shell.curtain import Curtain
from dashboard.shell.deferred import Deferred
from dashboard.shell.first_picture import FirstPicture
from dashboard.shell.frame import TITLE, frame, stored_theme
from dashboard.shell.header import header
from dashboard.shell.lecture import Lecture
from dashboard.shell.ledger_drawer import LedgerDrawer
from dashboard.shell.navigation import Navigation
from dashboard.state import errors, session_end, url
from dashboard.state.controls import Controls, Settings
from dashboard.state.ledger import Ledger
from dashboard.theme import css

QUIET = 10.0  # Seconds without the end of a session.


class App:
    """One user's session.

    Attributes
    ----------
    controls : Controls
        The shared parameters.
    pages : OpenPages
        All pages, by name.
    page : SessionPage
        The page in front.
    """

    def __init__(self, query: dict[str, str] | None = None):
        self.controls = Controls()
        self.browser = Browser()
        self.page: SessionPage | None = None
        self._untouched: Settings | None = None  # What no user has chosen; None: a link or a file has.
        self._defaults = {name: getattr(self.controls, name) for name in Controls.param if name != "name"}
        self.ledger = Ledger()
        self._shared = SharedTable()
        self._files: list[OwnFile] = []
        self._hold(self._shared.table)
        self.pages = OpenPages(LISTED, self.controls, join=self._join, view=self._view, shared=self._shared)
        curtain = Curtain()
        self.lecture = Lecture(
            LECTURED,
            front=lambda: self.page,
            build=lambda name: self.pages[name],
            visit=self.open,
            clear=lambda: self.say(""),
            curtain=curtain,
        )
        self._place, self._above = curtain.stage, Stack(**FULL)
        self._address = Deferred(self._write_address)
        self._notice = LiveText(css.NOTICE, margin=(12, 24, 0, 24))
        self._notice.pane.visible = False
        self.navigation = Navigation(LISTED)
        self.frame = frame(
            header=header(self),
            sidebar=[self.navigation.pane],
            main=[
                *(self._notice.pane, self.lecture.bar, curtain.card),
                *(self._place, self._above, self.browser, Names()),
            ],
        )
        self._follow()
        errors.report_to(self.say)
        session_end.at_end(_ended)
        self.go(query if query is not None else _request_query())

    @cached_property
    def settings_dialog(self) -> SettingsDialog:
        """The settings dialog; built, like all overlays, when it is first needed."""
        return SettingsDialog(self.browser, text=self.settings_text, take=self.take_settings)

    @cached_property
    def ledger_drawer(self) -> LedgerDrawer:
        """The drawer that shows the ledger."""
        names = {kind.title: kind.no_release for kind in LISTED if kind.no_release}
        return LedgerDrawer(self.ledger, self.controls, names=lambda: names)

    def show(self, part: SettingsDialog | LedgerDrawer) -> None:
        """Open an overlay; add it to the page first, since the page may miss changes directly after that."""
        part.open()
        if part.layout not in self._above:
            self._above.append(part.layout)

    def servable(self) -> None:
        """Serve this session; the answer to its request begins with a static picture of the page."""
        self.frame.servable(title=TITLE)
        if pn.state.curdoc is not None:
            pn.state.curdoc.template_variables["first"] = self.first_picture()

    def first_picture(self) -> FirstPicture:
        """What the page shows before its scripts run."""
        return FirstPicture(
            self.page,
            navigation=self.navigation.text,
            notice=self.notice,
            step=self.lecture.text if self.lecture.place else "",
            covered=self.lecture.curtain.covers,
            name=TITLE,
            dark=stored_theme(),
        )

    def go(self, query: dict[str, str]) -> None:
        """Open the page and state that a URL names; report what was ignored."""
        query = dict(query)
        place, short, ask = (query.pop(name, "") for name in ("lecture", "short", "ask"))
        keep, query = len(query) > 1, former.today(query)
        asked, problems = query.get("page", FRONT), []
        if asked == "compare":
            try:
                asked = algorithm_of(query.pop("algorithm", FRONT))
            except ValueError as error:
                asked, problems = FRONT, [str(error)]
        name = self.pages.named(asked)
        problems += [] if name else [f"there is no page {asked[:40]!r}"]
        page = self.pages[name or FRONT]
        if not (place or ask):  # Its next slide would put settings of its own over those of the link.
            self.lecture.leave(elsewhere=True)
        problems += page.take(query) if not problems else []
        self._untouched = None if set(query) - {"page"} else self.controls.snapshot()
        self.open(page.name)
        problems += self._lecture_of(place, page, keep=keep, short=short, ask=ask)
        self.say(url.ignored("In the link", problems))

    def open(self, name: str) -> None:
        """Bring a page to the front."""
        page = self.pages[name]
        if page is not self.page:
            if self.page is not None:
                self.page.closed()
                self.say("")  # What was said was about the page before.
            self._set_scene(page)
            self.page = page
        page.set_dark(self.frame.dark_theme)
        page.opened()
        view = self.pages.view(name)
        if self._place.objects != [view]:
            self._place.objects = [view]
        self.navigation.mark(page.tab_of or name)
        self.browser.title = f"{page.title} · {TITLE}"
        self._write_address()
        self.lecture.opened(page)
        if self.browser.narrow:
            self.frame.sidebar_open = False

    def _set_scene(self, page):
        """Give the shared controls the values with which a page opens, unless their user, or a link, chose any."""
        now = self.controls.snapshot()
        if now == self._untouched and not self.lecture.place:
            with page.life.together():
                self.controls.take(self._defaults | dict(page.opens))
            self._untouched = self.controls.snapshot()

    def visit(self, name: str, values: Mapping[str, Any] | None = None) -> None:
        """Change some settings of a page and bring it to the front."""
        self._untouched = None if values else self._untouched
        self.pages[name].set(values or {})
        self.open(name)

    def toggle_lecture(self) -> None:
        """Begin a lecture with the page in front, or end the current lecture."""
        if self.lecture.place:
            self.lecture.leave()
        else:
            self.lecture.start()

    def say(self, text: str) -> None:
        """Show a notice above the page (foreign text is escaped here); an empty text clears it."""
        self._notice.show(f"<div class='notice' role='alert'>{html.escape(text)}</div>" if text else "")
        self._notice.pane.visible = bool(text)

    @property
    def notice(self) -> str:
        """The notice above the page, as HTML; "" for none."""
        return self._notice.text

    def settings_text(self) -> str:
        """The settings file of this session."""
        return self.pages.settings_text(self.page.name)

    def take_settings(self, content: bytes) -> None:
        """Put the session into the state of a settings file; raises ValueError if the file is not valid."""
        front, problems = self.pages.take_settings(content, self.page.name)
        self._untouched = None
        self.open(front)
        self.say(url.ignored("In the settings file", problems))

    def _hold(self, *files):
        """Let the browser ask before a reload loses files that the user brought."""

        def tell(*events):
            self.browser.holds = any(own.here for own in self._files)

        self._files += files
        for own in files:
            own.param.watch(tell, "here")

    def _join(self, page):
        for source, names in ((self.controls, page.shared), (page.model, page.own)):
            if names:
                source.param.watch(self._address, list(names))
        page.visit = self.visit
        page.use_shared_table(self._shared)
        self._hold(*page.own_files)
        page.record_releases = partial(self.ledger.add, page.title)

    def _view(self, page):
        return page.laid_out(self.browser)

    def _lecture_of(self, place, page, *, keep, short, ask):
        """Open the lecture step that a link names; returns a list of problems."""
        if short not in ("", "1"):
            return [f"short must be 1 (the ten-minute lecture) or left out, got {short[:40]!r}"]
        if ask not in ("", "1"):
            return [f"ask must be 1 (a question before each answer) or left out, got {ask[:40]!r}"]
        place = place or ask  # A question is one of a slide.
        if not place:
            return []
        most = max(len(page.steps), 1)
        if not (place.isascii() and place.isdigit() and 1 <= int(place[:9]) <= most):
            return [f"lecture must be a whole number from 1 to {most}, got {place[:40]!r}"]
        self.lecture.start(int(place), keep=keep, short=bool(short), ask=bool(ask))
        return []

    def _write_address(self):
        if self.page is not None:
            lecture = f"&lecture={self.lecture.place}" if self.lecture.place else ""
            lecture += ("&short=1" if self.lecture.short else "") + ("&ask=1" if self.lecture.ask else "")
            self.browser.query = self.page.search() + lecture

    def _follow(self):
        def theme(event):
            if self.page is not None:
                self.page.set_dark(event.new)

        def lecture(event):
            self.browser.lecture = bool(event.new)
            if bool(event.new) != bool(event.old):
                self.frame.sidebar_open = not event.new and not self.browser.narrow
            self._write_address()

        self.frame.param.watch(theme, "dark_theme")
        self.lecture.param.watch(lecture, "place")
        self.lecture.param.watch(self._address, ["short", "ask"])
        self.browser.on_move, self.browser.on_leave = self.lecture.move, self.lecture.leave
        self.browser.on_open = lambda name: self.open(name) if name in self.pages.kinds else None
        self.browser.param.watch(
            lambda event: self.go(url.parse(event.new)) if event.new else None, "went_back"
        )


def _ended() -> None:
    """A session has ended: once it is quiet, the memory of all that ended goes back to the system."""
    session_end.soon(give_back, QUIET)


def _request_query() -> dict[str, str]:
    """The query of the request that opened this session; of a repeated name the last counts."""
    arguments = pn.state.session_args or {}
    return {name: values[-1].decode("utf-8", "replace") for name, values in arguments.items() if values}

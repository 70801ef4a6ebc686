"""The app: one frame, one session, pages that are built when they are opened and then kept."""

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import panel as pn
import panel_material_ui as pmui

from dashboard import address, failures, settings_file, styles
from dashboard.actions import lab_version
from dashboard.brought import Brought
from dashboard.browser import DARK_COOKIE, Browser
from dashboard.header import header
from dashboard.layouts import FULL
from dashboard.lecture import Lecture
from dashboard.ledger import Ledger
from dashboard.ledger_drawer import LedgerDrawer
from dashboard.names import Names
from dashboard.navigation import Navigation
from dashboard.page import Page
from dashboard.pages import PAGES
from dashboard.parting import unfollow_busy
from dashboard.settings import Controls
from dashboard.settings_dialog import SettingsDialog
from dashboard.shell import shell
from dashboard.soon import Soon
from dashboard.thrift import drop_empty_defaults

TITLE = "CAPE Lab"
_LONGEST = 65_536  # Letters of a link that are read; more does not come with a request, either.
_NAVY = "#12355b"
_STANDS = 3000  # Milliseconds until a page that was opened stands.


def _theme(primary, surface):
    return {
        "palette": {"primary": {"main": primary}, "background": {"default": surface, "paper": surface}},
        "typography": {"button": {"textTransform": "none", "letterSpacing": "0.01em"}},
    }


_THEME = {"light": _theme("#0b5a94", "#ffffff"), "dark": _theme("#7db8e8", "#14181d")}
# The template's veil over a page that loads is dark and heavy; a page that fills is better to look at.
_LOADER = "#loader { background: none !important; pointer-events: none }"
_PRINT = {
    "&, & .main-content, & main": {
        "display": "block",
        "height": "auto",
        "overflow": "clip visible",  # Bokeh's hidden parts stand out: paper would shrink to hold them.
        "width": "auto",
        "margin": "0 !important",
    },
    "& .header, & nav, & .MuiToolbar-root": {"display": "none !important"},
}
_FRAME = {
    "@media print": _PRINT,
    "& .header": {"backgroundColor": f"{_NAVY} !important", "backgroundImage": "none", "boxShadow": "none"},
    "& .header button": {"color": "#ffffff"},
    "& .header .title": {"fontSize": "21px", "fontWeight": 700, "letterSpacing": "-0.01em"},
}


class App:
    """One user's session.

    Attributes
    ----------
    controls : Controls
        The shared parameters.
    page : Page
        The page in front.
    """

    def __init__(self, query: dict[str, str] | None = None):
        self.controls = Controls()
        self.browser = Browser()
        self._kinds = {kind.name: kind for kind in PAGES}
        self._pages: dict[str, tuple[Page, pn.viewable.Viewable]] = {}
        self._kept: dict[str, dict] = {}  # Settings of pages that are not built yet.
        self._kept_pins: dict[str, Any] = {}  # What is pinned there.
        self.page: Page | None = None
        self.ledger = Ledger()
        self._brought = Brought()
        self.lecture = Lecture(
            PAGES,
            front=lambda: self.page,
            build=lambda name: self._page(name)[0],
            visit=self.open,
        )
        self._place, self._above = pn.Column(**FULL), pn.Column(**FULL)
        self._address = Soon(self._write_address)
        self._tidy = Soon(self._drop_defaults, milliseconds=_STANDS)
        self._notice = pn.pane.HTML("", visible=False, stylesheets=[styles.NOTICE], margin=(12, 24, 0, 24))
        self.navigation = Navigation(PAGES)
        self.frame = self._build_frame()
        self._follow()
        failures.report_to(self.say)
        self.go(query if query is not None else _request_query())

    @cached_property
    def settings_dialog(self) -> SettingsDialog:
        """Made, as all that opens above a page, when it is first asked for."""
        return SettingsDialog(self.browser, text=self.settings_text, take=self.take_settings)

    @cached_property
    def ledger_drawer(self) -> LedgerDrawer:
        """The ledger, to be looked at."""
        return LedgerDrawer(self.ledger, self.controls, names=self._without_release)

    def show(self, part: SettingsDialog | LedgerDrawer) -> None:
        """Open what stands above a page; open already it joins the page, which may miss what comes just after."""
        part.open()
        if part.layout not in self._above:
            self._above.append(part.layout)

    def servable(self) -> None:
        """Serve this session."""
        self.frame.servable(title=TITLE)
        pn.state.onload(self._tidy)

    def go(self, query: dict[str, str]) -> None:
        """Open the page that a URL names, in the state that it names; say what was ignored."""
        query = dict(query)
        place = query.pop("lecture", "")
        name = query.get("page", PAGES[0].name)
        problems = [] if name in self._kinds else [f"there is no page {name[:40]!r}"]
        page = self._page(name if name in self._kinds else PAGES[0].name)[0]
        problems += page.take(query) if not problems else []
        self.open(page.name)
        problems += self._lecture_of(place, page, keep=len(query) > 1)
        self.say(address.ignored("In the link", problems))

    def open(self, name: str) -> None:
        """Bring a page to the front."""
        page, view = self._page(name)
        if page is not self.page:
            if self.page is not None:
                self.page.closed()
            self.page = page
        page.set_dark(self.frame.dark_theme)
        page.opened()
        if self._place.objects != [view]:
            self._place.objects = [view]
        self.navigation.mark(self._kinds[name].tab_of or name)
        self.browser.title = f"{page.title} · {TITLE}"
        self._write_address()
        self._tidy()
        self.lecture.opened(page)
        if self.browser.narrow:
            self.frame.sidebar_open = False

    def visit(self, name: str, values: Mapping[str, Any] | None = None) -> None:
        """Bring a page to the front, with some of its settings changed first."""
        self._page(name)[0].set(values or {})
        self.open(name)

    def toggle_lecture(self) -> None:
        """Begin a lecture with the page in front, or leave the one that runs."""
        if self.lecture.place:
            self.lecture.leave()
        else:
            self.lecture.start()

    def say(self, text: str) -> None:
        """Say something above the page (foreign text is escaped here); an empty text clears it."""
        self._notice.object = f"<div class='notice' role='alert'>{html.escape(text)}</div>" if text else ""
        self._notice.visible = bool(text)

    def settings_text(self) -> str:
        """The settings file of this session."""
        models = {name: page.model for name, (page, _) in self._pages.items()}
        kept = {
            name: self._kinds[name].model_type(Controls(), **values) for name, values in self._kept.items()
        }
        pins = {name: page.pins.state() for name, (page, _) in self._pages.items() if page.pins is not None}
        return settings_file.write(
            self.page.name,
            self.controls,
            kept | models,
            made_with=lab_version(),
            pins=self._kept_pins | pins,
        )

    def take_settings(self, content: bytes) -> None:
        """Put the session into the state of a settings file; raises ValueError if it is none."""
        kinds = {name: kind.model_type for name, kind in self._kinds.items()}
        session = settings_file.read(content, kinds)
        name = session.page or self.page.name
        front = self._page(name)[0]
        for other, values in session.pages.items():
            if other in self._pages and other != name:
                self._pages[other][0].set(values)
            elif other != name:
                self._kept[other] = values
        front.set(session.controls | session.pages.get(name, {}))
        self.open(name)
        self._kept_pins = dict(session.pins)
        bad = [problem for other in self._pages for problem in self._pin(other)]
        self.say(address.ignored("In the settings file", [*session.problems, *bad]))

    def _pin(self, name):
        """Pin what a settings file holds for a page that is built, in the place of what was pinned there; returns a
        list of what is wrong with it."""
        page, state = self._pages[name][0], self._kept_pins.pop(name, [])
        try:
            if page.pins is not None:
                page.pins.restore(state, page.settings_words())
            elif state:
                raise ValueError("has no curves that can be pinned")
        except ValueError as error:
            return [f"{name}: {error}"]
        return []

    def _page(self, name):
        if name not in self._pages:
            page = self._kinds[name](self.controls)
            for source, names in ((self.controls, page.shared), (page.model, page.own)):
                if names:
                    source.param.watch(self._address, list(names))
            page.visit = self.visit
            page.bring(self._brought)
            page.spend = partial(self.ledger.add, page.title)
            page.others = tuple(kind for kind in PAGES if kind.name != name)
            main = page.tab_of or name
            page.tabs = tuple(kind for kind in PAGES if main in (kind.name, kind.tab_of))
            page.set(self._kept.pop(name, {}))
            self._pages[name] = page, shell(page, self.browser)
            if page.pins is not None:
                page.pins.watchers.append(self._address)
            self._pin(name)
        return self._pages[name]

    def _lecture_of(self, place, page, *, keep):
        """Follow what a link says of the lecture; returns a list of what is wrong with it."""
        if not place:
            self.lecture.leave()
        elif place.isascii() and place.isdigit() and 1 <= int(place[:9]) <= max(len(page.steps), 1):
            self.lecture.start(int(place), keep=keep)
        else:
            return [f"lecture must be a whole number from 1 to {max(len(page.steps), 1)}, got {place[:40]!r}"]
        return []

    def _without_release(self):
        return {kind.title: kind.no_release for kind in PAGES if kind.no_release}

    def _drop_defaults(self):
        if pn.state.curdoc is not None:
            drop_empty_defaults(pn.state.curdoc)

    def _write_address(self):
        if self.page is not None:
            place = self.lecture.place
            self.browser.query = self.page.search() + (f"&lecture={place}" if place else "")

    def _build_frame(self):
        frame = pmui.Page(
            title=TITLE,
            sidebar=[self.navigation.pane],
            sidebar_width=216,
            sidebar_resizable=False,
            sidebar_open=not _on_phone(),
            header=header(self),
            main=[
                self._notice,
                self.lecture.bar,
                self._place,
                self._above,
                self.browser,
                Names(),
            ],
            busy_indicator=None,
            theme_config=_THEME,
            dark_theme=(pn.state.cookies or {}).get(DARK_COOKIE) == "1",
            sx=_FRAME,
            raw_css=[_LOADER],
            favicon=Path(__file__).parent / "static" / "favicon.svg",
            meta_description="What privacy costs across sites, and what correlated noise wins back.",
        )
        unfollow_busy(frame)
        return frame

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
        self.browser.on_move, self.browser.on_leave = self.lecture.move, self.lecture.leave
        self.browser.on_open = lambda name: self.open(name) if name in self._kinds else None
        self.browser.param.watch(lambda event: self.go(_parse(event.new)) if event.new else None, "went_back")


def _request_query() -> dict[str, str]:
    """The query of the request that opened this session; of a repeated name the last counts."""
    arguments = pn.state.session_args or {}
    return {name: values[-1].decode("utf-8", "replace") for name, values in arguments.items() if values}


def _parse(search: str) -> dict[str, str]:
    return dict(parse_qsl(search.removeprefix("?")[:_LONGEST]))


def _on_phone() -> bool:
    return "Mobi" in (pn.state.headers or {}).get("User-Agent", "")

"""The layout of a page inside a notebook: without frame, navigation and address, in the notebook's theme."""

from __future__ import annotations

from collections.abc import Callable

import param
from panel_material_ui.layout.base import MaterialWrapper

from dashboard.compat.widgets.light_component import LightComponent, Stack
from dashboard.components.layout import FULL, LiveText
from dashboard.packs.notebook.kernel.display import Answering
from dashboard.page.base import SessionPage
from dashboard.shell.browser import PAGE_SCRIPT
from dashboard.shell.frame import THEME, theme
from dashboard.state.html_text import plain
from dashboard.theme import css
from dashboard.theme.assets import beside
from dashboard.theme.colours import ACCENT

APP = "http://localhost:5006/dashboard"  # Where `cape-lab` serves the app.
_THEME = THEME | {"dark": theme(ACCENT[1], "#111111")}  # The surface of a dark notebook in JupyterLab.
_MODULE = PAGE_SCRIPT + beside(__file__, "browser.js")
_SHEET = beside(__file__, "inline.css")
_SHELL = beside(__file__, "shell.css")


class NotebookBrowser(LightComponent):
    """The other end of one page in a notebook; it leaves the notebook's window alone."""

    from_browser = ("dark",)

    dark = param.Boolean(default=False, doc="Whether the notebook's theme is dark.")

    _esm = _MODULE

    def __init__(self, **params):
        super().__init__(**params)
        self.on_open: Callable[[str], None] = lambda query: None
        self.on_drawn: Callable[[str], None] = lambda by: None

    def save(self, filename: str, text: str, *, kind: str = "text/csv") -> None:
        """Offer a text as a file to download."""
        self.send({"filename": filename, "text": text, "kind": kind})

    def link_to(self, page: SessionPage) -> str:
        """What a button copies as the link to a page: the address in the app on this machine."""
        return APP + page.search()

    def received(self, message) -> None:
        """The page is drawn, or a link to a page was clicked."""
        if "drawn" in message:
            self.on_drawn(str(message["drawn"]))
            self.send({"drawn": message["drawn"]})
        else:
            self.on_open(str(message.get("query", "")))


class Inline(Answering, MaterialWrapper):
    """The root of an output; errors of callbacks are shown above the page."""

    def __init__(self, browser: NotebookBrowser):
        self._notice = LiveText(css.NOTICE, margin=(8, 8, 0, 8))
        self._notice.pane.visible = False
        self._place = Stack(**FULL)
        self._shells: dict[str, Stack] = {}
        parts = Stack(self._notice.pane, self._place, browser, stylesheets=[_SHEET], **FULL)
        super().__init__(parts, theme_config=_THEME, **FULL)

    def show(self, page: SessionPage, browser: NotebookBrowser) -> None:
        """Put a page in the place of the one before."""
        if page.name not in self._shells:
            whole = self._shells[page.name] = page.laid_out(browser)
            whole.stylesheets = [*whole.stylesheets, _SHELL]
        self._place.objects = [self._shells[page.name]]

    def say(self, text: str) -> None:
        """Show a notice above the page (foreign text is escaped here); an empty text clears it."""
        self._notice.show(f"<div class='notice' role='alert'>{plain(text)}</div>" if text else "")
        self._notice.pane.visible = bool(text)

    def failed(self, error: Exception) -> None:
        """Say what a callback raised."""
        self.say(str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}")

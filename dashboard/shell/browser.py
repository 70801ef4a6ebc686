"""The little that must happen in the browser itself: width, history, light and dark, a lost connection."""

from __future__ import annotations

from collections.abc import Callable

import param
from panel.custom import JSComponent

from dashboard.compat.widgets.browser_messages import BrowserMessages
from dashboard.theme.assets import beside

DARK_COOKIE = "cape-lab-dark"
_ESM = beside(__file__, "browser.js")


class Browser(BrowserMessages, JSComponent):
    """The other end of the session."""

    from_browser = ("narrow",)  # What the other end may set, and
    events_from_browser = ("data_event",)  # what it sends.

    narrow = param.Boolean(default=False, doc="Whether the window is as narrow as a phone's.")
    query = param.String(default="", doc="Query part of the URL, written from here.")
    title = param.String(default="", doc="Title of the window.")
    lecture = param.Boolean(default=False, doc="Whether keys move the steps of a lecture.")
    went_back = param.String(default="", doc="Query part of the URL after the user went back or forward.")

    def __init__(self, **params):
        super().__init__(**params)
        self.on_move: Callable[[int], None] = lambda by: None  # What keys do in a lecture; set by the app.
        self.on_leave: Callable[[], None] = lambda: None
        self.on_open: Callable[[str], None] = lambda name: None  # What a link to a page as it stands does.

    _esm = _ESM.replace("@cookie@", DARK_COOKIE)

    def save(self, filename: str, text: str, *, kind: str = "text/csv") -> None:
        """Offer a text as a file to download."""
        self.send({"filename": filename, "text": text, "kind": kind})

    def received(self, data) -> None:
        """Keys of a lecture, a link to a page, or a step back in the history."""
        if "page" in data:
            self.on_open(str(data["page"]))
            return
        if data.get("leave"):
            self.on_leave()
            return
        if data.get("move") in (1, -1):
            self.on_move(data["move"])
            return
        query = str(data.get("query", ""))
        self.query = query  # It stands in the address bar now; the page writes over it what it takes it for.
        self.went_back = ""
        self.went_back = query

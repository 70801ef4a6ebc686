"""Code that runs in the browser: window width, history, light and dark theme, lost connections."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn
import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.page.base import SessionPage
from dashboard.theme.assets import beside

DARK_COOKIE = "cape-lab-dark"
PAGE_SCRIPT = beside(__file__, "page.js")
_ESM = PAGE_SCRIPT + beside(__file__, "slide_fit.js") + beside(__file__, "browser.js")


class Browser(LightComponent):
    """The other end of the session."""

    from_browser = ("narrow",)  # Parameters that the browser may set.

    narrow = param.Boolean(default=False, doc="Whether the window is as narrow as a phone's.")
    query = param.String(default="", doc="Query part of the URL, set by the server.")
    title = param.String(default="", doc="Title of the window.")
    lecture = param.Boolean(default=False, doc="Whether keys move between the steps of a lecture.")
    holds = param.Boolean(default=False, doc="Whether the session holds files that a reload would lose.")
    served = param.Boolean(
        default=False, doc="Whether a server holds the session, so that it can stop answering."
    )
    answered = param.Integer(
        default=0, doc="Number of the latest message of the browser that was dealt with."
    )
    went_back = param.String(default="", doc="Query part of the URL after the user went back or forward.")

    def __init__(self, **params):
        document = pn.state.curdoc
        super().__init__(served=document is not None and document.session_context is not None, **params)
        # Set by the app: called for the keys of a lecture, and for a link to a page in its current state.
        self.on_move: Callable[[int], None] = lambda by: None
        self.on_leave: Callable[[], None] = lambda: None
        self.on_open: Callable[[str], None] = lambda name: None

    _esm = _ESM.replace("@cookie@", DARK_COOKIE)

    def save(self, filename: str, text: str, *, kind: str = "text/csv") -> None:
        """Offer a text as a file to download."""
        self.send({"filename": filename, "text": text, "kind": kind})

    def link_to(self, page: SessionPage) -> str:
        """What a button copies as the link to the page in front: what the window has in its address bar."""
        return "address"

    def received(self, data) -> None:
        """Keys of a lecture, a link to a page, or a step back in the history."""
        # In one message: no title stands above the picture of another page, nor before its keys count.
        with pn.io.hold(pn.state.curdoc):
            try:
                self._do(data)
            finally:
                turn = data.get("turn")
                if isinstance(turn, int) and not isinstance(turn, bool) and 0 < turn < 2**31:
                    self.answered = turn

    def _do(self, data):
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
        # The address bar shows it now; the page replaces it with the settings it accepted.
        self.query = query
        self.went_back = ""
        self.went_back = query

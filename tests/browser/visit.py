"""A visit to the app with a browser that notes every error and every request that leaves the machine."""

from __future__ import annotations

import contextlib
import json
import re
import time
from urllib.parse import urlencode, urlsplit

from conftest import STANDS

WAIT = 120_000  # Milliseconds, for a machine that is busy with other things; a second is usual.
# Settings of runs that are soon over, for tests of a page and not of its sweep.
_CHEAP = {"repeats": 1, "samples": 60, "schemes": "nonprivate,cape,conventional"}
# The app takes a link out of the history as it takes one that opens it.
_GO = """(query) => {
  window.noted = null // What was noted of the page before ends with it.
  history.pushState({}, "", query)
  dispatchEvent(new PopStateEvent("popstate"))
}"""
# Further settings are unfolded from the start, whenever their panel comes.
_UNFOLD = """
const create = Document.prototype.createElement
Document.prototype.createElement = function (...given) {
  const element = create.apply(this, given)
  if (element.localName === "details") queueMicrotask(() => { if (element.matches(".more")) element.open = true })
  return element
}
"""
_FOCUSED = """(dialog) => {
  const at = dialog.getRootNode().activeElement
  return Boolean(at) && at !== document.body && (at.contains(dialog) || dialog.contains(at))
}"""
# Whether the answer to the last key of a lecture is painted: what comes before is dropped.
HEARS = """() => [...document.querySelectorAll(".page-comes")].every((bar) => bar.style.opacity === "0")"""
# What the browser sends is held until `letGo`.
HELD = """() => {
  const send = WebSocket.prototype.send
  window.held = []
  WebSocket.prototype.send = function (message) {
    if (window.holds) held.push([this, message])
    else send.call(this, message)
  }
  window.letGo = () => {
    window.holds = false
    for (const [socket, message] of held.splice(0)) send.call(socket, message)
  }
  window.holds = true
}"""
# Every text that comes to stand anywhere on the page, and when, though it may be gone before anyone looks.
_RECORD = """
window.everShown = []
const note = (text) => { if (text?.trim()) everShown.push([Math.round(performance.now()), text.trim()]) }
const observe = (root) => new MutationObserver((changes) => {
  for (const change of changes)
    for (const node of change.type === "characterData" ? [change.target] : change.addedNodes) note(node.textContent)
}).observe(root, {childList: true, characterData: true, subtree: true})
const attach = Element.prototype.attachShadow
Element.prototype.attachShadow = function (options) {
  const root = attach.call(this, options)
  observe(root)
  return root
}
observe(document)
"""
# What a function says of some elements, noted on every frame that is painted if it has changed.
_NOTE = """(elements) => {
  const look = %s, noted = window.noted = []
  const note = () => {
    if (window.noted !== noted) return
    const seen = JSON.stringify(look(...elements))
    if (seen !== noted.at(-1)) noted.push(seen)
    requestAnimationFrame(note)
  }
  note()
}"""
# What the server sends comes `window.latency` milliseconds late, in order.
_LATE = """
window.latency = 0
window.WebSocket = class extends WebSocket {
  set onmessage(take) {
    let before = Promise.resolve()
    super.onmessage = (message) => {
      const due = performance.now() + window.latency
      const wait = () => due > performance.now() ? new Promise((go) => setTimeout(go, due - performance.now())) : null
      before = before.then(wait).then(() => take(message))
    }
  }
}
"""
# A dark page or a light one.
_DARK = (
    """() => Bokeh.documents[0].roots().find((root) => root.data?.dark_theme !== undefined).data.dark_theme"""
)
# How bright the ground of the page is, from 0 to 1.
_GROUND = """() => {
  const roots = [document]
  for (const root of roots)
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.localName !== "h1") continue
      let at = element
      while (at && getComputedStyle(at).backgroundColor === "rgba(0, 0, 0, 0)")
        at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host
      const colour = getComputedStyle(at ?? document.body).backgroundColor.match(/[0-9.]+/g)
      return Math.max(...colour.slice(0, 3)) / 255
    }
}"""
# The sign of a lost connection may be gone before anyone looks: what it said is kept.
_SOCKETS = """
new MutationObserver(() => {
  const sign = document.querySelector(".connection-lost")
  if (sign) sessionStorage.sign = sign.textContent
}).observe(document, {childList: true, subtree: true})
window.sockets = []
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.sockets.push(this) }
}
"""


def cheap(kind) -> str:
    """The query that opens a kind of page with runs that are soon over; its primary slider stands where it does."""
    known = {*kind.shared} - {kind.primary}
    return "?" + urlencode({"page": kind.name, **{name: _CHEAP[name] for name in _CHEAP if name in known}})


class Visit:
    """One browser tab at the app."""

    def __init__(self, context, server, *, width=1400, height=900, dark=False):
        self.server, self.context = server, context
        self.width, self.height, self.scheme = width, height, "dark" if dark else "light"
        self.errors, self.foreign = [], []
        self.tab = context.new_page()
        self.size(width, height)
        self.tab.emulate_media(color_scheme=self.scheme)
        self.tab.set_default_timeout(WAIT)
        self.tab.add_init_script(_UNFOLD)
        self.tab.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.asked = []  # The dialogs that were accepted, e.g. "beforeunload".
        self.tab.on("dialog", self._accept)
        self.tab.on("request", self._note)
        self.tab.on("websocket", self._note)

    def record(self) -> Visit:
        """From the next page on, keep every text that it ever shows, for `shown`."""
        self.tab.add_init_script(_RECORD)
        return self

    def delayable(self) -> Visit:
        """Let the answers to the next page be late by `window.latency`, as those of a busy server are."""
        self.tab.add_init_script(_LATE)
        return self

    def severable(self) -> Visit:
        """Let `sever` cut the connection of the next page; the sign of it is kept in `sessionStorage.sign`."""
        self.tab.add_init_script(_SOCKETS)
        return self

    def sever(self) -> None:
        """Cut the connection to the server."""
        self.tab.evaluate("for (const socket of window.sockets) socket.close()")

    def lit(self, *, dark: bool) -> None:
        """Have the page in light or in dark."""
        if self.tab.evaluate(_DARK) is not dark:
            self.tab.get_by_role("button", name="Toggle theme").click()
        self.wait_until(lambda: (self.tab.evaluate(_GROUND) < 0.2) is dark)

    def shown(self) -> list[str]:
        """Every text that came to stand on the page since it was opened, in order; `record` first."""
        return [text for _, text in self.tab.evaluate("everShown")]

    def note(self, function: str, *places) -> None:
        """From now on the page itself notes what a JavaScript function says of the elements at some places.

        Whoever looks from outside may come too late for what stands for a moment. `noted` returns it.
        """
        self.tab.evaluate(_NOTE % function, [place.element_handle() for place in places])

    def noted(self) -> list:
        """What was noted since the last `note`, in order."""
        return [json.loads(seen) for seen in self.tab.evaluate("noted")]

    def hand_in(self, field, file, seen):
        """Hand in a file until it is `seen`, and return that.

        The library's field empties itself two seconds after a file; one that comes at that moment is lost.
        """
        for _ in range(2):
            field.set_input_files(file)
            with contextlib.suppress(AssertionError):
                return self.wait_until(seen, seconds=20)
        field.set_input_files(file)
        return self.wait_until(seen)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.context.clear_cookies()
        self.tab.close()

    def open(self, query: str = "") -> Visit:
        """Open a page and wait until all of it stands."""
        self.tab.goto(f"{self.server}/dashboard{query}")
        return self.stands()

    def _accept(self, dialog):
        self.asked.append(dialog.type)
        dialog.accept()

    def ready(self) -> Visit:
        """Give the window the size it began with and forget the errors so far."""
        self.errors.clear()
        self.foreign.clear()
        self.tab.emulate_media(media="screen", color_scheme=self.scheme)
        return self.size(self.width, self.height)

    def size(self, width: int, height: int = 900) -> Visit:
        """Give the window a size."""
        self.tab.set_viewport_size({"width": width, "height": height})
        return self

    def go(self, query: str) -> Visit:
        """Go to a page within the session, by a link; what the link does not name has its default there.

        The page is there once the server has written its own address over the link's. The first page is opened.
        """
        if self.tab.url == "about:blank":
            return self.open(query)
        self.tab.evaluate(_GO, f"{query}&")  # No address that the server writes ends so.
        self.tab.wait_for_function("() => !location.search.endsWith('&')")
        return self.stands()

    def stands(self) -> Visit:
        """Wait until all of the page stands."""
        self.tab.wait_for_function(STANDS)
        self.tab.get_by_role("heading", level=1).first.wait_for()
        return self

    @property
    def main_picture(self):
        """The page's first Bokeh figure, or the play of the protocol above it."""
        return self.tab.locator(".bk-Figure, .play").first

    def slider(self, label: str):
        """A slider by the start of its label."""
        # Playwright hands the pattern to JavaScript, where a bare slash would end it.
        pattern = "^" + re.escape(label).replace("/", r"\/")
        return self.tab.get_by_role("slider", name=re.compile(pattern))

    def push(self, label: str, key: str = "ArrowRight", times: int = 1) -> None:
        """Move a slider by keyboard, as everyone can."""
        thumb = self.slider(label)
        for _ in range(times):
            thumb.press(key)

    def escape(self) -> None:
        """Close the dialog in front by its key, once the focus is in it."""
        dialog = self.tab.get_by_role("dialog")
        self.wait_until(lambda: dialog.count() and dialog.evaluate(_FOCUSED))
        self.tab.keyboard.press("Escape")
        dialog.wait_for(state="hidden")

    def lecture(self, key: str) -> None:
        """Press a key of a lecture, once the slide before it is painted."""
        self.tab.wait_for_function(HEARS)
        self.tab.keyboard.press(key)

    def wait_until(self, condition, *, seconds: float = WAIT / 1000):
        """Wait until a condition on the tab holds; returns its value."""
        end, pause = time.monotonic() + seconds, 50.0
        while not (value := condition()):
            assert time.monotonic() < end, f"never true within {seconds:g} s: {condition}"
            self.tab.wait_for_timeout(pause)
            pause = min(1.2 * pause, 400)
        return value

    def rests(self) -> None:
        """Wait until the figures of the page in front draw the same for half a second."""
        seen = []
        while len(seen) < 6 or len({*seen[-6:]}) > 1:
            self.tab.wait_for_timeout(100)
            seen.append(self.numbers())
            assert len(seen) < WAIT / 100, "the figures never rest"

    def numbers(self) -> str:
        """What the figures of the page in front now draw, as text."""
        found = self.on_figures(
            """(figure) => figure.renderers.map((renderer) => JSON.stringify(
              [...renderer.data_source.data.entries?.() ?? []]
                .concat(Object.entries(renderer.data_source.data)).map(([k, v]) => [k, [...v]]))).join("\\n")"""
        )
        played = self.tab.evaluate(
            """() => [...Bokeh.documents[0]._all_models.values()].filter((model) => model.data?.run?.values
                && [...Bokeh.index.find_by_id(model.id)].some((view) => view.el?.isConnected))
                .map((model) => JSON.stringify(model.data.run))"""
        )
        return "\n".join([*played, *found])

    def rules(self) -> list:
        """Where the thin lines across the figures stand that mark the present settings."""
        spans = 'figure.center.filter((part) => part.type === "Span")'
        return self.on_figures(f"(figure) => {spans}.map((line) => line.location)")

    def on_figures(self, function: str) -> list:
        """What a JavaScript function says of each figure of the page in front.

        Pages that were left keep their figures for a while: they are not on the screen.
        """
        return self.tab.evaluate(
            f"""() => [...Bokeh.documents[0]._all_models.values()].filter((model) => ["Figure", "Plot"].includes(model.type)
                && [...Bokeh.index.find_by_id(model.id)].some((view) => view.el?.isConnected)).map({function})"""
        )

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.tab.evaluate(
            """() => {
              const roots = [document]
              for (const root of roots)
                for (const element of root.querySelectorAll("*")) {
                  if (element.shadowRoot) roots.push(element.shadowRoot)
                  if (element.classList.contains("main-content")) return element.scrollWidth - element.clientWidth
                }
              return document.documentElement.scrollWidth - window.innerWidth
            }"""
        )

    def _note(self, request):
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != urlsplit(self.server).netloc:
            self.foreign.append(request.url)

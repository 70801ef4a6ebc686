"""The little that must happen in the browser itself: its width, its history, its taste in light and dark."""

from __future__ import annotations

import param
from panel.custom import JSComponent

DARK_COOKIE = "cape-lab-dark"
_ESM = """
const NARROW = "(max-width: 899px)"
const COOKIE = "@cookie@"

export function render({ model, view }) {
  // The frame is steered here and not from the server, whose answer would come after the first painting.
  const frame = view.model.document.roots().find((root) => root.data?.sidebar_open !== undefined)?.data
  const narrow = window.matchMedia(NARROW)
  const tell = () => {
    model.narrow = narrow.matches
    if (frame) frame.sidebar_open = !narrow.matches
  }
  narrow.addEventListener("change", tell)
  tell()

  // Light or dark is kept in a cookie, so that the next session is served in it from the start. On a first
  // visit the browser's taste counts, but not before the page stands: what mounts meanwhile would stay light.
  const keep = () => {
    document.cookie = `${COOKIE}=${frame.dark_theme ? 1 : 0}; path=/; max-age=31536000; samesite=lax`
  }
  if (frame) {
    frame.properties.dark_theme.change.connect(keep)
    const first = !document.cookie.includes(COOKIE + "=")
    const wish = () => {
      const dark = window.matchMedia("(prefers-color-scheme: dark)").matches
      if (first && dark !== frame.dark_theme) frame.dark_theme = dark
    }
    const doc = view.model.document
    if (doc.is_idle) wish()
    else doc.idle.connect(wish)
  }

  // A new page is a step of the history, a new value only rewrites the present step.
  let page = new URLSearchParams(window.location.search).get("page")
  model.on("query", () => {
    if (model.query === window.location.search) return
    const next = new URLSearchParams(model.query).get("page")
    const step = page !== null && next !== page ? "pushState" : "replaceState"
    page = next
    window.history[step]({}, "", window.location.pathname + model.query)
  })
  const back = () => {
    page = new URLSearchParams(window.location.search).get("page")
    model.send_msg({ query: window.location.search })
  }
  window.addEventListener("popstate", back)
  model.on("title", () => { document.title = model.title })
  model.on("msg:custom", (message) => {
    const link = document.createElement("a")
    link.download = message.filename
    link.href = URL.createObjectURL(new Blob([message.text], { type: message.kind + ";charset=utf-8" }))
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })
  model.on("remove", () => {
    window.removeEventListener("popstate", back)
    narrow.removeEventListener("change", tell)
  })
  return document.createElement("span")
}
"""


class Browser(JSComponent):
    """The other end of the session."""

    narrow = param.Boolean(default=False, doc="Whether the window is as narrow as a phone's.")
    query = param.String(default="", doc="Query part of the URL, written from here.")
    title = param.String(default="", doc="Title of the window.")
    went_back = param.String(default="", doc="Query part of the URL after the user went back or forward.")

    _esm = _ESM.replace("@cookie@", DARK_COOKIE)

    def save(self, filename: str, text: str, *, kind: str = "text/csv") -> None:
        """Offer a text as a file to download."""
        self._send_msg({"filename": filename, "text": text, "kind": kind})

    def _handle_msg(self, data):
        self.went_back = ""
        self.went_back = str(data.get("query", ""))

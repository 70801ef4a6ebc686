"""The gallery of the papers' figures: a small card each, those of one paper at a time."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from dashboard.theme.assets import beside

_ESM = beside(__file__, "gallery.js")
_SHEET = beside(__file__, "gallery.css")


class Gallery(JSComponent):
    """Cards of all figures; all text in them is set as text, never as HTML."""

    from_browser = ("chosen",)  # A click in the browser sets these.

    papers = param.List([], item_type=dict, doc="Key, authors, title and citation of each paper.")
    cards = param.List([], item_type=dict, doc="Name, paper, label, caption, data and mark of each figure.")
    sketches = param.Dict({}, doc="SVG of each figure, by name, made by this program.")
    chosen = param.String("", doc="Name of the figure that is shown.")

    _esm = _ESM
    _stylesheets = [_SHEET]  # noqa: RUF012

"""The gallery of the papers' figures: a small card each, those of one paper at a time."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from dashboard.theme.assets import beside

_ESM = beside(__file__, "gallery.js")
_SHEET = beside(__file__, "gallery.css")


class Gallery(JSComponent):
    """Cards of all figures; all text in them is set as text, never as HTML."""

    from_browser = ("chosen",)  # What a click in the browser may set.

    papers = param.List([], item_type=dict, doc="Of each paper: key, citation.")
    cards = param.List(
        [], item_type=dict, doc="Of each figure: name, paper, label, caption, data, axis, mark."
    )
    sketches = param.Dict({}, doc="Name of a figure to an SVG of this program's own making.")
    chosen = param.String("", doc="Name of the figure that is shown.")

    _esm = _ESM
    _stylesheets = [_SHEET]  # noqa: RUF012

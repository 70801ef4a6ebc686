"""The table of findings: one row each, and the chosen one opens in its place."""

from __future__ import annotations

import param
from panel.custom import Child, JSComponent

from dashboard.theme.assets import beside

# What a finding is about is told by a sign and a word, so that colour is never the only difference.
MARKS = {"overstated": "▲", "understated": "▼", "accuracy": "◆", "notation": "●"}

_ESM = beside(__file__, "table.js")
_SHEET = beside(__file__, "table.css")


class FindingsTable(JSComponent):
    """Rows that open in place; all text in them is set as text, never as HTML."""

    from_browser = ("chosen",)  # What a click in the browser may set.

    rows = param.List([], item_type=dict, doc="Of each row: key, title, place, kind, about, mark.")
    chosen = param.String("", doc="Key of the open row; empty if none is.")
    detail = Child(doc="What stands in the open row.")

    _esm = _ESM
    _stylesheets = [_SHEET]  # noqa: RUF012

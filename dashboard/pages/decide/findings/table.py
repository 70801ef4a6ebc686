"""The table of findings: one row each; the chosen row opens in place."""

from __future__ import annotations

import param
from panel.custom import Child, JSComponent

from dashboard.pages.decide.findings.first_five import SHEET
from dashboard.theme.assets import beside

# A sign and a word state the kind of a finding, so that colour is not the only difference.
MARKS = {"overstated": "▲", "understated": "▼", "accuracy": "◆", "notation": "●", "valid": "○"}

_ESM = beside(__file__, "table.js")
_SHEET = beside(__file__, "table.css") + SHEET


class FindingsTable(JSComponent):
    """Rows that open in place; all text in them is set as text, never as HTML."""

    from_browser = ("chosen", "visited")  # A click in the browser sets these.

    rows = param.List(
        [],
        item_type=dict,
        doc="Key, title, papers, place, kind, about and mark of each row; the line below which it is folded away; whether "
        "it is one of the first five: those have whom it concerns, two bars, and the title of the page that shows it live.",
    )
    chosen = param.String("", doc="Key of the open row; empty if none is.")
    visited = param.String("", doc="Key of the row whose live page was asked for; empty if none is.")
    detail = Child(doc="Content of the open row.")

    _esm = _ESM
    _stylesheets = [_SHEET]  # noqa: RUF012

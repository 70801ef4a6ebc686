"""The grid of a table's columns: their use, kind, first values, public ranges and categories."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import panel as pn

from dashboard.components.editable_table import show
from dashboard.own_table.description import EXAMPLES
from dashboard.own_table.rows import KINDS, LEAVE_OUT, MARK
from dashboard.own_table.state import OwnData
from dashboard.theme import css
from dashboard.theme.assets import beside

DESCRIPTION = "own-table-description"  # Its CSS class.
_SHEET = beside(__file__, "columns.css")
_TITLES = {
    "used": "Use",
    "column": "Column",
    "kind": "Kind",
    "least": "Least",
    "most": "Most",
    "values": "Categories",
    "missing": "If empty",
}
_BOUNDS = ["least", "most", "values", "missing"]  # What a bound on the length has no use for.
# In sight without scrolling, and the begin of the first values, which shows that there are more.
_WIDTHS = {"used": 46, "column": 120, "kind": 142, "least": 104, "most": 104, "values": 110, "missing": 138}


class ColumnGrid:
    """The columns, their kinds, ranges and first values; the cells edit `own.rows`."""

    def __init__(self, own: OwnData):
        self._own = own
        frame = _frame(own)
        self.cells = pn.widgets.Tabulator(
            frame,
            css_classes=[DESCRIPTION],
            show_index=False,
            frozen_columns=["used", "column"],
            titles=_TITLES,
            layout="fit_data",
            height=_height(frame),
            theme="simple",
            sortable=False,
            # Show every cell as plain text.
            formatters={"used": {"type": "tickCross", "crossElement": "·"}}
            | {name: {"type": "plaintext"} for name in (*list(_TITLES)[1:], *_examples())},
            editors={
                "used": {"type": "tickCross"},
                "kind": {"type": "list", "values": list(KINDS)},
                "least": {"type": "input"},
                "most": {"type": "input"},
                "values": {"type": "input"},
                "missing": {"type": "list", "values": [LEAVE_OUT, MARK]},
                "column": None,
                **dict.fromkeys(_examples()),
            },
            text_align={"least": "right", "most": "right", **dict.fromkeys(_examples(), "right")},
            header_align={"least": "right", "most": "right", **dict.fromkeys(_examples(), "right")},
            widths=_WIDTHS,
            configuration={"columnDefaults": {"headerSort": False, "minWidth": 56}},
            stylesheets=[css.TABLE, _SHEET],
            margin=(6, 0, 0, 0),
            sizing_mode="stretch_width",
        )
        self.cells.on_edit(lambda event: self._edited())
        own.param.watch(lambda *events: self._follow(), ["rows", "kind", "site_column"])

    def _edited(self):
        cells = self.cells.value
        named = {row.column: row for row in self._own.rows}
        told = {found["column"]: _told(named[found["column"]], found) for found in cells.to_dict("records")}
        self._own.rows = tuple(told.get(row.column, row) for row in self._own.rows)
        show(self.cells, _frame(self._own))  # What no list offers goes back.

    def _follow(self):
        frame = _frame(self._own)
        show(self.cells, frame, height=_height(frame))
        hidden = [] if self._own.kind == "ranges" else _BOUNDS
        if self.cells.hidden_columns != hidden:
            self.cells.hidden_columns = hidden


def _told(row, found):
    """A row with what its cells say now; a kind or a treatment that is not offered stays as it was."""
    kind = found["kind"] if found["kind"] in KINDS else row.kind
    missing = found["missing"] if found["missing"] in (LEAVE_OUT, MARK) else row.missing
    texts = {name: _text(found[name]) for name in ("least", "most", "values")}
    return replace(row, used=bool(found["used"]), kind=kind, missing=missing, **texts)


def _frame(own):
    rows = [row for row in own.rows if row.column != own.site_column]
    data = {name: [getattr(row, name) for row in rows] for name in _TITLES}
    for i, name in enumerate(_examples()):
        data[name] = [row.examples[i] if i < len(row.examples) else "" for row in rows]
    return pd.DataFrame(data).astype({"used": bool, **dict.fromkeys(list(data)[1:], object)})


def _height(frame):
    return 58 + 37 * min(max(len(frame), 1), 10)


def _examples():
    return [f"row {i + 1}" for i in range(EXAMPLES)]


def _text(cell):
    return "" if cell is None or cell != cell else str(cell)

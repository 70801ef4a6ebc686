"""The grid of a table's columns: their use, their first values, and their public ranges."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import panel as pn

from dashboard.components.editable_table import show
from dashboard.own_table.description import EXAMPLES
from dashboard.own_table.state import OwnData
from dashboard.theme import css
from dashboard.theme.assets import beside

DESCRIPTION = "own-table-description"  # Its CSS class.
_SHEET = beside(__file__, "columns.css")


class ColumnGrid:
    """The columns, their first values, and their ranges; the cells edit `own.rows`."""

    def __init__(self, own: OwnData):
        self._own = own
        frame = _frame(own)
        self.cells = pn.widgets.Tabulator(
            frame,
            css_classes=[DESCRIPTION],
            show_index=False,
            titles={"used": "Use", "column": "Column", "least": "Least", "most": "Most"},
            layout="fit_columns",
            height=_height(frame),
            theme="simple",
            sortable=False,
            # Show every cell as plain text.
            formatters={"used": {"type": "tickCross", "crossElement": "·"}}
            | {name: {"type": "plaintext"} for name in ("column", "least", "most", *_examples())},
            editors={
                "used": {"type": "tickCross"},
                "least": {"type": "input"},
                "most": {"type": "input"},
                "column": None,
                **dict.fromkeys(_examples()),
            },
            text_align={"least": "right", "most": "right", **dict.fromkeys(_examples(), "right")},
            header_align={"least": "right", "most": "right", **dict.fromkeys(_examples(), "right")},
            widths={"used": 60, "column": "32%"},
            configuration={"columnDefaults": {"headerSort": False, "minWidth": 60}},
            stylesheets=[css.TABLE, _SHEET],
            margin=(6, 0, 0, 0),
            sizing_mode="stretch_width",
        )
        self.cells.on_edit(lambda event: self._edited())
        own.param.watch(lambda *events: self._follow(), ["rows", "kind", "site_column"])

    def _edited(self):
        cells = self.cells.value
        named = {row.column: row for row in self._own.rows}
        told = {
            column: replace(named[column], used=bool(used), least=_text(least), most=_text(most))
            for column, used, least, most in zip(
                cells.column, cells.used, cells.least, cells.most, strict=True
            )
        }
        self._own.rows = tuple(told.get(row.column, row) for row in self._own.rows)

    def _follow(self):
        frame = _frame(self._own)
        show(self.cells, frame, height=_height(frame))
        hidden = [] if self._own.kind == "ranges" else ["least", "most"]
        if self.cells.hidden_columns != hidden:
            self.cells.hidden_columns = hidden


def _frame(own):
    rows = [row for row in own.rows if row.column != own.site_column]
    data = {name: [getattr(row, name) for row in rows] for name in ("used", "column", "least", "most")}
    for i, name in enumerate(_examples()):
        data[name] = [row.examples[i] if i < len(row.examples) else "" for row in rows]
    return pd.DataFrame(data).astype({"used": bool, **dict.fromkeys(list(data)[1:], object)})


def _height(frame):
    return 46 + 37 * min(max(len(frame), 1), 10)


def _examples():
    return [f"row {i + 1}" for i in range(EXAMPLES)]


def _text(cell):
    return "" if cell is None or cell != cell else str(cell)

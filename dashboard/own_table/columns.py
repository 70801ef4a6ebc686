"""The grid of a table's columns: their use, kind, first values, public ranges and categories."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dashboard.compat.widgets.edited_cells import EditedCells
from dashboard.components.editable_table import show
from dashboard.own_table.rows import KINDS, LEAVE_OUT, MARK
from dashboard.own_table.state import OwnData
from dashboard.theme import css
from dashboard.theme.assets import beside

DESCRIPTION = "own-table-description"  # Its CSS class.
_SHEET = beside(__file__, "columns.css")
_TITLES = {
    "column": "Column",
    "seen": "First values",
    "kind": "Kind",
    "unit": "Unit (d = days)",
    "least": "Least",
    "most": "Most",
    "values": "Categories (F = f; M)",
    "missing": "If empty (also: 999)",
}
_BOUNDS = ["unit", "least", "most", "values", "missing"]  # What a bound on the length has no use for.
_WIDTHS = {
    "column": 136,
    "seen": 88,
    "kind": 116,
    "unit": 72,
    "least": 76,
    "most": 76,
    "values": 112,
    "missing": 118,
}
_TYPED = ("unit", "least", "most", "values")


class ColumnGrid:
    """The columns, their first values, kinds and ranges; ticks and cells edit `own.rows`."""

    def __init__(self, own: OwnData):
        self._own, self._following = own, False
        self._typed: dict[str, tuple[str, str]] = {}  # What was typed for a missing value, and what it means.
        frame = self._frame()
        self.cells = EditedCells(
            frame,
            css_classes=[DESCRIPTION],
            show_index=False,
            selectable="checkbox",
            selection=_ticked(own),
            frozen_columns=["column"],
            titles=_TITLES,
            layout="fit_data",
            height=_height(frame),
            theme="simple",
            sortable=False,
            # Show every cell as plain text.
            formatters={name: {"type": "plaintext"} for name in _TITLES},
            editors={
                "kind": {"type": "list", "values": list(KINDS)},
                **{name: {"type": "input"} for name in _TYPED},
                "missing": {
                    "type": "list",
                    "values": [LEAVE_OUT, MARK],
                    "autocomplete": True,
                    "freetext": True,
                    "listOnEmpty": True,
                },
                "column": None,
                "seen": None,
            },
            text_align={"least": "right", "most": "right"},
            header_align={"least": "right", "most": "right"},
            widths=_WIDTHS,
            configuration={"columnDefaults": {"headerSort": False, "minWidth": 56}},
            stylesheets=[css.TABLE, _SHEET],
            margin=(6, 0, 0, 0),
            sizing_mode="stretch_width",
        )
        self.cells.on_values(self._edited)
        self.cells.param.watch(self._tick, "selection")
        own.param.watch(lambda *events: self._follow(), "draft")

    def _edited(self):
        cells = self.cells.value
        named = {row.column: row for row in self._own.draft.rows}
        edited = {
            found["column"]: _edited_row(named[found["column"]], found) for found in cells.to_dict("records")
        }
        for name, typed in zip(cells["column"], map(_text, cells["missing"]), strict=True):
            if (row := edited[name]).also and row.also in typed:  # It stays as it was typed.
                self._typed[name] = (typed, row.if_empty)
        self._own.edit(rows=tuple(edited.get(row.column, row) for row in self._own.draft.rows))
        show(self.cells, self._frame())  # What no list offers goes back.

    def _tick(self, event):
        if not self._following:
            ticks = {name: place in event.new for place, name in enumerate(self.cells.value["column"])}
            rows = self._own.draft.rows
            self._own.edit(rows=tuple(replace(row, used=ticks.get(row.column, row.used)) for row in rows))

    def _follow(self):
        frame, self._following = self._frame(), True
        if len(frame) == len(self.cells.value):  # A browser that gets new cells sends back the ticks it has.
            self._show_ticks()
        show(self.cells, frame, height=_height(frame))
        self._show_ticks()
        self._following = False
        hidden = [] if self._own.draft.kind == "ranges" else _BOUNDS
        if self.cells.hidden_columns != hidden:
            self.cells.hidden_columns = hidden

    def _frame(self):
        """What the cells show; a valid text as it was typed, since an update would end the edit of another cell."""
        rows = self._own.draft.offered
        data = {name: [getattr(row, name) for row in rows] for name in _TITLES if name != "seen"}
        data["seen"] = ["  ·  ".join(text or "—" for text in row.examples) for row in rows]
        typed = [self._typed.get(row.column, ("", "")) for row in rows]
        data["missing"] = [
            text if means == row.if_empty else row.if_empty
            for row, (text, means) in zip(rows, typed, strict=True)
        ]
        return pd.DataFrame(data, columns=list(_TITLES), dtype=object)

    def _show_ticks(self):
        if sorted(self.cells.selection) != _ticked(self._own):
            self.cells.selection = _ticked(self._own)


def _edited_row(row, found):
    """A row with what its cells say now; a kind or a treatment that is not offered stays as it was."""
    kind = found["kind"] if found["kind"] in KINDS else row.kind
    empty = _text(found["missing"])
    row = row if empty == row.if_empty else row.with_if_empty(empty)
    return replace(row, kind=kind, **{name: _text(found[name]) for name in _TYPED})


def _ticked(own):
    return [place for place, row in enumerate(own.draft.offered) if row.used]


def _height(frame):
    return 50 + 41 * min(max(len(frame), 1), 12)


def _text(cell):
    return "" if cell is None or cell != cell else str(cell)

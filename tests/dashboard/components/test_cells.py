"""Cells that a user edits while the app follows."""

from __future__ import annotations

import pandas as pd
import panel as pn
import pytest
from bokeh.document import Document

from dashboard.compat.widgets.edited_cells import EditedCells
from dashboard.components.editable_table import show
from dashboard.own_table.columns import ColumnGrid
from dashboard.own_table.state import OwnData
from dashboard.packs.consortium.sites.model import HOSPITALS, SitesModel
from dashboard.packs.consortium.sites.table import SitesTable
from dashboard.state.controls import Controls

TABLE = b"a;b;c\n1;2;3\n4;5;6\n"


class Shown:
    """A table's model in a document that notes what the browser would be sent."""

    def __init__(self, cells):
        self.sent = []
        self._model, doc = cells.get_root(), Document()
        doc.add_root(self._model)
        doc.on_change(lambda event: self.sent.append(event))

    def edit(self, row, column, value):
        """What a browser sends of an edit; then only what the app answers counts as sent."""
        self.sent.clear()
        self._model.source.patch({column: [(row, value)]}, setter=self)
        self.sent = [event for event in self.sent if event.setter is not self]

    def tick(self, *rows):
        """What a browser sends of the boxes that are ticked now."""
        self.sent.clear()
        self._model.source.selected.indices = list(rows)
        self.sent = [event for event in self.sent if event.model is not self._model.source.selected]

    @property
    def data(self):
        """Events that change what the cells show."""
        return [event for event in self.sent if getattr(event, "attr", None) == "data"]

    def cell(self, row, column):
        return self._model.source.data[column][row]


@pytest.fixture
def own():
    own = OwnData()
    own.receive("a.csv", [TABLE])
    assert [row.column for row in own.draft.rows] == ["a", "b", "c"]
    return own


def test_an_edit_is_taken_and_not_sent_back(own):
    shown = Shown(ColumnGrid(own).cells)
    for row, column, value in ((0, "least", "-4"), (0, "most", "4,5"), (2, "most", "7")):
        shown.edit(row, column, value)
        assert shown.data == []
    shown.tick(0, 2)
    assert shown.sent == []
    assert [(row.used, row.least, row.most) for row in own.draft.rows] == [
        (True, "-4", "4,5"),
        (False, "", ""),
        (True, "", "7"),
    ]


def test_an_edit_of_a_site_is_taken_and_not_sent_back():
    model = SitesModel(Controls(), rows=HOSPITALS)
    shown = Shown(SitesTable(model, lambda text: None).cells)
    for row, column, value in (
        (0, "size", 700),
        (1, "site", "Port"),
        (2, "colludes", True),
        (3, "epsilon", 0.7),
    ):
        shown.edit(row, column, value)
        assert shown.data == []
    assert model.rows.startswith("University:700:1:1e-05:0;Port:5400")
    shown.edit(4, "size", -5)
    model.weights = "equal"
    assert shown.data == [] and shown.cell(4, "size") == -5  # What was typed stays until it is mended.


def test_what_the_app_changes_is_sent_cell_by_cell(own):
    shown = Shown(ColumnGrid(own).cells)
    shown.edit(0, "least", "-4")
    shown.edit(0, "most", "9")
    own.take_draft(own.draft.filled("-4", "9"))
    assert [event.patches for event in shown.data] == [
        {"least": [(1, "-4"), (2, "-4")], "most": [(1, "9"), (2, "9")]}
    ]
    shown.sent.clear()
    own.take_draft(own.draft.filled("-4", "9"))
    assert shown.data == []


def test_values_of_a_browser_are_told_and_those_of_the_app_are_not():
    cells, told = EditedCells(pd.DataFrame({"a": [1.0, 2.0]})), []
    cells.on_values(lambda: told.append(list(cells.value.a)))
    shown = Shown(cells)
    show(cells, pd.DataFrame({"a": [1.0, 3.0]}))
    assert len(shown.data) == 1 and told == []
    shown.edit(0, "a", 7.0)
    assert told == [[7.0, 3.0]]


def test_other_rows_or_columns_are_another_table():
    cells = pn.widgets.Tabulator(pd.DataFrame({"a": [1.0, None]}))
    shown = Shown(cells)
    show(cells, pd.DataFrame({"a": [1.0, None]}))
    assert shown.data == []
    show(cells, pd.DataFrame({"a": [1, 2, 3]}), height=99)
    assert list(cells.value.a) == [1, 2, 3] and cells.height == 99
    show(cells, pd.DataFrame({"b": [1, 2, 3]}))
    assert list(cells.value.columns) == ["b"]


def test_a_range_typed_while_others_are_computed_from_the_data_stays(own):
    own.runs.start = lambda jobs, *, paint: (
        own.take_draft(own.draft.filled("", "")),
        typed(),
        paint([(None, jobs[0](None))]),
    )

    def typed():
        rows = (
            row if row.column != "b" else type(row)(row.column, row.examples, True, "0", "10")
            for row in own.draft.rows
        )
        own.edit(rows=tuple(rows))

    own.take_from_data()
    assert [(row.least, row.most) for row in own.draft.rows] == [("1", "4"), ("0", "10"), ("3", "6")]
    own.edit(kind="length")
    own.runs.start = lambda jobs, *, paint: (own.edit(length="12"), paint([(None, jobs[0](None))]))
    own.take_from_data()
    assert own.draft.length == "12" and own.draft.computed == ("ranges",)


def test_a_kind_that_is_not_offered_goes_back_and_one_that_is_stays(own):
    shown = Shown(ColumnGrid(own).cells)
    shown.edit(0, "kind", "date 2024-12-31")
    assert own.draft.rows[0].kind == "date 2024-12-31" and shown.data == []
    shown.edit(1, "kind", "poem")
    assert own.draft.rows[1].kind == "number" and shown.cell(1, "kind") == "number"
    shown.edit(2, "missing", "constant + mark")
    shown.edit(2, "values", "a; b")
    assert (own.draft.rows[2].missing, own.draft.rows[2].values) == ("constant + mark", "a; b")

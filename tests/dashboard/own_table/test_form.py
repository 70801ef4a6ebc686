"""What the form asks and offers: rows that sum up others, units, codes for a missing value, ticks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import panel as pn
import panel_material_ui as pmui
import pytest

from dashboard.components.upload import PIECE
from dashboard.own_table.columns import ColumnGrid
from dashboard.own_table.panel import Panel
from dashboard.own_table.rows import LEAVE_OUT, MARK, Row, column_of, put
from dashboard.own_table.state import OwnData
from data.columns import Column, Description

SITES = ("North", "South", "West")
BODY = [f"{SITES[i % 3]},{30 + i},{120 + i}" for i in range(24)]


@pytest.fixture
def own():
    return OwnData()


def hand_in(own, lines, name="t.csv"):
    assert own.expect(PIECE) == ""
    own.receive(name, ["\n".join(lines).encode()])
    assert own.problem == ""


def change(own, column, **values):
    own.edit(rows=tuple(replace(row, **values) if row.column == column else row for row in own.draft.rows))


def ranged(own, most="3000"):
    for row in own.draft.rows:
        if row.kind == "number":
            change(own, row.column, least="0", most=most)
    own.edit(site_column=own.draft.site_column or own.draft.rows[0].column)


def question(panel):
    return next(one for one in panel.layout.select(pmui.Select) if "rows records" in one.label)


FEET = {
    "n": (["N,24,24"], 25),
    "ends": (["Min,30,120", "Max,53,143"], 26),
    "one column": ([",,131.5"], 25),
}


@pytest.mark.parametrize("foot", FEET)
@pytest.mark.parametrize("kind", ["ranges", "length"])
def test_rows_that_may_sum_up_others_are_asked_about(own, foot, kind, tmp_path, monkeypatch):
    lines, count = FEET[foot]
    panel = Panel(own, lambda: None)
    hand_in(own, ["site,age,sbp", *BODY, *lines])
    ranged(own)
    own.edit(kind=kind, length="400")
    menu = question(panel)
    assert own.sheet.unsure and menu.value == ""
    own.use()
    assert own.used is None and "in row 25" in own.objection
    menu.value = "leave out"
    assert (own.sheet.count, own.sheet.site_columns["site"]) == (24, 3)
    assert {row.most for row in own.draft.rows if row.kind == "number"} == {"3000"}  # What was typed stays.
    own.use()
    assert own.objection == "" and (own.used.sizes, own.used.site_names) == ((8, 8, 8), SITES)
    (tmp_path / "t.csv").write_text("\n".join(["site,age,sbp", *BODY, *lines]))
    monkeypatch.chdir(tmp_path)
    copied: dict = {}
    exec(f"{own.chosen.standard}{own.chosen.imports}\n{own.chosen.code()}", copied)
    np.testing.assert_array_equal(copied["load"].records, own.used.records)
    if foot != "one column":  # Its row has no value in a column, and is left out in any case.
        menu.value = "keep"
        own.use()
        assert own.objection == "" and len(own.used.sizes) == 3 + len(lines) and own.sheet.count == count


def test_what_was_said_of_rows_of_one_file_says_nothing_of_those_of_the_next(own):
    for lines in (FEET["n"][0], FEET["ends"][0]):
        hand_in(own, ["site,age,sbp", *BODY, *lines])
        assert own.draft.summary_rows == ""
        ranged(own)
        own.edit(summary_rows="keep")
        own.use()
    found = own.described()
    assert found.summary_rows == "keep"
    own.take(found)  # A description that is opened says it of the table that is here.
    assert own.draft.summary_rows == "keep"
    hand_in(own, ["site,age,sbp", *BODY])
    assert own.sheet.unsure == ()
    own.forget()
    assert own._whole is None


def test_a_table_without_such_rows_asks_nothing(own):
    panel = Panel(own, lambda: None)
    hand_in(own, ["site,age,sbp", *BODY])
    ranged(own)
    assert not panel.layout.select(lambda one: question(panel) in getattr(one, "objects", ()))[0].visible
    own.use()
    assert own.objection == "" and own.used.sizes == (8, 8, 8)


@pytest.mark.parametrize(
    ("typed", "missing", "also"),
    [
        ("also: 999", LEAVE_OUT, "999"),
        ("also: 999; -9", LEAVE_OUT, "999; -9"),
        ("Also 999", LEAVE_OUT, "999"),
        (f"{LEAVE_OUT}also: 999", LEAVE_OUT, "999"),
        (f"also: -9{MARK}", MARK, "-9"),
        (f"{MARK} 999", MARK, "999"),
        ("also: 9also: 8", LEAVE_OUT, "9; 8"),
        ("999, −9", LEAVE_OUT, "999; −9"),
        (f"{MARK}; also: n.r.", MARK, "n.r."),
        (MARK, MARK, ""),
        ("whatever", LEAVE_OUT, ""),
    ],
)
def test_if_empty_takes_codes(typed, missing, also):
    row = Row("a", ()).with_if_empty(typed)
    assert (row.missing, row.also) == (missing, also)
    again = Row("a", ()).with_if_empty(row.if_empty)
    assert again == row


def test_another_treatment_keeps_the_codes_and_the_same_one_without_them_clears_them():
    row = Row("a", (), also="999")
    assert row.with_if_empty(MARK) == replace(row, missing=MARK)
    assert row.with_if_empty(LEAVE_OUT).also == row.with_if_empty("also:").also == ""


AGES = ["site,age,x", *(f"{'ab'[i % 2]},{999 if i % 10 == 0 else 40 + i % 7},{i}" for i in range(60))]


def test_a_code_for_missing_moves_no_mean_and_is_counted_as_a_gap(own):
    panel = Panel(own, lambda: None)
    hand_in(own, AGES)
    ranged(own, most="110")
    assert own.left_out == ()
    change(own, "age", also="999")
    assert own.left_out == ("age",) and own.incomplete(own.left_out) == 6
    notice = " ".join(str(one.object) for one in panel.layout.select(pn.pane.HTML) if one.visible)
    assert "6 rows of 60" in notice.replace("\u00a0", " ")
    own.use()
    assert (own.used.incomplete, own.used.clipped) == (6, 0)
    assert own.used.column(0).mean() == pytest.approx(np.mean([40 + i % 7 for i in range(60) if i % 10]))
    found = own.described()
    assert Description.read(found.text().encode()).columns[1].gaps == ("999",)
    change(own, "age", least="", most="")
    own.take_from_data()
    assert {row.column: row.most for row in own.draft.rows}["age"] == "46"
    own.take_draft(own.draft.marked(own.sheet))
    assert [row.if_empty for row in own.draft.rows if row.column == "age"] == [f"{MARK}; also: 999"]
    own.edit(kind="length", length="1000")
    own.use()
    assert "age" in own.objection


def test_blank_beside_a_tick_is_offered_as_no(own):
    hand_in(own, ["site,age,smoker", *(f"{'ab'[i % 2]},{i},{'x' if i % 3 == 0 else ''}" for i in range(24))])
    ranged(own)
    (row,) = (row for row in own.draft.rows if row.column == "smoker")
    assert (row.kind, row.used) == ("yes / no", False) and "smoker" not in own.left_out
    change(own, "smoker", used=True)
    assert own.left_out == ()
    own.use()
    assert own.objection == "" and own.used.incomplete == 0 and own.used.column(1).sum() == 8
    assert "smoker" in own.chosen.suggested  # It was read off the cells, which is said.
    saved = own.described()
    assert put(row, saved.columns[2]).values == row.values
    change(own, "smoker", kind="category", values="x; y")
    assert own.left_out == ("smoker",)


def test_a_unit_s_other_spellings_are_merged(own):
    hand_in(
        own, ["site,stay", *(f"{'ab'[i % 2]},{i % 9 + 0.5} {('d', 'days', 'd')[i % 3]}" for i in range(24))]
    )
    own.edit(site_column="site")
    change(own, "stay", used=True, kind="number", least="0", most="10", unit="d")
    own.use()
    assert own.used is None and "days" in own.objection
    change(own, "stay", unit="d = days")
    own.use()
    assert own.objection == "" and own.used.column(0).mean() == pytest.approx(
        np.mean([i % 9 + 0.5 for i in range(24)])
    )
    (column,) = (one for one in own.described().columns if one.name == "stay")
    assert (column.unit, column.spellings) == ("d", (("days", "d"),))
    assert {row.column: put(row, column).unit for row in own.draft.rows}["stay"] == "d = days"


@pytest.mark.parametrize(
    ("unit", "spellings", "typed"),
    [("mg/L", (), "mg/L"), ("days", (("d", "days"), ("none", "days")), "days = d = none"), ("", (), "")],
)
def test_a_unit_is_typed_as_a_description_has_it(unit, spellings, typed):
    column = Column("a", unit=unit, spellings=spellings, lower=0, upper=1)
    row = put(Row("a", ()), column)
    assert row.unit == typed and column_of(row, used=True) == column
    with pytest.raises(ValueError, match="one unit of column 'a'"):
        column_of(replace(row, unit="d; kg"), used=True)


def test_the_grid_edits_units_and_codes(own):
    hand_in(own, AGES)
    grid = ColumnGrid(own)
    frame = grid.cells.value
    assert {"unit", "missing"} <= {*frame} and frame["missing"].tolist() == [LEAVE_OUT] * 2
    frame.loc[0, ["unit", "missing"]] = ["years = y", "also: 999"]
    grid._edited()
    row = next(row for row in own.draft.rows if row.column == "age")
    assert (row.unit, row.also) == ("years = y", "999")
    # A text that is understood stays as it was typed: an update would end the edit of another cell.
    assert grid.cells.value["missing"].tolist()[0] == "also: 999"
    change(own, "age", also="-9")
    assert grid.cells.value["missing"].tolist()[0] == f"{LEAVE_OUT}; also: -9"
    frame = grid.cells.value
    frame.loc[0, "missing"] = MARK
    grid._edited()
    assert grid.cells.value["missing"].tolist()[0] == f"{MARK}; also: -9"  # An offer keeps the codes.

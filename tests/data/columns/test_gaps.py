"""What stands for no value: codes that a description names, and blank cells beside ticks, which are answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from data import upload
from data.columns import Column, Description, encode, survey
from data.columns.gaps import coded, missing
from data.upload.own_table import data_columns, described_table

AGES = [30, 41, 999, 52, -9, 63]


def series(texts):
    return pd.Series(texts, dtype=object)


@pytest.mark.parametrize(
    ("cells", "gaps", "places"),
    [
        (pd.Series(AGES), ("999", "-9"), [2, 4]),
        (pd.Series(AGES, dtype=float), ("999.0", "−9"), [2, 4]),
        (series(["30 kg", "999 kg", "999", "31 kg"]), ("999",), [1, 2]),
        (series(["30", "n.r.", "N.R.", "31"]), ("n.r.",), [1, 2]),
        (series(["30,5", "999,0", "31"]), ("999",), [1]),
        (series(["9999", "999", "99"]), ("99",), [2]),
        (pd.Series([True, False]), ("999",), []),
    ],
)
def test_a_code_is_found_as_a_text_and_by_its_value(cells, gaps, places):
    column = Column("a", lower=0, upper=110, gaps=gaps)
    assert np.flatnonzero(coded(cells, column)).tolist() == places


def test_dates_and_categories_have_codes_too():
    days = series(["31.12.2024", "01.01.1900", "99.99.9999", "2.1.2024"])
    column = Column("a", "date", lower="2024-01-01", upper="2025-01-01", gaps=("1900-01-01", "99.99.9999"))
    assert np.flatnonzero(coded(days, column)).tolist() == [1, 2]
    ward = Column("w", "category", values=("a", "b"), gaps=("9",))
    assert np.flatnonzero(missing(series(["a", "9", "b", "-", "c"]), ward)).tolist() == [1, 3]


@pytest.mark.parametrize("treated", ["leave out", "mark"])
def test_a_code_is_no_value_of_a_record_and_of_no_range(treated):
    table = upload.read(("age,x\n" + "\n".join(f"{age},{i}" for i, age in enumerate(AGES))).encode(), "a.csv")
    column = Column("age", lower=0, upper=110, gaps=("999", "-9"), missing=treated)
    found = described_table(table, Description((column, Column("x", lower=0, upper=5))))
    true = [age for age in AGES if 0 < age < 110]
    if treated == "leave out":
        assert (found.incomplete, found.clipped) == (2, 0)
        assert found.column(0).mean() == pytest.approx(np.mean(true))
        assert found.having([1]).column(1).mean() == pytest.approx(2.5)
    else:
        assert (found.incomplete, found.marked) == (0, 2)
    bounds = data_columns(table, [replace(column, lower=None, upper=None)])[0]
    assert (bounds.lower, bounds.upper) == (min(true), max(true))


def test_a_site_may_have_no_name_by_a_code():
    frame = pd.DataFrame({"site": [*np.resize(["a", "b"], 8), "99"], "x": range(9)})
    columns = (Column("site", "category", used=False, gaps=("99",)), Column("x", lower=0, upper=9))
    found = described_table(upload.Table("'t'", frame), Description(columns, "site"))
    assert sorted(found.site_names) == ["a", "b"]


def test_a_file_writes_codes_as_numbers_or_texts_and_older_files_have_none():
    text = '{"format": "CAPE Lab table description", "version": 1, "columns": [{"name": "a", "gaps": [999, "n.r.", -9]}]}'
    found = Description.read(text.encode())
    assert found.columns[0].gaps == ("999", "n.r.", "-9")
    assert Description.read(found.text().encode()) == found
    with pytest.raises(ValueError, match="gaps of column 'a'"):
        Column("a", "category", values=("9", "1"), gaps=("9",))


@pytest.mark.parametrize("mark", ["x", "X", "1", "✓"])
def test_a_tick_beside_blank_cells_is_yes_and_no(mark):
    lines = "\n".join(f"{i},{mark if i % 3 == 0 else ''}" for i in range(12))
    table = upload.read(f"age,smoker\n{lines}\n".encode(), "a.csv")
    facts = survey(table.frame)[1]
    assert (facts.kind, facts.values, facts.gaps) == ("yes/no", (mark, ""), 0)
    column = Column("smoker", "yes/no", values=facts.values)
    made = encode(table.frame, Description((column,)))
    assert np.flatnonzero(made.records[:, 0] > 0).tolist() == [0, 3, 6, 9] and len(made.kept) == 12


@pytest.mark.parametrize(
    "cells", [["x", "x", "x"], ["NL", "", "NL"], ["x", "y", ""], [2, None, 2], ["x", "-", "x"]]
)
def test_other_columns_of_one_text_are_no_ticks(cells):
    assert survey(pd.DataFrame({"a": cells}))[0].kind != "yes/no"


def test_a_word_for_nothing_beside_ticks_is_no_answer():
    found = survey(pd.DataFrame({"a": ["x", None, "NA", "x", None, "X"]}))[0]
    assert (found.kind, found.gaps) == ("yes/no", 1)
    made = encode(
        pd.DataFrame({"a": ["x", None, "NA", "✓"]}),
        Description((Column("a", "yes/no", values=("x", ""), spellings=(("✓", "x"),)),)),
    )
    assert made.kept.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(30, 60), 999, 999], "also: 999"),
        ([*range(30, 60), 999.0, 999.0, None], "also: 999"),
        ([*range(30, 60), -9, -9, 999, 999], "also: -9; 999"),
        ([*range(30, 60), 99, 99], ""),
        ([*range(30, 60), 999], ""),
        ([*range(-20, 20), -99, -99], ""),
        ([*range(500, 999), 999, 999], ""),
        ([9, 9, 9], ""),
        ([0.5, float("inf"), 999.5, 999.5], ""),
    ],
)
def test_a_number_of_nines_apart_from_all_others_is_asked_about(values, codes):
    note = survey(pd.DataFrame({"a": values}))[0].note
    assert codes in note and bool(codes) == ("also" in note)

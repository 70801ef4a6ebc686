"""One column of a described table comes back in its own unit, for a mean or counts of it."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

ROWS = [
    ("40", "yes", "a", "2024-01-31", "x"),
    ("250", "no", "b", "2024-03-01", "y"),
    ("", "yes", "", "2024-02-01", "x"),
    ("62.5", "no", "c", "2024-12-31", "y"),
    ("33", "yes", "a", "", "x"),
    ("18", "yes", "b", "2024-01-01", "x"),
]


def content():
    lines = ["age,back,ward,came,home", *map(",".join, ROWS)]
    return upload.read("\n".join(lines).encode(), "table.csv")


def described(missing, centring, **fill):
    columns = (
        Column("age", lower=18, upper=100, missing=missing, **fill),
        Column("back", "yes/no", values=("yes", "no")),
        Column("ward", "category", values=("a", "b", "c"), missing=missing),
        Column("came", "date", lower="2024-01-01", upper="2024-12-31"),
        Column("home", "category", used=False),
    )
    return described_table(content(), Description(columns, "home", centring=centring))


@pytest.mark.parametrize("centring", ("public", "none"))
def test_rows_with_gaps_are_left_out_or_hold_the_described_constant(centring):
    table = described("leave out", centring)
    assert (table.incomplete, table.sizes) == (2, (2, 2))
    np.testing.assert_array_equal(table.column(0), [40, 18, 100, 62.5])
    np.testing.assert_array_equal(table.column(1), [1, 1, 0, 0])
    np.testing.assert_array_equal(table.column(2), [0, 1, 1, 2])
    days = [(date(2024, *at) - date(2024, 1, 1)).days for at in ((1, 31), (1, 1), (3, 1), (12, 31))]
    np.testing.assert_array_equal(table.column(3), days)
    marked = described("mark", centring, fill=50.0)
    assert (marked.incomplete, marked.marked) == (1, 1)
    np.testing.assert_array_equal(marked.column(0), [40, 50, 18, 100, 62.5])
    np.testing.assert_array_equal(marked.column(2), [0, 3, 1, 1, 2])  # One category more: no value.


def test_whole_numbers_stay_whole_so_that_they_stay_in_their_bin():
    ages = np.arange(18, 101)
    lines = ["age,ward", *(f"{age},{'ab'[age % 2]}" for age in ages)]
    table = upload.read("\n".join(lines).encode(), "table.csv")
    columns = (Column("age", lower=18.0, upper=100.0), Column("ward", "category", values=("a", "b")))
    np.testing.assert_array_equal(described_table(table, Description(columns)).column(0), ages)


def test_a_column_without_a_range_of_its_own_is_refused():
    table = described_table(content(), Description((Column("age"),), length=300.0))
    with pytest.raises(ValueError, match="place"):
        table.column(0)
    with pytest.raises(ValueError, match="place"):
        described("leave out", "public").column(9)

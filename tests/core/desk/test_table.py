"""A site's file of records: what cannot be read in one way is refused by its row, and no cell of a patient is told."""

import os

import numpy as np
import pytest

from core import Privacy
from core.desk import table
from core.desk.table import records_of
from core.parties import Column, Statistic, plan_of

STAY, WARD = Column("stay", "days", 0.0, 50.0), Column("ward", "", categories=("a", "b"))


def plan(column=STAY):
    statistic = Statistic("mean", (), 0.0, 50.0) if column is STAY else Statistic("shares", (2,), 0.0, 1.0)
    about = {"scheme": "cape-after", "noise": "discrete", "against": "aggregator", "columns": (column,)}
    return plan_of(statistic, [9, 9], Privacy(1, 1e-5), **about)


def read(tmp_path, text, column=STAY):
    path = tmp_path / "records.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return records_of(plan(column), path)


def refused(tmp_path, text, column=STAY):
    with pytest.raises(ValueError) as found:
        read(tmp_path, text, column)
    return str(found.value)


@pytest.mark.parametrize(
    "text, row",
    [
        ("patient,stay\nMeier,12,5\n", 2),  # A decimal comma between commas.
        ("patient,stay\nMeier,7\nSchulz,31,\n", 3),
        ("patient,stay\nMeier,7\n\nSchulz\n", 4),  # As a spreadsheet counts, with the empty row.
        ("stay\n12,5\n", 2),
        ("patient;stay\nMeier;7\nSchulz;7;1\n", 3),
        ("patient\tstay\nMeier\n", 2),
        ('patient,stay\n"Mei\ner",7\nSchulz,12,5\n', 3),
    ],
)
def test_a_row_with_another_number_of_cells_than_names_is_refused_by_its_row(tmp_path, text, row):
    told = refused(tmp_path, text)
    assert f"row {row}," in told and not any(word in told for word in ("Meier", "Schulz", "12"))


@pytest.mark.parametrize("text", ["stay,stay\n1,2\n", "stay;age;stay\n1;2;3\n"])
def test_two_columns_of_one_name_are_refused(tmp_path, text):
    assert "one column 'stay'" in refused(tmp_path, text)


def test_two_columns_of_a_name_that_the_plan_does_not_read_are_no_matter(tmp_path):
    assert read(tmp_path, "x,stay,x\n1,2,3\n").tolist() == [[2.0]]


@pytest.mark.parametrize("cells", [("7,5", "1.234"), ("1.234,5", "7"), ("1.5", "7,5")])
def test_a_column_with_two_decimal_marks_is_refused(tmp_path, cells):
    told = refused(tmp_path, "patient;stay\n" + "".join(f"M;{cell}\n" for cell in cells))
    assert "one decimal mark" in told and "in row 2" in told and not any(cell in told for cell in cells)


@pytest.mark.parametrize(
    "text, column, words",
    [
        ("patient,stay\nMeier,12.5x\n", STAY, "stay must be a number in row 2"),
        ("patient,stay\nMeier,\n", STAY, "row 2, and is empty"),
        ("patient,ward\nSchulz,a\nMeier,secret\n", WARD, "one of 'a', 'b' in row 3"),
        ("Meier,12.5\nSchulz,7\n", STAY, "one column 'stay' in the line of names"),
    ],
)
def test_a_refusal_quotes_no_cell(tmp_path, text, column, words):
    told = refused(tmp_path, text, column)
    assert words in told and not any(cell in told for cell in ("Meier", "12.5", "Schulz", "secret"))


@pytest.mark.parametrize("encoding", ["latin1", "utf-16", "utf-16-le"])
def test_another_encoding_is_refused_with_what_to_do(tmp_path, encoding):
    told = refused(tmp_path, "patient,stay\nMüller,7\n".encode(encoding))
    assert (
        "CSV UTF-8" in told or "one column" in told
    )  # Of UTF-16 without its mark, names are read with gaps.


@pytest.mark.parametrize("cell", ["9" * 131_073, '"7', '"7"x'])
def test_cells_that_a_reader_of_csv_gives_up_are_refused_by_the_row_before(tmp_path, cell):
    assert "below row 2" in refused(tmp_path, f"patient,stay\nMeier,7\nSchulz,{cell}\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are POSIX's")
def test_what_is_no_file_or_too_large_is_refused_and_a_link_is_followed(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "none"):
        with pytest.raises(OSError):
            records_of(plan(), tmp_path / name)
    (tmp_path / "own.csv").write_text("stay\n7\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "own.csv")
    assert records_of(plan(), tmp_path / "link.csv").tolist() == [[7.0]]
    monkeypatch.setattr(table, "MOST_BYTES", 6)
    with pytest.raises(OSError, match="at most 6 bytes"):
        records_of(plan(), tmp_path / "own.csv")


def test_decimal_commas_and_line_ends_of_every_kind_are_read(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        text = end.join(("\ufeffpatient;stay", 'M;"12,5"', "", "S;7", ""))
        assert np.array_equal(read(tmp_path, text), [[12.5], [7.0]])

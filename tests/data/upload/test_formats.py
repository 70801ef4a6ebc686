"""Workbooks, single arrays and UTF-16: read as they are meant; other formats are refused with the way to convert them."""

from __future__ import annotations

import io
import sys
import zipfile
from datetime import datetime

import numpy as np
import pytest

from data import upload
from data.columns import survey
from data.upload import Limits, UploadError
from data.upload.apart import Parser

openpyxl = pytest.importorskip("openpyxl")
HEAD = ["age", "home", "came", "ok", "share", None, "age"]
ROWS = [
    [30, "A", datetime(2024, 5, 1), True, "12 %", None, 1],
    [None, "B", datetime(2024, 5, 2, 10, 30), False, "7 %", "x", 2.5],
    [41.5, None, None, True, None, None, 3],
]


def workbook(*sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_a_workbook_is_read_as_its_cells_are_meant():
    table = upload.read(workbook(("data", [HEAD, [], *ROWS])), "a.XLSX")
    assert table.columns == ("age", "home", "came", "ok", "share", "column 6", "age (2)")
    np.testing.assert_array_equal(table.frame["age"], [30, np.nan, 41.5])
    assert table.frame["came"].tolist()[:2] == ["2024-05-01", "2024-05-02 10:30"]
    kinds = {one.name: one.kind for one in survey(table.frame)}
    assert kinds == {
        "age": "number",
        "home": "category",
        "came": "date",
        "ok": "yes/no",
        "share": "number",
        "column 6": "category",
        "age (2)": "number",
    }


def test_the_first_sheet_with_a_table_counts_and_others_are_said():
    content = workbook(
        ("cover", [["A report"]]), ("data", [["a", "b"], [1, 2], [3, 4]]), ("more", [["c"], [1]])
    )
    table = upload.read(content, "a.xlsx")
    assert table.columns == ("a", "b")
    assert any("'data'" in note and "'cover', 'more'" in note for note in table.notes)
    numbers = upload.read(workbook(("s", [[1, 2], [3, 4]])), "a.xlsx")
    assert numbers.columns == ("column 1", "column 2") and "No header" in numbers.notes[0]


def test_a_workbook_is_read_apart_as_it_is_read_here():
    content, parser = workbook(("data", [HEAD, *ROWS])), Parser()
    try:
        there = parser.read([content], "a.xlsx").found
    finally:
        parser.close()
    here = upload.read(content, "a.xlsx")
    assert there.columns == here.columns and there.facts == survey(here.frame)
    for name in here.columns:
        assert [str(v) for v in there.frame[name]] == [str(v) for v in here.frame[name]]


def changed(content, name, text):
    """A workbook one of whose parts is another text."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for member in old.namelist():
            new.writestr(member, text if member == name else old.read(member))
    return stream.getvalue()


GOOD = workbook(("data", [["a", "b"], [1, 2], [3, 4]]))
ENTITIES = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "' + "c" * 99 + '">]><worksheet>&b;</worksheet>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04 not all of it", "not a complete workbook"),
        (GOOD[:900], "not a complete workbook"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "an old or an encrypted workbook"),
        (workbook(("empty", [])), "has no sheet with a heading and rows below it"),
        (workbook(("one", [["a", "b"], [1, 2]])), "1 row of data; at least 2"),
        (changed(GOOD, "xl/worksheets/sheet1.xml", ENTITIES), "an unusual workbook"),
        (changed(GOOD, "xl/worksheets/sheet1.xml", "<a"), "not a complete workbook"),
        (changed(GOOD, "xl/worksheets/sheet1.xml", "0" * 30_000_000), "would expand to 30 MB"),
        (workbook(("wide", [list(range(9)), list(range(9))])), "9 columns; at most 8"),
        (workbook(("long", [["a", "b"], *[[1, 2]] * 30])), "which is the most that is read"),
    ],
)
def test_wrong_workbooks_are_refused(content, words):
    with pytest.raises(UploadError, match=words):
        upload.read(content, "a.xlsx", limits=Limits(expanded=20_000_000, rows=20, columns=8))


def test_without_its_reader_a_workbook_is_refused_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(UploadError, match=r"pip install 'cape-lab\[xlsx\]'.*\.csv"):
        upload.read(GOOD, "a.xlsx")


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def test_one_array_is_a_table():
    x = np.arange(6.0).reshape(3, 2)
    table = upload.read(npy(x), "a.npy")
    assert table.columns == ("column[0]", "column[1]")
    np.testing.assert_array_equal(table.records(), x)
    assert upload.read(npy(np.array([1, 2, 3], dtype=np.int8)), "a.npy").columns == ("column",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            npy(np.array([{}, 1], dtype=object), allow_pickle=True),
            "holds Python objects, which are never loaded",
        ),
        (npy(np.zeros((2, 2)))[:-9], "declares more numbers than the file holds"),
        (npy(np.zeros((2, 2, 2))), r"has shape \(2, 2, 2\); one record a row"),
        (npy(np.zeros(2, dtype=complex)), "type complex128; real numbers"),
        (npy(np.zeros((1, 2))), "1 row of data"),
        (npy(np.zeros((2, 9))), "9 columns; at most 8"),
        (b"\x93NUMPY", "not a complete NPY file"),
        (b"no array", "not a complete NPY file"),
    ],
)
def test_wrong_arrays_are_refused(content, words):
    with pytest.raises(UploadError, match=words):
        upload.read(content, "a.npy", limits=Limits(columns=8))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read_with_and_without_its_mark(encoding):
    table = upload.read("größe,b\n1,2\n3,4\n".encode(encoding), "a.csv")
    assert table.columns == ("größe", "b") and table.records().tolist() == [[1, 2], [3, 4]]
    assert "Read as UTF-16" in table.notes[0]
    documents = upload.read("über den Fluss\nunter der Brücke\n".encode(encoding), "a.txt")
    assert documents.texts == ("über den Fluss", "unter der Brücke")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("old.xls", "To convert it: open it in a spreadsheet program and save it as .xlsx or .csv"),
        ("folder/a.parquet", r"pandas.read_parquet\('a.parquet'\).to_csv\('a.csv', index=False\)"),
        ("a.sav", r"pandas.read_spss\('a.sav'\)"),
        ("a.rds", r"write.csv\(readRDS\('a.rds'\), 'a.csv', row.names = FALSE\)"),
        ("a.pkl", "pickled files are never read, since they can run code"),
        ("a.csv.gz", "unpack it and hand in the table inside"),
        ("a.png", r"is of no kind that can be read. Wanted: .csv .*\.xlsx"),
        ("{x}.parquet", r"read_parquet\('{x}.parquet'\)"),
    ],
)
def test_a_refused_format_says_how_to_convert_it(name, words):
    with pytest.raises(UploadError, match=words):
        upload.read(b"anything", name)

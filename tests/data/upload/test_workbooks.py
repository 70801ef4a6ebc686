"""Workbooks as people and programs write them, and as an attacker does: the right sheet, heading, codes, gaps, sizes."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

import numpy as np
import pytest

from data import upload
from data.columns import Column, Description, encode, survey
from data.upload import Limits, UploadError

openpyxl = pytest.importorskip("openpyxl")
LIMITS = Limits(expanded=400_000_000, columns=1000)
TABLE = [["age", "sbp"], *([30 + i, 120 + i] for i in range(12))]


def workbook(*sheets, merged=(), hidden=()):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in rows:
            sheet.append(row)
    for cells in merged:
        sheet.merge_cells(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def edited(content, change, part="xl/worksheets/sheet1.xml"):
    """A workbook in which one part was changed as text."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            found = old.read(name)
            new.writestr(name, change(found.decode()) if name == part else found)
    return stream.getvalue()


def ods(rows):
    """A table of LibreOffice, with the empty rows to the end of the sheet that it writes."""
    ends = "</table:table-cell>"
    cells = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell {one}{ends}' for one in row)}</table:table-row>"
        for row in rows
    )
    cells += '<table:table-row table:number-rows-repeated="1048570">'
    cells += '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    kinds = ("office", "table", "text")
    names = "".join(f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in kinds)
    body = f'<office:spreadsheet><table:table table:name="S">{cells}</table:table></office:spreadsheet>'
    body = f"<office:document-content{names}><office:body>{body}</office:body></office:document-content>"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", body)
    return stream.getvalue()


def words(text):
    return f'office:value-type="string"><text:p>{text}</text:p>'


def value(number):
    return f'office:value-type="float" office:value="{number}"><text:p>{number}</text:p>'


@pytest.mark.parametrize(
    "size",
    [
        "A1:B3",
        "A1:A13",
        "A1",
        "B3:A1",
        "A1:XFD30001",
        "A1:XFD1048576",
        "",
        "hello",
        "A0:B0",
        "A:B",
        "1:3",
        None,
    ],
)
def test_what_a_sheet_says_of_its_own_size_is_never_believed(size):
    said = "" if size is None else f'<dimension ref="{size}"/>'
    content = edited(workbook(("S", TABLE)), lambda text: text.replace('<dimension ref="A1:B13" />', said))
    table = upload.read(content, "a.xlsx", limits=LIMITS)
    assert table.records().tolist() == TABLE[1:]


@pytest.mark.parametrize("cell", ["XFD1048576", "ABC900000", "AAA1", "ALM2", "CV999999"])
def test_a_value_far_away_is_named_and_an_empty_cell_there_is_none(cell):
    def with_cell(rest):
        row = f'<row r="99"><c r="{cell}"{rest}</row></sheetData>'
        return edited(workbook(("S", TABLE)), lambda text: text.replace("</sheetData>", row))

    assert upload.read(with_cell(' s="0"/>'), "a.xlsx", limits=LIMITS).frame.shape == (12, 2)
    if cell != "AAA1":
        with pytest.raises(UploadError, match=cell):
            upload.read(with_cell("><v>1</v></c>"), "a.xlsx", limits=LIMITS)


def test_half_a_million_styles_are_passed_over():
    content = edited(
        workbook(("S", TABLE)),
        lambda text: text.replace("</cellXfs>", "<xf/>" * 500_000 + "</cellXfs>"),
        "xl/styles.xml",
    )
    assert len(content) < 40_000
    assert upload.read(content, "a.xlsx", limits=LIMITS).frame.shape == (12, 2)


LONG = [["A project of many words", *[None] * 0], *[["and a line of it"]] * 300]
DICTIONARY = [
    ["name", "meaning", "unit", "remark"],
    *[["age", "age at entry", "years", "of the passport"]] * 60,
]
CODES = [["code", "label"], *([i, f"name {i}"] for i in range(40_00))]


@pytest.mark.parametrize(
    ("others", "hidden", "wide", "first"),
    [
        ([("README", LONG)], (), 2, True),
        ([("dictionary", DICTIONARY)], (), 2, False),
        ([("codes", CODES)], ("codes",), 2, True),
        ([("codes", CODES)], (), 5, False),
        ([("cover", [["Report"]]), ("empty", [])], (), 2, True),
    ],
)
def test_the_sheet_of_records_is_read_wherever_it_stands_and_the_others_are_named(
    others, hidden, wide, first
):
    rows = [[f"x{j}" for j in range(wide)], *([i + j / 4 for j in range(wide)] for i in range(100))]
    sheets = [*others, ("patients", rows)] if first else [("patients", rows), *others]
    table = upload.read(workbook(*sheets, hidden=hidden), "a.xlsx")
    assert table.columns == tuple(rows[0]) and len(table.frame) == 100
    assert any(all(repr(name) in note for name in ("patients", others[0][0])) for note in table.notes)


def test_a_sheet_is_read_by_its_name_and_a_wrong_name_lists_those_there_are():
    content = workbook(("2023", TABLE), ("2024", [*TABLE, [1, 2]]))
    assert [len(upload.read(content, "a.xlsx", sheet=name).frame) for name in ("2023", "2024")] == [12, 13]
    with pytest.raises(UploadError, match=r"'2025'.*'2023', '2024'"):
        upload.read(content, "a.xlsx", sheet="2025")
    assert len(upload.read(workbook(("only", TABLE), hidden=("other",)), "a.xlsx").frame) == 12


SITES = [["hospital", "age"], *([["Mercy", None, None, "Anne", None, None][i], 30 + i] for i in range(6))]


@pytest.mark.parametrize(
    ("rows", "merged"),
    [
        (SITES, ["A2:A4", "A5:A7"]),
        ([["Export of 2024", None], *SITES], ["A1:B1", "A3:A5", "A6:A8"]),
        ([[None, None], ["Ward list", None], [None, None], *SITES], ["A2:B2", "A5:A7", "A8:A10"]),
    ],
)
def test_titles_are_no_heading_and_what_is_merged_stands_in_every_row(rows, merged):
    table = upload.read(workbook(("S", rows), merged=merged), "a.xlsx")
    assert table.sites("hospital").names == ("Anne", "Mercy") and len(table.frame) == 6


@pytest.mark.parametrize("gap", ["NA", "n/a", "#N/A", "#DIV/0!", "#REF!", "#VALUE!", "-", "null", None])
def test_words_and_errors_that_stand_for_nothing_are_gaps(gap):
    rows = [["site", "age"], ["A", gap], *(["AB"[i % 2], 30 + i / 2] for i in range(9))]
    (fact,) = (one for one in survey(upload.read(workbook(("S", rows)), "a.xlsx").frame) if one.name == "age")
    assert (fact.kind, fact.gaps) == ("number", 1)


def test_codes_stay_codes_and_years_name_columns():
    codes = [["ward", "id", "y"], *([f"{i % 3:02}", f"{10**21 + i}", i / 2] for i in range(9))]
    frame = upload.read(workbook(("S", codes)), "a.xlsx").frame
    assert frame["ward"].tolist() == ["00", "01", "02"] * 3 and frame["id"].nunique() == 9
    years = [["site", 2019, 2020], *(["AB"[i % 2], 10 + i, 20.5 + i] for i in range(9))]
    table = upload.read(workbook(("S", years)), "a.xlsx")
    assert table.columns == ("site", "2019", "2020") and len(table.frame) == 9


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ('<c r="C2"><f>A2/B2</f><v /></c>', True),
        ('<c r="C2"><f>A2/B2</f></c>', True),
        ('<c r="C2" s="1"><f t="shared" si="0"/><v></v></c>', True),
        ('<c r="C2"><f>A2/B2</f><v>0.25</v></c>', False),
        ('<c r="C2" t="str"><f>IF(A2,"",1)</f><v></v></c>', False),
    ],
)
def test_formulas_that_were_never_computed_are_named(cell, told):
    rows = [["a", "b", "ratio"], *([i, i + 1, None] for i in range(5))]
    content = edited(
        workbook(("S", rows)), lambda text: text.replace('</row><row r="3"', f'{cell}</row><row r="3"')
    )
    table = upload.read(content, "a.xlsx")
    assert any("ormula" in note and "save" in note for note in table.notes) == told
    assert table.records(["a", "b"]).shape == (5, 2)


@pytest.mark.parametrize("times", [2_000_000, 10**9])
def test_a_row_that_stands_more_often_than_a_sheet_has_rows_is_refused(times):
    content = ods([[words("ward"), words("age")], [words("01"), value(30)], [words("02"), value(31.5)]])

    def repeated(text):
        row = "<table:table-row>"
        before, _, last = text.rpartition(row)
        return f'{before}<table:table-row table:number-rows-repeated="{times}">{last}'

    with pytest.raises(UploadError, match="times"):
        upload.read(edited(content, repeated, "content.xml"), "a.ods")


def test_workbooks_of_libreoffice_are_read_alike():
    rows = [
        [words("ward"), words("age")],
        [words("01"), value(30)],
        [words("02"), value(31.5)],
        [words("01"), value(7)],
    ]
    table = upload.read(ods(rows), "a.ods")
    assert table.frame["ward"].tolist() == ["01", "02", "01"]
    np.testing.assert_array_equal(table.frame["age"], [30, 31.5, 7])


@pytest.mark.parametrize("kind", ["xlsx", "xlsm", "ods"])
@pytest.mark.parametrize("content", [b"PK", bytes(10_000), b"a,b\n1,2\n"])
def test_what_is_no_workbook_is_said(kind, content):
    with pytest.raises(UploadError, match=f"'a.{kind}'"):
        upload.read(content, f"a.{kind}")


@pytest.mark.parametrize(
    ("number", "named"),
    [
        (9007199254740993, True),
        (1234567890123456789012, True),
        (123456789012345, False),
        ("9007199254740993", False),
    ],
)
def test_numbers_longer_than_a_sheet_keeps_are_named(number, named):
    notes = upload.read(workbook(("a", [["id", "y"], *([number, i] for i in range(12))])), "a.xlsx").notes
    assert bool(notes) == named


def rows_of(cell, count=24):
    return [["site", "x", "age"], *(["ABC"[i % 3], cell(i), 30 + i] for i in range(count))]


def facts(*sheets, **options):
    table = upload.read(workbook(*sheets, **options), "a.xlsx")
    return table, {one.name: one for one in survey(table.frame)}


def test_true_dates_are_read_beside_typed_ones():
    def cell(i):
        return datetime(2024, 3, 1 + i) if i % 3 else f"{1 + i:02d}.03.2024"

    table, about = facts(("a", rows_of(cell)))
    assert (about["x"].kind, about["x"].written) == ("date", "31.12.2024") and "two ways" in about["x"].note
    column = Column("x", "date", lower="2024-03-01", upper="2024-03-24")
    records = encode(table.frame, Description((column,))).records[:, 0]
    np.testing.assert_allclose(records, np.linspace(-1, 1, 24), atol=1e-12)


@pytest.mark.parametrize("sign", [",", "."])
def test_true_numbers_are_read_beside_typed_ones(sign):
    table, about = facts(("a", rows_of(lambda i: 60.125 + i if i % 3 else f"{60 + i}{sign}5")))
    assert about["x"].kind == "number"
    wanted = [60.125 + i if i % 3 else 60.5 + i for i in range(24)]
    np.testing.assert_array_equal(table.records(["x"])[:, 0], wanted)


def test_a_share_of_a_workbook_beside_typed_percentages_is_asked_about():
    _, about = facts(("a", rows_of(lambda i: 0.1 + i / 100 if i % 3 else f"{10 + i}%")))
    assert about["x"].kind == "category" and about["x"].units == ("%", "") and "0.11" in about["x"].note


def test_what_stands_above_and_beside_a_table_is_told_from_it():
    rows = [["Registry of 2024", "page 1"], ["printed 3 March"], [], ["site", "age", "sbp", None, "legend"]]
    rows += [["ABC"[i % 3], 30 + i, 120 + i, None, "n = north" if i < 2 else None] for i in range(24)]
    table, _ = facts(("a", rows))
    assert table.columns == ("site", "age", "sbp") and len(table.frame) == 24
    assert any("'Registry of 2024'" in note for note in table.notes) and any(
        "'legend'" in n for n in table.notes
    )


def test_names_in_two_lines_and_units_below_names_are_no_records():
    numbers = [["AB"[i % 2], 60 + i, i, i + 0.5, i] for i in range(24)]
    groups = [[None, "Baseline", None, "End", None], ["site", "age", "sbp", "age", "sbp"]]
    table, _ = facts(("a", groups + numbers))
    assert table.columns == ("site", "Baseline age", "Baseline sbp", "End age", "End sbp")
    units = [["site", "age", "sbp", "crp", "n"], [None, "years", "mmHg", "mg/L", None]]
    table, about = facts(("a", units + numbers))
    assert (
        len(table.frame) == 24 and about["sbp"].kind == "number" and any("'years'" in n for n in table.notes)
    )


def test_hidden_rows_and_columns_are_named():
    def hide(text):
        for row in (3, 4, 6):
            text = text.replace(f'<row r="{row}"', f'<row r="{row}" hidden="1"')
        columns = '<cols><col min="2" max="2" width="9" hidden="1"/><col min="3" max="3" width="9"/></cols>'
        return text.replace("<sheetData>", f"{columns}<sheetData>")

    content = workbook(("codes & more", [["x"]]), ("a & b", rows_of(float)))
    notes = upload.read(edited(content, hide, "xl/worksheets/sheet2.xml"), "a.xlsx").notes
    assert any("3 rows are hidden" in note for note in notes) and any(
        note.endswith("column 'x'.") for note in notes
    )
    assert not any("idden" in note for note in upload.read(edited(content, hide), "a.xlsx").notes)


def test_hidden_rows_of_libreoffice_are_named():
    cells = [[words("ward"), words("age")], *([words("AB"[i % 2]), value(30 + i)] for i in range(6))]
    filtered = 'visibility="filter" table:number-rows-repeated="1"'

    def hide(text):
        first, second, *rest = text.split("<table:table-row>")
        return (
            f"{first}<table:table-row>{second}<table:table-row table:{filtered}>"
            + "<table:table-row>".join(rest)
        )

    notes = upload.read(edited(ods(cells), hide, "content.xml"), "a.ods").notes
    assert len(notes) == 1 and "1 row is hidden" in notes[0]


def test_a_workbook_by_another_name_is_read_and_said():
    content = workbook(("a", rows_of(float)))
    table = upload.read(content, "a.csv")
    assert table.columns == ("site", "x", "age") and ".xlsx" in table.notes[0]
    assert upload.read(b"a,b\n1,2\n3,4\n", "a.xlsx").columns == ("a", "b")
    with pytest.raises(UploadError, match=r"a \.xlsx file"):
        upload.read(content, "a.txt")

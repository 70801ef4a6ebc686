"""Delimited files as people and programs write them: each is read right, or what is unclear is named."""

from __future__ import annotations

import math

import pytest

from data import upload
from data.columns import Column, Description, cells, survey
from data.upload import UploadError
from data.upload.own_table import described_table
from tests.benchmarks import delimited_files, readers

ROWS = range(12)


def read(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return upload.read(content, "a.csv", **options)


def lines(form, rows=ROWS):
    """Lines of a form in which {i} is the row's number."""
    return "".join(
        form.format(i=i, j=i + 1, k=1000 + 37 * i, ab="AB"[i % 2], abc="ABC"[i % 3]) + "\n" for i in rows
    )


def facts(table):
    return {one.name: one for one in survey(table.frame)}


@pytest.mark.parametrize("case", list(delimited_files.cases()), ids=lambda case: case.name)
def test_every_file_of_the_comparison_is_read_right(case):
    assert readers.is_right(case, readers.ours(case.content, ""), values=True)


# U-A: separators where cells hold commas.


@pytest.mark.parametrize(
    ("text", "columns", "first", "last"),
    [
        ("site|cost\n" + lines("{ab}|{i},5"), ("site", "cost"), ["A", 0.5], ["B", 11.5]),
        (lines("{ab}\t{i},25"), ("column 1", "column 2"), ["A", 0.25], ["B", 11.25]),
        ("name;age\n" + lines("Doe,John{i};{j}"), ("name", "age"), ["Doe,John0", 1], ["Doe,John11", 12]),
        ("a;b\n" + lines("{i};{j},5"), ("a", "b"), [0, 1.5], [11, 12.5]),
        ("id,list\n" + lines("{i},x;y;{i}"), ("id", "list"), [0, "x;y;0"], [11, "x;y;11"]),
        ("a|b|c\n" + lines('{i}|"p, q | r"|{j},5'), ("a", "b", "c"), [0, "p, q | r", 1.5], [11, "p, q | r", 12.5]),
        ("Gewicht, kg;Größe, m\n" + lines("{k},5;1,{j}"), ("Gewicht, kg", "Größe, m"), [1000.5, 1.1], [1407.5, 1.12]),
        ("dose\n" + lines("{i},5"), ("dose",), [0.5], [11.5]),
    ],
)  # fmt: skip
def test_cells_are_cut_where_the_separator_stands(text, columns, first, last):
    table = read(text)
    assert table.columns == columns and len(table.frame) == len(ROWS)
    assert table.frame.iloc[0].tolist() == first and table.frame.iloc[-1].tolist() == last


# U-E: headings that are numbers.


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("site;2019;2020\n" + lines("{ab};{i},5;{j},25"), ("site", "2019", "2020")),
        (",0\n" + lines("{i},{i}.25"), ("column 1", "0")),
        ("0\n" + lines("{i}.25"), ("0",)),
        (",0,1\n" + lines("{i},{j},{k}"), ("column 1", "0", "1")),
        ("1,2,3\n" + lines("{i}.5,{j}.5,{k}.5"), ("1", "2", "3")),
        ("10,20,50\n" + lines("{i}.5,{j}.5,{k}.5"), ("10", "20", "50")),
        ("patient,10,20\n" + lines("p{i},{i},{j}"), ("patient", "10", "20")),
        ("region,2019Q1,2019Q2\n" + lines("{abc},{i},{j}"), ("region", "2019Q1", "2019Q2")),
        ("region,2019-01-01,2019-02-01\n" + lines("{abc},{i},{j}"), ("region", "2019-01-01", "2019-02-01")),
    ],
)
def test_headings_may_be_numbers(text, columns):
    table = read(text)
    assert table.columns == columns and len(table.frame) == len(ROWS)


@pytest.mark.parametrize(
    "text", ["<5,2\n3,4\n", "1,2\n3,4\n", "2020,2019\n2021,2022\n", "5.5,6.5\n7.5,8.5\n"]
)
def test_a_first_line_of_numbers_that_is_no_heading_is_a_record_and_said_so(text):
    table = read(text)
    assert len(table.frame) == 2 and any("first line" in note for note in table.notes)
    assert len(read(text + text, header=True).frame) == 3


# U-F and U-G: words that are values, and codes.


@pytest.mark.parametrize(
    ("word", "listed"),
    [
        ("None", ("None", "Drug")),
        ("NA", ("NA", "EU")),
        ("Unknown", ("Drug", "Unknown")),
        ("-", ("-", "+")),
        ("n/a", ("n/a", "x")),
    ],
)
def test_a_word_is_a_gap_unless_the_description_lists_it(word, listed):
    other = next(value for value in listed if value != word)
    table = read("arm,y\n" + "".join(f"{(word, other)[i % 2]},{i}\n" for i in ROWS))
    assert facts(table)["arm"].gaps == 6 and word in facts(table)["arm"].note
    y = Column("y", lower=0, upper=12)
    for values, kept in ((listed, 12), ((other, "third"), 6)):
        made = described_table(table, Description((Column("arm", "category", values=values), y)))
        assert len(made.records) == kept


@pytest.mark.parametrize(("listed", "sites"), [((), ("EU",)), (("NA", "EU", "AS"), ("AS", "EU", "NA"))])
def test_a_site_may_be_called_na_where_it_is_listed(listed, sites):
    table = read("at,y\n" + "".join(f"{('NA', 'EU', 'AS' if listed else 'EU')[i % 3]},{i}\n" for i in ROWS))
    described = Description((Column("at", "category", values=listed), Column("y", lower=0, upper=12)), "at")
    if len(sites) < 2:
        with pytest.raises(UploadError, match=r"'at'.*'NA'"):
            described_table(table, described)
    else:
        assert set(described_table(table, described).site_names) == set(sites)


@pytest.mark.parametrize(
    "codes",
    [
        ("007", "7", "070"),
        ("2E3", "20E2", "2000"),
        ("90071992547409921", "90071992547409922", "1"),
        ("038.9", "38.9", "250.0"),
        ("01.0", "1.0", "10.0"),
        ("0001E5", "1E5", "2E5"),
    ],
)
def test_codes_stay_what_they_are(codes):
    table = read("code,y\n" + "".join(f"{codes[i % 3]},{i}\n" for i in ROWS))
    assert "code" not in table.numeric and facts(table)["code"].kind == "category"
    assert facts(table)["code"].site_names == tuple(sorted(codes))
    described = Description(
        (Column("code", "category", values=codes), Column("y", lower=0, upper=12)), "code"
    )
    assert sorted(described_table(table, described).site_names) == sorted(codes)
    found, unlisted = cells.choices(table.frame["code"], codes)
    assert unlisted == 0 and found.tolist() == [i % 3 for i in ROWS]


def test_codes_are_numbers_where_the_description_says_so():
    table = read("dose,y\n" + lines("0{i},{j}"))
    made = described_table(
        table, Description((Column("dose", lower=0, upper=11), Column("y", lower=1, upper=12)))
    )
    assert made.records[-1] * math.sqrt(2) == pytest.approx([1, 1])


# U-K: numbers as they are written.


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x;y\n1.100;0,5\n2.137;1,5\n", [1100, 2137]),
        ("x|y\n12.507|0,25\n1.100|1,25\n", [12507, 1100]),
        ("x\ty\n1,100\t0.5\n2,137\t1.5\n", [1100, 2137]),
        ('s,x\nA,"0,5"\nB,"1,234"\n', [0.5, 1.234]),
        ('s,x\nA,"0,123"\nB,"0,154"\n', [0.123, 0.154]),
        ("s;x\nA;50’100.50\nB;1’000’000.25\n", [50100.5, 1000000.25]),
        ("s;x\nA;50'100\nB;7'000\n", [50100, 7000]),
        ("s;x\nA;1\u00a0100,50\nB;12\u00a0137,25\n", [1100.5, 12137.25]),
        ("s;x\nA;1\u202f100\nB;−12\u202f137\n", [1100, -12137]),
        ("s,x\nA,−1.5\nB,2.5\n", [-1.5, 2.5]),
        ("s,x\nA,+1.5\nB,1.5e-3\n", [1.5, 0.0015]),
        ('s,x\nA,"1,234,567.5"\nB,"1,100"\n', [1234567.5, 1100]),
    ],
)
def test_numbers_are_read_in_the_notation_that_the_file_shows(text, values):
    table = read(text)
    assert table.values("x").tolist() == values


@pytest.mark.parametrize(
    ("texts", "unit", "values"),
    [
        (("$1,100.50", "$2,137.25"), "$", (1100.5, 2137.25)),
        (("-€5", "€7.5"), "€", (-5, 7.5)),
        (("CHF 1’100.50", "CHF 7.00"), "CHF", (1100.5, 7)),
        (("1.5 mg/dL", "2.5 mg/dl"), "mg/dL", (1.5, 2.5)),
        (("1,5 KG", "2,5 kg"), "KG", (1.5, 2.5)),
        (("12 MMOL/L", "<7 mmol/l"), "MMOL/L", (12, 7)),
    ],
)
def test_units_before_and_behind_numbers(texts, unit, values):
    table = read("s;x\n" + "".join(f"A;{text}\n" for text in texts))
    found = facts(table)["x"]
    assert (found.kind, found.unit) == ("number", unit)
    low, high = min(values), max(values)
    made = described_table(table, Description((Column("x", unit=unit.lower(), lower=low, upper=high),)))
    assert made.records[:, 0] == pytest.approx([2 * (value - low) / (high - low) - 1 for value in values])


@pytest.mark.parametrize(
    "text", ["s;x\nA;1.100\nB;2.137\n", "s|x\nA|1,100\nB|2,137\n", 's,x\nA,"1,100"\nB,"2,137"\n']
)
def test_a_number_of_two_readings_is_named_and_the_user_chooses(text):
    table = read(text)
    found = facts(table)["x"]
    assert found.kind == "number" and {found.written, found.other} == {"1,234.5", "1.234,5"}
    assert found.written in found.note and found.other in found.note
    with pytest.raises(UploadError, match="'x'"):
        table.records(["x"])
    column = {"name": "x", "lower": 0, "upper": 4000}
    with pytest.raises(UploadError, match="'x'"):
        described_table(table, Description((Column(**column),)))
    read_as = {
        written: described_table(table, Description((Column(**column, written=written),))).records[0, 0]
        * 2000
        + 2000
        for written in ("1,234.5", "1.234,5")
    }
    assert sorted(read_as.values()) == pytest.approx([1.1, 1100])


@pytest.mark.parametrize(
    ("text", "sign"),
    [("s;x\nA;1,100\nB;2,137\n", "1,100"), ("s;x\nA;0,125\nB;1,137\n", ""), ("s,x\nA,1.100\nB,2.137\n", "")],
)
def test_a_decimal_sign_that_the_separator_tells_is_said(text, sign):
    table = read(text)
    assert abs(table.values("x")).max() < 3
    assert any("groups of" in note and sign in note for note in table.notes) == bool(sign)


# U-L: what stands above and below a table.


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("Report\n", ""),
        ("Report of 2024,,\nWard 3,,\n", ""),
        ("# by the register\n# 2024-05-01\n", ""),
        ('"Patients, ward 3"\n\n', ""),
        ("\n\n,,\n", ""),
        ("sep=,\n", ""),
        ('"sep=,"\n', ""),
        ("", "Total,,77.5\n"),
        ("", "Grand Total,66,77.5\n"),
        ("", "Summe:,66,\n"),
        ("", "Mean (n = 12),5.5,6.5\n"),
        ("", "\nSource: clinic register\n"),
        ("", ",,\nNote: weights are rounded,,\n"),
        ("Report\n", "Source: clinic register\nprinted on Monday\n"),
    ],
)
def test_titles_and_remarks_are_no_records(above, below):
    text = f"{above}ward,n,x\n{lines('{abc}{i},{i},{j}.5')}{below}"
    table = read(text)
    assert table.columns == ("ward", "n", "x") and len(table.frame) == len(ROWS)
    assert table.records(["n", "x"])[-1].tolist() == [11, 12.5]
    said = " ".join(table.notes)
    for line in (above + below).splitlines():
        word = line.strip('",#').split(",")[0].strip()
        assert not word or word.startswith("sep=") or word[:12] in said


@pytest.mark.parametrize(
    "end", ["Total,5,6.5\nA0,7,8.5\n", "D,,\n", "TotalCare,1,2.5\n", ",66,77.5\n", "42,13\n"]
)
def test_rows_that_look_like_records_stay(end):
    text = "ward,n,x\n" + lines("{abc}{i},{i},{j}.5") + end
    table = read(text)
    assert len(table.frame) == len(ROWS) + end.count("\n")


@pytest.mark.parametrize(
    "end", ["(c) 2024 Registry, all rights reserved\n", "Exported,2024-01-01\n", "\nby,the ward\n"]
)
def test_words_below_columns_of_numbers_are_a_remark(end):
    table = read("n,x\n" + lines("{i},{j}.5") + end)
    assert len(table.frame) == len(ROWS) and table.numeric == ("n", "x")


def test_a_hint_of_the_separator_counts():
    text = "sep=;\n" + "a,b;c\n" + lines("{i},5;{j}")
    table = read(text)
    assert table.columns == ("a,b", "c") and table.values("a,b")[1] == 1.5
    assert read("sep=;\na,b\n1,2\n3,4\n").columns == ("a", "b")  # A hint that is not so.
    assert read("\ufeffsep=\t\r\na\tb\r\n1\t2\r\n3\t4\r\n").columns == ("a", "b")


# U-M: line ends.


@pytest.mark.parametrize(
    "text",
    [
        "age,sbp\r30,120\r31,121\r",
        "age;sbp\r30;120\r31;121",
        "age,sbp\n30,120\r\n31,121\r",
        "age,sbp\r\r\n30,120\r\r\n31,121\r\r\n",
        "age,sbp\r\n30,120\r\n31,121\r\n\x1a",
        "age,sbp\n30,120\n31,121\x1a\x1a\x1a",
        "age,sbp\r\n30,120\r\n31,121\r\n\x1a\r\n",
        "\ufeff\ufeff\ufeffage,sbp\n30,120\n31,121\n",
        "age,sbp\n\n30,120\n\n31,121\n\n",
        "age,sbp,\n30,120,\n31,121,\n",
        "age,sbp\n30,120,\n31,121,\n",
        "age,sbp\n30,120\n31,121\n,\n,\n",
    ],
)
def test_rows_end_however_a_program_ends_them(text):
    table = read(text)
    assert table.columns == ("age", "sbp")
    assert table.records().tolist() == [[30, 120], [31, 121]]


def test_a_long_cell_of_lines_and_a_file_of_many_rows():
    # Beyond the first lines and beyond a block, a column may still become text.
    rows = [f'{i},"line\nline, {i}",0.5' for i in range(500)] + ["501,end,late"]
    text = "a,b,c\n" + "\n".join(rows)
    table = read(text)
    assert len(table.frame) == 501 and table.frame["b"][499] == "line\nline, 499"
    assert table.frame["c"].iloc[0] == "0.5" and "c" not in table.numeric
    assert "late" in facts(table)["c"].note and "row 501" in facts(table)["c"].note


# U-P: dates.


@pytest.mark.parametrize(
    ("texts", "iso", "words"),
    [
        (("2024-03-01T08:00:00-05:00", "2024-03-02T08:00:00-05:00"), "2024-03-01", "Times"),
        (("2024-03-01 08:00:00.125Z", "2024-03-02 00:00:00Z"), "2024-03-01", "Times"),
        (("2024-03-01 08:30+0530", "2024-03-02 09:30+0530"), "2024-03-01", "Times"),
        (("01.03.2024 8:30 PM", "13.03.2024 9:30 AM"), "2024-03-01", "Times"),
        (("13.03.24", "01.04.24"), "2024-03-13", "two digits"),
        (("13/03/99", "14/04/00"), "1999-03-13", "two digits"),
        (("03/13/24", "04/01/24"), "2024-03-13", "two digits"),
        (("2024-03-01T00:00:00", "2024-03-02T00:00:00"), "2024-03-01", ""),
        (("2024-3-1", "2024-12-31"), "2024-03-01", ""),
        (("1 Mar 2024", "2 April 2024"), "2024-03-01", ""),
        (("01-Mar-24", "02-Dez-24"), "2024-03-01", "two digits"),
        (("1. März 2024", "2. Mai 2024"), "2024-03-01", ""),
        (("2024-03-01 08:30 GMT", "2024-03-02 08:30 CEST"), "2024-03-01", "Times"),
    ],
)
def test_dates_are_read_and_what_they_lose_is_said(texts, iso, words):
    table = read("d;y\n" + "".join(f"{text};{i}\n" for i, text in enumerate(texts)))
    found = facts(table)["d"]
    assert found.kind == "date" and words in found.note
    assert ("Times" in found.note) == (words == "Times")
    when = Column("d", "date", lower=iso, upper="2030-01-01")
    assert described_table(table, Description((when, Column("y", lower=0, upper=1)))).records[
        0, 0
    ] == pytest.approx(-1 / math.sqrt(2))


@pytest.mark.parametrize(
    "texts", [("01/02/2024", "11/12/2024"), ("1/2/24", "3/4/24"), ("05-06-2024", "07-08-2024")]
)
def test_dates_of_two_readings_are_named_and_the_user_chooses(texts):
    table = read("d;y\n" + "".join(f"{text};{i}\n" for i, text in enumerate(texts)))
    found = facts(table)["d"]
    assert {found.written, found.other} == {"31.12.2024", "12/31/2024"} and found.other in found.note
    about = {"name": "d", "kind": "date", "lower": "2024-01-01", "upper": "2024-12-31"}
    with pytest.raises(UploadError, match="'d'"):
        described_table(table, Description((Column(**about),)))
    firsts = {
        described_table(table, Description((Column(**about, written=written),))).records[0, 0]
        for written in (found.written, found.other)
    }
    assert len(firsts) == 2


# U-Q: names.


@pytest.mark.parametrize(
    ("names", "sites"),
    [
        (("Zürich", "Zu\u0308rich", "Bern"), {"Zürich", "Bern"}),
        (("Genève", "Gene\u0300ve ", "Bern"), {"Genève", "Bern"}),
        (("Mercy", "Mercy ", "\u00a0Mercy", "Anne"), {"Mercy", "Anne"}),
        (("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8", "서울"), {"한국", "서울"}),
    ],
)
def test_one_name_written_in_two_ways_is_one_site(names, sites):
    table = read("hospital,y\n" + "".join(f"{names[i % len(names)]},{i}\n" for i in ROWS))
    assert set(facts(table)["hospital"].site_names) == sites
    described = Description((Column("hospital", "category"), Column("y", lower=0, upper=12)), "hospital")
    assert set(described_table(table, described).site_names) == sites
    assert set(table.sites("hospital").names) == sites


def test_a_heading_in_decomposed_letters_is_the_described_column():
    table = read("gro\u0308ße,y\n1,2\n3,4\n")
    made = described_table(
        table, Description((Column("größe", lower=1, upper=3), Column("y", lower=2, upper=4)))
    )
    assert made.records[0] * math.sqrt(2) == pytest.approx([-1, -1])


# V 8: a description holds ranges and meanings; how cells are spelled belongs to each file.

US = "site,weight,cost,seen,note\n" + "".join(
    f'{"AB"[i % 2]},{60 + i}.5,"{1 + i},100.50",2024-03-{i + 1:02d},{("NA", "x", "y")[i % 3]}\n' for i in ROWS
)
GERMAN = "site;weight;cost;seen;note\n" + "".join(
    f"{'AB'[i % 2]};{60 + i},5;{1 + i}.100,50;{i + 1:02d}.03.2024;{('k.A.', 'x', 'y')[i % 3]}\n" for i in ROWS
)
BARS = GERMAN.replace(";", "|").replace(".2024", ".24")


@pytest.mark.parametrize("text", [GERMAN, BARS, GERMAN.replace("\n", "\r\n"), "Export\n" + GERMAN])
def test_a_description_of_one_hospital_fits_the_file_of_another(text):
    dates = {"lower": "2024-03-01", "upper": "2024-03-31"}
    described = Description(
        (
            Column("site", "category"),
            Column("weight", lower=60, upper=80),
            Column("cost", lower=1000, upper=13000),
            Column("seen", "date", **dates, written="2024-12-31"),
            Column("note", "category", values=("x", "y"), missing="mark"),
        ),
        "site",
    )
    here, there = (described_table(read(one), described) for one in (US, text))
    assert (here.records == there.records).all() and len(here.records) == len(ROWS)


# Every column that gets no meaning says why.


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([*map(str, range(20)), "abc"], ("'abc'", "row 21")),
        ([*(f"{i},5" for i in range(20)), "1.5"], ("'1.5'", "row 21")),
        ([f"2024-01-{i + 1:02d}" for i in range(20)] + ["2024-02-31"], ("'2024-02-31'", "row 21")),
        (["5 kg", "6 lb"] * 9, ("'kg'", "'lb'")),
        (["01", "02"] * 9, ("'01'",)),
        (["1e3", "2e3"] * 9, ("'1e3'",)),
        (["20240301", "20240302"] * 9, ("20241231",)),
        (["1,00,000", "2,50,000"] * 9, ("'1,00,000'",)),
        (["120/80", "130/85"] * 9, ("'120/80'",)),
    ],
)
def test_a_column_says_why_it_gets_no_meaning(texts, words):
    note = facts(read("x;y\n" + "".join(f"{text};1\n" for text in texts)))["x"].note
    assert all(word in note for word in words)


# U-O: tables in which nothing differs.

BOX = {"lower": 0, "upper": 1}


@pytest.mark.parametrize(
    "text", ["a,b\n0.5,0.5\n0.5,0.5\n", "a;b\n0,5;0,5\n0,50;0,5\n", "a,b\n0.5,5e-1\n.5,0.50\n0.5,0.5\n"]
)
def test_records_that_all_lie_at_the_middle_are_refused(text):
    with pytest.raises(UploadError, match="middle"):
        described_table(read(text), Description((Column("a", **BOX), Column("b", **BOX))))


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Zu\u0308,Zü,x", ("Zü", "Zü (2)", "x")),
        ("a,a,a (2)", ("a", "a (3)", "a (2)")),
        (",column 1,y", ("column 1 (2)", "column 1", "y")),
    ],
)
def test_every_column_keeps_its_cells_and_whoever_has_a_name_keeps_it(heading, names):
    frame = read(heading + "\n" + lines("{i},{k},{j}")).frame
    assert tuple(frame) == names
    assert frame.iloc[-1].tolist() == [11, 1407, 12]


@pytest.mark.parametrize("cell", ["{i}½", "{j}²", "{i}⅓", "{j}①", "{j}₂"])
def test_a_fraction_or_a_power_is_no_unit(cell):
    assert facts(read("a,y\n" + lines(cell + ",{i}")))["a"].kind == "category"
    assert facts(read("a,y\n" + lines("{i} m²,{i}")))["a"].unit == "m²"


@pytest.mark.parametrize(
    "foot", ["\nn = 12\n", ";\nn = 12;\nSource: clinic;\n", "\nn = 12;\n\nSource: clinic\n"]
)
def test_texts_alone_below_a_blank_row_are_no_sites(foot):
    table = read("at;y\n" + lines("{ab};{i},5") + foot)
    assert facts(table)["at"].site_names == ("A", "B") and "n = 12" in " ".join(table.notes)
    assert (
        len(read("at;y\n\n" + lines("{abc}{i};{i},5\n") + "Ann;\n\n").frame) == 13
    )  # A record, a line apart.


def test_a_last_row_that_is_cut_off_is_named():
    whole = "a,b,c\n" + lines("{i},{j},{k}")
    assert len(read(whole + "12,1").notes) == len(read(whole).notes) + 1


@pytest.mark.parametrize(
    "form",
    [
        "March {j}, 2024",
        "Mar {j} 2024",
        "{j}th of March 2024",
        "Mar-{j}-24",
        "mars {j}, 2024",
        "{j} Mar 2024",
    ],
)
def test_a_month_by_name_is_a_date_wherever_it_stands(form):
    table = read("d,y\n" + lines(f'"{form}",{{i}}'))
    assert facts(table)["d"].kind == "date"
    d = Column("d", "date", lower="2024-03-01", upper="2024-03-31")
    y = Column("y", lower=0, upper=12)
    records = described_table(table, Description((d, y))).records
    assert records[:, 0] / abs(records[0, 0]) == pytest.approx([-1 + i / 15 for i in ROWS])


@pytest.mark.parametrize("other", ["St.  Anne", "st. anne", "St.\u200bAnne ", "St.\u00adAnne", "ST.ANNE"])
def test_sites_that_look_alike_are_one_by_the_most_frequent_name(other):
    names = ["St. Anne"] * 3 + [other, "Ward 1 1", "Ward 11"]
    table = read("at,y\n" + "".join(f"{site},{i}\n" for i in ROWS for site in names))
    found, (y, at) = (
        facts(table)["at"],
        (Column("y", lower=0, upper=30), Column("at", "category", used=False)),
    )
    assert (
        found.sites == 3 and found.site_names == ("St. Anne", "Ward 1 1", "Ward 11") and "sites" in found.note
    )
    sizes = [4 * len(ROWS), len(ROWS), len(ROWS)]
    described = described_table(table, Description((y, at), "at"))
    assert (described.site_names, [*described.sizes]) == (found.site_names, sizes)
    assert [*map(len, table.sites("at", ["y"]))] == sizes
    # Whoever lists both means two sites.
    apart = Column("at", "category", values=("St. Anne", other.strip()), used=False)
    assert len(described_table(table, Description((y, apart), "at")).sizes) == 4


# Lines above and between records.

DATA = lines("{abc},{i},{k}", range(24))


@pytest.mark.parametrize(
    ("above", "columns"),
    [
        ("# extract of 2024, ward A, ward B\n# contact: office\nsite,age,sbp\n", ("site", "age", "sbp")),
        ("# ward A, ward B, ward C\nsite,age,sbp\n", ("site", "age", "sbp")),
        ("-- export, of, db\nsite,age,sbp\n", ("site", "age", "sbp")),
        ("// made by x, y\n\nsite,age,sbp\n", ("site", "age", "sbp")),
        ("##version=1\n##by,x\n#site,age,sbp\n", ("#site", "age", "sbp")),
        ("#,age,sbp\n", ("#", "age", "sbp")),
        ("Registry,page 1\nsite,age,sbp\n", ("site", "age", "sbp")),
        ("site,age,sbp\nWhere?,How old?,How high?\n{x},{y},{z}\n", ("site", "age", "sbp")),
        ("site,age,sbp\n,years,mmHg\n", ("site", "age", "sbp")),
        (",Person,\nsite,age,sbp\n", ("site", "Person age", "Person sbp")),
    ],
)
def test_what_stands_above_records_is_told_from_them(above, columns):
    table = read(above + DATA)
    assert table.columns == columns and len(table.frame) == 24 and table.numeric == columns[1:]


def test_a_first_record_of_words_is_a_record():
    assert len(read("site,age,sbp\nA,n.k.,n.k.\n" + DATA).frame) == 25
    assert len(read("site,age,sbp\nA,n.k.,120\n" + DATA).frame) == 25
    assert len(read("id,crp,ldl\np99,clotted,not done\n" + lines("p{i},{i},{k}")).frame) == 13
    assert len(read("a,b\nx,y\n" + lines("{ab},{abc}", range(24))).frame) == 25


def test_a_heading_that_comes_again_is_no_record():
    table = read("site,age,sbp\n" + DATA + "site,age,sbp\n" + DATA)
    assert (
        len(table.frame) == 48
        and table.numeric == ("age", "sbp")
        and any("1 row" in note for note in table.notes)
    )
    assert len(read("0,1\n" + lines("{i},{j}")).frame) == 12


# Other separators, marks and encodings.


def test_lines_that_were_drawn_are_no_records():
    table = read(" site | age | sbp \n------+-----+-----\n" + DATA.replace(",", " | "))
    assert (
        table.columns == ("site", "age", "sbp") and len(table.frame) == 24 and table.numeric == ("age", "sbp")
    )


@pytest.mark.parametrize("sign", "^~")
def test_carets_and_tildes_part_cells(sign):
    table = read("site,age,sbp\n".replace(",", sign) + DATA.replace(",", sign))
    assert table.columns == ("site", "age", "sbp") and table.numeric == ("age", "sbp")


def test_lines_in_quotation_marks_as_a_whole_are_read():
    text = "".join(f'"{line}"\n' for line in ("site,age,sbp\n" + DATA).splitlines())
    table = read(text)
    assert (
        table.columns == ("site", "age", "sbp") and len(table.frame) == 24 and "as a whole" in table.notes[0]
    )
    one = read('"Weight, kg"\n' + lines('"{i},5"'))
    assert one.columns == ("Weight, kg",) and one.frame.iloc[1, 0] == 1.5


def test_single_quotation_marks_are_read():
    table = read("'site','name','age'\n" + lines("'{abc}','Doe, J.','{k}'"))
    assert table.columns == ("site", "name", "age") and table.frame["name"].unique().tolist() == ["Doe, J."]
    assert table.numeric == ("age",)
    assert read("name,age\n" + lines("'t {abc},{k}")).frame["name"].iloc[0] == "'t A"


def test_columns_of_a_fixed_width_are_refused_by_name():
    form = "{:12s}{:>6}{:>8}\n".format
    with pytest.raises(UploadError, match="fixed width"):
        read(
            form("site", "age", "sbp")
            + "".join(form("St Anne" if i % 2 else "Mercy", 30 + i, i) for i in ROWS)
        )
    notes = "note\n" + lines("seen  by nurse {i} today") + lines("no  remark {i}")
    assert read(notes).columns == ("note",)


def test_a_byte_of_another_encoding_spoils_no_file():
    good = ("ort,alter\n" + lines("Köln,{k}") + lines("Zürich,{k}")).encode()
    table = read(good + "Köln,30\n".encode("latin-1"))
    assert set(table.frame["ort"]) == {"Köln", "Zürich"} and "line 26" in table.notes[0]
    table = read(good.decode().encode("latin-1") + "Köln,30\n".encode())
    assert "Windows-1252" in table.notes[0] and len(set(table.frame["ort"])) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!DOCTYPE html><html><table><tr><td>1,2</td></tr></table></html>", ".html"),
        (b'[{"site": "A", "age": 3}, {"site": "B", "age": 4}]', ".json"),
        (b"\x1f\x8b\x08 packed", ".gz"),
        (b"%PDF-1.7 of tables", ".pdf"),
        (b"<?xml version='1.0'?>\n<rows>\n<row/></rows>", ".xml"),
        (b"PK\x03\x04 of other files", ".zip"),
    ],
)
def test_files_of_another_kind_are_named(content, words):
    with pytest.raises(UploadError, match=f"a {words} file"):
        read(content)

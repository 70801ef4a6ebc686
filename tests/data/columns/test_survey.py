"""Columns as people write them: what they are read as, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from data import upload
from data.bounds import to_unit_box
from data.columns import Column, Description, cells, dates, encode, likely_site, notation, survey
from data.columns.encode import WrongCell
from data.columns.month_names import NAMES
from data.upload import UploadError
from data.upload.own_table import data_columns, described_table


def facts(*texts):
    return survey(pd.DataFrame({"a": list(texts)}, dtype=object))[0]


@pytest.mark.parametrize(
    ("texts", "kind", "written", "unit", "values"),
    [
        (("92.9 kg", "80 kg", "71kg"), [92.9, 80, 71], "1,234.5", "kg", ()),
        (("12 %", "7.5%", None), [12, 7.5, np.nan], "1,234.5", "%", ()),
        (("<5", "12", "≥ 40"), [5, 12, 40], "1,234.5", "", ()),
        (("1,234", "12", "1,234,567.5"), [1234, 12, 1234567.5], "1,234.5", "", ()),
        (("1.234,5 kg", "7 kg", "7,5 kg"), [1234.5, 7, 7.5], "1.234,5", "kg", ()),
        (("1 234,5", "1\u202f000", "−3"), [1234.5, 1000, -3], "1.234,5", "", ()),
        (("3.2e3 mg/dL", "-1 mg/dL", "?"), [3200, -1, np.nan], "1,234.5", "mg/dL", ()),
        (("4 m²", "5 m²", "n.d."), [4, 5, np.nan], "1,234.5", "m²", ()),
    ],
)
def test_numbers_are_read_as_people_write_them(texts, kind, written, unit, values):
    found = facts(*texts)
    assert (found.kind, found.written, found.unit, found.values) == ("number", written, unit, values)
    assert "numbers from" in found.note
    read = notation.numbers(pd.Series(texts, dtype=object), written)
    np.testing.assert_array_equal(read.values, kind)


@pytest.mark.parametrize(
    ("texts", "written", "first"),
    [
        (("2024-01-31", "2023-12-01 10:30"), "2024-12-31", "2024-01-31"),
        (("31.01.2024", "1.12.2023"), "31.12.2024", "2024-01-31"),
        (("31/01/2024", "01/12/2023"), "31.12.2024", "2024-01-31"),
        (("01/31/2024", "12/01/2023"), "12/31/2024", "2024-01-31"),
    ],
)
def test_dates_are_days(texts, written, first):
    found = facts(*texts)
    assert (found.kind, found.written) == ("date", written)
    days = notation.days(pd.Series(texts, dtype=object), written).values
    assert days[0] == pd.Timestamp(first).toordinal() and days[0] - days[1] == 61
    assert found.unfit == "holds dates"


FIRST_OF_MARCH = """
1 March 2024; March 1, 2024; 01MAR2024:08:30:00; 2024-Mar-01; 1. März 2024; 1er mars 2024; 1 de marzo de 2024; 01-mar-24
1º de março de 2024; 1 marzo 2024; 1 mrt. 2024; 1 maart 2024; den 1 mars 2024; 1 marca 2024; 2024年3月1日; 2024年三月1日
vendredi 1 mars 2024; 1 MARZEC 2024; 1 marco 2024; 01/Mar/2024:08:30:00 +0000; 1-Mar-2024
Fri Mar 01 2024 08:30:00 GMT+0100 (CET); 1.3.2024 8:30 Uhr; 1. 3. 2024; 20240301T083000; 2024. 3. 1.; 1/3/2024 8:30 p. m.
"""


@pytest.mark.parametrize(
    "text", [one.strip() for line in FIRST_OF_MARCH.split("\n") for one in line.split(";") if one]
)
def test_months_have_the_names_of_eleven_languages(text):
    found = facts(text, "2024-03-02")
    assert found.kind == "date"
    days = notation.days(pd.Series([text], dtype=object), found.written).values
    assert days[0] == date(2024, 3, 1).toordinal()


def test_every_month_of_the_table_is_read_and_no_other_word():
    for month, names in NAMES.items():
        for name in names.split() if month else ():
            assert dates.month_of(name.upper()) == month
    assert dates.month_of("febru") == 2 and dates.month_of("jui") == 0
    assert dates.month_of("mg") is dates.month_of("mmol") is dates.month_of("days") is None


@pytest.mark.parametrize(
    "texts",
    [
        ("1 jui 2024", "2 jui 2024"),  # June or July.
        ("1 hlonyana 2024", "2 hlonyana 2024"),  # A language that is not known.
        ("1 Mar", "2 Mar", "31 Mar"),
        ("2024 Mar", "2023 Mar"),
    ],
)
def test_days_of_unknown_months_and_without_a_year_are_no_quantities(texts):
    found = facts(*texts)
    assert found.kind == "category" and found.unit == ""
    assert facts("32 mar", "40 mar").unit == "mar"


@pytest.mark.parametrize(
    ("texts", "word"),
    [
        (("1A", "2A", "3A"), "1A"),
        (("10N", "3W", "1A"), "10N"),
        (("101A", "102A", "103A"), "101A"),
        (("1a", "2a", "3a"), "1a"),
        (("1E50", "2E65", "3.5"), "1E50"),
        (("250.0", "250.00", "401.9"), "250.00"),
    ],
)
def test_wards_and_codes_are_categories_that_stay_apart(texts, word):
    (found,) = upload.read(
        ("a\n" + "".join(f"{text}\n" for text in texts * 8)).encode(), "a.csv"
    ).frame.items()
    about = survey(found[1].to_frame())[0]
    assert (about.kind, about.fits, about.sites) == ("category", True, 3) and repr(word) in about.note
    values, spellings = cells.merged(cells.texts(found[1]))
    assert {*values} == {*texts} and not spellings


def test_measurements_that_look_a_little_like_codes_are_numbers():
    for texts in (
        ("1.5", "1.50", "22.0"),
        ("170.5", "99.50", "99.5"),
        ("1.5e3", "2e3", "300"),
        ("5V", "7V", "9V", "11V"),
    ):
        assert survey(upload.read(("a\n" + "\n".join(texts)).encode(), "a.csv").frame)[0].kind == "number"


@pytest.mark.parametrize(
    ("texts", "ways"),
    [
        (("60,5", "61.5", "62,5", "63.5"), ("60,5", "61.5")),
        (("13.03.2024", "03/14/2024"), ("13.03.2024", "03/14/2024")),
        (("1.234,5 kg", "7.5 kg"), ("1.234,5 kg", "7.5 kg")),
    ],
)
def test_two_notations_in_one_column_are_named(texts, ways):
    found = facts(*texts)
    assert (
        found.kind == "category"
        and "in two ways" in found.note
        and all(repr(way) in found.note for way in ways)
    )


def test_dates_that_begin_with_the_year_are_read_beside_others_and_said():
    found = facts("01.03.2024", "2024-03-02", "2024-03-03")
    assert (found.kind, found.written, found.other) == ("date", "31.12.2024", "")
    assert "'01.03.2024' and '2024-03-02'" in found.note
    assert facts("01/03/2024", "2024-03-02").other == "12/31/2024"


def test_wards_and_codes_without_a_word_are_no_numbers():
    assert facts(*("3A", "3B", "ITS") * 9).note == facts(*("250.0", "250.00", "V45.81") * 9).note == ""


@pytest.mark.parametrize("word", ["n.k.", "not yet", "+++"])
def test_one_word_is_named_at_any_share(word):
    note = facts("1.5", word, word, word, "2.5").note
    assert repr(word) in note and "3" in note and "row 2" in note


def test_a_few_words_among_numbers_are_named_with_a_way_on():
    note = facts(*map(str, range(20)), "not done", "withdrawn", "not done").note
    assert "'not done', 'withdrawn'" in note and "row 21" in note and "“also: not done; withdrawn”" in note


def test_letters_that_cannot_be_seen_are_none_of_a_cell():
    texts = ["Brno", "Brno\u200b", "\u2060Brno", "\u200fBrno", "Zlín", "Zlín"]
    table = upload.read("".join(f"{x},\u200f{i}\n" for i, x in enumerate(["site", *texts])).encode(), "a.csv")
    frame = pd.DataFrame({"site": pd.Series(texts, dtype=object), "n": range(6)})
    for found in (table.frame, frame):
        assert cells.merged(cells.texts(found.iloc[:, 0]))[0] == ("Brno", "Zlín")
    assert set(table.frame.iloc[:, 0]) == {"Brno", "Zlín"} and survey(table.frame)[1].kind == "number"
    assert facts("می\u200cخواهم", "نه", "نه").site_names == ("می\u200cخواهم", "نه")


def test_zones_of_times_are_not_converted_and_said():
    note = facts("2024-05-01T00:30+02:00", "2024-05-02T00:30-04:00").note
    assert "zone" in note
    for texts in [("2024-05-01T08:30Z", "2024-05-02T08:30Z"), ("1.5.2024 8:30 Uhr", "2.5.2024 9:30 Uhr")]:
        assert facts(*texts).kind == "date" and "zone" not in facts(*texts).note


def test_a_name_in_the_first_row_of_each_block_names_no_sites():
    texts = ["Perth", *[None] * 8, "Darwin", *[None] * 6, "Hobart", *[None] * 7]
    found = facts(*texts)
    assert not found.sites and not found.fits and "fill it down" in found.note
    assert facts("Perth", "Perth", "Darwin", None, "Darwin", None).sites == 2


@pytest.mark.parametrize(
    "word",
    [
        "#N/D",
        "\\N",
        "#¡VALOR!",
        "#VALEUR!",
        "#SAKNAS!",
        "#N/B",
        "#NOME?",
        "#Н/Д",
        "#DZIEL/0!",
        "#VÆRDI!",
        "NaT",
        ".a",
        ".Z",
    ],
)
def test_errors_of_every_spreadsheet_are_gaps(word):
    found = facts("1,5", word, "2,5", word, "3,5", word)
    assert (found.kind, found.gaps) == ("number", 3) and repr(word) in found.note
    table = upload.read(f"a;b\n1,5;x\n{word};y\n2,5;z\n".encode(), "a.csv")
    assert survey(table.frame)[0].kind == "number"


def test_money_of_more_countries_is_read():
    for text in ("R$ 1.100,50", "US$ 1.100,50", "₹1.100,50", "1.100,50 zł", "kr 1.100,50"):
        found = facts(text, text.replace("1.100", "200"))
        assert (found.kind, found.written) == ("number", "1.234,5")


def test_what_can_be_read_in_two_ways_is_said():
    assert "1,234.5 and 1.234,5 would" in facts("1,234", "5,678").note
    assert "31.12.2024 and 12/31/2024 would" in facts("01/02/2024", "03/04/2024").note
    assert "would fit" not in facts("1,234", "5,6").note and facts("1,234", "5,6").written == "1.234,5"
    assert "limits, as “<5”" in facts("<5", "<5", "7").note


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (("Yes", "no", "no"), ("Yes", "no")),
        (("nein", "ja"), ("ja", "nein")),
        (("F", "T", None), ("T", "F")),
        (("NO", "yes", "No", "yes", "No", "ja"), ("yes", "No")),
        (("falsch", "Wahr"), ("Wahr", "falsch")),
        (("faux", "vrai"), ("vrai", "faux")),
        (("falso", "verdadero"), ("verdadero", "falso")),
        (("falso", "vero"), ("vero", "falso")),
        (("onwaar", "waar"), ("waar", "onwaar")),
        (("☐", "☑"), ("☑", "☐")),
        (("✘", "✔"), ("✔", "✘")),
    ],
)
def test_answers_are_known(texts, values):
    assert (facts(*texts).kind, facts(*texts).values) == ("yes/no", values)


@pytest.mark.parametrize(
    ("texts", "values", "spellings"),
    [
        ("F f female female M male", ("female", "male"), (("F", "female"), ("M", "male"))),
        ("A B AB 0 A", ("0", "A", "AB", "B"), ()),
        ("post-op post_op Post-Op post-op pre-op", ("post-op", "pre-op"), ()),
        (
            "surg. surgery med. medicine med.",
            ("medicine", "surgery"),
            (("med.", "medicine"), ("surg.", "surgery")),
        ),
        ("A+ A- a+ ?", ("A+", "A-"), ()),
        ("m male maybe", ("m", "male", "maybe"), ()),
    ],
)
def test_texts_that_mean_one_category_are_merged_and_no_others(texts, values, spellings):
    series = pd.Series(texts.split(), dtype=object)
    assert cells.merged(cells.texts(series)) == (values, spellings)
    places, unlisted = cells.choices(series, values, spellings)
    assert unlisted == 0 and {*places} - {-1} == {*range(len(values))}


def test_the_column_of_the_sites_is_proposed_by_its_name():
    frame = pd.DataFrame({"ward": list("abab"), "website": list("abab"), "Study_Site": list("abba")})
    assert likely_site(survey(frame)) == "Study_Site"
    assert likely_site(survey(frame[["ward", "website"]])) == ""


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_that_count_the_rows_and_have_no_name_are_no_part_of_a_record(first):
    text = "".join(f"{i + first},{'AB'[i % 2]},{30 + i}\n" for i in range(6))
    unnamed, site, _ = survey(upload.read(f",site,age\n{text}".encode(), "a.csv").frame)
    assert not unnamed.fits and not unnamed.sites and site.sites == 2
    named, *_ = survey(upload.read(f"visit,site,age\n{text}".encode(), "a.csv").frame)
    assert named.fits
    assert survey(upload.read(b"1\n2\n3\n4\n", "a.csv").frame)[0].fits


def test_numbers_of_zero_and_one_and_truths_are_answers():
    assert survey(pd.DataFrame({"a": [0, 1, 1]}))[0].values == ("1", "0")
    assert survey(pd.DataFrame({"a": [True, False]}))[0].values == ("true", "false")
    assert survey(pd.DataFrame({"a": [0.0, 1.0, np.nan]}))[0].kind == "yes/no"
    assert survey(pd.DataFrame({"a": [0, 1, 2]}))[0].kind == "number"


@pytest.mark.parametrize(
    ("texts", "fits", "note"),
    [
        (("a", "b", "a", "b"), True, ""),
        (("x1", "y2", "z3"), False, "Nearly every row has a text of its own"),
        (("a", "a", "a"), False, "one text in every row"),
        ((None, None), False, "no value"),
        (("5 kg", "5 lb", "5 kg", "5 lb"), True, ""),
    ],
)
def test_other_columns_are_categories_or_say_why_not(texts, fits, note):
    found = facts(*texts)
    assert found.fits == fits and note in found.note
    assert fits or found.note


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([1.5, 2.5, 3.0], "measurements: numbers with decimals"),
        (["5 kg", "6 kg", "7 kg"], "measurements: numbers written as text"),
        ([7, 7, 7], "one value in every row"),
        (list(range(201)), "more than 200 different values"),
        (["2024-01-01", "2024-01-02"], "dates"),
        ([None, None], "no value"),
    ],
)
def test_a_column_that_cannot_name_the_sites_says_why(cells, words):
    (found,) = survey(pd.DataFrame({"a": cells}))
    assert found.sites == 0 and words in found.unfit


CSV = (
    'home,kg,lab,cost,share,came,ward,smoker\nA,80 kg,<5,"1,234",12 %,2024-01-01,x,yes\n'
    'B,,7,"2,000",50 %,2024-01-11,y,no\nA,95.5 kg,9,"1,000",-,2024-12-31,z,YES\nB,60 kg,8,"900",7 %,2024-06-01,?,no\n'
)
COLUMNS = (
    Column("home", "category"),
    Column("kg", unit="kg", lower=40, upper=120, missing="mark"),
    Column("lab", lower=0, upper=10),
    Column("cost", lower=0, upper=2000),
    Column("share", unit="%", lower=0, upper=100, missing="mark", fill=25),
    Column("came", "date", lower="2024-01-01", upper="2024-12-31"),
    Column("ward", "category", values=("x", "y"), missing="mark"),
    Column("smoker", "yes/no", values=("yes", "no")),
)


def table(text=CSV):
    return upload.read(text.encode(), "t.csv")


def test_a_described_table_holds_the_values_that_were_written():
    found = described_table(table(), Description(COLUMNS, "home", "smoker"))
    g = len(found.parts)
    assert g == 7 and found.sizes == (2, 2) and found.site_names == ("A", "B")
    rows = found.records[[0, 2, 1, 3]] * np.sqrt(g)  # As they were written.
    place = {name: i for i, name in enumerate(found.columns)}
    assert rows[:, place["kg"]] == pytest.approx([0, 0, 15.5 / 40, -0.5])
    gaps = {name: rows[:, place[f"{name} is missing"]] for name in ("kg", "share")}
    assert gaps["kg"] == pytest.approx([0, 1, 0, 0])
    assert rows[:, place["lab"]] == pytest.approx([0, 0.4, 0.8, 0.6])
    assert rows[:, place["cost"]] == pytest.approx([0.234, 1, 0, -0.1])
    assert rows[:, place["share"]] * np.sqrt(1.25) == pytest.approx([-0.76, 0, -0.5, -0.86])
    assert gaps["share"] * np.sqrt(1.25) == pytest.approx([0, 0, 1, 0])
    assert rows[:, place["came"]] == pytest.approx([-1, 20 / 365 - 1, 1, 304 / 365 - 1])
    # Centred indicators of two categories have length √½; a marked value has length 1, so they are not stretched.
    ward = rows[:, [place["ward = x"], place["ward = y"], place["ward is missing"]]]
    assert ward == pytest.approx(np.array([[0.5, -0.5, 0], [-0.5, 0.5, 0], [0, 0, 1], [0, 0, 1]]))
    assert rows[:, place["smoker"]] == pytest.approx([1, -1, 1, -1])
    assert (found.incomplete, found.marked, found.unlisted, found.clipped) == (0, 3, 1, 0)
    assert found.predicted == 6 and found.public_bounds


@pytest.mark.parametrize(
    ("texts", "unit", "spelling", "values"),
    [
        (("1.5", "151 cm", "1.6", "150 cm"), "cm", "none", [1.5, 151, 1.6, 150]),
        (("9.3 d", "9.3 days", "5 d"), "days", "d", [9.3, 9.3, 5]),
        (("10%", "0.11", "12%"), "%", "", [10, 0.11, 12]),
    ],
)
def test_cells_of_two_units_or_of_none_are_asked_about_until_a_description_merges_them(
    texts, unit, spelling, values
):
    found = facts(*texts)
    assert found.kind != "number" and len(found.units) == 2 and unit in found.units
    frame = pd.DataFrame({"a": list(texts)}, dtype=object)
    column = Column("a", unit=unit, lower=0, upper=200)
    with pytest.raises(WrongCell, match=f"unit.*{unit} = "):
        encode(frame, Description((column,)))
    merged = replace(column, spellings=((spelling, unit),))
    np.testing.assert_allclose(
        encode(frame, Description((merged,))).records[:, 0], np.array(values) / 100 - 1, atol=1e-12
    )
    assert data_columns(upload.Table("'t'", frame), [merged])[0].upper == max(values)


def test_zero_is_zero_in_every_unit_and_one_spelling_of_a_unit_is_no_question():
    assert facts("0", "5 mg", "7 mg").unit == facts("5 mg", "6 mg.", "7MG").unit == "mg"
    with pytest.raises(ValueError, match="spellings"):
        Column("a", unit="kg", spellings=(("lb", "g"),))


def test_rows_without_a_value_are_left_out_and_counted():
    out = tuple(replace(column, missing="leave out", fill=None) for column in COLUMNS)
    found = described_table(table(), Description(out[1:4]))
    assert (len(found.records), found.incomplete, found.marked, found.unlisted) == (3, 1, 0, 0)
    found = described_table(table(), Description((out[2], out[6])))
    assert (len(found.records), found.incomplete, found.unlisted) == (2, 2, 1)
    with pytest.raises(UploadError, match=r"1 row.*2"):
        described_table(table(), Description(out, "home"))


def test_a_missing_answer_is_never_made_up():
    marked = replace(COLUMNS[1], name="kg", missing="mark")
    found = described_table(table(), Description((marked, COLUMNS[2]), target="kg"))
    assert (len(found.records), found.incomplete, found.columns) == (3, 1, ("kg", "lab"))


def test_plain_numbers_are_bounded_as_ranges_bound_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    lower, upper = [-1.0, -2, 0], [1.0, 3, 5]
    described = Description(
        tuple(Column(n, lower=lo, upper=up) for n, lo, up in zip("abc", lower, upper, strict=True))
    )
    plain = upload.Table("'t'", frame)
    found, box = described_table(plain, described), to_unit_box(frame.to_numpy(), lower=lower, upper=upper)
    np.testing.assert_allclose(found.records, box.records, rtol=1e-13)
    assert found.clipped == box.clipped > 0


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (Column("ward", lower=0, upper=1), "has 'x' in row 1, column 'ward': it is no number"),
        (Column("kg", "date", lower="2020-01-01", upper="2021-01-01"), "has '80 kg' in row 1"),
        (Column("kg", unit="lb", lower=0, upper=1), "has the unit 'kg' where 'lb' was described"),
        (Column("cost", written="1.234,5"), "upper of column 'cost' must be given|lower of column 'cost'"),
        (Column("ward", "category", values=("x",)), "at least two categories of column 'ward'"),
        (Column("lab", lower=3, upper=3), "upper must exceed lower"),
        (Column("lab", lower=0, upper=9, centre=20), "centre must lie in the range of column 'lab'"),
        (Column("none", lower=0, upper=9), "has no 'none'"),
    ],
)
def test_a_column_that_is_not_as_described_is_named(column, words):
    with pytest.raises(ValueError, match=words):
        described_table(table(), Description((column, COLUMNS[-1])))


def test_an_infinite_number_is_named_by_its_row():
    frame = pd.DataFrame({"a": [1.0, np.inf, 2.0]})
    with pytest.raises(WrongCell, match="infinite"):
        encode(frame, Description((Column("a", lower=0, upper=1),)))
    with pytest.raises(UploadError, match=r"infinite.* 2,.*'a'"):
        described_table(upload.Table("'t'", frame), Description((Column("a", lower=0, upper=1),)))


def test_records_beyond_the_limit_are_refused_before_they_are_made():
    with pytest.raises(ValueError, match=r"13.*4 rows"):
        described_table(
            table(), Description((*COLUMNS[1:], Column("home", "category", values=("A", "B")))), most=40
        )


def test_what_is_taken_from_the_records_is_marked():
    found = data_columns(
        table(), [Column(c.name, c.kind, values=c.values if c.kind == "yes/no" else ()) for c in COLUMNS]
    )
    about = {column.name: column for column in found}
    assert about["home"].values == ("A", "B") and about["ward"].values == ("x", "y", "z")
    assert (about["kg"].lower, about["kg"].upper) == (60, 95.5)
    assert (about["came"].lower, about["came"].upper) == ("2024-01-01", "2024-12-31")
    assert [column.name for column in found if column.public] == ["smoker"]
    marked = tuple(replace(column, missing="mark") for column in found)
    assert not described_table(table(), Description(marked, "home")).public_bounds


def test_many_different_texts_are_not_read_one_by_one(monkeypatch):
    monkeypatch.setattr(notation, "MOST_TEXTS", 3)
    frame = pd.DataFrame({"a": [f"{i} kg" for i in range(5)]})
    with pytest.raises(UploadError, match="3 different"):
        described_table(upload.Table("'t'", frame), Description((Column("a", lower=0, upper=9),)))

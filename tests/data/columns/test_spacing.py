"""What stands between digits: groups of three, two numbers side by side, or another program's number."""

from __future__ import annotations

import numpy as np
import pytest

from data import upload
from data.columns import Column, Description, cells, survey
from data.upload import UploadError
from data.upload.own_table import data_columns, described_table


def table(texts):
    return upload.read(
        ("v;w\n" + "".join(f'"{text}";{i}\n' for i, text in enumerate(texts))).encode(), "a.csv"
    )


OTHERS = [
    "0x10",
    "0xFF",
    "0x1p3",
    "0b1",
    "0o7",
    "1_000",
    "1e",
    "1e+",
    "1d5",
    "1D-5",
    "1q3",
    "3a2",
    "3x4",
    "3 x 4",
    "3 × 4",
]
OTHERS += ["1 e5", "٣", "٣٤", "३", "３", "5٣"]


@pytest.mark.parametrize("other", OTHERS)
def test_what_is_no_decimal_number_is_an_unreadable_cell(other):
    found = table([*"23456789", other])
    facts = survey(found.frame)[0]
    assert facts.kind == "category" and repr(other) in facts.note and "row 9" in facts.note
    with pytest.raises(UploadError, match="row 9, column 'v'"):
        found.records(["v"])
    with pytest.raises(UploadError, match="row 9, column 'v'"):
        described_table(found, Description((Column("v", lower=0, upper=9), Column("w", lower=0, upper=9))))


@pytest.mark.parametrize("other", ["infinity", "-inf", "nan", "1e+999"])
def test_what_is_no_finite_number_is_an_unreadable_cell(other):
    with pytest.raises(UploadError, match="row 9, column 'v'"):
        table([*"23456789", other]).records(["v"])


@pytest.mark.parametrize(
    "unit",
    ["m2", "m3", "d", "eV", "cmH2O", "mL/min/1.73m2", "x10^9/L", " x10E9/L", " x103/µL", " d-1", "%", "L"],
)
def test_units_are_units_still(unit):
    found = table([f"{i}{unit}" for i in range(1, 9)])
    facts = survey(found.frame)[0]
    assert (facts.kind, facts.unit) == ("number", unit.strip())
    made = described_table(found, Description((Column("v", unit=facts.unit, lower=1, upper=8),)))
    assert made.records[:, 0] == pytest.approx(np.linspace(-1, 1, 8))


def test_a_listed_text_is_a_number_only_as_people_write_one():
    series = table(["1000", "3", "1000"]).frame["v"]
    assert cells.choices(series, ("1_000", "٣"))[1] == 3
    assert cells.choices(series, ("1000.0", "3.00"))[0].tolist() == [0, 1, 0]


GROUPS = [
    (["1 234", "12 345 678"], [1234, 12345678]),
    (["1 050", "12", "987 654"], [1050, 12, 987654]),
    (["1 234,50", "987,20"], [1234.5, 987.2]),
    (["1 234,567", "3"], [1234.567, 3]),
    (["1\u00a0234", "12\u202f345", "200 300"], [1234, 12345, 200300]),
    (["1\u2009234", "-7"], [1234, -7]),
    (["12 000", "1234"], [12000, 1234]),
    (["200’300", "1"], [200300, 1]),
]


@pytest.mark.parametrize(("texts", "values"), GROUPS)
def test_groups_of_three_are_one_number_where_no_cell_can_be_two(texts, values):
    assert table(texts).values("v").tolist() == values


DOUBTS = [
    ["200 300", "1", "2"],
    ["200 300", "200"],
    ["200 300", "250 310"],
    ["1 234", "5678"],
    ["1 050", "5678"],
    ["1 050 mmHg", "5678 mmHg"],
    ["12 000", "56789"],
    ["200 300", "1.5"],
    ["-200 300", "1"],
    ["200 300 mmHg", "210 320 mmHg"],
]


@pytest.mark.parametrize("texts", DOUBTS)
def test_digits_that_may_be_two_numbers_are_asked_about(texts):
    found = table(texts)
    facts = survey(found.frame)[0]
    pair = texts[0].removesuffix(" mmHg").removeprefix("-")
    assert facts.kind == "category" and pair in facts.note and facts.other
    with pytest.raises(UploadError, match=f"{texts[0]}.*row 1"):
        found.records(["v"])
    bare = Column("v", unit="mmHg" * texts[0].endswith("mmHg"), lower=0, upper=400_000)
    for read in (
        lambda one: data_columns(found, [one]),
        lambda one: described_table(found, Description((one,))),
    ):
        with pytest.raises(UploadError, match=pair):
            read(bare)
    # Whoever says how they are written means one number.
    (told,) = data_columns(found, [Column("v", unit=bare.unit, written=facts.other)])
    values = [float(text.removesuffix(" mmHg").replace(" ", "")) for text in texts]
    assert (told.lower, told.upper) == (min(values), max(values))


@pytest.mark.parametrize("texts", [["200 300", "200", "120 80"], ["120 80", "130 90"], ["1,234 567", "2"]])
def test_two_numbers_in_a_cell_are_text(texts):
    found = table(texts)
    assert survey(found.frame)[0].kind == "category"
    with pytest.raises(UploadError):
        found.records(["v"])


def test_a_doubt_is_seen_wherever_it_stands_in_a_long_column():
    grouped = ["1 050"] * 60_000
    assert table([*grouped, "200 300"]).values("v")[-1] == 200_300
    assert not {"v"} & {*table(["200 300", *["7"] * 60_000, "12345"]).numeric}
    assert not {"v"} & {*table([*grouped, "12345"]).numeric}

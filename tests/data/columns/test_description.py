"""The description of a table as a file: what is written comes back, and what is wrong is said by its name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.columns import Column, Description, encode, invented
from data.columns.description import LIMIT, WRITTEN, schema
from data.upload import sample
from data.upload.sample import TEMPLATE

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "table-description.json"
WARD = Description(
    (
        Column("home", "category"),
        Column("age", lower=18, upper=100, centre=50, missing="mark", fill=40),
        Column("weight", unit="kg", written="1.234,5", lower=40.5, upper=160),
        Column(
            "came", "date", lower="2020-02-29", upper="2024-12-31", since="2000-01-01", written="31.12.2024"
        ),
        Column("ward", "category", values=("a", "b", "c; d"), shares=(0.5, 0.25, 0.25), public=False),
        Column("smoker", "yes/no", values=("yes", "no"), spellings=(("oui", "yes"), ("0", "no")), used=False),
    ),
    site_column="home",
    target="age",
    centring="none",
    sites=(("east", 30), ("größe", 50)),
    declared=True,
    record="visit",
    per_person=4,
)


def test_a_description_comes_back_from_its_file_and_is_readable():
    text = WARD.text()
    assert Description.read(text.encode()) == WARD
    assert Description.from_dict(WARD.to_dict()) == WARD
    assert text.count("\n") < 30 and '"name": "age", "kind": "number"' in text
    assert [column.name for column in WARD.used] == ["age", "weight", "came", "ward"]
    assert not WARD.public


def test_the_template_is_a_description():
    found = Description.read(TEMPLATE.encode())
    assert found.target == "readmitted" and len(found.sites) == 5
    assert len(invented(found, rng=np.random.default_rng(0))) == 3000


def test_dates_are_days_since_a_public_date():
    came = WARD.columns[3]
    assert (came.low, came.high) == (7364, 9131)  # From 2000-01-01, two of five leap days later than 2020.
    first = Column("d", "date", lower="2024-01-01", upper="2024-12-31")
    assert (first.low, first.high, first.middle) == (0, 365, 182.5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "something"}, "must be a table description"),
        ({"version": 2}, "must be of version 1, got 2"),
        ({"version": True}, "must be of version 1"),
        ({"columns": []}, "columns must be at least one"),
        ({"columns": "a"}, "columns must be a list"),
        ({"columns": [{"kind": "number"}]}, "column .* must be given"),
        ({"columns": [{"name": "a"}, {"name": "a"}]}, "of different names"),
        ({"columns": [{"name": "a", "kind": "number", "range": 1}]}, "column 'a'.range .* unknown"),
        ({"columns": [{"name": "a", "kind": "text"}]}, "column 'a'.kind must be 'number'"),
        ({"columns": [{"name": "a", "lower": "1"}]}, "lower of column 'a' must be a finite number, got '1'"),
        ({"columns": [{"name": "a", "lower": True}]}, "column 'a'.lower.* a finite number"),
        ({"columns": [{"name": "a", "kind": "date", "lower": "31.12.2024"}]}, "must be a date such as"),
        (
            {"columns": [{"name": "a", "kind": "category", "lower": 1}]},
            "lower of column 'a' must be left out",
        ),
        ({"columns": [{"name": "a", "values": ["x"]}]}, "values of column 'a' must be left out"),
        ({"columns": [{"name": "a", "kind": "category", "values": ["x", "x"]}]}, "different texts"),
        ({"columns": [{"name": "a", "kind": "category", "values": [1, 2]}]}, "column 'a'.values.0 .*got 1"),
        ({"columns": [{"name": "a", "kind": "yes/no", "values": ["x"]}]}, "must be two"),
        (
            {"columns": [{"name": "a", "kind": "category", "values": ["x", "y"], "shares": [1.0, 1.0]}]},
            "shares of column 'a' must be one for each of its categories and sum to 1",
        ),
        (
            {"columns": [{"name": "a", "kind": "category", "values": ["x", "y"], "spellings": {"X": "z"}}]},
            "spellings of column 'a'",
        ),
        (
            {"columns": [{"name": "a", "kind": "category", "values": ["x", "y"], "spellings": {"y": "x"}}]},
            "spellings of column 'a'",
        ),
        ({"columns": [{"name": "a", "missing": "guess"}]}, "column 'a'.missing must be .*mark"),
        ({"site_column": "no"}, "site_column must be one of the columns, got 'no'"),
        ({"target": 3}, "target must be .*got 3"),
        ({"target": "home"}, "target must not be the site column"),
        ({"centring": "mean"}, "centring must be .*public"),
        ({"length": -1}, "length must be greater than 0, got -1"),
        ({"sites": {"east": 0, "west": 3}}, "sites.* must be .*1, got 0"),
        ({"sites": {"east": 3}}, "sites must be at least two"),
        ({"records": [[1, 2]]}, "records .*unknown"),
        ({"columns": [3]}, "column '0' .*got 3"),
        ({"sites": 3}, "sites must be a list"),
        ({"declared": 1}, "declared must be .*got 1"),
        ({"record": "bed"}, "record must be .*got 'bed'"),
        ({"record": "person"}, "per_person must be 1 .*got 4"),
        ({"per_person": 0}, "per_person must be .*got 0"),
    ],
)
def test_what_is_wrong_is_said_by_its_name(change, words):
    with pytest.raises(ValueError, match=words):
        Description.read(json.dumps(WARD.to_dict() | change).encode())


@pytest.mark.parametrize("name", ["format", "columns", "name", "kind"])
def test_what_is_written_twice_is_refused_by_name(name):
    text = json.dumps(WARD.to_dict()).replace(f'"{name}":', f'"{name}": 1, "{name}":', 1)
    with pytest.raises(ValueError, match=f"{name} twice"):
        Description.read(text.encode())


def test_the_published_schema_is_current_and_accepts_what_is_saved():
    jsonschema = pytest.importorskip("jsonschema")
    found = json.loads(SCHEMA.read_text(encoding="utf-8"))
    # If it fails: Path("docs/schemas/table-description.json").write_text(description.schema()).
    assert found == json.loads(schema())
    validator = jsonschema.Draft202012Validator(found)
    for one in (WARD.to_dict(), json.loads(TEMPLATE), json.loads(sample.description().text())):
        validator.validate(one)
    for wrong in (
        {"version": 2},
        {"records": []},
        {"columns": [{"name": "a", "kind": "text"}]},
        {"sites": {"a": 0}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(WARD.to_dict() | wrong)


def test_errors_of_many_columns_are_few_and_name_them():
    columns = [{"name": f"x{i}", "lower": True, "y\n": 1} for i in range(5000)]
    with pytest.raises(ValueError, match="column 'x0'") as raised:
        Description.from_dict(WARD.to_dict() | {"columns": columns})
    assert len(str(raised.value)) < 1500 and "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 50_000, b"1", b" " * (LIMIT + 1)])
def test_what_is_no_such_file_is_refused(content):
    with pytest.raises(ValueError, match=r"^content|description"):
        Description.read(content)


@pytest.mark.parametrize("written", WRITTEN["date"])
def test_invented_dates_fit_whatever_the_description_says_of_a_file(written):
    came = Column("came", "date", written=written, lower="0999-12-30", upper="1000-01-02")
    described = Description((came, Column("x", lower=0, upper=1)), sites=(("a", 30), ("b", 20)))
    frame = invented(described, rng=np.random.default_rng(0))
    assert len(encode(frame, described).kept) == 50 and frame.came.nunique() == 4


def test_invented_records_fill_the_public_ranges_and_nothing_else():
    frame = invented(WARD, rng=np.random.default_rng(1))
    assert list(frame) == ["age", "weight", "came", "ward", "home"]
    assert frame.home.value_counts().to_dict() == {"größe": 50, "east": 30}
    assert frame.age.between(18, 100).all() and frame.weight.between(40.5, 160).all()
    assert pd.to_datetime(frame.came).between("2020-02-29", "2024-12-31").all()
    assert set(frame.ward) == {"a", "b", "c; d"}
    many = Description(WARD.columns, "home", sites=(("east", 9000), ("west", 9000)))
    drawn = invented(many, rng=np.random.default_rng(1))
    # Four standard deviations: a false alarm in 16,000 seeds.
    assert drawn.age.mean() == pytest.approx(59, abs=4 * 82 / np.sqrt(12 * 18_000))
    assert (drawn.ward == "a").mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(18_000))
    with pytest.raises(ValueError, match=r"sites.*1 to 200000"):
        invented(Description(WARD.columns), rng=np.random.default_rng(1))

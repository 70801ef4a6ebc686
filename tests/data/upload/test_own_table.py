"""A user's own table as records at sites: choice of columns, bounds, sites from a column."""

import numpy as np
import pandas as pd
import pytest

from data.bounds import to_unit_ball, to_unit_box
from data.catalogue import tables
from data.columns import Column, Description
from data.upload import Table, UploadError, read, sample
from data.upload.own_table import data_bound, data_columns, described_table

COLUMNS = tuple(sample.RANGES)


def ranged(columns, lower, upper, **about):
    """Columns with a range each."""
    found = zip(columns, lower, upper, strict=True)
    return Description(tuple(Column(name, lower=low, upper=high) for name, low, high in found), **about)


def bounded(columns, length, *, site_column="", **about):
    """Columns that one length bounds together."""
    sites = (Column(site_column, "category", used=False),) if site_column else ()
    return Description((*map(Column, columns), *sites), site_column, length=length, **about)


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["ward"] = rng.choice(["east", "west", "north"], 60, p=[0.6, 0.3, 0.1])
    return Table("'table.csv'", frame)


@pytest.fixture(scope="module")
def patients():
    content = sample.sample_csv(rng=np.random.default_rng(1)).encode()
    return read(content, sample.SAMPLE_NAME)


def test_records_are_the_chosen_columns_within_their_box(table):
    lower, upper = np.array([-1, -2]), np.array([1, 3])
    found = described_table(table, ranged("ca", lower, upper))
    raw = table.frame[["c", "a"]].to_numpy()
    np.testing.assert_allclose(
        found.records, to_unit_box(raw, lower=lower, upper=upper).records, rtol=1e-13, atol=1e-15
    )
    assert np.linalg.norm(found.records, axis=1).max() <= 1
    outside = ((raw < lower) | (raw > upper)).any(axis=1)
    assert found.clipped == outside.sum() > 0
    assert found.public_bounds and found.sizes is None
    source = tables.Source("own", "'table.csv'", 2, 60, "one row of your file")
    assert found.source == source


def test_records_are_within_one_length(table):
    found = described_table(table, bounded("abc", 1.5))
    raw = table.frame[["a", "b", "c"]].to_numpy()
    assert (found.records == to_unit_ball(raw, bound=1.5).records).all()
    assert found.clipped == (np.linalg.norm(raw, axis=1) > 1.5).sum() > 0


def test_a_column_names_the_sites(table):
    found = described_table(table, bounded("ab", 10.0, site_column="ward"))
    sites, truth = found({"sites": 99, "samples": 99, "data_seed": 1})
    assert truth is None
    assert found.site_names == ("east", "north", "west") == sites.names
    assert found.sizes == tuple(sites.sizes) == tuple(table.frame.ward.value_counts().sort_index())
    for name, records in zip(sites.names, sites, strict=True):
        expected = table.frame.loc[table.frame.ward == name, ["a", "b"]].to_numpy() / 10
        assert records == pytest.approx(expected)
    # The site that works alone under the scheme "local" stands first: the largest, or the one that is named.
    assert (found.local, found.sizes[0]) == ("east", max(found.sizes))
    other = described_table(table, bounded("ab", 10.0, site_column="ward", local="west"))
    assert other.site_names == ("west", "east", "north")
    assert (other({})[0][0] == sites[2]).all() and (other({})[0][1] == sites[0]).all()


def test_without_such_a_column_records_are_dealt_as_built_in_ones_are(table):
    found = described_table(table, bounded("ab", 10.0))
    settings = {"sites": 4, "samples": 12, "data_seed": 7}
    sites, _ = found(settings)
    assert [x.shape for x in sites] == [(12, 2)] * 4
    dealt = np.concatenate(sites)
    assert len(np.unique(dealt, axis=0)) == 48
    assert {tuple(x) for x in dealt} <= {tuple(x) for x in found.records}
    assert all((a == b).all() for a, b in zip(sites, found(settings)[0], strict=True))
    assert not (found(settings | {"data_seed": 8})[0][0] == sites[0]).all()


def test_rows_with_gaps_are_left_out_and_counted(table):
    table.frame.loc[4, "a"] = np.nan
    table.frame.loc[9, "ward"] = None
    found = described_table(table, bounded("ab", 9.0))
    assert (len(found.records), found.incomplete) == (59, 1)
    found = described_table(table, bounded("ab", 9.0, site_column="ward"))
    assert (sum(found.sizes), found.incomplete) == (58, 2)
    assert described_table(table, bounded("bc", 9.0)).incomplete == 0
    with pytest.raises(UploadError, match="5, column 'a'"):
        table.records(["a", "b"])


def test_messages_count_rows_as_they_were_read(table):
    table.frame.loc[4, "a"] = np.nan
    table.frame.loc[20, "b"] = np.inf
    with pytest.raises(UploadError, match=r"infinite.* 21,.*'b'"):
        described_table(table, bounded("ab", 9.0))
    with pytest.raises(UploadError, match=r"rows.*missing"):
        Table("'t'", pd.DataFrame({"a": [np.nan, np.nan], "b": [1.0, 2.0]})).complete(["a", "b"])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Description((Column("a"), Column("b"))), "lower of column 'a' must be given"),
        (lambda: bounded("ab", -1.0), "length must be greater than 0, got -1"),
        (lambda: ranged("ab", [0, 2], [1, 1]), r"upper must exceed lower, got \[2, 1\] for column 'b'"),
        (lambda: bounded([], 1.0, site_column="a"), "choose at least one column"),
        (lambda: bounded("ab", 1.0, site_column="x"), "no column 'x'"),
        (lambda: bounded("ax", 1.0), "no column 'x'"),
        (
            lambda: bounded("ab", 1.0, site_column="ward", local="x"),
            "names no site 'x' .*'east', 'north', 'west'",
        ),
        (lambda: bounded(["a", "ward"], 9.0), "text where numbers are needed: 'ward'"),
        (
            lambda: Description((Column("a", gaps=("999",)), Column("b")), length=9.0),
            "'a' has codes for a missing value",
        ),
    ],
)
def test_what_cannot_be_used_is_said(table, made, words):
    with pytest.raises(ValueError, match=words):
        described_table(table, made())


def test_records_that_one_length_leaves_nothing_of_are_refused(table):
    table.frame[["a", "b"]] *= 1e-80
    with pytest.raises(UploadError, match="is zero"):
        described_table(table, bounded("ab", 1e99))


def test_one_length_holds_no_more_numbers_than_are_allowed(table):
    assert len(described_table(table, bounded("abc", 9.0), most=180).records) == 60
    with pytest.raises(ValueError, match="most must be at least"):
        described_table(table, bounded("abc", 9.0), most=179)


def test_a_length_that_was_taken_from_the_records_is_marked(table):
    assert described_table(table, bounded("ab", 9.0)).public_bounds
    found = bounded("ab", 9.0, length_public=False)
    assert not described_table(table, found).public_bounds
    assert Description.from_dict(found.to_dict()) == found


def test_bounds_taken_from_the_records_hold_all_of_them_and_are_marked(table):
    table.frame["same"] = 5.0
    columns = ["a", "b", "same"]
    shown = data_columns(table, [Column(name) for name in columns])
    found = described_table(table, Description(shown))
    assert found.clipped == 0 and not found.public_bounds
    lower = [column.lower for column in shown]
    assert lower[:2] == table.frame[["a", "b"]].min().tolist() and lower[2] < 5 < shown[2].upper
    longest = data_bound(table, columns)
    assert longest == pytest.approx(np.linalg.norm(table.frame[columns], axis=1).max())
    assert described_table(table, bounded(columns, longest)).clipped == 0


def test_the_sample_is_what_it_says(patients):
    assert patients.columns == (sample.SITE_COLUMN, *COLUMNS)
    found = described_table(patients, sample.description())
    assert sum(found.sizes) == 3000
    assert max(found.sizes) > 5 * min(found.sizes)
    assert 0 < found.clipped < 0.1 * 3000
    values = np.linalg.eigvalsh(found.records.T @ found.records / 3000)
    assert values[-1] > 3 * values[-2]  # There is structure to find.
    assert sample.sample_csv(rng=np.random.default_rng(1)) == sample.sample_csv(rng=np.random.default_rng(1))


def test_a_table_is_equal_to_itself_alone(table):
    one, other = (described_table(table, bounded("a", 9.0)) for _ in range(2))
    assert one == one and one != other
    assert len({one, other}) == 2

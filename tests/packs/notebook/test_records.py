"""A notebook's own records: arrays and frames of any type of number become the table of a page."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dashboard import explore
from dashboard.own_table.state import OwnData
from dashboard.packs.notebook.explorer.records import OwnRecords


@pytest.mark.parametrize("kind", [">f8", ">f4", ">i2", ">u4", "<f2", ">f2", "g", "u8"])
@pytest.mark.parametrize("make", [np.asfortranarray, lambda x: pd.DataFrame(x, columns=["a", "b", "c"])])
def test_numbers_of_any_size_and_order_of_bytes_are_used(kind, make):
    x = np.arange(12).reshape(4, 3).astype(kind)
    own = OwnData()
    OwnRecords(make(x), (0, 12), labels=None, target="").hand_to(own)
    np.testing.assert_allclose(own.used.records, (x.astype(float) / 6 - 1) / np.sqrt(3))


DAYS = [f"2024-03-{i + 1:02d}" for i in range(8)]


@pytest.mark.parametrize(
    "seen",
    [
        DAYS,
        [f"{day}T08:30:00-05:00" for day in DAYS],
        [f"{day[8:]}.03.24" for day in DAYS],
        pd.to_datetime(DAYS),
        pd.to_datetime(DAYS).tz_localize("Europe/Berlin"),
        [pd.Timestamp(day).date() for day in DAYS],
    ],
)
@pytest.mark.parametrize(
    "ends", [("2024-03-01", "2024-03-29"), tuple(map(np.datetime64, ("2024-03-01", "2024-03-29")))]
)
def test_two_dates_are_the_range_of_dates(seen, ends):
    frame = pd.DataFrame({"seen": seen, "x": range(8)})
    own = OwnData()
    OwnRecords(frame, {"seen": ends, "x": (0, 7)}, labels=None, target="").hand_to(own)
    np.testing.assert_allclose(own.used.records[:, 0] * np.sqrt(2), np.arange(8) / 14 - 1)


GRID = np.arange(12.0).reshape(4, 3) % 5


@pytest.mark.parametrize(
    "make",
    [
        sparse.csr_matrix,
        sparse.coo_array,
        lambda x: pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(x)),
        lambda x: pd.DataFrame(x).astype(pd.SparseDtype("float", 0.0)),
    ],
)
def test_zeros_that_a_sparse_table_leaves_out_are_values(make):
    own = OwnData()
    OwnRecords(make(GRID), (0, 4), labels=None, target="").hand_to(own)
    np.testing.assert_allclose(own.used.records, (GRID / 2 - 1) / np.sqrt(3))


def test_a_sparse_table_that_is_too_large_when_full_is_refused():
    with pytest.raises(ValueError, match=r"records .*zeros included"):
        OwnRecords(sparse.csr_matrix((10**6, 10**4)), (0, 4), labels=None, target="")


@pytest.mark.parametrize(
    "bounds",
    [
        ("0", "4"),
        [("0", "4")] * 3,
        {"x1": ("0", "4")},
        {"x1": "04"},
        {"x1": 4},
        "0 to 4",
        {"x1": ("0,5", "4")},
    ],
)
def test_bounds_as_texts_are_refused_by_name(bounds):
    with pytest.raises(ValueError, match="bounds must"):
        OwnRecords(GRID, bounds, labels=None, target="")


def test_texts_that_all_cells_are_of_are_categories_and_a_set_has_an_order():
    ward, sex = np.resize([1, 2], 8), np.resize(["M", "F", "F"], 8)
    frame = pd.DataFrame({"ward": ward, "sex": sex, "x": range(8)})
    own = OwnData()
    OwnRecords(frame, {"ward": ("1", "2"), "sex": {"M", "F"}, "x": {7, 0}}, labels=None, target="").hand_to(
        own
    )
    assert [part.about.kind for part in own.used.parts] == ["category", "category", "number"]
    assert own.used.parts[1].about.values == ("F", "M")
    np.testing.assert_array_equal(own.used.column(2), np.arange(8))


@pytest.mark.parametrize("heading", ["\u200bage", "age\ufeff", "a\u2060ge", "\u200eage\u200f", "age\u200d"])
def test_letters_of_a_heading_that_cannot_be_seen_are_none_of_its_name(heading):
    frame = pd.DataFrame({heading: range(8), "x": range(8)})
    for name in ("age", heading):
        assert OwnRecords(frame, {name: (0, 7)}, labels=None, target=name).target == "age"


def test_rows_that_may_sum_up_others_are_named_by_a_warning():
    frame = pd.DataFrame({"site": [*np.resize(["a", "b"], 12), "mean"], "x": range(13)})
    with pytest.warns(UserWarning, match="'mean' in row 13"):
        OwnRecords(frame, {"x": (0, 12)}, labels="site", target="").hand_to(OwnData())


@pytest.mark.parametrize(
    "schemes", [{"cape"}, frozenset({"cape"}), np.array(["cape"]), ("cape",), ["cape"], pd.Index(["cape"])]
)
def test_a_setting_of_several_takes_any_collection(schemes):
    assert explore("pca", schemes=schemes).controls.schemes == ["cape"]

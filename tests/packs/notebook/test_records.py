"""A notebook's own records: arrays and frames of any type of number become the table of a page."""

import numpy as np
import pandas as pd
import pytest

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

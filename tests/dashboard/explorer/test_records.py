"""A notebook's own records: arrays and frames of any type of number become the table of a page."""

import numpy as np
import pandas as pd
import pytest

from dashboard.explorer.records import OwnRecords
from dashboard.own_table.state import OwnData


@pytest.mark.parametrize("kind", [">f8", ">f4", ">i2", ">u4", "<f2", ">f2", "g", "u8"])
@pytest.mark.parametrize("make", [np.asfortranarray, lambda x: pd.DataFrame(x, columns=["a", "b", "c"])])
def test_numbers_of_any_size_and_order_of_bytes_are_used(kind, make):
    x = np.arange(12).reshape(4, 3).astype(kind)
    own = OwnData()
    OwnRecords(make(x), (0, 12), labels=None, target="").hand_to(own)
    np.testing.assert_allclose(own.used.records, (x.astype(float) / 6 - 1) / np.sqrt(3))

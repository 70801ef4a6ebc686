"""A move of ε asks core once: each private scheme is released once, and promise, observers and ledger share one answer."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from measures import moved


@pytest.mark.parametrize(
    ("page", "setting", "values", "most", "releases"),
    [
        ("pca", "epsilon", (2.0, 3.0), 6000, "4 of 4"),
        ("regression", "epsilon", (2.0, 3.0), 6000, "4 of 4"),
        ("gain", "sites", (12, 11), 2000, None),
    ],
)
def test_a_move_releases_each_private_scheme_once(page, setting, values, most, releases):
    repeats = {"repeats": "1"} if releases else {}
    # In a process of its own: what a process has computed once it remembers.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        entered, drawn = fresh.submit(moved, {"page": page, **repeats}, setting, values).result()
    assert int(entered.rpartition("/")[2]) <= most
    assert releases is None or drawn == releases

"""A move of ε asks core once: each private scheme is released once, and promise, observers and ledger share one answer."""

import pytest
from measures import moved


@pytest.mark.parametrize("page", ["pca", "regression"])
def test_a_move_of_epsilon_releases_each_private_scheme_once(page):
    # At values that no other test has computed here.
    entered, drawn = moved({"page": page, "repeats": "1"}, "epsilon", (2.25, 3.375))
    assert drawn == "4 of 4"
    assert int(entered.rpartition("/")[2]) <= 6000


def test_a_move_of_the_sites_of_gain_stays_short():
    entered, _ = moved({"page": "gain"}, "sites", (12, 11))
    assert int(entered.rpartition("/")[2]) <= 2000

"""Sites are named by what names a site; what does not is refused by the argument's name."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from data import sites
from data.catalogue import labelled


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan"), pd.NA, pd.NaT])
def test_a_missing_label_names_no_site(missing):
    with pytest.raises(ValueError, match=r"labels must.*1$"):
        sites.group(np.ones((3, 2)), ["a", missing, "b"])


def test_a_column_of_numbers_names_sites():
    assert sites.group(np.ones((3, 2)), np.array([2.0, 1.0, 2.0])).names == ("1.0", "2.0")


def test_a_missing_setting_is_named():
    with pytest.raises(ValueError, match=r"settings must.*'data_seed'.*'data'"):
        labelled.load({"data": "linear"})


def test_a_seed_is_no_generator():
    with pytest.raises(ValueError, match=r"rng must.*default_rng\(\)"):
        sites.split(np.ones((4, 2)), 2, rng=0)

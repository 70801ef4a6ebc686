"""Lengths and sensitivities of encoded records by brute force, against what `core` takes them to be.

Every record that could occur is enumerated: ends and centre of ranges, every category, a missing value.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from core import pca
from core.functional.losses import named
from data.catalogue.labelled import LabelledTable
from data.columns import Column, Description, encode
from data.upload import Table
from data.upload.own_table import described_table

AGE = Column("age", lower=20, upper=100)
OFF = Column("age", lower=20, upper=100, centre=30)
MARKED = Column("age", lower=20, upper=100, missing="mark")
FILLED = Column("age", lower=20, upper=100, missing="mark", fill=100)
WARD = Column("ward", "category", values=("a", "b", "c"))
SPELLED = Column("ward", "category", values=("a", "b"), spellings=(("c", "a"), ("d", "b"), ("no such", "b")))
SKEWED = Column("ward", "category", values=("a", "b", "c"), shares=(0.8, 0.15, 0.05))
GAPPED = Column("ward", "category", values=("a", "b", "c", "d"), missing="mark")
SMOKER = Column("smoker", "yes/no", values=("yes", "no"))
UNSURE = Column("smoker", "yes/no", values=("yes", "no"), missing="mark")
CAME = Column("came", "date", lower="2020-01-01", upper="2020-12-31", since="1990-01-01")
TABLES = {
    "one-hot": (WARD,),
    "one-hot, spelled in several ways": (SPELLED, SMOKER),
    "one-hot, skewed shares": (SKEWED,),
    "one-hot beside a number": (AGE, WARD),
    "indicator": (MARKED, SMOKER),
    "indicator, constant at the end of the range": (FILLED, WARD),
    "indicators of all kinds": (MARKED, GAPPED, UNSURE),
    "date and answers": (CAME, SMOKER),
    "a centre beside the middle": (OFF, SKEWED, SMOKER),
}
VALUES = {
    "number": ["20", "30", "60", "100", "-1e9", "1e9", None],
    "date": ["2020-01-01", "2020-07-01", "2020-12-31", "1900-01-01", "2999-01-01", None],
    "category": ["a", "b", "c", "d", "no such", None],
    "yes/no": ["yes", "no", "perhaps", None],
}


def every_record(columns):
    """A table of all records that could occur, extremes of the ranges and values beyond them included."""
    rows = itertools.product(*(VALUES[column.kind] for column in columns))
    return pd.DataFrame(list(rows), columns=[column.name for column in columns], dtype=object)


def encoded(columns, **options):
    return encode(every_record(columns), Description(columns, **options)).records


@pytest.mark.parametrize("centring", ["public", "none"])
@pytest.mark.parametrize("name", TABLES)
def test_no_record_is_longer_than_one_and_one_is_as_long(name, centring):
    lengths = np.linalg.norm(encoded(TABLES[name], centring=centring), axis=1)
    assert 1 - 1e-12 < lengths.max() <= 1


@pytest.mark.parametrize("centring", ["public", "none"])
@pytest.mark.parametrize("name", TABLES)
def test_no_replaced_record_changes_the_second_moment_by_more_than_core_says(name, centring):
    x = np.unique(encoded(TABLES[name], centring=centring), axis=0)
    moments = np.einsum("ni,nj->nij", x, x)
    n = 7
    changes = np.linalg.norm(moments[:, None] - moments[None], axis=(2, 3)) / n
    bound = pca.sensitivity(n)
    assert changes.max() <= bound * (1 + 1e-12)
    if centring == "none" and name == "one-hot":  # Two categories are orthogonal: the bound is attained.
        assert changes.max() == pytest.approx(bound)


def test_coordinates_side_by_side_would_be_too_long():
    # What is wrong with treating each indicator as a column of its own range [0, 1]: a check of this test.
    x = encoded((AGE, WARD), centring="none")
    naive = np.linalg.norm(x * math.sqrt(2), axis=1).max()
    assert naive == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("loss", ["linear", "logistic"])
def test_no_replaced_pair_changes_a_regression_by_more_than_core_says(loss):
    columns = (MARKED, WARD, SMOKER if loss == "logistic" else OFF)
    if loss == "linear":
        columns = (UNSURE, WARD, AGE)
    target = columns[-1].name
    twice = pd.concat([every_record(columns)] * 2, ignore_index=True)
    table = described_table(Table("'t'", twice), Description(columns, target=target))
    pairs = LabelledTable(table, table.predicted)
    assert pairs.source.response == loss
    halves = pairs({"sites": 2, "samples": len(table.records) // 2, "data_seed": 0})[0]
    x, y = (np.concatenate(parts) for parts in zip(*halves, strict=True))
    assert np.linalg.norm(x, axis=1).max() <= 1
    assert np.linalg.norm(x, axis=1).max() > 1 - 1e-12
    assert np.abs(y).max() <= 1 and (loss == "linear" or set(y) == {0.0, 1.0})
    found = named(loss)
    singles = [found.coefficients(x[i : i + 1], y[i : i + 1]) for i in range(len(y))]
    _, first, second = found.sensitivities
    terms = np.array([np.concatenate([q.linear / first, q.square.ravel() / second]) for q in singles])
    terms = np.unique(terms.round(14), axis=0)
    largest = max(np.linalg.norm(terms - one, axis=1).max() for one in terms)
    assert largest <= found.jointly(x.shape[1]) * (1 + 1e-12)
    assert max(np.linalg.norm(q.linear - p.linear) for p in singles for q in singles[:9]) <= first * (
        1 + 1e-12
    )

"""Rows are counted by the columns that are released: a gap elsewhere leaves no row out of an average."""

from __future__ import annotations

import gc
import pickle
import weakref
from dataclasses import replace

import numpy as np
import own_columns
import pandas as pd
import pytest
from compared import AveragePage

from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.problems.columns import Columns, Released
from dashboard.state.controls import Controls
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

ROWS, ALL = 600, ("age", "crp", "back", "unit")


def frame():
    rng = np.random.default_rng(15)
    found = pd.DataFrame(
        {
            "ward": np.repeat(["a", "b", "c"], [100, 200, 300]),
            "age": rng.integers(20, 90, ROWS).astype(float),
            "crp": rng.gamma(2, 30, ROWS).round(1),
            "back": rng.choice(["yes", "no"], ROWS),
            "unit": rng.choice(["u", "v", "w"], ROWS),
        }
    )
    for name, share in (("crp", 0.1), ("back", 0.2)):
        found.loc[rng.random(ROWS) < share, name] = None
    found.loc[found.ward == "c", "crp"] = found.crp.where(rng.random(ROWS) < 0.3)
    return found


FRAME = frame()
COLUMNS = (
    Column("ward", "category", used=False),
    Column("age", lower=0, upper=100),
    Column("crp", lower=0, upper=300),
    Column("back", "yes/no", values=("yes", "no")),
    Column("unit", "category", values=("u", "v", "w")),
)
READ = upload.read(FRAME.to_csv(index=False).encode(), "g.csv")
SITES = pytest.mark.parametrize("sites", [True, False])


def table_of(*names, sites):
    """The table with these columns in its records, and its description."""
    columns = tuple(replace(one, used=one.name in names) for one in COLUMNS)
    about = Description(columns, "ward" if sites else "")
    return described_table(READ, about), about


def page_of(kind, *, sites=True, **values):
    page = kind(Controls())
    page.content()
    table, about = table_of(*ALL, sites=sites)
    choice = Choice("g.csv", about)
    return own_columns.use(page, table, choice, **values)


@SITES
@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({"column": 1}, ["age"]),
        ({"column": 2}, ["crp"]),
        ({"column": 1, "also": [2]}, ["age", "crp"]),
        ({"column": 1, "also": [2, 3, 4]}, ["age", "crp", "back", "unit"]),
        ({"statistic": "counts", "column": 4}, ["unit"]),
        ({"statistic": "proportion", "column": 3, "also": [1]}, ["back", "age"]),
    ],
)
def test_an_average_counts_the_rows_with_a_value_in_its_own_columns(values, names, sites):
    page, whole = page_of(AveragePage, sites=sites, **values), FRAME.dropna(subset=names)
    table, plan = page.model.counted, page.model.plan()
    assert (table.incomplete, table.source.records) == (ROWS - len(whole), len(whole))
    if sites:
        assert dict(zip(table.site_names, plan.source.sizes, strict=True)) == dict(whole.ward.value_counts())
    # It is the average of a table that has these columns alone.
    alone, _ = table_of(*names, sites=sites)
    place = [part.column for part in alone.parts].index(names[0])
    settings = {"sites": 3, "samples": 100, "data_seed": 7}
    expected = Columns(alone, Released((replace(plan.released.first, place=place),))).statistics(settings)
    np.testing.assert_allclose(plan.problem.statistics(settings), expected, rtol=1e-12)


def test_what_is_said_of_the_records_is_of_the_released_column():
    page = page_of(AveragePage, column=1)
    counted = [len(page.model.counted.records)]
    page.set({"column": 2})
    counted.append(len(page.model.counted.records))
    assert counted == [ROWS, FRAME.crp.notna().sum()]
    words = " ".join(one.words for one in page.own_table.unprotected())
    assert str(ROWS - counted[1]) in words
    page.set({"column": 1})
    assert str(ROWS - counted[1]) not in " ".join(one.words for one in page.own_table.unprotected())
    assert page.model.counted is page.model.counted  # Whatever is kept of it is found again.


def test_a_plan_of_a_mean_counts_so_too_and_one_of_components_takes_complete_rows():
    page = page_of(PlanPage, problem="averaging", column=1)
    question = page.model.plan()
    assert sorted(dict(question.here)["samples"]) == [100, 200, 300]
    assert all(f"{name} ({size})" in page.report() for name, size in zip("abc", (100, 200, 300), strict=True))
    page.set({"problem": "pca"})
    complete = FRAME.dropna().ward.value_counts()
    assert sorted(dict(page.model.plan().here)["samples"]) == sorted(complete)


def test_the_rows_that_are_left_out_stay_in_this_process_and_the_first_site_is_the_largest_that_counts():
    whole, _ = table_of(*ALL, sites=True)
    assert pickle.loads(pickle.dumps(whole)).rest is None
    assert (whole.local, whole.having([0]).local) == ("b", "c")
    with pytest.raises(ValueError, match="place"):
        whole.having([0]).column(1)


def test_nothing_of_a_column_s_rows_outlives_the_table():
    whole, _ = table_of(*ALL, sites=True)
    held = [weakref.ref(whole.having([place])) for place in (0, 1)]
    assert None not in [one() for one in held]
    del whole
    gc.collect()
    assert [one() for one in held] == [None, None]

"""Rows that may sum up others are found whatever their word, and rows of records are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from data import upload
from data.columns import Column, Description
from data.columns.summary_rows import labels_of, summary_rows
from data.upload.own_table import described_table

SITES = ("North", "South", "West")
BODY = [f"{SITES[i % 3]},{30 + i},{120 + i}" for i in range(24)]
COLUMNS = (
    Column("site", "category", used=False),
    *(Column(name, lower=0, upper=200) for name in ("age", "sbp")),
)


def table(*foot, body=BODY, heading="site,age,sbp"):
    return upload.read("\n".join([heading, *body, *foot]).encode(), "t.csv")


def found(*foot, **options):
    frame = table(*foot, **options).frame
    return labels_of(frame, summary_rows(frame))


@pytest.mark.parametrize(
    ("foot", "labels"),
    [
        (["N,24,24"], ("N",)),
        (["Min,30,120", "Max,53,143"], ("Min", "Max")),
        (["Q1,35,125", "Q3,48,138"], ("Q1", "Q3")),
        (["P 5 %,31,121"], ("P 5 %",)),
        (["wszystkie,41,131"], ("wszystkie",)),
        (["N,24,24", "", "Gesamt,996,3156"], ("N",)),  # The last one is a total by its word.
        ([",41.5,131.5"], ()),
        ([",,131.5"], ("131.5",)),
        ([",41.5,"], ("41.5",)),
    ],
)
def test_last_rows_whose_label_occurs_once_are_found(foot, labels):
    assert found(*foot) == labels


@pytest.mark.parametrize(
    "word",
    ["mean", "sd", "SD", "Moyenne", "écart-type", "Mittelwert", "Std. Dev.", "median", "promedio", "Totaux"],
)
def test_means_deviations_and_totals_at_the_end_are_no_records(word):
    read = table("", f"{word},41.5,131.5")
    assert len(read.frame) == 24 and word in " ".join(read.notes)


def test_figures_below_records_of_labels_of_their_own_are_found():
    body = [f"P{i},{i},{2 * i}" for i in range(24)]
    foot = ["count,24,24", "std,7,7", "min,0,0", "25%,6,12", "max,23,46"]
    assert found(*foot, body=body) == ("count", "std", "min", "25%", "max")
    assert found("P99,7,7", body=body) == ()


@pytest.mark.parametrize("word", ["{} total", "Total {}", "{} mean", "Subtotal", "Summe {}", "{} all"])
def test_subtotals_within_are_found(word):
    body = []
    for i, site in enumerate(SITES):
        body += [f"{site},{2018 + j},{20 + i + j}" for j in range(6)] + [f"{word.format(site)},,{150 + i}"]
    read = table("Grand total,,453", body=body, heading="site,year,cases")
    assert summary_rows(read.frame) == (6, 13, 20)


@pytest.mark.parametrize(
    "body",
    [
        BODY,
        [*BODY, "South,50,"],
        [f"P{i},{i},{2 * i}" for i in range(24)],
        [f"{i % 4},{i},{2 * i}" for i in range(24)],
        [f"{'ABC'[i % 3]},{i} mg,x" for i in range(23)] + ["A,99 mg,x"],
        [f"a note on {i},{i % 2},{i}" for i in range(24)],
        ["East,3,4", *BODY],
        [f"{('max', 'min')[i % 2]},{i},{2 * i}" for i in range(24)],
        [*BODY, "East,3,4", *BODY],
    ],
)
def test_records_are_not(body):
    assert summary_rows(table(body=body).frame) == ()


def test_a_table_that_is_described_leaves_them_out_or_keeps_them():
    read = table("Min,30,120", "Max,53,143")
    about = {says: Description(COLUMNS, "site", summary_rows=says) for says in ("leave out", "keep", "")}
    with pytest.warns(UserWarning, match="'Min', 'Max'") as warned:
        names = {says: described_table(read, one).site_names for says, one in about.items()}
    assert len(warned) == 1
    assert sorted(names["leave out"]) == list(SITES)
    assert names["keep"] == names[""] and len(names["keep"]) == 5
    again = Description.read(about["leave out"].text().encode())
    assert again == about["leave out"]
    # Once they are left out nothing more is found.
    assert summary_rows(read.without(summary_rows(read.frame)).frame) == ()


def test_a_long_table_takes_no_time():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"site": rng.choice(list("abcdefgh"), 200_000), "x": rng.normal(size=200_000)})
    frame.loc[len(frame)] = ["n", 200_000.0]
    assert summary_rows(frame) == (200_000,)

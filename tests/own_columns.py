"""A table of three sites of unequal sizes with a column of every kind, and what is released of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.summaries import Summary
from dashboard.own_table.description import Choice
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

SIZES = (120, 60, 20)
# By the name on Plan, and by that of core.
KINDS = {"averaging": "mean", "proportion": "proportion", "counts": "counts", "histogram": "histogram"}
COLUMN = {"mean": 1, "proportion": 2, "counts": 3, "histogram": 1}
SUMMARY = {
    "mean": Summary("mean", 0.0, 500.0),
    "proportion": Summary("proportion"),
    "counts": Summary("counts", cells=3),
    "histogram": Summary("histogram", 0.0, 500.0, cells=10),
}


def frame():
    """Its rows: a number, an answer, a category, a site."""
    rng = np.random.default_rng(5)
    parts = []
    for home, size in zip("abc", SIZES, strict=True):
        crp = rng.exponential(60, size).round(1)
        parts.append(
            pd.DataFrame(
                {
                    "CRP <b>": crp,
                    "back": np.where(crp > 90, "yes", "no"),
                    "ward": np.array(list("uvw"))[np.arange(size) % 3],
                    "home": home,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


FRAME = frame()


def own(*, length=False, sites=True):
    """The table and its user's choices: described column by column, or by one length for a record."""
    table = upload.read(FRAME.to_csv(index=False).encode(), "own <i>.csv")
    if length:
        described = Description(
            (Column("CRP <b>"), Column("home", "category", used=False)), "home", length=500.0
        )
        return described_table(table, described), Choice("own <i>.csv", described)
    columns = (
        Column("CRP <b>", lower=0.0, upper=500.0, unit="mg/L"),
        Column("back", "yes/no", values=("yes", "no")),
        Column("ward", "category", values=("u", "v", "w")),
        Column("home", "category", used=False),
    )
    described = Description(columns, "home" if sites else "")
    return described_table(table, described), Choice("own <i>.csv", described)


def use(page, table, choice, **values):
    """Let a page compute on a table."""
    page.own_table.data.chosen = choice
    page.set(values)
    page.own_table.data.used = table
    page.opened()
    return page

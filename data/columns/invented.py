"""Records invented from the description of a table: nothing of them comes from real ones."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from data import check
from data.columns.description import Column, Description

MOST = 200_000  # Records.


@check.arguments
def invented(description: Description, *, rng: np.random.Generator) -> pd.DataFrame:
    """Draw a table that fits a description, whose sites and sizes it names.

    Numbers and dates are uniform in their ranges, categories follow their public shares, and answers are yes in
    half of all rows; columns are independent and no value is missing. So the records have the form of real ones, not
    their structure: what they show of noise and sensitivity holds, what they show of components or of a prediction
    does not.

    Raises
    ------
    ValueError
        For a description without sites, ranges or categories, or of more than 200,000 records.
    """
    total = sum(size for _, size in description.sites)
    if not 0 < total <= MOST:
        raise ValueError(f"description must name sites with 1 to {MOST} records in total, got {total}")
    if description.length is not None:
        raise ValueError("description must give a range for every column, got one length for all")
    columns = {column.name: _drawn(column, total, rng) for column in description.used}
    if description.site_column:
        names, sizes = zip(*description.sites, strict=True)
        columns[description.site_column] = np.repeat(np.array(names, dtype=object), sizes)
    return pd.DataFrame(columns)


def _drawn(column: Column, total, rng):
    if column.kind == "category":
        if len(column.values) < 2:
            raise ValueError(f"description must list the categories of column {column.name[:40]!r}")
        return rng.choice(np.array(column.values, dtype=object), total, p=column.shares or None)
    if column.kind == "yes/no":
        return rng.choice(np.array(column.values or ("yes", "no"), dtype=object), total)
    if not column.low < column.high:
        raise ValueError(f"description must have upper above lower in column {column.name[:40]!r}")
    if column.kind == "number":
        return rng.uniform(column.low, column.high, total)
    found = column.origin + rng.integers(int(column.low), int(column.high) + 1, total)
    return np.array([date.fromordinal(day).isoformat() for day in found.tolist()], dtype=object)

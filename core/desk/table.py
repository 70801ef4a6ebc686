"""A site's own records from a CSV file, in the columns of a plan; nothing is guessed."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from core import check
from core.desk.agreement import summary_of
from core.parties import Column, Plan
from core.parties.statistic import JOINT, REGRESSION, SHARES, SQUARES


def records_of(plan: Plan, path: Path | str) -> np.ndarray:
    """The records of a CSV file as the plan's statistic takes them: shape (n, d).

    Columns stand between commas, semicolons or tabs; a number has a decimal point, or a comma where these are no marks. A
    category is one of those that the plan names. For moments a column with bounds goes to [−1, 1]·norm/√d, so that every
    record is within the norm; one without is taken as it is.

    Raises
    ------
    ValueError
        For a plan without columns, a column that is missing, a cell that is no number, an unknown category or a gap, by row.
    """
    columns = columns_of(plan)
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        first = file.readline()
        file.seek(0)
        mark = max(",;\t", key=first.count)
        rows = [
            {name: text or "" for name, text in row.items()} for row in csv.DictReader(file, delimiter=mark)
        ]
    if not rows:
        raise ValueError(f"records must have at least one row below the names, got none in {Path(path).name}")
    missing = [column.name for column in columns if column.name not in rows[0]]
    if missing:
        raise ValueError(
            f"records must have the columns {', '.join(map(repr, missing))}, got {check.shown(list(rows[0]))}"
        )
    if mark != ",":  # Between semicolons and tabs a number may have a decimal comma.
        numbers = [column.name for column in columns if column.categories is None]
        rows = [row | {name: row[name].replace(",", ".") for name in numbers} for row in rows]
    parts = [_cells(plan, column, rows) for column in columns]
    if plan.statistic.name == REGRESSION:
        parts = [np.full((len(rows), 1), plan.statistic.norm / np.sqrt(plan.statistic.width)), *parts]
    return np.hstack(parts)


def columns_of(plan: Plan) -> tuple[Column, ...]:
    """The columns of a plan; ValueError, with what to do, for one without."""
    if plan.columns is None:
        raise ValueError(
            "columns must be in the plan, so that a file's columns are known by their names, got none: on the page Plan "
            "press 'Use your own table', say its columns with their bounds, bins or categories, and save the plan anew; in "
            "Python give columns to plan_of"
        )
    return plan.columns


def _cells(plan, column, rows):
    texts = [row[column.name].strip() for row in rows]
    if column.categories is not None:
        places = {name: place for place, name in enumerate(column.categories)}
        found = np.array(
            [_place(places, text, column.name, n) for n, text in enumerate(texts, 2)], dtype=float
        )
    else:
        found = np.array([_number(text, column.name, n) for n, text in enumerate(texts, 2)])
    name = plan.statistic.name
    if name == SHARES:
        return summary_of(column).of(found)
    if name in (*SQUARES, JOINT) and column.lower is not None:
        found = (
            2 * (np.clip(found, column.lower, column.upper) - column.lower) / (column.upper - column.lower)
            - 1
        )
        return found[:, None] * (plan.statistic.norm / np.sqrt(plan.statistic.width))
    return found[:, None]


def _place(places, text, name, row):
    if text not in places:
        if len(places) == 1 and text:  # Of a proportion, any other category is a zero.
            return 0
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, places))} in row {row}, got {check.shown(text)}"
        )
    return places[text] if len(places) > 1 else 1


def _number(text, name, row):
    try:
        if math.isfinite(value := float(text)) and "_" not in text:
            return value
    except ValueError:
        pass
    raise ValueError(f"{name} must be a number in row {row}, got {check.shown(text)}")

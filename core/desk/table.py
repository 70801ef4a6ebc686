"""A site's own records from a CSV file, in the columns of a plan; nothing is guessed."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np

from core.desk import records
from core.desk.agreement import summary_of
from core.parties import Column, Plan
from core.parties.statistic import JOINT, REGRESSION, SHARES, SQUARES

MOST_BYTES = 2**30  # Of a file of records.


def records_of(plan: Plan, path: Path | str) -> np.ndarray:
    """The records of a CSV file as the plan's statistic takes them: shape (n, d).

    Columns stand between commas, semicolons or tabs; a number has a decimal point, or a comma where these are no marks. A
    category is one of those that the plan names. For moments a column with bounds goes to [−1, 1]·norm/√d, so that every
    record is within the norm; one without is taken as it is.

    Raises
    ------
    ValueError
        For a plan without columns, a file that is no text in UTF-8, a column that is missing or there twice, a row with more
        or fewer cells than names, a cell that is no number, an unknown category or a gap: by row, as a spreadsheet counts
        them. It quotes no cell of the file.
    """
    columns = columns_of(plan)
    text = _text(Path(path))
    mark = max(",;\t", key=io.StringIO(text, newline="").readline().count)
    names, rows = _rows(text, mark)
    places = [_place_of(column.name, names) for column in columns]
    if not rows:
        raise ValueError(f"records must have at least one row below the names, got none in {Path(path).name}")
    parts = [_cells(plan, *pair, rows, mark) for pair in zip(columns, places, strict=True)]
    if plan.statistic.name == REGRESSION:
        parts = [np.full((len(rows), 1), plan.statistic.norm / np.sqrt(plan.statistic.width)), *parts]
    return np.hstack(parts)


def _text(path):
    """The text of the file."""
    data = records.read(path, most=MOST_BYTES, links=True)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"records must be text in UTF-8, and {path.name} is not: save it anew with this encoding, which spreadsheets "
            "call 'CSV UTF-8'"
        ) from None


def _rows(text, mark):
    """The names, and every row that is not empty with its number; each has as many cells as there are names."""
    found = []
    try:
        for number, cells in enumerate(
            csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True), 1
        ):
            if found and cells and len(cells) != len(found[0][1]):
                point = " (between commas a number has a decimal point)" if mark == "," else ""
                raise ValueError(
                    f"records must have as many cells as names, {len(found[0][1])}, in row {number}, got {len(cells)}{point}"
                )
            found += [(number, cells)] if cells else []
    except csv.Error:
        raise ValueError(
            f"records must be a table with quotation marks in pairs and cells of at most {csv.field_size_limit()} letters, "
            f"and are not below row {found[-1][0] if found else 0}"
        ) from None
    return (found[0][1], found[1:]) if found else ((), ())


def _place_of(name, names):
    """The column's place; names of other columns are not told: without a line of names they are a patient's."""
    if (count := names.count(name)) != 1:
        got = f"{count} columns of this name" if count else f"none among its {len(names)} names"
        raise ValueError(f"records must have one column {name!r} in the line of names, got {got}")
    return names.index(name)


def columns_of(plan: Plan) -> tuple[Column, ...]:
    """The columns of a plan; ValueError, with what to do, for one without."""
    if plan.columns is None:
        raise ValueError(
            "columns must be in the plan, so that a file's columns are known by their names, got none: on the page Plan "
            "press 'Use your own table', say its columns with their bounds, bins or categories, and save the plan anew; in "
            "Python give columns to plan_of"
        )
    return plan.columns


def _cells(plan, column, at, rows, mark):
    texts = [(number, cells[at].strip()) for number, cells in rows]
    if column.categories is not None:
        places = {name: place for place, name in enumerate(column.categories)}
        found = np.array([_place(places, text, column.name, number) for number, text in texts], dtype=float)
    else:
        if mark != ",":  # Between semicolons and tabs a number may have a decimal comma.
            _refuse_two_marks(texts, column.name)
            texts = [(number, text.replace(",", ".")) for number, text in texts]
        found = np.array([_number(text, column.name, number) for number, text in texts])
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


def _refuse_two_marks(texts, name):
    """A column with commas and points has thousands marked, or is of two spellings: 1.234 may be either."""
    first = [next((number for number, text in texts if mark in text), 0) for mark in ",."]
    if all(first):
        raise ValueError(
            f"{name} must have one decimal mark and none of thousands, and has a comma in row {first[0]} and a point in row "
            f"{first[1]}"
        )


def _place(places, text, name, row):
    if text not in places:
        if len(places) == 1 and text:  # Of a proportion, any other category is a zero.
            return 0
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, places))} in row {row}, and is {_told(text)}"
        )
    return places[text] if len(places) > 1 else 1


def _number(text, name, row):
    try:
        if math.isfinite(value := float(text)) and "_" not in text:
            return value
    except ValueError:
        pass
    raise ValueError(f"{name} must be a number in row {row}, and is {_told(text)}")


def _told(text):
    """What a refusal says of a cell: it may be a patient's."""
    return "another text" if text else "empty"

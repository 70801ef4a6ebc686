"""Records of a notebook's own, arrays or a DataFrame, as the table of a page."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Set
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from dashboard.own_table.description import Choice, sheet_of
from dashboard.own_table.file import LIMITS
from dashboard.own_table.state import OwnData
from data.columns import Column, Description, survey
from data.columns.cells import NUMERAL, as_seen, choices
from data.upload.own_table import described_table
from data.upload.table import checked, native, shown

SITE, FILE = "site", "records.csv"


class OwnRecords:
    """Records with public ranges and, perhaps, the site of each.

    Parameters
    ----------
    records : array (N, d) or DataFrame
    bounds
        As `explore` takes them.
    labels : int, array (N,), str or None
        The site of every record, or the column that names it; a number of sites is no label.
    target : str
        The column to predict.

    Attributes
    ----------
    labelled : bool
        Whether the site of every record is known.
    """

    def __init__(self, records: Any, bounds: Any, *, labels: Any, target: str):
        frame = _frame(records)
        if len(frame) < 2 or not len(frame.columns):
            raise ValueError(f"records must have at least two rows and one column, got shape {frame.shape}")
        self.labelled = labels is not None and not isinstance(labels, int | np.integer)
        self.site_column = ""
        if isinstance(labels, str):
            labels = as_seen(labels)
            if labels not in frame:
                raise ValueError(f"sites must name a column of records, got {shown(labels)}")
            self.site_column = labels
        elif self.labelled:
            frame, self.site_column = _with_sites(frame, labels)
        names = [name for name in frame.columns if name != self.site_column]
        self.columns = _columns(frame, names, bounds)
        self.target = target = as_seen(target)
        if target and target not in self.columns:
            raise ValueError(f"target must be a column with bounds, got {shown(target)}")
        _refuse_gaps(frame[[*self.columns, *([self.site_column] if self.site_column else [])]])
        _refuse_cells(frame, self.columns)
        self.frame = frame

    def hand_to(self, own: OwnData) -> None:
        """Make them the session's table, with the ranges as its description, and compute on it."""
        table = replace(checked(self.frame, "records", LIMITS), facts=survey(self.frame))
        sheet = sheet_of(table, FILE)
        if sheet.unsure:  # A program asks nobody.
            unsure = ", ".join(sheet.unsure)
            warnings.warn(f"records may hold rows that sum up others: {unsure}; drop such rows", stacklevel=2)
        columns = (self.columns.get(one.name, Column(one.name, one.kind, used=False)) for one in sheet.facts)
        described = Description(tuple(columns), self.site_column, self.target, summary_rows="keep")
        made = described_table(table, described, most=LIMITS.expanded // 8)
        own.opened(sheet)
        own.take(described)
        own.remark = ""
        own.adopt(made, Choice(FILE, described))


def _frame(records):
    if sparse.issparse(records):
        records = _full(records)
    if isinstance(records, pd.DataFrame):
        names = [as_seen(str(name)) for name in records.columns]
        frame = records.set_axis(names, axis=1).reset_index(drop=True)
        if (twice := frame.columns.duplicated()).any():
            name = shown(frame.columns[twice][0])
            raise ValueError(f"records must have columns of different names, got {name} twice: rename one")
        for place, kind in enumerate(frame.dtypes):
            if isinstance(kind, pd.SparseDtype):
                frame.isetitem(place, frame.iloc[:, place].sparse.to_dense())
        for place, kind in enumerate(frame.dtypes):
            if isinstance(kind, np.dtype) and kind.kind in "fiu":
                frame.isetitem(place, native(frame.iloc[:, place].to_numpy()))
        return frame
    array = np.asarray(records)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"records must be a DataFrame or an array of numbers of shape (N, d), got shape {array.shape} of {array.dtype}"
        )
    return pd.DataFrame(native(array), columns=[f"x{place}" for place in range(1, array.shape[1] + 1)])


def _full(records):
    """A sparse matrix with its zeros, which are records' values too."""
    if len(records.shape) != 2 or np.prod(records.shape, dtype=float) > LIMITS.expanded // 8:
        raise ValueError(
            f"records must be of shape (N, d) with at most {LIMITS.expanded // 8} numbers, zeros included, got shape "
            f"{records.shape}"
        )
    return records.toarray()


def _with_sites(frame, labels):
    labels = np.asarray(labels)
    if labels.shape != (len(frame),):
        raise ValueError(
            f"sites must hold a label for each of the {len(frame)} records, got shape {labels.shape}"
        )
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(
            f"sites must name the site of every record, got none in row {int(missing.argmax())} "
            f"({int(missing.sum())} in total): fill or drop such rows"
        )
    name = next(name for name in (SITE, *(f"{SITE} {i}" for i in range(2, 10_000))) if name not in frame)
    return frame.assign(**{name: [str(label) for label in labels.tolist()]}), name


def _columns(frame, names, bounds) -> dict[str, Column]:
    """What is said of every column of a record."""
    if bounds is None:
        raise ValueError(
            "bounds must be given with records, got none: the public range of the columns, e.g. bounds=(-1, 1)"
        )
    if isinstance(bounds, Mapping):
        bounds = {as_seen(str(name)): found for name, found in bounds.items()}
        unknown = [name for name in bounds if name not in names]
        if unknown:
            raise ValueError(f"bounds must name columns of records, got {shown(unknown[0])}")
        if not bounds:
            raise ValueError("bounds must name at least one column of records, got an empty mapping")
        return {name: _column(frame[name], found) for name, found in bounds.items()}
    pairs = np.asarray(bounds, dtype=object)
    if pairs.shape == (2,):
        pairs = [bounds] * len(names)
    elif pairs.shape != (len(names), 2):
        raise ValueError(
            f"bounds must be one (low, high), or one for each of the {len(names)} columns, got {_given(bounds, pairs)}"
        )
    return {name: _column(frame[name], pair) for name, pair in zip(names, pairs, strict=True)}


def _given(bounds, pairs):
    return f"shape {pairs.shape}" if pairs.ndim else shown(bounds)


def _column(cells, found):
    """What is said of a column: two numbers or dates are its range, a list of texts are its categories."""
    name = cells.name
    if isinstance(found, str) or not isinstance(found, Collection):
        raise ValueError(
            f"bounds must be two numbers or a list of categories for column {shown(name)}, got {shown(found)}"
        )
    values = sorted(found, key=_by_value) if isinstance(found, Set) else list(found)
    if len(values) == 2 and all(map(_is_day, values)):
        return Column(name, "date", lower=str(values[0])[:10], upper=str(values[1])[:10])
    if all(isinstance(value, str) for value in values):
        if _are_ends(cells, values):
            low, high = values
            raise ValueError(
                f"bounds must be numbers for a range of column {shown(name)}, got the texts {shown(low)} and "
                f"{shown(high)}; as categories list all that occur"
            )
        return Column(name, "category", values=tuple(values))
    try:
        low, high = map(float, values)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(
            f"bounds must be two finite numbers, the lower one first, got {found!r} for column {shown(name)}"
        )
    return Column(name, "number", lower=low, upper=high)


def _by_value(value):
    return (isinstance(value, str), value)


def _are_ends(cells, values):
    """Whether two texts may be meant as the ends of a range: they are numbers, and cells hold others."""
    if len(values) != 2 or choices(cells, tuple(values))[1] == 0:
        return False
    return all(NUMERAL.fullmatch(value.strip().replace("−", "-").replace(",", ".")) for value in values)


def _is_day(value):
    """Whether an end of a range is a date: an object, or text such as 2024-12-31."""
    if not isinstance(value, str):
        return isinstance(value, date | np.datetime64)
    try:
        return bool(date.fromisoformat(value))
    except ValueError:
        return False


def _refuse_gaps(frame):
    gaps = frame.isna().to_numpy()
    if gaps.any():
        row, place = (int(i) for i in np.argwhere(gaps)[0])
        raise ValueError(
            f"records must have a value in every cell, got none in row {row}, column {shown(frame.columns[place])} "
            f"({int(gaps.sum())} in total): fill or drop such rows"
        )


def _refuse_cells(frame, columns):
    """Say in a program's words, and with its row numbers from 0, what the page would say of a file."""
    for name, column in columns.items():
        cells = frame[name]
        if column.kind != "number":
            continue
        numbers = pd.api.types.is_numeric_dtype(cells)
        if numbers:
            wrong = np.isinf(cells.to_numpy(dtype=float))
        else:
            wrong = ~cells.astype(str).str.contains(r"\d").to_numpy(dtype=bool)
        if wrong.any():
            row = int(wrong.argmax())
            value = cells.iloc[row] if numbers else shown(cells.iloc[row])
            hint = "" if numbers else f"; for categories give their list as the bounds of {shown(name)}"
            raise ValueError(
                f"records must hold finite numbers in column {shown(name)}, got {value} in row {row}{hint}"
            )

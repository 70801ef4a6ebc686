"""A user's own table as records at sites: choice of columns, assignment to sites, scaling to public bounds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from data import bounds, check
from data.catalogue.rest import Rest, by_site
from data.catalogue.tables import OwnTable
from data.columns import Block, Column, Description, cells, encode, invented, notation
from data.columns.description import MOST_VALUES
from data.columns.encode import Encoded, WrongCell, read_cells
from data.columns.gaps import coded, without_codes
from data.columns.summary_rows import labels_of, summary_rows
from data.upload import Table, UploadError
from data.upload.table import shown


@check.arguments
def described_table(table: Table, description: Description, *, most: int | None = None) -> OwnTable:
    """Bring the records of a table within bounds as it is described.

    Rows without a value are left out, or marked as the description says.

    Parameters
    ----------
    description : Description
        Columns with their public ranges and categories (`data.columns.encode`), or one `length` for all records, by which
        numbers are divided and to which longer ones are shortened (`data.bounds.to_unit_ball`); sites, and the column to
        predict.
    most : int, optional
        Numbers that the records may hold at most.

    Raises
    ------
    UploadError
        For cells that are not what the description says, with column and row; if no site or one site is named, or
        none as the description's `local`; if fewer than two rows remain; and if all of them are zero.
    ValueError
        For ranges or categories that are missing, and codes for a missing value under one `length`.

    Examples
    --------
    >>> import pandas as pd
    >>> from data.columns import Column, Description
    >>> from data.upload import Table
    >>> table = Table("'t.csv'", pd.DataFrame({"a": [3.0, 30.0, None], "b": [4.0, 40.0, 1.0]}))
    >>> found = described_table(table, Description((Column("a"), Column("b")), length=10.0))
    >>> found.records.round(9).tolist(), found.clipped, found.incomplete
    ([[0.3, 0.4], [0.6, 0.8]], 1, 1)
    """
    table = _without_sums(table, description.summary_rows)
    frame, rows = table.frame, len(table.frame)
    name = description.site_column
    if name:
        if name not in table.columns:
            raise UploadError(f"{table.name} has no column {shown(name)}.")
        column = description.columns[description.names.index(name)]
        frame = frame[~(cells.empty(frame[name], _listed(description, name)) | coded(frame[name], column))]
    made = (_of_ranges if description.length is None else _of_length)(table, frame, description, most)
    order, labels, sizes = np.arange(len(made.kept)), None, None
    names: tuple[str, ...] = ()
    if name:
        labels = cells.labels(frame[name], _listed(description, name)).astype(str)
        order, names, sizes = _sites(table, labels[made.kept], description)
    return OwnTable(
        table.name,
        made.records[order] if name else made.records,
        tuple(one for block in made.blocks for one in block.names),
        sizes,
        names,
        made.clipped,
        rows - len(made.kept),
        description.public,
        made.blocks,
        made.unlisted,
        made.marked,
        description.target,
        record=description.record,
        per_person=description.per_person,
        rest=_rest(made, order, labels, description.local),
    )


def _of_ranges(table, frame, description, most):
    """Records of columns that each have a range or a list."""
    try:
        made = encode(frame, description, most=most)
    except WrongCell as error:
        raise UploadError(_where(error, table, frame)) from None
    _enough(table, made.kept, "Leave out the columns with many gaps, or mark their missing values.")
    if not made.records.any():
        raise UploadError(
            f"every record of {table.name} lies at the middle of all its ranges, so that nothing is left of it once the "
            "middle is subtracted: choose columns that differ between records, or closer ranges."
        )
    return made


def _of_length(table, frame, description, most):
    """Records of numbers that one length bounds together; nothing is subtracted."""
    names = [column.name for column in description.used]
    if found := [column.name for column in description.used if column.gaps]:
        raise ValueError(
            f"{shown(found[0])} has codes for a missing value: give every column a range, since one length for all records "
            "reads them as numbers"
        )
    if most is not None and len(names) * len(frame) > most:
        raise ValueError(
            f"most must be at least the numbers of all records, got {most}: the table has {len(frame)} rows of {len(names)}"
        )
    kept = np.flatnonzero(~replace(table, frame=frame).gaps(names))
    _enough(table, kept, "Leave out the columns with many gaps.")
    records = replace(table, frame=frame.iloc[kept]).records(names)
    scaled = bounds.to_unit_ball(records, bound=description.length)
    if not np.einsum("ij,ij->", scaled.records, scaled.records) > 0:
        raise UploadError(f"within these bounds every record of {table.name} is zero; choose closer ones.")
    blocks = tuple(Block(name, (name,)) for name in names)
    return Encoded(scaled.records, kept, blocks, scaled.clipped, 0, 0)


def _enough(table, kept, advice):
    """Refuse a table of which fewer than two rows have a value in every chosen column."""
    if len(kept) < 2:
        count = f"{len(kept) or 'no'} row{'' if len(kept) == 1 else 's'}"
        raise UploadError(
            f"{table.name} has {count} with a value in every chosen column; at least 2 are needed. {advice}"
        )


def _without_sums(table, said):
    """The table without the rows that may sum up others, if it was said that they are left out; a warning if nothing was."""
    found = () if said == "keep" else summary_rows(table.frame)
    if found and not said:
        some = ", ".join(map(shown, labels_of(table.frame, found[:5])))
        warnings.warn(
            f"{table.name} has rows that may sum up others: {some}; say in summary_rows of the description whether they are "
            "records",
            stacklevel=4,
        )
        return table
    return table.without(found)


def _sites(table, labels, description):
    """The records' order site by site, the sites' names and sizes."""
    name = description.site_column
    names, sizes = np.unique(labels, return_counts=True)
    if len(names) < 2:
        words = sorted({text for text in cells.texts(table.frame[name])[1] if cells.is_gap(text)} - {*names})
        hint = (
            f" {', '.join(map(shown, words[:3]))} names none unless its categories list it." if words else ""
        )
        raise UploadError(
            f"column {shown(name)} of {table.name} names one site only; at least 2 are needed.{hint}"
        )
    _order(names.tolist(), sizes, description.local, table.name, name)  # Refuses a site that is not there.
    return by_site(labels, np.arange(len(labels)), description.local)


def _rest(made, order, labels, local):
    """The rows that miss a value in some columns; None if there are none."""
    left = made.others
    if left is None:
        return None
    sites = None if labels is None else labels[left.rows]
    return Rest(left.records, left.gaps, left.clipped, left.marked, left.rows, made.kept[order], sites, local)


def _listed(description, name):
    """Names of sites that a description gives, so that a site may be called NA."""
    listed = next(column.values for column in description.columns if column.name == name)
    return {*listed, *(site for site, _ in description.sites)}


def _order(names, sizes, local, table, column):
    """Places of the sites: first the one that works alone under the scheme "local"."""
    if local and local not in names:
        some = ", ".join(shown(name) for name in names[:8]) + (" …" if len(names) > 8 else "")
        raise UploadError(
            f"column {shown(column)} of {table} names no site {shown(local)} with records; it names {some}. "
            "Choose another site to work alone."
        )
    first = list(names).index(local) if local else int(np.argmax(sizes))
    return [first, *(s for s in range(len(names)) if s != first)]


@check.arguments
def invented_table(description: Description, name: str, *, rng: np.random.Generator) -> OwnTable:
    """Records that are invented from a description alone, in place of a table that may not be handed in.

    Raises
    ------
    ValueError
        As for `data.columns.invented`.
    """
    frame = invented(description, rng=rng)
    found = described_table(Table(shown(name), frame), replace(description, summary_rows="keep"))
    return replace(found, invented=True)


@check.arguments
def data_columns(table: Table, columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns with the ranges and categories that the records show. **Not private**, and marked so.

    Categories that seem to be one are merged: `data.columns.cells.merged`. A column that never changes gets a small
    range about its value, since a range must not be empty. Yes and no are not taken from the records.

    Raises
    ------
    UploadError
        For a column that does not exist, cannot be read as described, or has no value.
    """
    return tuple(_shown_by(table, column) for column in columns)


def _shown_by(table, column):
    if not isinstance(column, Column):
        raise ValueError(f"columns must be Column, got {check.shown(column)}")
    if column.name not in table.columns:
        raise UploadError(f"{table.name} has no column {shown(column.name)}.")
    found = without_codes(table.frame[column.name], column)
    if column.kind == "yes/no":
        return column
    if column.kind == "category":
        values, spellings = cells.merged(cells.texts(found))
        if len(values) > MOST_VALUES:
            raise UploadError(
                f"column {shown(column.name)} holds {len(values)} different texts; a category has at most "
                f"{MOST_VALUES}. List the common ones: others count as missing."
            )
        return replace(column, values=values, spellings=spellings, shares=(), public=False)
    try:
        read = read_cells(column, found, notation.agreed(table.frame))
    except WrongCell as error:
        raise UploadError(_where(error, table, table.frame)) from None
    if not np.isfinite(read.values).any():
        raise UploadError(f"column {shown(column.name)} of {table.name} has no value.")
    low, high = float(np.nanmin(read.values)), float(np.nanmax(read.values))
    if column.kind == "date":
        low, high = (date.fromordinal(int(day)).isoformat() for day in (low, high + (low == high)))
    elif low == high:
        room = max(0.5, 1e-6 * abs(high))
        low, high = low - room, high + room
    return replace(column, lower=low, upper=high, centre=None, public=False)


def _where(error, table, frame):
    """What is wrong with a cell, with its row as it was read."""
    if error.row < 0:
        return f"{table.name}, column {shown(error.column)}: {error.why}."
    cell, row = frame[error.column].iloc[error.row], int(frame.index[error.row]) + 1
    if error.why == "an infinite value":
        return f"{table.name} has an infinite value in row {row}, column {shown(error.column)}."
    return (
        f"{table.name} has {shown(cell)} in row {row}, column {shown(error.column)}: {error.why}. Choose how the "
        "column is written, make it a category, or leave it out."
    )


@check.arguments
def data_bound(table: Table, columns: Sequence[str], *, complete_rows: bool = False) -> float:
    """The largest norm of a record in the table. **Not private**: it is computed from the records."""
    table = table.complete(columns) if complete_rows else table
    return float(bounds.row_norms(table.records(columns)).max())

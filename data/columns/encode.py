"""Records of a described table: every column a block of at most length 1/√g, all g blocks side by side.

A block has length at most 1 for *every* value that its column could hold, whether it occurs or not:

- a number, a date or yes/no is one coordinate z = (x − c)/max(upper − c, c − lower), clipped to its public range;
- a category of K public values is (e_k − p)/max_j ‖e_j − p‖ with public shares p: one row has one value, so the
  block has one column of length 1, not K of them (K coordinates in [−1, 1] would be √K times as long);
- a missing value that is marked is (z₀, 1) for a number and (0, 1) for a category, and the block is divided by the
  largest length that this allows for.

So ‖x‖ ≤ 1 holds for every record that could occur, and is attained: what `core` assumes of a record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from data import check
from data.columns import cells, notation
from data.columns.description import Column, Description
from data.columns.gaps import without_codes

_SHORT = 1 - 4e-15  # Rounding must never leave a row above 1.


@dataclass(frozen=True)
class Block:
    """The coordinates of a record that one column became.

    Attributes
    ----------
    column : str
        Its name: foreign text.
    names : tuple of str
        What the coordinates are called.
    two_valued : bool
        Whether it holds yes or no, or one of two categories: the first coordinate is larger for the first value.
    marks : bool
        Whether the last coordinate marks a missing value.
    middle : float
        Where the middle of the column's range lies on its coordinate, which reaches from −1 to 1 around the centre.
    about : Column, optional
        How it was described; None for a column that no range of its own bounds.
    offset, scale : float
        A number, date or answer is offset + scale · its first coordinate.
    """

    column: str
    names: tuple[str, ...]
    two_valued: bool = False
    marks: bool = False
    middle: float = 0.0
    about: Column | None = None
    offset: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class Encoded:
    """Records of a described table. All counts are of the records, and so *not private*.

    Attributes
    ----------
    records : ndarray (N, d)
        ‖x‖ ≤ 1.
    kept : ndarray of int (N,)
        Places of the rows that they were made of.
    blocks : tuple of Block
    clipped : int
        Rows with a value outside of its range.
    unlisted : int
        Rows with a category that the public list does not hold, which counts as missing.
    marked : int
        Rows with a missing value that was replaced by a constant.
    others : Others, optional
        The rows that have a value in some columns alone, if there are any.
    """

    records: np.ndarray
    kept: np.ndarray
    blocks: tuple[Block, ...]
    clipped: int
    unlisted: int
    marked: int
    others: Others | None = None


@dataclass(frozen=True)
class Others:
    """M rows that lack a value in some columns.

    Attributes
    ----------
    records : ndarray (M, d)
        As those of `Encoded`, where they have values.
    rows : ndarray of int (M,)
        Places of the rows.
    gaps : ndarray of bool (M, g)
        In which of the blocks they have none.
    clipped, marked : ndarray of bool (M,)
    """

    records: np.ndarray
    rows: np.ndarray
    gaps: np.ndarray
    clipped: np.ndarray
    marked: np.ndarray


class WrongCell(ValueError):
    """A cell is not what its column is described as.

    Attributes
    ----------
    column : str
    row : int
        Its place in the frame, from 0; −1 where no single row is wrong.
    why : str
    """

    def __init__(self, column: str, row: int, why: str):
        super().__init__(f"description must fit the cells of column {cells.text_of(column)[:40]!r}: {why}")
        self.column, self.row, self.why = column, row, why


@dataclass
class _Part:
    """A column's coordinates, unscaled beyond ‖z‖ ≤ 1, and what was met on the way."""

    block: Block
    values: np.ndarray  # (N, k)
    missing: np.ndarray  # (N,)
    clipped: np.ndarray
    unlisted: np.ndarray


@check.arguments
def encode(frame: pd.DataFrame, description: Description, *, most: int | None = None) -> Encoded:
    """Make records of a table as it is described.

    Parameters
    ----------
    frame : DataFrame (N rows)
        The cells, as they were read.
    description : Description
        Names the columns; every range and category list in use must be given.
    most : int, optional
        Numbers that the records may hold at most; default: no limit.

    Raises
    ------
    WrongCell
        For text that is no number or date, and for infinite numbers.
    ValueError
        For columns that the table does not have, ranges or lists that are missing, and more than `most` numbers.
    """
    if description.length is not None:
        raise ValueError(
            "description must give ranges, got one length for all columns: data.upload.own_table takes both"
        )
    columns = tuple(_answerable(column, description) for column in description.used)
    if not columns:
        raise ValueError("description must have at least one column that is used")
    names = {cells.text_of(name): name for name in frame.columns}
    if missing := [c.name for c in columns if cells.text_of(c.name) not in names]:
        raise ValueError(f"description must name columns of the table, which has no {missing[0][:40]!r}")
    sized = [_names(column) for column in columns]
    if most is not None and sum(map(len, sized)) * len(frame) > most:
        raise ValueError(
            f"most must be at least the numbers of all records, got {most}: the description makes "
            f"{sum(map(len, sized))} numbers of a row, and the table has {len(frame)} rows; leave out columns or categories"
        )
    records = np.empty((len(frame), sum(map(len, sized))))
    gaps = np.zeros((len(frame), len(columns)), dtype=bool)
    clipped, unlisted, marked = (np.zeros(len(frame), dtype=bool) for _ in range(3))
    blocks, start = [], 0
    agreed = notation.agreed(frame)
    for place, column in enumerate(columns):
        found = without_codes(frame[names[cells.text_of(column.name)]], column)
        part = _part(column, found, description, agreed)
        records[:, start : start + part.values.shape[1]] = part.values
        start += part.values.shape[1]
        if column.missing == "mark":
            marked |= part.missing
        else:
            gaps[:, place] = part.missing
        clipped, unlisted = clipped | part.clipped, unlisted | part.unlisted
        blocks.append(replace(part.block, scale=part.block.scale * math.sqrt(len(columns)) / _SHORT))
    records *= _SHORT / math.sqrt(len(columns))
    kept = ~gaps.any(axis=1)
    rows, left, others = np.flatnonzero(kept), np.flatnonzero(~kept), None
    if len(left):
        others = Others(records[left], left, gaps[left], clipped[left], marked[left])
        records = records[rows]
    return Encoded(
        records,
        rows,
        tuple(blocks),
        int((clipped & kept).sum()),
        int(unlisted.sum()),
        int((marked & kept).sum()),
        others,
    )


def _answerable(column, description):
    """The column; of the target, nobody can learn from a constant in place of the answer."""
    return replace(column, missing="leave out") if column.name == description.target else column


def _names(column):
    """What the coordinates of a column are called."""
    names = [f"{column.name} = {value}" for value in column.values] or [column.name]
    names = names if column.kind == "category" else [column.name]
    return [*names, f"{column.name} is missing"] if column.missing == "mark" else names


def _part(column: Column, found: pd.Series, description: Description, agreed: str):
    marks = column.missing == "mark"
    if column.kind == "category":
        values, missing, clipped, unlisted = _category(column, found, description)
    else:
        values, missing, clipped, unlisted = _scalar(
            column, _values(column, found, agreed), description, marks
        )
    if marks:
        values = np.column_stack([values, missing])
    two = column.kind == "yes/no" or (column.kind == "category" and len(column.values) == 2)
    middle, centre, half, longest = 0.0, 0.0, 1.0, _longest(column, description)
    if column.kind != "category":
        centre, half = _frame(column, description)
        middle = (column.low / 2 + column.high / 2 - centre) / half
    block = Block(column.name, tuple(_names(column)), two, marks, middle, column, centre, half * longest)
    return _Part(block, values / longest, missing, clipped, unlisted)


def _scalar(column, found, description, marks):
    """One coordinate (x − c)/h of a number, a date or an answer, from its values and where they are not listed."""
    raw, unlisted = found
    low, high = column.low, column.high
    if not low < high:
        raise ValueError(f"upper must exceed lower, got [{low:g}, {high:g}] for column {column.name[:40]!r}")
    missing = np.isnan(raw)
    inside = np.clip(raw, low, high)
    clipped = ~missing & (inside != raw)
    centre, half = _frame(column, description)
    if marks:
        inside[missing] = np.clip(column.filled, low, high)
    else:
        inside[missing] = centre
    return ((inside - centre) / half)[:, None], missing, clipped, unlisted


def _category(column, found, description):
    """Indicators of the public values, less their public shares; zero where none is known."""
    if len(column.values) < 2:
        raise ValueError(f"values must be at least two categories of column {column.name[:40]!r}")
    place, _ = cells.choices(found, column.values, column.spellings)
    missing = place < 0
    values = np.zeros((len(place), len(column.values)))
    rows = np.flatnonzero(~missing)
    values[rows] -= _shares(column, description)
    values[rows, place[rows]] += 1
    return values, missing, np.zeros(len(place), dtype=bool), place == -2


def _values(column, found, agreed):
    """A column as numbers, NaN where nothing is known, and where its list does not hold the text."""
    nowhere = np.zeros(len(found), dtype=bool)
    if column.kind == "yes/no":
        if len(column.values) != 2:
            raise ValueError(f"values must be what counts as 1 and as 0 in column {column.name[:40]!r}")
        place, _ = cells.choices(found, column.values, column.spellings)
        return np.where(place < 0, np.nan, 1.0 - place), place == -2
    read = read_cells(column, found, agreed)
    if np.isinf(read.values).any():
        raise WrongCell(column.name, int(np.isinf(read.values).argmax()), "an infinite value")
    return read.values - (column.origin if column.kind == "date" else 0), nowhere


def read_cells(column: Column, found: pd.Series, agreed: str) -> notation.Read:
    """Numbers or dates of cells that are described as such.

    Raises
    ------
    WrongCell
        For a cell that is none, where nothing tells how the cells are written, and for units that are not described.
    """
    try:
        read = notation.read_as(found, column.kind, column.written, agreed=agreed)
    except (notation.TooMany, notation.Unclear) as error:
        raise WrongCell(column.name, -1, str(error)) from None
    if read.wrong >= 0:
        written = f" written as {column.written}" if column.written else ""
        raise WrongCell(column.name, read.wrong, f"it is no {column.kind}{written}")
    if strange := _strange_units(column, read.units):
        raise WrongCell(column.name, -1, strange)
    return read


def _strange_units(column, units):
    """What is wrong with the units that cells carry, "" for nothing."""
    meant = [column.unit, *("" if cells.is_gap(text) else text for text, _ in column.spellings)]
    known = set(map(notation.unit_key, meant))
    others = [one for one in units if notation.unit_key(one) not in known] if column.unit else units
    if not others or (len(units) < 2 and not column.unit):
        return ""
    wanted = f" where {column.unit!r} was described" if column.unit else ""
    merged = notation.as_one_unit(others, column.unit)
    return f"it has {notation.listed_units(units)}{wanted}. If they are one unit, say so: {merged}"


def _frame(column, description):
    """The public constant that is subtracted, and the largest distance from it within the range."""
    if description.centring == "none":
        return 0.0, max(abs(column.low), abs(column.high))
    centre = column.middle
    if not column.low <= centre <= column.high:
        raise ValueError(
            f"centre must lie in the range of column {column.name[:40]!r}, got {column.centre!r}"
        )
    return centre, max(column.high - centre, centre - column.low)


def _shares(column, description):
    """p, the public constants that are subtracted from the indicators."""
    count = len(column.values)
    if description.centring == "none":
        return np.zeros(count)
    return np.array(column.shares) if column.shares else np.full(count, 1 / count)


def _longest(column, description):
    """The largest length of a column's coordinates over all values that it could hold."""
    marks = column.missing == "mark"
    if column.kind == "category":
        shares = _shares(column, description)
        longest = math.sqrt(max(1 - 2 * p + float(shares @ shares) for p in shares))
        return max(longest, 1.0) if marks else longest
    if not marks:
        return 1.0
    centre, half = _frame(column, description)
    filled = (min(max(column.filled, column.low), column.high) - centre) / half
    return math.hypot(filled, 1.0)

"""A user's table after checks, and the choice of columns from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from data import sites
from data.check import grouped
from data.columns import Facts, cells, notation
from data.sites import Sites
from data.text import Documents

TEXT_CELL = 64  # Bytes that Python takes for a short text, beside its letters.


class UploadError(ValueError):
    """A file cannot be used; the message says in plain words what is wrong and where."""


@dataclass(frozen=True)
class Limits:
    """What is refused.

    Attributes
    ----------
    size : int
        Bytes of the file.
    expanded : int
        Bytes of what is made of a file: 8 for a number, `TEXT_CELL` and its letters for a cell of text.
    rows, columns : int
        Of a table; rows also of a text.
    line : int
        Characters of one line of a CSV or TSV.
    document : int
        Characters of one document.
    """

    size: int = 200_000_000
    expanded: int = 1_000_000_000
    rows: int = 2_000_000
    columns: int = 10_000
    line: int = 2_000_000
    document: int = 1_000_000


@dataclass(frozen=True)
class Table:
    """A table as it was read. Rows are counted from 1, a header and blank lines not counted.

    Messages count rows as they were read, even after `complete` left some out.

    Attributes
    ----------
    name : str
        The file's name, quoted as in messages.
    frame : pandas.DataFrame
        The values, text columns included; missing values are NaN.
    notes : tuple of str
        What was found out or assumed in reading, in plain words.
    facts : tuple of Facts
        What its columns look like, if they were looked at: `data.columns.survey`.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    facts: tuple[Facts, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All column names, in order."""
        return tuple(self.frame.columns)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the columns that hold numbers alone (or are missing some)."""
        return tuple(c for c in self.frame.columns if self._numbers(c) is not None)

    @property
    def text(self) -> tuple[str, ...]:
        """Names of the other columns."""
        numeric = set(self.numeric)
        return tuple(c for c in self.frame.columns if c not in numeric)

    def _numbers(self, column):
        """A column as numbers, NaN where there is none; None if its texts are no numbers, or may be other ones."""
        return notation.certain_numbers(self.frame[column], agreed=self.frame.attrs.get("written", ""))

    def records(self, columns: Sequence[str] | None = None) -> np.ndarray:
        """The chosen columns (all if None) as finite floats, shape (N, d).

        Raises
        ------
        UploadError
            For a column that does not exist or holds text, a missing or an infinite value; the message
            names column and row.
        """
        columns = self.columns if columns is None else tuple(columns)
        if not columns:
            raise UploadError(f"choose at least one column of {self.name}.")
        known = set(self.columns)
        for column in columns:
            self._require(column, known)
        found = [self._numbers(column) for column in columns]
        self._refuse_text([column for column, one in zip(columns, found, strict=True) if one is None])
        records = np.column_stack(found)
        if not np.isfinite(records).all():
            self._refuse_gaps(records, columns)
        return records

    def gaps(self, columns: Sequence[str]) -> np.ndarray:
        """Which rows miss a value in one or more of these columns, shape (N,); UploadError if one does not exist."""
        if not columns:
            raise UploadError(f"choose at least one column of {self.name}.")
        known = set(self.columns)
        for column in columns:
            self._require(column, known)
        return np.any([cells.empty(self.frame[column]) for column in columns], axis=0)

    def complete(self, columns: Sequence[str]) -> Table:
        """The rows that miss no value in these columns.

        Raises
        ------
        UploadError
            For a column that does not exist, or fewer than two such rows.
        """
        kept = self.frame[~self.gaps(columns)]
        if len(kept) < 2:
            raise UploadError(
                f"{self.name} has {len(kept) or 'no'} row{'' if len(kept) == 1 else 's'} without a missing "
                "value in the chosen columns; at least 2 are needed. Leave out the columns with many gaps."
            )
        return replace(self, frame=kept)

    def without(self, rows: Sequence[int]) -> Table:
        """The table without the rows at these places, counted from 0."""
        return replace(self, frame=self.frame.drop(self.frame.index[list(rows)])) if rows else self

    def values(self, column: str) -> np.ndarray:
        """One column as finite floats, shape (N,): a response, for instance. Errors as for `records`."""
        return self.records([column])[:, 0]

    def sites(self, column: str, columns: Sequence[str] | None = None, *, target: str | None = None) -> Sites:
        """Group the records by site; a column names the site of each row.

        Parameters
        ----------
        column : str
            The column that names the site; text or numbers.
        columns : sequence of str, optional
            The columns of the records; default: all but `column` and `target`.
        target : str, optional
            A response column; each site then holds a pair (X, y).

        Returns
        -------
        Sites
            With the names that the column gives them.

        Raises
        ------
        UploadError
            As for `records`; also if a row names no site or all rows name the same.
        """
        self._require(column, set(self.columns))
        labels = cells.labels(self.frame[column])
        missing = pd.isna(labels)
        if missing.any():
            raise UploadError(
                f"{self.name} names no site in {int(missing.sum())} rows; "
                f"the first is row {self._row(missing.argmax())}, column {shown(column)}."
            )
        if columns is None:
            columns = [c for c in self.columns if c not in (column, target)]
        if len(set(labels)) < 2:
            raise UploadError(
                f"column {shown(column)} of {self.name} names one site only; at least 2 are needed."
            )
        records = self.records(columns)
        return sites.group(records if target is None else (records, self.values(target)), labels.tolist())

    def documents(self, column: str) -> Documents:
        """One column as documents, one a row; missing cells are dropped and counted."""
        self._require(column, set(self.columns))
        found = self.frame[column]
        rows = np.flatnonzero(found.notna())
        if not len(rows):
            raise UploadError(f"column {shown(column)} of {self.name} is empty.")
        return Documents(
            texts=tuple(str(cell) for cell in found.iloc[rows]),
            names=tuple(f"row {self._row(row)}" for row in rows),
            source=f"column {shown(column)} of {self.name}",
            unit="one row of the table",
            dropped=len(found) - len(rows),
        )

    def _row(self, place):
        """The number of a row as it was read."""
        return int(self.frame.index[place]) + 1

    def _require(self, column, known):
        if column not in known:
            some = ", ".join(shown(c) for c in self.columns[:8])
            more = f" and {len(self.columns) - 8} more" if len(self.columns) > 8 else ""
            raise UploadError(f"{self.name} has no column {shown(column)}; it has {some}{more}.")

    def _refuse_text(self, columns):
        if not columns:
            return
        found = self.frame[columns[0]]
        row, why = notation.no_number(found)
        names = ", ".join(shown(c) for c in columns[:5]) + (", …" if len(columns) > 5 else "")
        raise UploadError(
            f"{self.name} has text where numbers are needed: {names}. The first is {shown(found.iloc[row])} "
            f"in row {self._row(row)}, column {shown(columns[0])}{why}. Leave such columns out or correct the cell."
        )

    def _refuse_gaps(self, records, columns):
        wrong = ~np.isfinite(records)
        row, place = (int(i) for i in np.argwhere(wrong)[0])
        value = records[row, place]
        what = "no value" if np.isnan(value) else "an infinite value"
        others = int(wrong.sum()) - 1
        rest = f" (and {others:,} more such cells)" if others else ""
        raise UploadError(
            f"{self.name} has {what} in row {self._row(row)}, column {shown(columns[place])}{rest}. "
            "Fill or remove such cells: a missing value has no norm to bound."
        )


def native(array: np.ndarray) -> np.ndarray:
    """Numbers in this machine's order of bytes and of 4 or 8 bytes, the only ones that all of pandas takes."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(float)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def checked(frame: pd.DataFrame, title: str, limits: Limits, notes=()) -> Table:
    """A `Table` of a frame whose size is within the limits, else UploadError."""
    rows, columns = frame.shape
    if rows > limits.rows:
        raise UploadError(
            f"{title} has more than {grouped(limits.rows)} rows, which is the most that is read."
        )
    if columns > limits.columns:
        raise UploadError(
            f"{title} has {grouped(columns)} columns; at most {grouped(limits.columns)} are read."
        )
    if columns < 1:
        raise UploadError(f"{title} has no column; at least 1 is needed.")
    if rows < 2:
        raise UploadError(f"{title} has {rows} row{'' if rows == 1 else 's'} of data; at least 2 are needed.")
    return Table(title, frame, tuple(notes))


def shown(value) -> str:
    """A user's text in quotes for a message: one line, 40 characters at most."""
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")

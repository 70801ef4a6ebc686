"""What is known of a table before it is used, and what a user chooses of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data.upload import Table, UploadError

MOST_SITES = 200
EXAMPLES = 3  # Rows that are shown.


@dataclass(frozen=True)
class Row:
    """A numeric column of the table as the user describes it; `least` and `most` as typed."""

    column: str
    examples: tuple[str, ...]
    used: bool = True
    least: str = ""
    most: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table that was read, and what is offered of it.

    Attributes
    ----------
    table : Table
    file : str
        The file's name: foreign text.
    rows : tuple of Row
        Its numeric columns.
    site_columns : mapping
        Columns that may name the sites, and how many sites each names.
    gaps : frozenset of str
        Columns that miss a value in some row.
    """

    table: Table
    file: str
    rows: tuple[Row, ...]
    site_columns: Mapping[str, int]
    gaps: frozenset[str]


@dataclass(frozen=True)
class Choice:
    """What `data.upload.own_table.own_table` is called with."""

    file: str
    columns: tuple[str, ...]
    site_column: str | None
    bound: float | None
    lower: tuple[float, ...] | None
    upper: tuple[float, ...] | None
    public_bounds: bool
    complete_rows: bool

    def options(self) -> dict:
        """Its keyword arguments, those left at their default left out."""
        values = {n: getattr(self, n) for n in ("site_column", "bound", "lower", "upper")}
        values = {n: v for n, v in values.items() if v is not None}
        if not self.public_bounds:
            values["public_bounds"] = False
        if self.complete_rows:
            values["complete_rows"] = True
        return values

    def code(self) -> str:
        """Lines of Python that leave the same records in `load`; foreign text in them is quoted."""
        options = "".join(f",\n    {n}={v!r}" for n, v in self.options().items())
        return (
            f"file = Path({self.file!r})  # Your own table: it is read from where this script runs.\n"
            "table = upload.read(file.read_bytes(), file.name)\n"
            f"load = own_table(\n    table,\n    {list(self.columns)!r}{options},\n)"
        )


def sheet_of(table: Table, file: str) -> Sheet:
    """Look a table over.

    Raises
    ------
    UploadError
        If no column holds numbers.
    """
    numeric = table.numeric
    if not numeric:
        raise UploadError(f"{table.name} has no column of numbers; a record is a row of numbers.")
    head = table.frame.head(EXAMPLES)
    # An empty column would leave no complete row.
    filled = table.frame[list(numeric)].notna().any()
    rows = tuple(Row(c, tuple(cell_text(value) for value in head[c]), bool(filled[c])) for c in numeric)
    counts = {c: _labels(table.frame[c]) for c in table.columns}
    gaps = frozenset(c for c in table.columns if table.frame[c].hasnans)
    return Sheet(table, file, rows, {c: n for c, n in counts.items() if 2 <= n <= MOST_SITES}, gaps)


def cell_text(value) -> str:
    """A cell as short text; numbers in full."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else repr(float(value)).removesuffix(".0")
    return str(value)[:40]


def _labels(cells: pd.Series) -> int:
    """How many sites a column names; 0 for one of measurements, or of more labels than there may be sites."""
    head = cells.head(10_000)
    if head.nunique() > MOST_SITES:
        return 0
    if pd.api.types.is_float_dtype(head) and (head.dropna() % 1 != 0).any():
        return 0
    return cells.nunique()

"""The description of a table before it is used, and the user's choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data.upload import Table, UploadError

MOST_SITES = 200
EXAMPLES = 3  # Number of rows that the panel shows.


@dataclass(frozen=True)
class Row:
    """A numeric column as the user describes it; `least` and `most` are the typed texts."""

    column: str
    examples: tuple[str, ...]
    used: bool = True
    least: str = ""
    most: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table that was read, with the columns that the user may choose.

    Attributes
    ----------
    table : Table
    file : str
        The file's name: foreign text.
    rows : tuple of Row
        Its numeric columns.
    site_columns : mapping
        Columns that may name the sites, each with its number of sites.
    gaps : frozenset of str
        Columns with a missing value in some row.
    """

    table: Table
    file: str
    rows: tuple[Row, ...]
    site_columns: Mapping[str, int]
    gaps: frozenset[str]


@dataclass(frozen=True)
class Choice:
    """The arguments of `data.upload.own_table.own_table`."""

    file: str
    columns: tuple[str, ...]
    site_column: str | None
    bound: float | None
    lower: tuple[float, ...] | None
    upper: tuple[float, ...] | None
    public_bounds: bool
    complete_rows: bool

    def options(self) -> dict:
        """Its keyword arguments, without those that have their default value."""
        values = {n: getattr(self, n) for n in ("site_column", "bound", "lower", "upper")}
        values = {n: v for n, v in values.items() if v is not None}
        if not self.public_bounds:
            values["public_bounds"] = False
        if self.complete_rows:
            values["complete_rows"] = True
        return values

    def code(self) -> str:
        """Lines of Python that define `load` with the same records; foreign text in them is quoted."""
        options = "".join(f",\n    {n}={v!r}" for n, v in self.options().items())
        return (
            f"file = Path({self.file!r})  # Your own table, in the folder in which this script runs.\n"
            "table = upload.read(file.read_bytes(), file.name)\n"
            f"load = own_table(\n    table,\n    {list(self.columns)!r}{options},\n)"
        )


def sheet_of(table: Table, file: str) -> Sheet:
    """Describe a table.

    Raises
    ------
    UploadError
        If no column holds numbers.
    """
    numeric = table.numeric
    if not numeric:
        raise UploadError(f"{table.name} has no column of numbers. A record is a row of numbers.")
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
    """The number of sites that a column names; 0 for a column of measurements or with too many labels."""
    head = cells.head(10_000)
    if head.nunique() > MOST_SITES:
        return 0
    if pd.api.types.is_float_dtype(head) and (head.dropna() % 1 != 0).any():
        return 0
    return cells.nunique()

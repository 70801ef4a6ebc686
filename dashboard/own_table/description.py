"""A table before it is used, and the user's choices."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dashboard.own_table.rows import Row, row_of
from data.columns import Column, Description, Facts, cells, survey
from data.columns.gaps import missing
from data.columns.summary_rows import labels_of, summary_rows
from data.upload import Table, UploadError
from data.upload.table import shown

EXAMPLES = 3  # Number of rows that the panel shows.
_NONE = np.empty(0, dtype=np.uint8)  # Rows without a value, where there are none.
_KEPT = 50  # Descriptions of columns whose gaps are remembered.
_SHOWN = 6  # Rows that may sum up others, in words.


@dataclass(frozen=True)
class Sheet:
    """A table that was read, with the columns that the user may choose.

    Attributes
    ----------
    table : Table
    file : str
        The file's name: foreign text.
    rows : tuple of Row
        Its columns.
    site_columns : mapping
        Columns that may name the sites, each with its number of sites.
    unfit : mapping
        The other columns, each with the reason why it may not.
    empty : mapping
        Of each column with gaps, the rows where it has none, eight in a byte.
    facts : tuple of Facts
        What the columns look like.
    unsure : tuple of str
        Rows of the table that may sum up others and be no records, in words: foreign text.
    without : Sheet, optional
        The same table without them, if there are any and enough is left.
    left : tuple of int
        Places of the rows that are left out here.
    """

    table: Table
    file: str
    rows: tuple[Row, ...]
    site_columns: Mapping[str, int]
    unfit: Mapping[str, str]
    empty: Mapping[str, np.ndarray]
    facts: tuple[Facts, ...]
    unsure: tuple[str, ...] = ()
    without: Sheet | None = None
    left: tuple[int, ...] = ()
    _described: dict[tuple, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def count(self) -> int:
        """Rows that may be records."""
        return len(self.table.frame) - len(self.left)

    def records(self) -> Table:
        """The table without the rows that are left out here."""
        return self.table.without(self.left)

    def gaps(self, column: Column) -> np.ndarray:
        """The rows without a value in a column as it is described, eight in a byte; nothing in it if there are none."""
        raw = self.empty.get(column.name, _NONE)
        words = tuple(text for text in (*column.values, *dict(column.spellings)) if cells.is_gap(text))
        key = (column.name, column.kind, words, column.gaps)
        if not words and not column.gaps:
            return raw
        if key not in self._described:
            while len(self._described) >= _KEPT:
                self._described.pop(next(iter(self._described)))
            found = missing(self.records().frame[column.name], column)
            self._described[key] = np.packbits(found) if found.any() else _NONE
        return self._described[key]

    def incomplete(self, columns: Iterable[str], described: Mapping[str, Column] | None = None) -> int:
        """How many rows have no value in one or more of these columns, as they are described."""
        described = described or {}
        found = [
            self.gaps(described[name]) if name in described else self.empty.get(name, _NONE)
            for name in columns
        ]
        found = [one for one in found if len(one)]
        return int(np.unpackbits(np.bitwise_or.reduce(found)).sum()) if found else 0

    def sites(self, column: str | None) -> tuple[str, ...]:
        """What a column calls the sites; none for "" and None."""
        return next((one.site_names for one in self.facts if one.name == column), ())


@dataclass(frozen=True)
class Choice:
    """The table that pages compute on, as its user described it.

    Its records are those of `data.upload.own_table.described_table`, or of `invented_table` if there is no `file`.

    Attributes
    ----------
    file : str
        The file's name: foreign text.
    description : Description
    suggested : tuple of str
        Columns in which the cells, not the user, said what counts as yes and as no.
    """

    file: str
    description: Description
    suggested: tuple[str, ...] = ()

    @property
    def boxed(self) -> bool:
        """Whether every column was mapped from a range of its own."""
        return self.description.length is None

    @property
    def standard(self) -> str:
        """The import of another library that `code` needs, before all others."""
        return "from pathlib import Path\n\n" if self.file else "import numpy as np\n\n"

    @property
    def imports(self) -> str:
        """The imports of this project that `code` needs."""
        if not self.file:
            return "from data.columns import Description\nfrom data.upload.own_table import invented_table"
        return (
            "from data import upload\nfrom data.columns import Description\n"
            "from data.upload.own_table import described_table"
        )

    def code(self) -> str:
        """Lines of Python that define `load` with the same records; foreign text in them is quoted."""
        described = f"description = Description.from_dict({_literal(self.description.to_dict())})\n"
        if self.file:
            return (
                f"file = Path({self.file!r})  # Your own table, in the folder in which this script runs.\n"
                "table = upload.read(file.read_bytes(), file.name)\n"
                f"{described}load = described_table(table, description)"
            )
        return (
            f"# Invented records: nothing of them comes from a real table.\n{described}"
            f"load = invented_table(description, {INVENTED!r}, rng=np.random.default_rng({SEED}))"
        )


INVENTED, SEED = "invented records", 1


def sheet_of(table: Table, file: str) -> Sheet:
    """Describe a table.

    Raises
    ------
    UploadError
        If no column can be part of a record.
    """
    places = summary_rows(table.frame)
    whole = _sheet(table, file, table.facts or survey(table.frame), ())
    if not places:
        return whole
    unsure = tuple(
        f"{shown(label)} in row {int(table.frame.index[row]) + 1}"
        for row, label in zip(places[:_SHOWN], labels_of(table.frame, places[:_SHOWN]), strict=True)
    ) + (("…",) if len(places) > _SHOWN else ())
    without = None
    with contextlib.suppress(UploadError):
        without = replace(_sheet(table, file, survey(table.without(places).frame), places), unsure=unsure)
    return replace(whole, unsure=unsure, without=without)


def _sheet(table, file, facts, left):
    """The sheet of a table of which some rows are left out, with what the others look like."""
    if not any(one.fits for one in facts):
        raise UploadError(
            f"{table.name} has no column of numbers, dates, answers or categories. A record is made of such columns."
        )
    frame = table.without(left).frame
    head = frame.head(EXAMPLES)
    rows = tuple(row_of(one, tuple(cell_text(value) for value in head[one.name])) for one in facts)
    sites = {one.name: one.sites for one in facts if one.sites}
    unfit = {one.name: one.unfit for one in facts if not one.sites}
    gaps = {one.name: cells.empty(frame[one.name]) for one in facts if one.gaps or "" in one.values}
    empty = {name: np.packbits(found) for name, found in gaps.items()}
    return Sheet(table, file, rows, sites, unfit, empty, facts, left=left)


def cell_text(value) -> str:
    """A cell as short text; numbers in full."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else repr(float(value)).removesuffix(".0")
    return "" if pd.isna(value) else str(value)[:40]


def _literal(found):
    """A dictionary as Python, one column a line."""
    columns = "".join(f"        {one!r},\n" for one in found["columns"])
    head = "".join(f"    {name!r}: {value!r},\n" for name, value in found.items() if name != "columns")
    return f"{{\n{head}    'columns': [\n{columns}    ],\n}}"

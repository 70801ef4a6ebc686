"""A table before it is used, and the user's choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.own_table.rows import Row, row_of
from data.columns import Description, Facts, cells, survey
from data.upload import Table, UploadError

EXAMPLES = 3  # Number of rows that the panel shows.


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
    """

    table: Table
    file: str
    rows: tuple[Row, ...]
    site_columns: Mapping[str, int]
    unfit: Mapping[str, str]
    empty: Mapping[str, np.ndarray]
    facts: tuple[Facts, ...]

    def incomplete(self, columns: Iterable[str]) -> int:
        """How many rows have no value in one or more of these columns."""
        found = [self.empty[column] for column in columns if column in self.empty]
        return int(np.unpackbits(np.bitwise_or.reduce(found)).sum()) if found else 0

    def sites(self, column: str | None) -> tuple[str, ...]:
        """What a column calls the sites; none for "" and None."""
        return next((one.site_names for one in self.facts if one.name == column), ())


@dataclass(frozen=True)
class Choice:
    """What the user chose: one length for all records, or a description that gives every column its range.

    A length takes `data.upload.own_table.own_table`, a description `described_table`, or `invented_table` if there is no
    `file`.

    Attributes
    ----------
    declared : bool
        Whether the user declared what was taken from the records public knowledge.
    suggested : tuple of str
        Columns in which the cells, not the user, said what counts as yes and as no.
    local : str
        The site that works alone under the scheme "local"; "" is the largest.
    record, per_person : str, int
        As `Description` has them, where there is none.
    """

    file: str
    columns: tuple[str, ...]
    site_column: str | None
    bound: float | None = None
    public_bounds: bool = True
    complete_rows: bool = False
    description: Description | None = None
    declared: bool = False
    suggested: tuple[str, ...] = ()
    local: str = ""
    record: str = ""
    per_person: int = 1

    @property
    def boxed(self) -> bool:
        """Whether every column was mapped from a range of its own."""
        return self.description is not None

    @property
    def standard(self) -> str:
        """The import of another library that `code` needs, before all others."""
        return "from pathlib import Path\n\n" if self.file else "import numpy as np\n\n"

    @property
    def imports(self) -> str:
        """The imports of this project that `code` needs."""
        if self.description is None:
            return "from data import upload\nfrom data.upload.own_table import own_table"
        if not self.file:
            return "from data.columns import Description\nfrom data.upload.own_table import invented_table"
        return (
            "from data import upload\nfrom data.columns import Description\n"
            "from data.upload.own_table import described_table"
        )

    def options(self) -> dict:
        """Its keyword arguments, without those that have their default value."""
        values: dict = {"bound": self.bound}
        if self.site_column is not None:
            values["site_column"] = self.site_column
        if not self.public_bounds:
            values["public_bounds"] = False
        if self.complete_rows:
            values["complete_rows"] = True
        if self.local:
            values["local"] = self.local
        return values

    def code(self) -> str:
        """Lines of Python that define `load` with the same records; foreign text in them is quoted."""
        read = (
            f"file = Path({self.file!r})  # Your own table, in the folder in which this script runs.\n"
            "table = upload.read(file.read_bytes(), file.name)\n"
        )
        if self.description is None:
            options = "".join(f",\n    {n}={v!r}" for n, v in self.options().items())
            return f"{read}load = own_table(\n    table,\n    {list(self.columns)!r}{options},\n)"
        described = f"description = Description.from_dict({_literal(self.description.to_dict())})\n"
        if self.file:
            return f"{read}{described}load = described_table(table, description)"
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
    facts = table.facts or survey(table.frame)
    if not any(one.fits for one in facts):
        raise UploadError(
            f"{table.name} has no column of numbers, dates, answers or categories. A record is made of such columns."
        )
    head = table.frame.head(EXAMPLES)
    rows = tuple(row_of(one, tuple(cell_text(value) for value in head[one.name])) for one in facts)
    sites = {one.name: one.sites for one in facts if one.sites}
    unfit = {one.name: one.unfit for one in facts if not one.sites}
    empty = {one.name: np.packbits(cells.empty(table.frame[one.name])) for one in facts if one.gaps}
    return Sheet(table, file, rows, sites, unfit, empty, facts)


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

"""The state of a user's own table: read, described by the user, and mapped into bounds. No widgets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import param

from dashboard.own_table.description import Choice, Sheet, cell_text, sheet_of
from dashboard.own_table.file import LIMITS, OwnFile
from data import upload
from data.catalogue.tables import OwnTable
from data.upload import Table, UploadError, sample
from data.upload.own_table import data_bound, data_ranges, own_table
from data.upload.table import shown


class OwnData(OwnFile):
    """A session's own table: its description by the user, its bounds, and its use."""

    sheet = param.ClassSelector(class_=Sheet, default=None)
    rows = param.ClassSelector(default=(), class_=tuple, doc="The columns as described so far.")
    site_column = param.String("", doc="Empty: the records are assigned to the sites at random.")
    kind = param.Selector(
        default="ranges", objects=["ranges", "length"], doc="Kind of the bound on a record."
    )
    length = param.String("", doc="The bound on a record's length, as typed.")
    computed = param.ClassSelector(
        default=(), class_=tuple, doc="Kinds of bounds that were computed from the records."
    )
    objection = param.String("", doc="Error message about the choices, which may quote foreign text.")
    used = param.ClassSelector(class_=OwnTable, default=None, doc="The records to compute with.")

    def __init__(self, **params):
        super().__init__(**params)
        self.chosen: Choice | None = None
        self._choosing = False  # Whether the running job concerns the choices, not a file.

    def read(self, found, file: str) -> Sheet:
        if not isinstance(found, Table):
            raise UploadError(f"{shown(file)} is text; the file must be a table of numbers: CSV, TSV or NPZ.")
        return sheet_of(found, file)

    def weight(self, found: Sheet, memory: int) -> int:
        # Room for the records made from it, and for those in use, which stay until then.
        records = 8 * len(found.table.frame) * len(found.rows)
        return memory + records + (0 if self.used is None else self.used.records.nbytes)

    def opened(self, found: Sheet) -> None:
        """Take a sheet; the records in use stay until others are chosen."""
        self.param.update(**self.nothing() | {"used": self.used})
        self.param.update(sheet=found, rows=found.rows)

    def nothing(self) -> dict:
        fresh = {"sheet": None, "rows": (), "site_column": "", "length": "", "computed": (), "objection": ""}
        return super().nothing() | fresh

    def receive(self, name: str, pieces: list[bytes]) -> None:
        self._choosing = False
        super().receive(name, pieces)

    def refuse(self, problem: str) -> None:
        if self._choosing:
            self.objection = problem
        else:
            super().refuse(problem)

    @property
    def from_data(self) -> bool:
        """Whether the bounds in force were computed from the records, and so are not private."""
        return self.kind in self.computed

    def take_sample(self) -> None:
        """Read the sample table, with its public ranges filled in."""
        self.runs.clear()
        content = sample.sample_csv(rng=np.random.default_rng(1)).encode()
        name = sample.SAMPLE_NAME
        self._opened(self.read(upload.read(content, name, limits=LIMITS), name), 4 * len(content))
        ranges = {c: (str(low), str(high)) for c, (low, high) in sample.RANGES.items()}
        rows = tuple(replace(r, least=ranges[r.column][0], most=ranges[r.column][1]) for r in self.rows)
        self.param.update(rows=rows, site_column=sample.SITE_COLUMN)

    # The user describes the table.

    def fill(self, least: str, most: str) -> None:
        """Set the same range for all columns."""
        self.rows = tuple(replace(row, least=least, most=most) for row in self.rows)

    def clear_bounds(self) -> None:
        """Clear the bounds of this kind, whether typed or computed from the records."""
        computed = tuple(kind for kind in self.computed if kind != self.kind)
        if self.kind == "length":
            self.param.update(length="", computed=computed)
        else:
            rows = tuple(replace(row, least="", most="") for row in self.rows)
            self.param.update(rows=rows, computed=computed)

    def take_from_data(self) -> None:
        """Compute the bounds from the records, which is not private."""
        table, columns, kind = self.sheet.table, self._columns(), self.kind
        complete, asked = self._incomplete(), (self.rows, self.length)

        def look():
            if kind == "length":
                return data_bound(table, columns, complete_rows=complete)
            return data_ranges(table, columns)

        self._run(look, lambda found: self._bounded(found, columns, kind, *asked))

    def use(self) -> None:
        """Map the chosen records into their bounds and compute on them."""
        try:
            choice, table = self.choice(), self.sheet.table
        except ValueError as error:
            self.objection = str(error)
            return
        self._run(lambda: own_table(table, choice.columns, **choice.options()), self._take(choice))

    def choice(self) -> Choice:
        """The choices of the user.

        Raises
        ------
        ValueError
            If a bound is missing or not a number, or no column is chosen.
        """
        columns = self._columns()
        if not columns:
            raise ValueError("Choose at least one column.")
        bound = lower = upper = None
        if self.kind == "length":
            bound = number(self.length, "the bound on a record's length")
        else:
            rows = [row for row in self.rows if row.column in columns]
            lower = tuple(number(r.least, f"the smallest value of column {shown(r.column)}") for r in rows)
            upper = tuple(number(r.most, f"the largest value of column {shown(r.column)}") for r in rows)
        return Choice(
            self.sheet.file,
            columns,
            self.site_column or None,
            bound,
            lower,
            upper,
            not self.from_data,
            self._incomplete(),
        )

    def forget(self) -> None:
        self.chosen = None
        super().forget()

    def _run(self, job, take):
        """Run a job in the reader's thread, then `take` its result here; errors are shown."""
        self._choosing, self.objection = True, ""
        self.runs.start([lambda cancelled: job()], paint=lambda found: take(found[0]))

    def _bounded(self, found, columns, kind, rows, length):
        """Take bounds computed from the records; entries of `rows` and `length` typed in the meantime stay."""
        computed = tuple({*self.computed, kind})
        if kind == "length":
            if self.length == length:
                # Rounded to four digits, but never below the longest record.
                self.param.update(length=cell_text(float(f"{1.001 * found:.4g}")), computed=computed)
            return
        before = {row.column: (row.least, row.most) for row in rows}
        ranges = dict(zip(columns, zip(*found, strict=True), strict=True))
        rows = tuple(
            replace(row, least=cell_text(ranges[row.column][0]), most=cell_text(ranges[row.column][1]))
            if row.column in ranges and (row.least, row.most) == before[row.column]
            else row
            for row in self.rows
        )
        self.param.update(rows=rows, computed=computed)

    def _take(self, choice):
        def take(table):
            self.chosen = choice
            self.used = table

        return take

    def _columns(self):
        return tuple(row.column for row in self.rows if row.used and row.column != self.site_column)

    def _incomplete(self):
        """Whether a chosen column has a missing value in some row."""
        return not self.sheet.gaps.isdisjoint({*self._columns(), self.site_column})


def number(text: str, what: str) -> float:
    """Parse a typed number; a decimal comma and the Unicode minus sign are accepted.

    Raises
    ------
    ValueError
        If it is missing or not a finite number.
    """
    plain = text.strip().replace("−", "-").replace(",", ".")
    if not plain:
        raise ValueError(f"Enter {what}.")
    try:
        value = float(plain)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise ValueError(f"{what[0].upper()}{what[1:]} must be a number, got {shown(text)}.")
    return value

"""The state of a user's own table: read, described by the user, and mapped into bounds. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import param

from core.sweep.workers import Call
from dashboard.own_table.description import INVENTED, SEED, Choice, Sheet, cell_text, sheet_of
from dashboard.own_table.file import LIMITS, LONGEST, ROOM, OwnFile, full_text
from dashboard.own_table.memory import Descriptions, shareable
from dashboard.own_table.rows import KINDS, MARK, Row, column_of, gaps_of, number, put
from dashboard.state.typed_number import typed_counts
from data.catalogue.tables import OwnTable
from data.columns import Column, Description, likely_site
from data.columns.description import CENTRINGS, SUMMARY_ROWS, UNITS
from data.upload import Table, UploadError, sample
from data.upload.own_table import data_bound, data_columns, described_table, invented_table, own_table
from data.upload.table import shown


class OwnData(OwnFile):
    """A session's own table: its description by the user, its bounds, and its use."""

    sheet = param.ClassSelector(class_=Sheet, default=None)
    rows = param.ClassSelector(default=(), class_=tuple, doc="The columns as described so far.")
    site_column = param.String(
        None,
        allow_None=True,
        doc="Empty: the records are assigned to the sites at random; None: nobody chose yet.",
    )
    local = param.String("", doc="The site that works alone under the scheme “local”; empty: the largest.")
    target = param.String("", doc="The column to predict; empty: the last one.")
    record = param.Selector(default="", objects=list(UNITS), doc="What one record is; empty: nobody said.")
    per_person = param.String("", doc="The most records of one person, as typed; asked for visits alone.")
    summary_rows = param.Selector(
        default="",
        objects=list(SUMMARY_ROWS),
        doc="What becomes of rows that may sum up others; empty: nobody said.",
    )
    centring = param.Selector(
        default="public", objects=list(CENTRINGS), doc="Whether public centres are subtracted."
    )
    kind = param.Selector(
        default="ranges", objects=["ranges", "length"], doc="Kind of the bound on a record."
    )
    length = param.String("", doc="The bound on a record's length, as typed.")
    computed = param.ClassSelector(
        default=(), class_=tuple, doc="Kinds of bounds that were computed from the records."
    )
    taken = param.ClassSelector(
        default=(), class_=tuple, doc="Columns whose range or categories were taken from the records."
    )
    declared = param.ClassSelector(
        default=(),
        class_=tuple,
        doc="Kinds of bounds that were computed so, and then declared public knowledge.",
    )
    template = param.ClassSelector(
        class_=Description, default=None, doc="A description that was opened without its table."
    )
    remark = param.String("", doc="What became of a description; may quote foreign text.")
    objection = param.String("", doc="Error message about the choices, which may quote foreign text.")
    used = param.ClassSelector(class_=OwnTable, default=None, doc="The records to compute with.")
    waiting = param.Boolean(
        False, doc="Whether the records in use are of an earlier table than the present one."
    )

    def __init__(self, **params):
        super().__init__(**params)
        self.chosen: Choice | None = None
        self.known = Descriptions()  # Of tables that were here in this session.
        self._choosing = False  # Whether the running job concerns the choices, not a file.
        self._sites: tuple[
            tuple[str, int], ...
        ] = ()  # Of the records in use, if they are of the present table.
        self._room = 0  # Bytes of `ROOM` beyond the table's own, for its records.
        self._whole: Sheet | None = None  # The sheet with all rows.
        self.param.watch(self._leave_sums_out, "summary_rows")

    def read(self, found, file: str) -> Sheet:
        if not isinstance(found, Table):
            raise UploadError(
                f"{shown(file)} is text; the file must be a table of numbers: CSV, TSV, XLSX, ODS, NPZ or NPY."
            )
        return sheet_of(found, file)

    def weight(self, found: Sheet, memory: int) -> int:
        # Room for the records made from it, and for those in use, which stay until then.
        records = 8 * len(found.table.frame) * len(found.rows)
        return memory + records + (0 if self.used is None else self.used.records.nbytes)

    def opened(self, found: Sheet) -> None:
        """Take a sheet; the records in use stay until others are chosen."""
        fresh = self.nothing() | {"waiting": self.used is not None}
        del fresh["used"]
        self._whole = None
        self.param.update(**fresh)
        self._sites, self._room, self._whole = (), 0, found
        site = likely_site(found.facts) or None if found.site_columns else ""
        self.param.update(sheet=found, rows=found.rows, site_column=site)
        if (described := self.known.of(found.table.columns)) is not None:
            self._describe(described)
            self.summary_rows = ""  # What was said of rows of another file says nothing of these.
            self.remark = "The description of a table with these columns was applied: check it."

    def nothing(self) -> dict:
        fresh = {
            "sheet": None,
            "rows": (),
            "site_column": None,
            "length": "",
            "computed": (),
            "objection": "",
        }
        fresh |= {"local": "", "target": "", "centring": "public", "taken": (), "declared": (), "remark": ""}
        fresh |= {"record": "", "per_person": "", "summary_rows": "", "waiting": False}
        return super().nothing() | fresh | {"template": None}

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

    @property
    def bounded_but_unused(self) -> tuple[Row, ...]:
        """Rows whose range or categories are given and that are not ticked."""
        left = (row for row in self.rows if not row.used and row.column != self.site_column)
        return tuple(row for row in left if row.least or row.most or (row.values and row.kind == "category"))

    @property
    def is_declared(self) -> bool:
        """Whether the bounds in force were computed from the records, and the user declared them public knowledge."""
        return self.kind in self.declared

    def take_sample(self) -> None:
        """Read the sample table; its description, with public ranges, is at hand."""
        self.known.keep(sample.description())
        self.receive(sample.SAMPLE_NAME, [sample.sample_csv(rng=np.random.default_rng(1)).encode()])

    # The user describes the table.

    def fill(self, least: str, most: str) -> None:
        """Set the same range for all columns of numbers."""
        self.rows = tuple(
            replace(row, least=least, most=most) if KINDS[row.kind][0] == "number" else row
            for row in self.rows
        )

    def mark_gaps(self) -> None:
        """Leave rows out for the answer alone: elsewhere a public constant stands for a missing value, and is marked."""
        described = self._described().items()
        marked = {name for name, column in described if len(self.sheet.gaps(column))} - {self.predicted}
        self.rows = tuple(replace(row, missing=MARK) if row.column in marked else row for row in self.rows)

    @property
    def predicted(self) -> str:
        """The column to predict: the last one that is used unless the user chose; "" for none."""
        names = [row.column for row in self.rows if row.column != self.site_column]
        return self.target if self.target in names else next(reversed(self._columns()), "")

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns whose rows without a value are left out: of the target and the sites, of others unless they are marked."""
        marked = {row.column for row in self.rows if row.missing == MARK} if self.kind == "ranges" else set()
        asked = [self.site_column] if self.site_column else []
        found = [name for name in self._columns() if name not in marked or name == self.target]
        described = self._described()
        return tuple(name for name in (*asked, *found) if len(self.sheet.gaps(described[name])))

    def incomplete(self, columns: Iterable[str]) -> int:
        """How many rows have no value in one or more of these columns, as they are described."""
        return self.sheet.incomplete(columns, self._described())

    def clear_bounds(self) -> None:
        """Clear the bounds of this kind, whether typed or computed from the records."""
        computed, declared = (_without(kinds, self.kind) for kinds in (self.computed, self.declared))
        self.param.update(computed=computed, declared=declared)
        if self.kind == "length":
            self.length = ""
        else:
            self.param.update(rows=tuple(_bare(row) for row in self.rows), taken=())

    def declare_public(self) -> None:
        """The user states that what was taken from the records is public knowledge, whatever the records hold."""
        taken = () if self.kind == "ranges" else self.taken
        declared = (*_without(self.declared, self.kind), self.kind)
        self.param.update(computed=_without(self.computed, self.kind), taken=taken, declared=declared)

    def take_from_data(self) -> None:
        """Compute the bounds that are missing from the records, which is not private."""
        sheet, kind, asked = self.sheet, self.kind, (self.rows, self.length)
        if kind == "length":
            columns, options = self._columns(), {"complete_rows": self._incomplete()}

            def look():
                return data_bound(sheet.records(), columns, **options)
        else:
            rows = [row for row in self.rows if row.column in self._columns() and not _is_complete(row)]
            asking = [column_of(_open(row), used=False) for row in rows]

            def look():
                return data_columns(sheet.records(), asking)

        self._run(look, lambda found: self._bounded(found, kind, *asked))

    def use(self) -> None:
        """Map the chosen records into their bounds and compute on them."""
        try:
            choice, table = self.choice(), self.sheet.table
        except ValueError as error:
            self.objection = str(error)
            return
        described = choice.description
        if described is None:
            sheet = self.sheet
            job = partial(own_table, columns=choice.columns, **choice.options())
            self._run(lambda: job(sheet.records()), self._used(choice))
        elif self._reserve(8 * len(table.frame) * (_width(described) - len(self.rows))):
            job = partial(described_table, table, described, most=LIMITS.expanded // 8)
            self._run(job, self._used(choice))

    def use_invented(self) -> None:
        """Compute on records that are invented from the description, in place of the table."""
        described = with_sites(self.template)
        if self._reserve(2 * 8 * sum(size for _, size in described.sites) * _width(described)):
            site = described.site_column or None
            choice = Choice("", described.names, site, description=described)
            rng = np.random.default_rng(SEED)
            self._run(partial(invented_table, described, INVENTED, rng=rng), self._used(choice))

    def use_sizes(self, text: str) -> None:
        """Take the number of records of every site, as typed for a table that is not here: "1200, 800, 500"."""
        try:
            sites = tuple((f"site {i + 1}", size) for i, size in enumerate(typed_counts(text)))
            self.template = replace(self.template, sites=sites)
            self.objection = ""
        except ValueError as error:
            self.objection = f"Enter the number of records of every site, such as 1200; 800; 500: {error}."

    def choice(self) -> Choice:
        """The choices of the user.

        Raises
        ------
        ValueError
            If a bound is missing or not a number, or no column is chosen.
        """
        columns, site, local = self._columns(), self.site_column or None, self._local()
        if not columns:
            raise ValueError("Choose at least one column.")
        if self.site_column is None:
            raise ValueError(
                "Choose the column that names the sites, or let the records be assigned at random."
            )
        if self.target and self.target not in columns:
            raise ValueError(
                f"Tick column {shown(self.target)}, which is to be predicted, or predict another."
            )
        if self.sheet.unsure and not self.summary_rows:
            raise ValueError(
                f"Say whether these rows are records or sum up others: {', '.join(self.sheet.unsure)}."
            )
        if self.kind == "ranges":
            found = self.description(columns)
            about = {"public_bounds": found.public, "description": found, "declared": self.is_declared}
            about |= {"suggested": self._suggested(columns), "local": local}
            return Choice(self.sheet.file, columns, site, **about)
        bound = number(self.length, "the bound on a record's length")
        rest = {"complete_rows": self._incomplete(), "declared": self.is_declared, "local": local}
        rest |= {"record": self.record, "per_person": self._most_of_one(), "sums_left": bool(self.sheet.left)}
        if coded := [row.column for row in self.rows if row.column in columns and row.also]:
            raise ValueError(
                f"{shown(coded[0])} has codes for a missing value: give every column a range, since one length for all "
                "records reads them as numbers."
            )
        return Choice(self.sheet.file, columns, site, bound, not self.from_data, **rest)

    def description(self, columns: tuple[str, ...]) -> Description:
        """The table as the user describes it, with these columns in records.

        Raises
        ------
        ValueError
            If a range or a list is missing.
        """
        ranges = self.kind == "ranges"
        found = [column_of(row, used=ranges and row.column in columns) for row in self.rows]
        if not ranges:
            found = [replace(column, used=column.name in columns) for column in found]
        taken = self.taken if self.from_data else ()
        sites = self._sites if self.chosen is not None and self.chosen.site_column == self.site_column else ()
        return Description(
            tuple(replace(column, public=column.name not in taken) for column in found),
            self.site_column or "",
            self.target,
            self.centring,
            None if ranges or self.from_data else number(self.length, "the bound on a record's length"),
            sites=sites,
            declared=self.is_declared,
            local=self._local(),
            record=self.record,
            per_person=self._most_of_one(),
            summary_rows=self.summary_rows,
        )

    # A description comes and goes as a file.

    def described(self) -> Description | None:
        """What may be shared of the present description: nothing that was taken from the records; None if there is none."""
        if self.sheet is None:
            return self.template or self.known.last
        try:
            return shareable(self.description(self._columns()))
        except ValueError:
            return shareable(self.known.of(self.sheet.table.columns))

    def describe(self, content: bytes) -> None:
        """Take the file of a description: for the table that is here, or for one that may come."""
        self.objection = ""
        try:
            found = Description.read(content)
        except ValueError as error:
            self.objection = f"This is no description of a table: {error}."
            return
        self.take(found)

    def take(self, found: Description) -> None:
        """Apply a description to the table that is here if its columns are the same; keep it otherwise."""
        self.known.keep(found)
        if self.sheet is None:
            self.template = found
        elif self.known.of(self.sheet.table.columns) is None:
            theirs = ", ".join(shown(name) for name in found.names[:8])
            self.objection = (
                f"This description is of a table with other columns: {theirs}{' …' if len(found.names) > 8 else ''}. "
                "It is kept for that table."
            )
        else:
            self._describe(found)
            self.remark = "The description was applied: check it."

    def _describe(self, found):
        about = {column.name: column for column in found.columns}
        site = found.site_column if found.site_column in self.sheet.site_columns else ""
        taken = tuple(column.name for column in found.columns if not column.public)
        self.param.update(
            rows=tuple(put(row, about[row.column]) for row in self.rows),
            site_column=site,
            local=found.local if found.local in self.sheet.sites(site) else "",
            target=found.target,
            record=found.record,
            per_person=str(found.per_person) if found.record == "visit" else "",
            summary_rows=found.summary_rows,
            centring=found.centring,
            kind="ranges" if found.length is None else "length",
            length="" if found.length is None else cell_text(found.length),
            computed=("ranges",) if taken else (),
            taken=taken,
            declared=("ranges" if found.length is None else "length",) if found.declared else (),
        )

    def forget(self) -> None:
        self.chosen, self._sites, self._room, self._whole = None, (), 0, None
        super().forget()

    def _leave_sums_out(self, event):
        """Leave rows that sum up others out of what is said of the table, or take them in again."""
        if self._whole is None:
            return
        out = event.new == "leave out" and self._whole.without is not None
        sheet = self._whole.without if out else self._whole
        if sheet is self.sheet:
            return
        before = {row.column: row for row in (self.sheet or self._whole).rows}
        after = {row.column: row for row in sheet.rows}
        # What was typed stays; what was suggested is suggested anew.
        rows = tuple(after[row.column] if row == before[row.column] else row for row in self.rows)
        site = self.site_column if not self.site_column or self.site_column in sheet.site_columns else None
        self.param.update(sheet=sheet, rows=rows, site_column=site)

    def _described(self):
        """The columns as they are described so far, by name."""
        return {row.column: gaps_of(row) for row in self.rows}

    def _reserve(self, size):
        """Reserve room for records of `size` bytes beyond the table's own; says so if there is none."""
        more = max(0, size - self._room)
        if not ROOM.take(more):
            self.objection = full_text()
            return False
        self._reserved, self._room = self._reserved + more, self._room + more
        return True

    def _run(self, job, take):
        """Run a job in the reader's thread, then `take` its result here; errors are shown."""
        self._choosing, self.objection = True, ""
        self.runs.limit = LONGEST
        self.runs.start([Call(lambda cancelled: job())], paint=lambda found: take(found[0][1]))

    def _bounded(self, found, kind, rows, length):
        """Take bounds computed from the records; entries of `rows` and `length` typed in the meantime stay."""
        computed = tuple({*self.computed, kind})
        if kind == "length":
            if self.length == length:
                # Rounded to four digits, but never below the longest record.
                self.param.update(length=cell_text(float(f"{1.001 * found:.4g}")), computed=computed)
            return
        before = {row.column: _typed(row) for row in rows}
        shown_by = {column.name: column for column in found if not column.public}
        now = [row for row in self.rows if row.column in shown_by and _typed(row) == before[row.column]]
        names = {row.column for row in now}
        filled = tuple(
            replace(put(row, shown_by[row.column]), used=row.used, missing=row.missing, unit=row.unit)
            if row.column in names
            else row
            for row in self.rows
        )
        taken = tuple(dict.fromkeys((*self.taken, *shown_by)))
        self.param.update(rows=filled, computed=computed if taken else self.computed, taken=taken)

    def _used(self, choice):
        def take(table):
            self.chosen, self._sites = choice, ()
            if choice.description is None:
                table = replace(table, record=choice.record, per_person=choice.per_person)
            if choice.file:
                self._sites = tuple(zip(table.site_names, table.sizes or (), strict=True))
                described = replace(choice.description or self.description(choice.columns), sites=self._sites)
                self.known.keep(shareable(described))
                if choice.description is not None:
                    self.chosen = replace(choice, description=described)
            self.param.update(used=table, waiting=False)

        return take

    def _columns(self):
        return tuple(row.column for row in self.rows if row.used and row.column != self.site_column)

    def _most_of_one(self):
        """The most records of one person: more than one of visits alone."""
        if self.record != "visit":
            return 1
        found = number(self.per_person, "the most visits of one person")
        if found < 1 or found % 1:
            raise ValueError(f"The most visits of one person must be a whole number, got {self.per_person}.")
        return int(found)

    def _local(self):
        """The chosen site if the column of sites contains it, else ""."""
        return self.local if self.local in self.sheet.sites(self.site_column) else ""

    def _suggested(self, columns):
        """The columns of answers that are as `survey` found them in the records; a description counts as the user's."""
        found = {row.column: row.values for row in self.sheet.rows}
        answers = (row for row in self.rows if row.column in columns and KINDS[row.kind][0] == "yes/no")
        return tuple(row.column for row in answers if row.more is None and row.values == found[row.column])

    def _incomplete(self):
        """Whether a chosen column has a missing value in some row."""
        return not {*self.sheet.empty}.isdisjoint({*self._columns(), self.site_column})


def with_sites(found: Description) -> Description:
    """A description whose sites have a column, so that records of given sizes are dealt as they say."""
    if found.site_column or not found.sites:
        return found
    name = next(n for n in ("site", *(f"site {i}" for i in range(2, 20_000))) if n not in found.names)
    column = Column(name, "category", used=False)
    return replace(found, columns=(*found.columns, column), site_column=name)


def _without(kinds, kind):
    return tuple(one for one in kinds if one != kind)


def _open(row):
    """A row whose bounds are to be found."""
    return replace(_bare(row), values=row.values if KINDS[row.kind][0] == "yes/no" else "")


def _bare(row: Row) -> Row:
    """A row without range and categories; what counts as yes is no bound."""
    kept = row.values if KINDS[row.kind][0] == "yes/no" else ""
    return replace(row, least="", most="", values=kept, more=None)


def _typed(row):
    return row.kind, row.least, row.most, row.values


def _is_complete(row):
    """Whether nothing is missing in a row."""
    kind = KINDS[row.kind][0]
    return bool(row.values) if kind in ("category", "yes/no") else bool(row.least and row.most)


def _width(described):
    """Numbers that a described row becomes."""
    return sum(
        max(1, len(c.values) if c.kind == "category" else 1) + (c.missing == "mark") for c in described.used
    )

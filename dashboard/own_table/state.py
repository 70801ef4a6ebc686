"""The state of a user's own table: read, described by the user, and mapped into bounds. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import param

from core.sweep.workers import Call
from dashboard.own_table.description import INVENTED, SEED, Choice, Sheet, sheet_of
from dashboard.own_table.draft import Draft, read, stated
from dashboard.own_table.file import LIMITS, LONGEST, ROOM, OwnFile, full_text
from dashboard.own_table.memory import Descriptions, shareable
from dashboard.state.typed_number import typed_counts
from data.catalogue.tables import OwnTable
from data.columns import Column, Description, likely_site
from data.upload import Table, UploadError, sample
from data.upload.own_table import data_bound, data_columns, described_table, invented_table
from data.upload.table import shown


class OwnData(OwnFile):
    """A session's own table: its description by the user, its bounds, and its use."""

    sheet = param.ClassSelector(class_=Sheet, default=None)
    draft = param.ClassSelector(class_=Draft, default=Draft(), doc="What the user says of it so far.")
    errors = param.Dict({}, doc="What was wrong in the draft when it was to be used, by field.")
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

    def read(self, found, file: str) -> Sheet:
        if not isinstance(found, Table):
            raise UploadError(
                f"{shown(file)} is text; the file must be a table of numbers: CSV, TSV, XLSX, ODS, NPZ or NPY. "
                "If it holds one, with a separator between values, let its name end in .csv."
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
        self.param.update(**fresh)
        self._sites, self._room, self._whole = (), 0, found
        site = likely_site(found.facts) or None if found.site_columns else ""
        self.param.update(sheet=found, draft=Draft(found.rows, site))
        if (described := self.known.of(found.table.columns)) is not None:
            # What was said of rows of another file says nothing of these.
            self._describe(replace(described, summary_rows=""))
            self.remark = "The description of a table with these columns was applied: check it."

    def nothing(self) -> dict:
        fresh = {"sheet": None, "draft": Draft(), "errors": {}, "template": None}
        fresh |= {"remark": "", "objection": "", "waiting": False}
        return super().nothing() | fresh

    def receive(self, name: str, pieces: list[bytes]) -> None:
        self._choosing = False
        super().receive(name, pieces)

    def refuse(self, problem: str) -> None:
        if self._choosing:
            self.objection = problem
        else:
            super().refuse(problem)

    def take_sample(self) -> None:
        """Read the sample table; its description, with public ranges, is at hand."""
        self.known.keep(sample.description())
        self.receive(sample.SAMPLE_NAME, [sample.sample_csv(rng=np.random.default_rng(1)).encode()])

    # The user describes the table.

    def edit(self, **changes) -> None:
        """Change fields of the draft; what was wrong in them is asked again when it is used."""
        self.take_draft(replace(self.draft, **changes))

    def take_draft(self, draft: Draft) -> None:
        """Take a draft; rows that sum up others are left out of what is said of the table, or taken in, as it says."""
        sheet = self.sheet
        if self._whole is not None and draft.summary_rows != self.draft.summary_rows:
            out = draft.summary_rows == "leave out" and self._whole.without is not None
            sheet = self._whole.without if out else self._whole
            if sheet is not self.sheet:
                draft = draft.over(sheet, self.sheet or self._whole)
        if draft.local and (sheet is None or draft.local not in sheet.sites(draft.site_column)):
            draft = replace(draft, local="")
        if draft == self.draft and sheet is self.sheet:
            return
        errors = {
            name: words
            for name, words in self.errors.items()
            if name and getattr(draft, name) == getattr(self.draft, name)
        }
        objection = self.objection
        if objection in self.errors.values():  # It goes with its field's error.
            objection = next(iter(errors.values()), "")
        self.param.update(sheet=sheet, draft=draft, errors=errors, objection=objection)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns whose rows without a value are left out."""
        return self.draft.left_out(self.sheet)

    def incomplete(self, columns: Iterable[str]) -> int:
        """How many rows have no value in one or more of these columns, as they are described."""
        return self.sheet.incomplete(columns, self.draft.described)

    def take_from_data(self) -> None:
        """Compute the bounds that are missing from the records, which is not private."""
        sheet, asked = self.sheet, self.draft
        if asked.kind == "length":
            columns, gaps = asked.columns, not {*sheet.empty}.isdisjoint({*asked.columns, asked.site_column})

            def look():
                return data_bound(sheet.records(), columns, complete_rows=gaps)

            self._run(look, lambda found: self.take_draft(self.draft.with_length(found, asked)))
            return
        asking = asked.asking()
        self._run(
            lambda: data_columns(sheet.records(), asking),
            lambda found: self.take_draft(self.draft.with_columns(found, asked)),
        )

    def use(self) -> None:
        """Map the chosen records into their bounds and compute on them."""
        described, errors = read(self.draft, self.sheet, self._known_sites())
        self.param.update(errors=errors, objection=next(iter(errors.values()), ""))
        table = self.sheet.table
        if described is not None and self._reserve(
            8 * len(table.frame) * (_width(described) - len(self.draft.rows))
        ):
            choice = Choice(self.sheet.file, described, self.draft.suggested(self.sheet))
            job = partial(described_table, table, described, most=LIMITS.expanded // 8)
            self._run(job, lambda found: self.adopt(found, choice))

    def use_invented(self) -> None:
        """Compute on records that are invented from the description, in place of the table."""
        described = with_sites(self.template)
        if self._reserve(2 * 8 * sum(size for _, size in described.sites) * _width(described)):
            rng = np.random.default_rng(SEED)
            job = partial(invented_table, described, INVENTED, rng=rng)
            self._run(job, lambda found: self.adopt(found, Choice("", described)))

    def use_sizes(self, text: str) -> None:
        """Take the number of records of every site, as typed for a table that is not here: "1200, 800, 500"."""
        try:
            sites = tuple((f"site {i + 1}", size) for i, size in enumerate(typed_counts(text)))
            self.template = replace(self.template, sites=sites)
            self.objection = ""
        except ValueError as error:
            self.objection = f"Enter the number of records of every site, such as 1200; 800; 500: {error}."

    def adopt(self, table: OwnTable, choice: Choice) -> None:
        """Compute on records that were made as a choice says."""
        self.chosen, self._sites = choice, ()
        if choice.file:
            self._sites = tuple(zip(table.site_names, table.sizes or (), strict=True))
            described = replace(choice.description, sites=self._sites)
            self.known.keep(shareable(described))
            self.chosen = replace(choice, description=described)
        self.param.update(used=table, waiting=False)

    # A description comes and goes as a file.

    def described(self) -> Description | None:
        """What may be shared of the present description: nothing that was taken from the records; None if there is none."""
        if self.sheet is None:
            return self.template or self.known.last
        found, _ = stated(self.draft, self.sheet, self._known_sites())
        return shareable(found or self.known.of(self.sheet.table.columns))

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

    def forget(self) -> None:
        self.chosen, self._sites, self._room, self._whole = None, (), 0, None
        super().forget()

    def _known_sites(self):
        """Name and records of every site, if the records in use have the same sites."""
        chosen = self.chosen
        same = chosen is not None and chosen.description.site_column == (self.draft.site_column or "")
        return self._sites if same else ()

    def _describe(self, found):
        self.take_draft(self.draft.with_description(found, self.sheet))

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


def with_sites(found: Description) -> Description:
    """A description whose sites have a column, so that records of given sizes are dealt as they say."""
    if found.site_column or not found.sites:
        return found
    name = next(n for n in ("site", *(f"site {i}" for i in range(2, 20_000))) if n not in found.names)
    column = Column(name, "category", used=False)
    return replace(found, columns=(*found.columns, column), site_column=name)


def _width(described):
    """Numbers that a described row becomes."""
    if described.length is not None:
        return len(described.used)
    return sum(
        max(1, len(c.values) if c.kind == "category" else 1) + (c.missing == "mark") for c in described.used
    )

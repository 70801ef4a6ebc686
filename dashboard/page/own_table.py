"""Pages that compute on the built-in records, or on a table that the session's user brought."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial
from typing import Any

import panel as pn
import param

from core import sweep
from dashboard.components.inputs import control
from dashboard.own_table.columns import DESCRIPTION
from dashboard.own_table.description import EXAMPLES
from dashboard.own_table.panel import NOT_PUBLIC
from dashboard.own_table.picker import records_bar
from dashboard.own_table.shared_table import Brought
from dashboard.own_table.state import OwnData
from dashboard.page.base import Model
from dashboard.page.guarantee import Unprotected
from dashboard.page.streamed import StreamedPage
from dashboard.state.background_runs import WORKER, Job
from dashboard.state.number_text import count_text, equals, number_text
from data.catalogue.labelled import LabelledSource
from data.catalogue.tables import Source, samples_at
from data.upload.own_table import OwnTable
from data.upload.table import shown


class OwnTableModel(Model):
    """A model that computes on `table`, if there is one."""

    own_records = param.Boolean(
        False, label="Own table", doc="Compute on the table that was brought, if one was."
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.own_table: OwnTable | None = None
        self.boxed = True  # Whether the columns of the own table were mapped from ranges.

    @property
    def table(self) -> OwnTable | None:
        """The user's own table, where it is to be computed with."""
        return self.own_table if self.own_records else None

    @staticmethod
    def sizes(source: Source | LabelledSource, asked: Mapping[str, Any]) -> dict[str, Any]:
        """How many sites there are, with how many records each: as asked for, as far as the records go."""
        if source.sizes:
            return {"sites": len(source.sizes), "samples": source.sizes}
        sites = asked["sites"]
        return {"sites": sites, "samples": samples_at(source, sites=sites, samples=asked["samples"])}


def fewer_text(got: Any, asked: int) -> str:
    """That there are fewer records a site than asked for, in words; "" where there are enough or sites are given."""
    if isinstance(got, tuple) or got is None or got >= asked:
        return ""
    return f"There are records for {equals('Nₛ', got)} a site, not for the {number_text(asked)} asked for."


class OwnTablePage(StreamedPage):
    """A page whose records may be the user's own; a subclass says what is remembered of them.

    The page shows its control `records` in the bar above the picture, so neither it nor "own_records" stands elsewhere.

    Class attributes
    ----------------
    records : str
        The parameter of the model that chooses among built-in records.
    """

    records = "data"
    hidden = ("data", "own_records")

    def __init__(self, controls):
        super().__init__(controls)
        self._brought: Brought | None = None
        self._changes: dict[str, Any] = {}  # What must change before a table that waits can be computed with.
        self._own_problems: set = set()  # Those that remember results of the table.
        if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
            pn.state.on_session_destroyed(lambda context: self.end())

    @property
    def own_data(self) -> OwnData:
        """The table that the session's user brought."""
        if self._brought is None:
            self.bring(Brought())
        return self._brought.table

    def bring(self, brought: Brought) -> None:
        self._brought = brought
        brought.table.param.watch(self._take_table, "used")
        if brought.table.used is not None:
            self._offer(brought.table.used)

    def ask(self) -> None:
        """The user asks on this page for the table to be used."""
        self._brought.asker = self

    def begin(self, plan) -> list[Job]:
        self.note(plan.problem)
        return super().begin(plan)

    def note(self, problem) -> None:
        """Note that a problem of `core.sweep` is run: what it remembers of the own table is forgotten with that."""
        if self.model.table is not None:
            self._own_problems.add(problem)

    def suited(self, table: OwnTable) -> dict[str, Any]:
        """Settings that must change for this table, e.g. k that exceeds its width."""
        return {}

    def before(self) -> pn.viewable.Viewable:
        return self.own_bar(control(self.model, self.records, live=self.live))

    def own_bar(self, menu) -> pn.viewable.Viewable:
        """The menu of built-in records, and all about the user's own."""
        return records_bar(
            self.own_data, self.model, menu, ask=self.ask, use=lambda: self.set({"own_records": True})
        )

    def settings_text(self) -> list[tuple[str, str]]:
        """The settings, with the table in place of the built-in records."""
        table = self.model.table
        if table is None:
            return super().settings_text()
        left = {self.records, "own_records", *self.said.absent}
        facts = [
            ("own table", table.name),
            ("columns", ", ".join(map(shown, table.columns))),
            ("bounds", "public" if table.public_bounds else "computed from the records: not private"),
        ]
        if table.sizes:
            facts.append(("records of every site", str(table.sizes)))
        return facts + [pair for pair in super().settings_text() if pair[0] not in left]

    def table_unprotected(self) -> list[Unprotected]:
        """What every such page shows of the user's table without noise; nothing while it is not computed with."""
        table = self.model.table
        if table is None:
            return []
        clipped = f"that {count_text(table.clipped, 'record was', 'records were')} clipped to the bounds"
        found = [Unprotected("counts", clipped)]
        if table.incomplete:
            gaps = f"that {count_text(table.incomplete, 'row', 'rows')} missed a value and were left out"
            found.append(Unprotected("counts", gaps))
        if not table.public_bounds:
            found.append(Unprotected("ranges", NOT_PUBLIC))
        examples = f"the first {EXAMPLES} rows of your table, and the names of its columns and sites, in its description"
        return [*found, Unprotected("records", examples, DESCRIPTION)]

    def end(self) -> None:
        """The session is over: nothing of the table stays, and nobody is told, for all widgets are gone."""
        with contextlib.ExitStack() as stack:
            for one in (self.own_data, self.said, self.runs):
                stack.enter_context(param.parameterized.discard_events(one))
            self.closed()
            self.own_data.end()
            self._changes = {}
            self._release()

    def set(self, values: Mapping[str, Any]) -> None:
        """As every page; whoever names built-in records means them, and a table that waited is made to fit."""
        if self.records in values:
            values = {"own_records": False, **values}
        if values.get("own_records"):
            values, self._changes = {**self._changes, **values}, {}
        super().set(values)

    def _take_table(self, event):
        self._release()
        self._changes, self._due = {}, True
        if event.new is None:
            self.set({"own_records": False})
            return
        self._offer(event.new)
        if self._brought.asker in (None, self) or self.model.own_records:
            self.set({"own_records": True})

    def _offer(self, table):
        self.model.own_table, self.model.boxed = table, self.own_data.chosen.lower is not None
        self._changes = self.suited(table)

    def _release(self):
        table, self.model.own_table = self.model.own_table, None
        if table is None:
            return
        self.runs.clear()
        self.let_go()
        problems, self._own_problems = self._own_problems, set()
        for problem in problems:
            sweep.forget(problem)
            # A job in flight may remember once more: forget again behind it.
            WORKER.submit(partial(sweep.forget, problem))

"""The user's own table as a page's data, in place of the built-in records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import panel as pn
import param

from core import sweep
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.inputs import control
from dashboard.components.layout import FULL
from dashboard.guarantee.guarantee import Unprotected
from dashboard.own_table.columns import DESCRIPTION
from dashboard.own_table.description import EXAMPLES, Choice
from dashboard.own_table.file import unwatched
from dashboard.own_table.picker import Adapted, records_bar
from dashboard.own_table.shared_table import SharedTable
from dashboard.own_table.state import OwnData
from dashboard.own_table.view import NOT_PUBLIC
from dashboard.page.model import Model
from dashboard.state import session_end
from dashboard.state.number_text import count_text, setting_text
from data.catalogue.tables import OwnTable as Table
from data.upload.table import shown

_UNLISTED = "held a category that the list does not name, which counts as missing"
_DECLARED = (
    "ranges or categories that were taken from the records; you declared them public knowledge, and the guarantee "
    "relies on it"
)


class OwnTableModel(Model):
    """A model that computes on the user's `table`, if there is one.

    Which rows it counts may depend on the parameters `counted_by`.
    """

    counted_by: tuple[str, ...] = ()

    own_records = param.Boolean(
        False, label="Own table", doc="The page computes on your own table if you uploaded one."
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.own_table: Table | None = None
        self.boxed = True  # Whether the columns of the own table were mapped from ranges.

    def suited(self, table: Table) -> dict[str, Any]:
        """The settings that must change for a table, e.g. a k that exceeds its width."""
        return {}

    def suited_response(self, table: Table) -> dict[str, Any]:
        """Let the menu of the column to predict name those of a table; returns the column that its user chose."""
        places = self.param["response"]
        places.bounds = (1, len(table.parts))
        places.names = tuple(part.column for part in table.parts)
        return {"response": table.predicted + 1}

    @property
    def table(self) -> Table | None:
        """The user's own table, if the page computes on it."""
        return self.own_table if self.own_records else None

    @property
    def counted(self) -> Table | None:
        """That table with the rows that the page counts: those of its records."""
        return self.table

    @property
    def uploaded(self) -> Table | None:
        """That table, unless it was invented from a description alone."""
        table = self.table
        return None if table is None or table.invented else table


class OwnTable:
    """Lets a page compute on the session's shared table, and deletes the table's results when the table is removed.

    The page's model is an `OwnTableModel`. The `bar` above the settings shows the control of the built-in records, so
    that control and "own_records" are both `hidden` elsewhere.

    Parameters
    ----------
    page : Page
    records : str
        The parameter of the model that selects among the built-in records.
    suited : callable
        Maps a table to the settings that must change for it, e.g. a k that exceeds its width.

    Attributes
    ----------
    records : str
    place : Stack
        Where the table is described and uploaded: above the picture.
    """

    def __init__(
        self,
        page: Any,
        *,
        records: str = "data",
        suited: Callable[[Table], dict[str, Any]] = lambda table: {},
    ):
        self._page, self.records, self._suited = page, records, suited
        self._shared: SharedTable | None = None
        self._planned: Table | None = None  # The table that the latest plan computes on.
        self._changes: dict[str, Any] = {}  # Settings that must change before the offered table can be used.
        self._changed: dict[str, str] = {}  # What was changed of which setting, in words.
        self.adapted = Adapted()
        page.state.param.watch(lambda event: self._say(), "absent")
        self.place = Stack(css_classes=["own-table"], **FULL)
        self.problems: set = set()  # The problems that cache results of the table.
        session_end.at_end(self.end)

    @property
    def data(self) -> OwnData:
        """The session's shared table and its description."""
        if self._shared is None:
            self.use_shared_table(SharedTable())
        return self._shared.table

    @property
    def chosen(self) -> Choice | None:
        """The description of the table in use; None while the page uses the built-in records."""
        return None if self._page.model.table is None else self.data.chosen

    def use_shared_table(self, shared: SharedTable) -> None:
        """Use the session's shared table."""
        self._shared = shared
        shared.table.param.watch(self._replaced, "used")
        if shared.table.used is not None:
            self._offer(shared.table.used)

    def ask(self) -> None:
        """Note that the user asked on this page to use the table."""
        self._shared.asker = self._page

    def remember(self, problem) -> None:
        """Note what is computed: cached results of a problem of `core.sweep` are deleted together with the table."""
        self._planned = self._page.model.table
        if self._planned is not None and hasattr(problem, "methods"):  # A formula caches nothing.
            self.problems.add(problem)

    def settings_refused(self) -> None:
        """The settings have no answer: one for other records does not stand in its place."""
        if self._page.model.table is not self._planned:
            self._page.clear()

    def completed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Complete settings: naming built-in records selects them; settings of an offered table are made to fit."""
        values = dict(values)
        if self.records in values:
            values = {"own_records": False, **values}
        if values.get("own_records") and self._changes:
            self._changed = self._changes_text({n: v for n, v in self._changes.items() if n not in values})
            self._say()
            values, self._changes = {**self._changes, **values}, {}
        return values

    def _changes_text(self, changes):
        """The settings that change for the table, in words; the column to predict is the user's own choice."""
        found = {}
        for name, value in changes.items():
            source = self._page.source(name)
            if name == "response" or getattr(source, name) == value:
                continue
            parameter = source.param[name]
            old, new = (setting_text(parameter, one) for one in (getattr(source, name), value))
            found[name] = f"{parameter.label} from {old} to {new}"
        return found

    def _say(self):
        """Name what was changed of the settings that the page has at the moment."""
        found = [words for name, words in self._changed.items() if name not in self._page.state.absent]
        self.adapted.words = f"Changed to fit the table: {'; '.join(found)}." if found else ""

    def bar(self, menu=None) -> pn.viewable.Viewable:
        """The menu of built-in records, and buttons for the user's own table."""
        page = self._page
        if menu is None:
            menu = control(page.model, self.records, live=page.live)
        use = partial(page.set, {"own_records": True})
        options = {"ask": self.ask, "use": use, "adapted": self.adapted}
        return records_bar(self.data, page.model, menu, place=self.place, **options)

    @property
    def replaced(self) -> set[str]:
        """The settings that the table replaces: the built-in records, and whether it is used."""
        return set() if self._page.model.table is None else {self.records, "own_records"}

    def pairs(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Settings and values for the header of a file; the table replaces the built-in records."""
        table = self._page.model.counted
        if table is None:
            return pairs
        left = {*self.replaced, *self._page.state.absent}
        facts = [
            ("own table", f"{table.name}, drawn from a description" if table.invented else table.name),
            ("columns", ", ".join(map(shown, table.columns))),
            ("bounds", "public" if table.public_bounds else "computed from the records: not private"),
        ]
        if table.sizes:
            facts.append(("records of every site", str(table.sizes)))
            facts.append(("the site that works alone (local)", shown(table.local)))
        return facts + [pair for pair in pairs if pair[0] not in left]

    def unprotected(self) -> list[Unprotected]:
        """What every such page shows of the user's table without noise; nothing while the table is not in use."""
        table = self._page.model.counted
        if table is None or table.invented:
            return []
        clipped = (
            f"the fact that {count_text(table.clipped, 'record was', 'records were')} clipped to the bounds"
        )
        found = [Unprotected("counts", clipped)]
        if table.incomplete:
            gaps = (
                f"the fact that {count_text(table.incomplete, 'row', 'rows')} missed a value and were left out, and so the "
                "number of records that remain"
            )
            found.append(Unprotected("counts", gaps))
        for count, what in ((table.marked, "missed a value and were marked"), (table.unlisted, _UNLISTED)):
            if count:
                found.append(
                    Unprotected("counts", f"the fact that {count_text(count, 'row', 'rows')} {what}")
                )
        if not table.public_bounds:
            found.append(Unprotected("ranges", NOT_PUBLIC))
        chosen = self.data.chosen
        if chosen is not None and chosen.description.declared:
            found.append(Unprotected("choice", _DECLARED))
        if chosen is not None and chosen.suggested:
            columns = ", ".join(map(shown, chosen.suggested))
            found.append(
                Unprotected(
                    "choice", f"what counts as yes and as no, which was read off the cells of {columns}"
                )
            )
        examples = (
            f"the first {EXAMPLES} rows of your table, the names of its columns and sites, and what is said of each column "
            "(how its cells are written, how many are empty, how many sites it names), in its description"
        )
        return [*found, Unprotected("records", examples, DESCRIPTION)]

    def end(self) -> None:
        """The session has ended: delete everything of the table, and touch nothing that was drawn."""
        page = self._page
        with unwatched(self.data, page.state, page.runs):
            session_end.each(self._forget, self.data.end, page.closed)

    def _replaced(self, event):
        """The table was replaced or removed."""
        page = self._page
        self._release()
        page.life.outdate()
        if event.new is None:
            page.set({"own_records": False})
            return
        self._offer(event.new)
        if self._shared.asker in (None, page) or page.model.own_records:
            page.set({"own_records": True})

    def _offer(self, table):
        model = self._page.model
        model.own_table, model.boxed = table, self.data.chosen.boxed
        self._changes, self._changed = self._suited(table), {}
        self._say()

    def _release(self):
        if self._page.model.own_table is not None:
            self._forget()
            self._page.clear()

    def _forget(self):
        """Delete the table, its results here and in the workers, and what was made of them."""
        page = self._page
        problems, self.problems, self._changes = self.problems, set(), {}
        page.model.own_table = self._planned = None
        forgets = (partial(sweep.forget, problem) for problem in problems)
        session_end.each(page.runs.clear, *forgets, page.forget)

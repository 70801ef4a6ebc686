"""The choice of what is released of a user's own columns, as parameters that pages share."""

from __future__ import annotations

import itertools

import param

from core.summaries import Kind
from dashboard.components.inputs import distinct_options
from dashboard.page.own_table import OwnTableModel
from dashboard.problems import columns
from dashboard.problems.columns import Released
from dashboard.state.controls import NamedPlace
from data.catalogue.tables import OwnTable

MOST_COLUMNS = 200  # Of a menu of several.


class OwnColumnModel(OwnTableModel):
    """A model that can release a mean, a proportion, counts or a histogram of a column of the user's `table`."""

    column = NamedPlace(
        1,
        bounds=(1, 1000),
        label="Column",
        doc="This column of your own table is released: its mean, a proportion, counts or a histogram.",
    )
    category = NamedPlace(
        1,
        bounds=(1, 1000),
        label="Category",
        doc="The share of the records in this category is released.",
    )
    bins = param.Selector(
        default=10,
        objects=[5, 10, 20, 50],
        label="Bins",
        doc="The bins divide the column's range into equal widths. One record moves two bins, however many there "
        "are.",
    )

    also = param.ListSelector(
        [],
        objects=list(range(1, MOST_COLUMNS + 1)),
        label="In the same release",
        doc="The same release holds these columns: the mean of numbers, the proportion of an answer, the counts "
        "of categories. All share one ε. Each column adds to what one record moves, and so to the noise of "
        "all.",
    )

    counted_by = ("column", "also")

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.param.watch(self._name_choices, ["column", "own_records"])

    @property
    def counted(self) -> OwnTable | None:
        """The own table; where columns of it are released, with every row that has a value in these."""
        table = self.table
        if table is None or self.kind is None:
            return table
        return table.having(n - 1 for n in (self.column, *self.also) if n <= len(table.parts))

    @property
    def kind(self) -> Kind | None:
        """What is released of a column; None for anything else."""
        raise NotImplementedError

    @property
    def released(self) -> Released | None:
        """What is released of columns; None for anything else.

        Raises
        ------
        ValueError
            If it cannot be released of the chosen column.
        """
        if self.kind is None:
            return None
        options = {"bins": self.bins, "category": self.category - 1, "also": [n - 1 for n in self.also]}
        return columns.released(self.kind, self.table, self.column - 1, **options)

    def suited_response(self, table: OwnTable) -> dict:
        """Let every menu of columns name those of a table; returns the choices of columns that its page opens with."""
        self.param.column.bounds = (1, len(table.parts))
        self.param.column.names = tuple(part.column for part in table.parts)
        self._name_choices(table=table)
        return (super().suited_response(table) if "response" in self.param else {}) | self.suited_column(
            table
        )

    def suited_column(self, table: OwnTable | None) -> dict:
        """The first column of which this can be released, if it cannot be of the chosen one."""
        if self.kind is None or table is None:
            return {}
        places = [place + 1 for place in columns.suited(table, self.kind)]
        return {"column": places[0]} if places and self.column not in places else {}

    def unused_columns(self) -> list[str]:
        """Names of the parameters above that do not matter here."""
        own = self.kind is not None and self.table is not None
        absent = [] if own and len(self.table.parts) > 1 else ["also"]
        absent += [] if own else ["column"]
        absent += [] if own and self.kind == "proportion" else ["category"]
        return absent + ([] if own and self.kind == "histogram" else ["bins"])

    def _name_choices(self, *events, table=None):
        """Name the categories of the column, and the columns beside it."""
        table = table or self.table
        if table is None or self.column > len(table.parts):
            return
        self.param.category.names = columns.categories(table.parts[self.column - 1])
        # Of all columns: names that are alike are told apart by the column's own number, whichever is chosen.
        every = distinct_options((part.column for part in table.parts), range(1, len(table.parts) + 1))
        others = ((text, n) for text, n in every.items() if table.parts[n - 1].about and n != self.column)
        self.param.also.objects = dict(itertools.islice(others, MOST_COLUMNS))

"""What is released of columns of a user's own table: public bounds, unit, and what one record moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.summaries import Kind, Summary, l1_sensitivity, sensitivity
from dashboard.state.html_text import listed
from dashboard.state.number_text import number_text
from data.catalogue import tables
from data.catalogue.tables import OwnTable
from data.columns import Block
from data.upload.table import shown

FITS: Mapping[Kind, tuple[str, ...]] = {
    "mean": ("number", "date", "yes/no"),
    "proportion": ("yes/no", "category"),
    "counts": ("yes/no", "category"),
    "histogram": ("number", "date"),
}
# What is released of a column beside another one.
USUAL: Mapping[str, Kind] = {
    "number": "mean",
    "date": "mean",
    "yes/no": "proportion",
    "category": "counts",
}
MISSING = "no value"
# Foreign text that may stand in a sentence, a file or a program as it is.
_PLAIN_UNIT = re.compile(r"[\w %/°µ·^.²³()-]{1,20}")


def plain_unit(unit: str) -> bool:
    """Whether a unit, which is foreign text, is short and harmless as it is."""
    return _PLAIN_UNIT.fullmatch(unit) is not None


@dataclass(frozen=True)
class Part:
    """A summary of one column, whose name and category are foreign text.

    Attributes
    ----------
    place : int
        Of the column in its table, from 0.
    unit : str
        Of a mean, harmless as it is; "" for none.
    category : str
        The one whose proportion is released; "" for others, and for yes of yes and no.
    which : int
        The place of that category.
    gap : str
        What a missing value counts as, harmless; "" where its row is left out, or where it is a category of its own.
    categories : tuple of str
        Of counts, in the order of their cells; of a proportion the one that is counted. Foreign text.
    """

    summary: Summary
    column: str = ""
    place: int = 0
    unit: str = ""
    category: str = ""
    which: int = 0
    gap: str = ""
    categories: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The column, and the category of a proportion: foreign text."""
        return f"{shown(self.column)} = {shown(self.category)}" if self.category else shown(self.column)

    @property
    def words(self) -> str:
        """What is released: foreign text."""
        return f"{self.summary.kind} of {self.title}"

    def of(self, table: OwnTable) -> np.ndarray:
        """The column as numbers in [0, 1], shape (N, cells), in the order of the table's records."""
        values, block = table.column(self.place), table.parts[self.place]
        if self.summary.kind in ("mean", "histogram"):
            return self.summary.of(values)
        if block.about.kind == "yes/no":  # A gap that is marked is neither.
            shares = np.column_stack([values, 1 - values])
        else:
            shares = np.eye(len(categories(block)))[values.astype(int)]
        return shares[:, [self.which]] if self.summary.kind == "proportion" else shares


@dataclass(frozen=True)
class Released:
    """Summaries of columns, released together; the first is the one that an error is asked of.

    Attributes
    ----------
    table : str
        Foreign text; "" for numbers that nobody has.
    """

    parts: tuple[Part, ...]
    table: str = ""

    @property
    def first(self) -> Part:
        """The summary that an error is asked of."""
        return self.parts[0]

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """As `core.summaries` takes them."""
        return tuple(part.summary for part in self.parts)

    @cached_property
    def change(self) -> float:
        """Largest l2 change of n times the scaled statistic when one record is replaced."""
        return sensitivity(1, self.summaries)

    @cached_property
    def l1_change(self) -> float:
        """The same in l1, for pure ε."""
        return l1_sensitivity(1, self.summaries)

    @property
    def title(self) -> str:
        """The columns and their table: foreign text; "" for numbers that nobody has."""
        first, *others = (part.title for part in self.parts)
        beside = f", in one release with {listed(others)}" if others else ""
        return f"{first} of {self.table}{beside}" if self.table else ""

    @property
    def gaps(self) -> str:
        """What missing values count as in the result: foreign text; "" if none is in it."""
        found = [*dict.fromkeys(f"as {one.gap} in {shown(one.column)}" for one in self.parts if one.gap)]
        return (
            f"A missing value counts {listed(found)}, which shifts the result. To describe known values alone, leave rows "
            "without one out."
            if found
            else ""
        )


@dataclass(frozen=True)
class Columns:
    """Summaries of a user's own columns as a problem of `core.sweep`; `load` is the table."""

    load: OwnTable
    released: Released
    data_settings: tuple[str, ...] = ("data", "sites", "samples", "data_seed")

    def statistics(self, settings: Mapping[str, Any]) -> np.ndarray:
        """What the sites send noise on of the first summary, shape (S, cells); all others have noise of their own."""
        numbers = self.released.first.of(self.load)
        if self.load.sizes is None:
            sites = tables.dealt(numbers, settings)
        else:
            sites = np.split(numbers, np.cumsum(self.load.sizes)[:-1])
        return np.stack([site.mean(axis=0) for site in sites])


def suited(table: OwnTable, kind: Kind) -> list[int]:
    """Places of the columns, from 0, of which this can be released."""
    parts = enumerate(table.parts)
    return [place for place, part in parts if part.about is not None and part.about.kind in FITS[kind]]


def categories(block: Block) -> tuple[str, ...]:
    """The categories of a column, in the order of their places: foreign text; () for a column of numbers."""
    about = block.about
    if about is None or about.kind not in FITS["counts"]:
        return ()
    if about.kind == "yes/no":
        return tuple(about.values) or ("yes", "no")
    # A gap that is marked is a category more; an answer's counts as the described constant.
    return (*about.values, *([MISSING] if block.marks else []))


def released(
    kind: Kind,
    table: OwnTable | None,
    place: int,
    *,
    bins: int = 10,
    category: int = 0,
    also: Iterable[int] = (),
) -> Released:
    """What is released of the column at a place, from 0; without a table, of numbers from 0 to 1.

    Parameters
    ----------
    bins : int
        Of a histogram.
    category : int
        Place of the category whose proportion is released.
    also : iterable of int
        Places of further columns in the same release, each with its usual summary.

    Raises
    ------
    ValueError
        If it cannot be released of this column, or the columns have no ranges of their own.
    """
    if table is None:
        return Released((Part(Summary(kind, cells={"counts": 2, "histogram": bins}.get(kind, 1))),))
    if all(part.about is None for part in table.parts):
        raise ValueError(
            f"{kind} needs a range for its column, and {table.name} has one length for whole records: "
            "describe the columns by ranges"
        )
    places = suited(table, kind)
    if place not in places:
        names = ", ".join(shown(table.parts[one].column) for one in places[:5])
        where = (
            f"choose from {names}" if names else f"{table.name} has none, so choose something else to release"
        )
        raise ValueError(f"{kind} needs a column of {' or '.join(FITS[kind])}: {where}")
    others = [one for one in dict.fromkeys(also) if one != place and one < len(table.parts)]
    parts = [_usual(table, one) for one in others if table.parts[one].about is not None]
    return Released((_part(kind, table, place, bins, category), *parts), table.name)


def _usual(table, place):
    return _part(USUAL[table.parts[place].about.kind], table, place, 1, 0)


def _part(kind, table, place, bins, category):
    block = table.parts[place]
    about, names, gap = block.about, categories(block), _gap(block)
    if kind == "proportion":
        which = min(category, len(names) - 1)
        name = "" if about.kind == "yes/no" and which == 0 else names[which]
        about_it = {"category": name, "which": which, "categories": (names[which],)}
        return Part(Summary(kind), block.column, place, **about_it, gap=gap)
    if kind == "counts":
        return Part(Summary(kind, cells=len(names)), block.column, place, gap=gap, categories=names)
    unit = "days" if about.kind == "date" else about.unit.strip()
    unit = unit if kind == "mean" and plain_unit(unit) else ""
    cells = bins if kind == "histogram" else 1
    return Part(Summary(kind, about.low, about.high, cells), block.column, place, unit, gap=gap)


def _gap(block):
    about = block.about
    if not block.marks or about.kind == "category":
        return ""
    if about.kind == "yes/no":
        return "half a yes"
    value = min(max(about.filled, about.low), about.high)
    return "a public day within its range" if about.kind == "date" else number_text(value)

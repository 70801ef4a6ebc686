"""What is released of one column of a user's own table: its public bounds, its unit, and what one record moves."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.summaries import Kind, Summary
from dashboard.pages.decide.plan.metrics import METRICS, Metric
from data.catalogue.tables import OwnTable
from data.upload.table import shown

SUMMARIES: dict[str, Kind] = {
    "averaging": "mean",
    "proportion": "proportion",
    "counts": "counts",
    "histogram": "histogram",
}
_FITS = {
    "averaging": ("number", "date", "yes/no"),
    "proportion": ("yes/no", "category"),
    "counts": ("yes/no", "category"),
    "histogram": ("number", "date"),
}
_WORDS = {"averaging": "mean", "proportion": "proportion", "counts": "count", "histogram": "histogram"}
# Foreign text that may stand in a sentence, a file or a program as it is.
_PLAIN_UNIT = re.compile(r"[\w %/°µ·^.²³()-]{1,20}")


@dataclass(frozen=True)
class Released:
    """A summary of one column; `column` and `table` are foreign text, "" for numbers that nobody has.

    Attributes
    ----------
    place : int
        Of the column in its table, from 0.
    unit : str
        Of a mean, harmless as it is; "" for none.
    """

    summary: Summary
    column: str = ""
    table: str = ""
    place: int = 0
    unit: str = ""

    @property
    def title(self) -> str:
        """The column and its table: foreign text."""
        return f"{shown(self.column)} of {self.table}" if self.column else ""

    def metric(self, metric: Metric) -> Metric:
        """The metric in the unit of the column."""
        if not self.column or self.summary.kind != "mean":
            return metric
        return replace(METRICS["mean"], unit=self.unit)

    def level(self, share: float) -> float:
        """The allowed error in the column's unit, for a share of its range."""
        return float(f"{share * self.summary.span:.2g}")


def suited(table: OwnTable, kind: str) -> list[int]:
    """Places of the columns, from 0, of which this can be released."""
    parts = enumerate(table.parts)
    return [place for place, part in parts if part.about is not None and part.about.kind in _FITS[kind]]


def released(kind: str, table: OwnTable | None, place: int, bins: int) -> Released:
    """What is released of the column at a place, from 0; without a table, of numbers from 0 to 1.

    Raises
    ------
    ValueError
        If it cannot be released of this column, or the columns have no ranges of their own.
    """
    many = {"counts": 2, "histogram": bins}
    if table is None:
        return Released(Summary(SUMMARIES[kind], cells=many.get(kind, 1)))
    if all(part.about is None for part in table.parts):
        raise ValueError(
            f"a {_WORDS[kind]} needs a range for its column, and {table.name} has one length for whole records: "
            "describe the columns by ranges"
        )
    places = suited(table, kind)
    if place not in places:
        names = ", ".join(shown(table.parts[one].column) for one in places[:5]) or "no column"
        raise ValueError(
            f"a {_WORDS[kind]} needs a column of {' or '.join(_FITS[kind])}: choose from {names}"
        )
    part = table.parts[place]
    about, cells = part.about, 1
    if kind == "histogram":
        cells = bins
    elif kind == "counts":
        # A gap that is marked is a category more; an answer's counts as the described constant.
        cells = len(about.values) + (part.marks and about.kind == "category")
    low, high = (about.low, about.high) if kind in ("averaging", "histogram") else (0.0, 1.0)
    unit = "days" if about.kind == "date" else about.unit.strip()
    unit = unit if kind == "averaging" and _PLAIN_UNIT.fullmatch(unit) else ""
    return Released(Summary(SUMMARIES[kind], low, high, cells), part.column, table.name, place, unit)

"""Rows of a user's table that miss a value in some of its columns: an average of the other columns counts them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from data.catalogue.tables import OwnTable


@dataclass(frozen=True, eq=False)
class Rest:
    """M rows that are in none of a table's N records, and where all rows stand.

    Attributes
    ----------
    records : ndarray (M, d)
        Coordinates of a missing value are of no meaning.
    gaps : ndarray of bool (M, g)
        In which of the table's g columns a row has no value.
    clipped, marked : ndarray of bool (M,)
        As the table counts them.
    rows : ndarray of int (M,)
        Their places in the file; those of the table's records, in their order, are `others` (N,).
    sites : ndarray of str (M,), optional
        Where a column names the site of each.
    local : str
        The site that works alone under the scheme "local"; "" is the largest.
    """

    records: np.ndarray
    gaps: np.ndarray
    clipped: np.ndarray
    marked: np.ndarray
    rows: np.ndarray
    others: np.ndarray
    sites: np.ndarray | None = None
    local: str = ""
    _joined: dict[tuple[int, ...], OwnTable] = field(default_factory=dict, init=False, repr=False)

    def joined(self, table: OwnTable, places: Iterable[int]) -> OwnTable:
        """The table with all rows that have a value in the columns at these places; always the same one."""
        held = tuple(sorted(set(places)))
        if held not in self._joined:
            self._joined[held] = self._with(table, held)
        return self._joined[held]

    def _with(self, table, held):
        more = np.flatnonzero(~self.gaps[:, held].any(axis=1))
        if not len(more):
            return table
        ends = np.cumsum([0, *(len(part.names) for part in table.parts)])
        width = np.concatenate([np.arange(ends[place], ends[place + 1]) for place in held])
        rows = np.concatenate([self.others, self.rows[more]])
        order, names, sizes = np.argsort(rows), table.site_names, table.sizes
        if self.sites is not None:
            labels = np.concatenate([np.repeat(table.site_names, table.sizes), self.sites[more]])
            order, names, sizes = by_site(labels, rows, self.local)
        return replace(
            table,
            records=np.concatenate([table.records[:, width], self.records[np.ix_(more, width)]])[order],
            sizes=sizes,
            site_names=names,
            clipped=table.clipped + int(self.clipped[more].sum()),
            marked=table.marked + int(self.marked[more].sum()),
            incomplete=table.incomplete - len(more),
            rest=None,
            held=held,
        )


def by_site(
    labels: np.ndarray, rows: np.ndarray, local: str
) -> tuple[np.ndarray, tuple[str, ...], tuple[int, ...]]:
    """The order of records site after site, by `rows` within each; the sites' names, and how many records each has.

    The first is the site `local`, or if this is "" the largest; the others follow by the alphabet.
    """
    result, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    first = int(np.flatnonzero(result == local)[0]) if local else int(np.argmax(counts))
    places = [first, *(s for s in range(len(result)) if s != first)]
    order = np.lexsort((rows, np.argsort(places)[place]))
    return order, tuple(str(result[s]) for s in places), tuple(int(counts[s]) for s in places)

"""Descriptions of the tables of a session, by their columns: one comes back when a table with its columns comes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from data.columns import Column, Description

_MOST = 20


class Descriptions:
    """The latest descriptions of a session, a few at most."""

    def __init__(self):
        self._found: dict[frozenset[str], Description] = {}

    @property
    def last(self) -> Description | None:
        """The latest one."""
        return next(reversed(self._found.values()), None)

    def keep(self, found: Description) -> None:
        """Keep a description; an older one of the same columns goes."""
        key = frozenset(found.names)
        self._found.pop(key, None)
        self._found[key] = found
        while len(self._found) > _MOST:
            self._found.pop(next(iter(self._found)))

    def of(self, columns: Iterable[str]) -> Description | None:
        """The description of a table with these columns, in whatever order."""
        return self._found.get(frozenset(columns))


def shareable(found: Description | None) -> Description | None:
    """A description for others: without bounds that were taken from the records, and without this file's notation."""
    if found is None:
        return None
    length = found.length if found.length_public else None
    return replace(found, columns=tuple(map(_shareable, found.columns)), length=length, length_public=True)


def _shareable(column: Column) -> Column:
    if column.public:
        return replace(column, written="")
    about = {"unit": column.unit, "spellings": column.spellings} if column.kind == "number" else {}
    return Column(
        column.name, column.kind, used=column.used, missing=column.missing, gaps=column.gaps, **about
    )

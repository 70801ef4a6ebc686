"""Refreshing of a page: only while it is in front, and once for several changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Lifecycle:
    """Whether a page is in front, and whether its picture is out of date.

    Parameters
    ----------
    refresh : callable
        Updates the picture. It is called only while the page is in front.
    """

    def __init__(self, refresh: Callable[[], None]):
        self._refresh = refresh
        self._open = False
        self._due = True

    @property
    def in_front(self) -> bool:
        """Whether the page is in front."""
        return self._open

    def open(self) -> None:
        """The page comes to the front."""
        self._open = True
        self._catch_up()

    def close(self) -> None:
        """The page leaves the front: it computes nothing until it returns."""
        self._open = False

    def changed(self, *events) -> None:
        """Settings changed: refresh now if the page is in front, otherwise when it comes to the front."""
        self._due = True
        self._catch_up()

    def outdate(self) -> None:
        """Mark the picture as out of date: the next opening or change refreshes it."""
        self._due = True

    @contextmanager
    def together(self) -> Iterator[None]:
        """Merge all changes inside the context into one refresh at its end."""
        was_open, self._open = self._open, False
        try:
            yield
        finally:
            self._open = was_open
        self._catch_up()

    def _catch_up(self):
        if self._open and self._due:
            self._due = False
            self._refresh()

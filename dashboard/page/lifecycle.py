"""When a page works: only while it is in front, and once for all that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Lifecycle:
    """Whether a page is in front, and whether its picture is out of date.

    Parameters
    ----------
    refresh : callable
        Brings the picture up to date. It is called while the page is in front, never in the background.
    """

    def __init__(self, refresh: Callable[[], None]):
        self._refresh = refresh
        self._open = False
        self._due = True

    def open(self) -> None:
        """The page comes to the front."""
        self._open = True
        self._catch_up()

    def close(self) -> None:
        """The page leaves the front: from now on it does no work."""
        self._open = False

    def changed(self, *events) -> None:
        """Settings changed: refresh now if the page is in front, else when it comes there."""
        self._due = True
        self._catch_up()

    def outdate(self) -> None:
        """Refresh the next time that the page is opened or changed, and not before."""
        self._due = True

    @contextmanager
    def together(self) -> Iterator[None]:
        """What changes inside makes one refresh, at the end."""
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

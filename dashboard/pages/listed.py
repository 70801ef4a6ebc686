"""The pages as lists show them; the module of a page is imported when the page is opened.

A page imports its algorithms, its data and their libraries. A session needs them when the page is opened; navigation,
lectures and the ledger need what `navigation.toml` says of it.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property

from dashboard.page import facts
from dashboard.page.base import SessionPage
from dashboard.pages.broken import broken

_LOG = logging.getLogger("cape-lab")


@dataclass(frozen=True)
class Listed(facts.Facts):
    """An entry of a `navigation.toml`, and its page."""

    @property
    def steps(self) -> bool:
        """Whether a lecture has slides on this page."""
        return bool(facts.slides(self.name))

    @cached_property
    def kind(self) -> type[SessionPage]:
        """The page's class; its module is imported at the first access. For one that cannot be, a placeholder."""
        try:
            if self.error:
                raise ImportError(self.error)
            return self._page(importlib.import_module(self.module))
        except Exception as error:
            _LOG.exception("the page %s could not be imported", self.name)
            return broken(self.name, self.title, self.group, error)

    def _page(self, module):
        """The page of this name in a module, or the page of its `Comparison` or `Sheet`."""
        from dashboard.compare.page import ComparePage
        from dashboard.compare.spec import Comparison
        from dashboard.sheet.page import SheetPage
        from dashboard.sheet.spec import Sheet

        known = vars(module).values()
        for found in known:
            own = (
                isinstance(found, type)
                and issubclass(found, SessionPage)
                and found.__module__ == module.__name__
            )
            if own and found.name == self.name:
                return found
        words = {word: getattr(self, word) for word in ("title", "group", "icon", "tab_of", "lead")}
        for found in known:
            if isinstance(found, Comparison | Sheet) and found.name == self.name:
                return (ComparePage if isinstance(found, Comparison) else SheetPage).of(found, **words)
        raise ImportError(f"{module.__name__} must define a page, Comparison or Sheet named {self.name!r}")


def entries() -> tuple[Listed, ...]:
    """All pages, in the order of the navigation."""
    return tuple(Listed(**asdict(found)) for found in facts.pages().values())


def introduce(page: SessionPage, listed: Iterable[Listed]) -> None:
    """Tell a page of the others of its app, and of those in the same row of tabs."""
    entries = tuple(listed)
    main = page.tab_of or page.name
    page.others = tuple(entry for entry in entries if entry.name != page.name)
    page.tabs = tuple(entry for entry in entries if main in (entry.name, entry.tab_of))

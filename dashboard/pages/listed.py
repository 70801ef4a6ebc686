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
from dashboard.sheet.page import Page
from dashboard.sheet.spec import Sheet

_LOG = logging.getLogger("cape-lab")


@dataclass(frozen=True)
class Listed(facts.Facts):
    """An entry of a `navigation.toml`, and its page."""

    @property
    def steps(self) -> bool:
        """Whether a lecture has slides on this page."""
        return bool(facts.slides(self.name))

    @cached_property
    def kind(self) -> Page:
        """The page; its module is imported at the first access. For one that cannot be, a placeholder."""
        try:
            if self.error:
                raise ImportError(self.error)
            return self._page(vars(importlib.import_module(self.module)).values())
        except Exception as error:
            _LOG.exception("the page %s could not be imported", self.name)
            return broken(self, error)

    def _page(self, known):
        """The page of this name among a module's values: a `Page`, or the page of a `Sheet`."""
        pages = [found for found in known if isinstance(found, Page) and found.name == self.name]
        sheets = [found for found in known if isinstance(found, Sheet) and found.name == self.name]
        if not pages and not sheets:
            raise ImportError(f"{self.module} must define a Page or Sheet named {self.name!r}")
        return Page(pages[0].spec, self, pages[0].kind) if pages else Page(sheets[0], self)


def entries() -> tuple[Listed, ...]:
    """All pages, in the order of the navigation."""
    return tuple(Listed(**asdict(found)) for found in facts.pages().values())


def introduce(page: SessionPage, listed: Iterable[Listed]) -> None:
    """Tell a page of the others of its app, and of those in the same row of tabs."""
    entries = tuple(listed)
    main = page.tab_of or page.name
    page.others = tuple(entry for entry in entries if entry.name != page.name)
    page.tabs = tuple(entry for entry in entries if main in (entry.name, entry.tab_of))

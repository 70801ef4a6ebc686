"""Placeholder for a page whose module failed to import; it shows the error and keeps the app running."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import panel as pn

from dashboard.page.base import Page


class BrokenPage(Page):
    """A page without a picture that shows an error message."""

    icon = "error_outline"
    problem: ClassVar[str] = ""

    def body(self):
        return pn.Spacer(height=0)

    def compute(self):
        raise ValueError(self.problem)

    def draw(self, picture) -> None:
        return None

    def words(self, picture) -> str:
        return ""

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Ignore the settings of a link, which cannot be checked without the page's model."""
        return []


def broken(name: str, title: str, group: str, error: Exception) -> type[BrokenPage]:
    """A placeholder of a page that shows `error`."""
    problem = (
        f"This page could not be loaded ({type(error).__name__}: {error}). The other pages work. If a package is "
        "missing, install it and start the app again."
    )
    facts = {"name": name, "title": title, "group": group, "icon": BrokenPage.icon, "problem": problem}
    return type("BrokenPage", (BrokenPage,), facts)

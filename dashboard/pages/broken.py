"""Placeholder for a page whose module failed to import; it shows the error and keeps the app running."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any, ClassVar

import panel as pn

from dashboard.components.layout import LiveText
from dashboard.page.base import SessionPage
from dashboard.theme import css


class BrokenPage(SessionPage):
    """A page that shows an error message alone."""

    icon = "error_outline"
    problem: ClassVar[str] = ""

    def refresh(self) -> None:
        self.state.problem = self.problem

    def content(self) -> pn.viewable.Viewable:
        """The message."""
        return LiveText(css.NOTICE, margin=(12, 24), text=self.first_html()).pane

    def first_html(self, *, slide: bool = False) -> str:
        """The page in the answer to a request."""
        heading = html.escape(self.title)
        return f"<h1>{heading}</h1><div class='notice error' role='alert'>{html.escape(self.problem)}</div>"

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Ignore the settings of a link, which cannot be checked without the page's model."""
        return []


def broken(name: str, title: str, group: str, error: Exception) -> type[BrokenPage]:
    """A placeholder of a page that shows `error`."""
    problem = (
        f"This page could not be loaded ({type(error).__name__}: {error}). The other pages work. If a package is "
        "missing, install it and start the app again."
    )
    facts: dict[str, Any] = {
        "name": name,
        "title": title,
        "group": group,
        "icon": BrokenPage.icon,
        "problem": problem,
    }
    return type("BrokenPage", (BrokenPage,), facts)

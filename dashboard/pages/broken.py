"""Placeholder for a page whose module failed to import; it shows the error and keeps the app running."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import panel as pn

from dashboard.components.layout import LiveText
from dashboard.page.base import SessionPage
from dashboard.page.facts import Facts
from dashboard.page.model import Model
from dashboard.sheet.page import Page
from dashboard.sheet.spec import Sheet, View
from dashboard.theme import css

_ICON = "error_outline"


class BrokenPage(SessionPage):
    """A page in a session that shows an error message alone."""

    def refresh(self) -> None:
        self.state.problem = self.facts.error

    def laid_out(self, browser: Any) -> pn.viewable.Viewable:
        """The message."""
        return LiveText(css.NOTICE, margin=(12, 24), text=self.first_html()).pane

    def first_html(self, *, slide: bool = False) -> str:
        """The page in the answer to a request."""
        heading = html.escape(self.title)
        return (
            f"<h1>{heading}</h1><div class='notice error' role='alert'>{html.escape(self.facts.error)}</div>"
        )

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Ignore the settings of a link, which cannot be checked without the page's model."""
        return []


@dataclass(frozen=True, eq=False)
class Broken(Page):
    """A page that cannot be opened; its facts have the error."""

    def __call__(self, controls: Any) -> SessionPage:
        return BrokenPage(self.spec, self.facts, controls)

    def warm(self) -> None:
        return None


def broken(entry: Facts, error: Exception) -> Broken:
    """A placeholder of a page that shows `error`."""
    problem = (
        f"This page could not be loaded ({type(error).__name__}: {error}). The other pages work. If a package is "
        "missing, install it and start the app again."
    )
    words = {"tab_of": entry.tab_of, "heading": entry.heading, "lead": entry.lead}
    facts = Facts(entry.name, entry.title, entry.group, "", icon=_ICON, error=problem, **words)
    nothing = Sheet(entry.name, Model, lambda plan, shown: View(""), {}, (), ())
    return Broken(nothing, facts)

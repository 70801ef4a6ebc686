"""A page before it is opened: its record and its facts; a session opens it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.page import facts as known
from dashboard.page.base import SessionPage
from dashboard.page.description import Described
from dashboard.page.facts import Facts
from dashboard.runs.sharing import Opening
from dashboard.sheet.open_page import OpenPage
from dashboard.sheet.spec import Sheet
from dashboard.state.controls import Controls


@dataclass(frozen=True, eq=False)
class Page(Described):
    """A page.

    Attributes
    ----------
    spec : Sheet
    facts : Facts
    kind : type of OpenPage
        Opens it; another than `OpenPage` for a page that keeps something of its own between plans.
    """

    spec: Sheet
    facts: Facts
    kind: type[OpenPage] = OpenPage

    @classmethod
    def of(cls, spec: Sheet, kind: type[OpenPage] = OpenPage) -> Page:
        """The page of a record, with what `navigation.toml` says of its name."""
        said = known.pages().get(spec.name) or Facts(spec.name, spec.name.capitalize(), "", "")
        return cls(spec, said, kind)

    def __call__(self, controls: Controls) -> SessionPage:
        """The page in a session."""
        return self.kind(self.spec, self.facts, controls)

    def warm(self) -> Opening | None:
        """Compute at the server's start what the first picture awaits; returns what else the page opens with."""
        page, work = self(Controls(**self.opens)), self.spec.work
        if page.sharing is None:  # Every session has noise of its own.
            return None
        plan = page.compute()
        calls = page.begin(plan)
        if not isinstance(calls, list):
            return None
        opening = Opening(replace(page.sharing, visitor=""), calls, lasting=self.spec.model.lasting)
        opening.compute(work.opens_with(plan))
        return opening

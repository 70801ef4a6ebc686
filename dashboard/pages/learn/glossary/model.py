"""The settings of the page Glossary, and the terms that they find."""

from __future__ import annotations

from dataclasses import dataclass

import param

from dashboard.page.model import Model
from dashboard.state.glossary import BY_KEY, TERMS, Term

_LONGEST = 60  # Letters of a search.


@dataclass(frozen=True)
class GlossaryPlan:
    """The chosen term, if any, and those that match the search."""

    chosen: Term | None
    found: tuple[Term, ...]
    search: str


class GlossaryModel(Model):
    """The search, and the term that is listed first."""

    term = param.Selector(default="", objects=["", *BY_KEY], doc="This term is listed first.")
    search = param.String(
        "", label="Search", doc="The page lists the terms whose name or explanation contains this."
    )

    def plan(self) -> GlossaryPlan:
        """The terms to show."""
        if len(self.search) > _LONGEST:
            raise ValueError(f"search must have at most {_LONGEST} letters, got {len(self.search)}")
        wanted = self.search.strip().casefold()
        found = [t for t in TERMS if wanted in f"{t.name} {t.key} {t.text}".casefold()]
        # A match in the name comes before a match in the explanation.
        found.sort(key=lambda t: wanted not in f"{t.name} {t.key}".casefold())
        return GlossaryPlan(BY_KEY.get(self.term), tuple(found), self.search.strip())

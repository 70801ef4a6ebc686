"""What a report is made of, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.sweep import search
from dashboard.guarantee.guarantee import Guarantee
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan.question import Question
from dashboard.packs.consortium.plan.words import joining, text


@dataclass(frozen=True)
class Parts:
    """What a report is made of.

    Attributes
    ----------
    words : str
        The answer as sentences, in HTML.
    settings : mapping
        Settings and their values as text.
    not_private : sequence of str
        What the page shows without protection.
    own : Choice or None
        How the user described the own table; None for built-in records.
    script : str
        The program that gives the same answers.
    version : str
    sites : sequence of str
        Names of the sites, if they have any.
    year : str
        The releases of a year in HTML; "" if none are planned.
    """

    question: Question
    answers: Mapping[str, search.Answer]
    words: str
    guarantee: Guarantee
    colluding: int
    settings: Mapping[str, str]
    not_private: Sequence[str]
    own: Choice | None
    script: str
    version: str
    sites: Sequence[str] = ()
    year: str = ""

    @cached_property
    def scheme(self) -> str | None:
        """The scheme whose release is planned; None if there is none."""
        return text.best(self.question, dict(self.answers))

    @cached_property
    def answer(self) -> search.Answer | None:
        """The answer of that scheme, at the ε that is promised."""
        return None if self.scheme is None else text.at_promise(self.question, self.answers[self.scheme])

    @cached_property
    def promise(self) -> str:
        """The sentence that page, report, summary and plan share; "" if no release is planned."""
        return text.one_epsilon(self.question, self.answers, self.colluding)

    @cached_property
    def mu(self) -> float:
        """μ of the planned release for the observer against whom its ε holds; under a curator, of the result."""
        held = text.watched(self.question, self.answer, self.colluding)
        return text.mus(self.question, self.answer, self.colluding)[0] if math.isinf(held) else held

    @cached_property
    def records(self) -> int:
        """The number of records at all sites."""
        return sum(joining.sizes_of(self.question, self.answer, self.question.sites(self.answer)))

    @property
    def named_sizes(self) -> tuple[tuple[str, int], ...]:
        """Name and records of every site that a column names, as the release counts them: foreign text."""
        names = self.question.names
        return tuple(zip(names, dict(self.question.here)["samples"], strict=True)) if names else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the own table that the release reads: foreign text; none without such a table."""
        released = self.question.released
        if self.own is None or released is None or not released.table:
            return () if self.own is None else tuple(column.name for column in self.own.description.used)
        return tuple(dict.fromkeys(part.column for part in released.parts))

    @property
    def from_records(self) -> bool:
        """Whether the answers were computed from records without noise: those of a formula and of drawn ones are not."""
        searched = self.question.problem is not None and not self.question.synthetic
        return searched or bool(self.question.averages)

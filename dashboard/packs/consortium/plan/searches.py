"""The searches of a plan, run by run: which scheme takes the next turn, and what is known of the answers so far."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from core import sweep
from core.schemes import PLAIN
from core.sweep import search as plan
from core.sweep.workers import Call
from dashboard.packs.consortium.plan.question import Question, search
from dashboard.packs.consortium.plan.reference import Reference, reference
from dashboard.theme.scheme_style import planned_order

CHUNK = 6  # Runs of one job, so that sessions that share the worker take turns.


@dataclass(frozen=True)
class Step:
    """A scheme's answer after some more runs; `first` is the first of these, `runs` how many they are."""

    answer: plan.Answer
    first: sweep.Job
    runs: int


@dataclass(frozen=True)
class Outcome:
    """A question and what is known of its answers.

    Attributes
    ----------
    answers : mapping of str to Answer
        By scheme.
    plain : float or None
        The figure without noise at the most costly cell, if it was computed.
    reference : Reference or None
        What there is to keep or to lose.
    """

    question: Question
    answers: dict[str, plan.Answer] = field(default_factory=dict)
    plain: float | None = None
    reference: Reference | None = None
    stale: ClassVar[bool] = False  # Of a new question nothing is known; what is known of it is shown.

    @property
    def plan(self) -> Question:
        """The question, as what a page's results are of."""
        return self.question

    @property
    def ready(self) -> bool:
        """Whether every scheme's answer is decided."""
        states = {self.answers[s].state if s in self.answers else "running" for s in self.question.schemes}
        return "running" not in states

    def after(self, results: list) -> Outcome:
        """What is known once these results of the searches have come."""
        steps = [found[1] for found in results if isinstance(found, tuple)]
        plain = next((found for found in results if isinstance(found, float)), self.plain)
        behind = next((found for found in results if isinstance(found, Reference)), self.reference)
        answers = self.answers | {step.answer.scheme: step.answer for step in steps}
        ordered = {s: answers[s] for s in self.question.schemes if s in answers}
        return replace(self, answers=ordered, plain=plain, reference=behind)


class Searches:
    """The jobs of searches that take turns: which run comes next depends on what was found, so they are drawn
    one by one, and their number is a forecast. At last, if something is out of reach, the figure without noise."""

    def __init__(self, question: Question):
        self.question = question
        self.found = {scheme: search(question, scheme) for scheme in question.schemes}
        self._steps = 0

    def __len__(self) -> int:
        return self._steps + sum(found.outlook // CHUNK for found in self.found.values())

    def __iter__(self) -> Generator[Call, Any, None]:
        if (first := reference(self.question)) is not None:
            yield first
        ordered = [scheme for scheme in planned_order() if scheme in self.found]
        for group in (ordered[:2], ordered[2:]):  # The bold sentence is about the first two: they come first.
            while going := [scheme for scheme in group if not self.found[scheme].over]:
                for scheme in going:
                    before = self.found[scheme]
                    key = self.question.key, scheme, before.runs
                    self.found[scheme], _ = yield Call(_advanced, (before,), key=key)
                    self._steps += 1
        out_of_reach = any(found.answer.state == "out of reach" for found in self.found.values())
        if out_of_reach and not self.question.target.relative:
            job = sweep.Job(self.question.problem, self.question.cells[-1][1], PLAIN, 0, 0)
            yield Call(_plain, (job, self.question.target), key=(self.question.key, PLAIN))


def _advanced(before, cancelled):
    """A search some runs later, and what these runs were."""
    after = before.step(most=CHUNK)
    place = next(i for i, scores in after.scores.items() if len(scores) > len(before.scores.get(i, ())))
    begun = len(before.scores.get(place, ()))
    first = sweep.Job(after.problem, after.cells[place][1], after.answer.scheme, begun, after.seed)
    return after, Step(after.answer, first, after.runs - before.runs)


def _plain(job, target, cancelled):
    return target.score(job.run(), None)

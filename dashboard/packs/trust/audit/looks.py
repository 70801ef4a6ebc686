"""What the attacker knows after each batch of releases: its errors, the bound on ε, and what is drawn of its scores."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np

from core import audit
from core.sweep.workers import Call
from dashboard.packs.trust.audit.model import BATCHES, Plan
from dashboard.runs.kept import KEPT

ALPHA = np.linspace(0, 1, 201)
BINS = 48
SAMPLE = 400  # Scores of each kind that single guesses are drawn from.
_ENDS = 0.0005, 0.9995  # Quantiles of the scores between which bars are drawn.


@dataclass(frozen=True, eq=False)
class Look:
    """The verdict on the releases so far.

    Attributes
    ----------
    trials : int
        Releases of each kind.
    epsilon : float
        Lower bound on ε.
    violated : bool
        The bound is above the promise.
    false_alarms, missed : int
        Wrong guesses of each kind.
    observed : ndarray of shape (201,)
        Share of missed records at the shares `ALPHA` of false alarms.
    cut : float
        A score above which the test says that the record was in.
    edges : ndarray of shape (49,)
        Of the bars.
    out, in_ : ndarray of shape (48,)
        How many scores lie between them, without the record and with it.
    sample : (ndarray, ndarray)
        Some of the scores, without the record and with it.
    """

    trials: int
    epsilon: float
    violated: bool
    false_alarms: int
    missed: int
    observed: np.ndarray
    cut: float
    edges: np.ndarray
    out: np.ndarray
    in_: np.ndarray
    sample: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, verdict: audit.Audit, rng: np.random.Generator) -> Look:
        """What is kept of a verdict."""
        both = verdict.first_scores, verdict.second_scores
        edges = _edges(np.concatenate(both))
        out, in_ = (np.histogram(scores, edges)[0] for scores in both)
        few = min(SAMPLE, verdict.trials)
        first, second = (rng.choice(scores, few, replace=False) for scores in both)
        return cls(
            trials=verdict.trials,
            epsilon=verdict.epsilon,
            violated=verdict.violated,
            false_alarms=verdict.false_alarms,
            missed=verdict.missed,
            observed=verdict.tradeoff(ALPHA),
            cut=threshold(verdict),
            edges=edges,
            out=out,
            in_=in_,
            sample=(first, second),
        )

    @property
    def right(self) -> float:
        """Share of right guesses over both data sets."""
        return 1 - (self.false_alarms + self.missed) / (2 * self.trials)

    def drawn(self, rng: np.random.Generator) -> tuple[bool, float]:
        """One release: whether the record was in, as at every second, and its score."""
        is_in = bool(rng.integers(2))
        return is_in, float(rng.choice(self.sample[is_in]))


def threshold(verdict: audit.Audit) -> float:
    """A score above which the test says "second": between the scores that its error counts separate."""
    first, second = verdict.first_scores, verdict.second_scores
    kept, missed = verdict.trials - verdict.false_alarms, verdict.missed
    below = [*first[max(kept - 1, 0) : kept], *second[max(missed - 1, 0) : missed]]
    above = [*first[kept : kept + 1], *second[missed : missed + 1]]
    low, high = max(below, default=min(above, default=0.0)), min(above, default=max(below, default=0.0))
    return float(low + high) / 2


def _edges(scores):
    low, high = np.quantile(scores, _ENDS)
    if high - low < 1e-12 * max(abs(high), abs(low), 1e-300):
        low, high = low - 0.5, high + 0.5
    margin = 0.03 * (high - low)
    return np.linspace(low - margin, high + margin, BINS + 1)


@dataclass
class _Scores:
    """A test, and the scores of the batches so far on both data sets."""

    test: audit.Distinguisher
    first: list[np.ndarray] = field(default_factory=list)
    second: list[np.ndarray] = field(default_factory=list)


def look(plan: Plan, name: str, number: int, cancelled) -> Look | None:
    """Score batch `number`, from 1, and judge all so far; the batches before are kept here under a name, or run again."""
    scores = KEPT.take(name) or _Scores(_test(plan))
    for i in range(len(scores.first) + 1, number + 1):
        if cancelled.is_set():
            return None
        rng = np.random.default_rng([plan.seed, i])
        first, second = plan.case.scores(scores.test, runs=plan.batch, rng=rng)
        scores.first.append(first)
        scores.second.append(second)
    if number < BATCHES:
        KEPT.put(name, scores, bytes=16 * plan.runs)
    # A run that was stopped and goes on from its beginning finds later batches here.
    both = (np.concatenate(of[:number]) for of in (scores.first, scores.second))
    return Look.of(scores.test.judge(*both), np.random.default_rng([plan.seed, number, SAMPLE]))


def _test(plan):
    rng = np.random.default_rng([plan.seed, 0])
    return plan.case.distinguisher(runs=plan.learning, rng=rng, confidence=plan.confidence)


def keys(plan: Plan) -> list[Hashable]:
    """Of the looks, in their order."""
    return [(plan, number) for number in range(1, BATCHES + 1)]


def calls(plan: Plan) -> list[Call]:
    """A look after each batch; every one goes on where the one before ended."""
    name = uuid4().hex
    return [Call(look, (plan, name, key[1]), key=key, chain=name) for key in keys(plan)]


def looks_of(plan: Plan, results: Mapping[Hashable, Any]) -> list[Look]:
    """The looks that are known."""
    return [results[key] for key in keys(plan) if key in results]


def finished(looks: list[Look]) -> bool:
    """Whether the last one is there."""
    return len(looks) == BATCHES

"""What the answer without noise reaches, which a target of Plan is a share of: variance explained, R² or AUC."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import functional, sweep
from core.schemes import PLAIN
from core.sweep.workers import Call
from dashboard.packs.consortium.plan.question import Question
from dashboard.state.number_text import equals, percent_text


@dataclass(frozen=True)
class Reference:
    """What the answer without noise reaches.

    Attributes
    ----------
    words : str
        Sentences, in HTML.
    floor : float
        The mean score of components that are drawn at random, without any record; NaN unless the score is variance.
    """

    words: str
    floor: float = math.nan


def reference(question: Question) -> Call | None:
    """The call that computes it at the most costly cell; None where the target says all."""
    words = {"variance": _variance, "lost": _gains, "auc_lost": _gains}.get(question.metric.figure)
    if words is None:
        return None
    job = sweep.Job(question.problem, question.cells[-1][1], PLAIN, 0, 0)
    return Call(_reference, (job, words), key=(job, words))


def _reference(job, words, cancelled):
    settings = dict(job.settings)
    statistics = sweep.statistics(job.problem, settings)
    floor = _by_chance(statistics, settings) if words is _variance else math.nan
    return Reference(words(job.problem, statistics, settings), floor)


def _by_chance(statistics, settings):
    """The variance that k random components keep on average, k/d of all, as a share of the most that k can keep."""
    k = settings["k"]
    return k / len(statistics.most) * statistics.most[-1] / statistics.most[k - 1]


def _variance(problem, statistics, settings):
    k, weights = settings["k"], statistics.samples / statistics.samples.sum()
    possible = statistics.most[k - 1] / statistics.most[-1]
    mean = weights @ statistics.means
    pooled = np.tensordot(weights, statistics.second, axes=1)
    plain = problem.fit(statistics, PLAIN, None, np.random.default_rng(0), settings).components
    kept = problem.judged(statistics, plain)
    words = f"Without noise, {k} components can explain {percent_text(possible)} of all variance."
    if kept < 0.995:
        words += (
            f" About the public centre they keep {percent_text(kept)} of that even then: the mean, which is "
            f"{percent_text(mean @ mean / np.trace(pooled))} of the energy, takes up a component."
        )
    return words


def _gains(problem, statistics, settings):
    explained = percent_text(1 - statistics.best / statistics.base)
    if problem.loss != "logistic":
        return f"Without noise the features explain {explained} of the variance (R²)."
    least = functional.likelihood_minimum(statistics, box=dict(problem.options)["box"])
    return (
        f"Without noise the features explain {explained} of the deviance of the base rate, with an "
        f"{equals('AUC', statistics.best_ranking)}; logistic regression without the polynomial that is "
        f"released in its place, {percent_text(1 - least / statistics.base)}."
    )

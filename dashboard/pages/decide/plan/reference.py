"""The figures without noise behind a plan's target: what there is to keep or to lose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from core import functional, sweep
from core.schemes import PLAIN
from dashboard.pages.decide.plan.metrics import GAINS, METRICS
from dashboard.pages.decide.plan.question import Question
from dashboard.state.background_runs import Job
from dashboard.state.number_text import equals, percent_text


@dataclass(frozen=True)
class Reference:
    """What the answer without noise reaches: sentences, in HTML."""

    words: str


def reference(question: Question) -> Job | None:
    """The job that computes it at the most costly cell; None where the target says all."""
    figures = {"variance": _variance} | dict.fromkeys(GAINS, _gains)
    name = next(name for name, metric in METRICS.items() if metric is question.metric)
    if name not in figures:
        return None
    return partial(_found, sweep.Job(question.problem, question.cells[-1][1], PLAIN, 0, 0), figures[name])


def _found(job, figures, cancelled):
    settings = dict(job.settings)
    return Reference(figures(job.problem, sweep.statistics(job.problem, settings), settings))


def _variance(problem, statistics, settings):
    k, weights = settings["k"], statistics.samples / statistics.samples.sum()
    held = statistics.most[k - 1] / statistics.most[-1]
    mean = weights @ statistics.means
    pooled = np.tensordot(weights, statistics.second, axes=1)
    plain = problem.fit(statistics, PLAIN, None, np.random.default_rng(0), settings).components
    kept = problem.judged(statistics, plain)
    words = f"Without noise, {k} components can keep {percent_text(held)} of all variance."
    if kept < 0.995:
        words += (
            f" About the public centre they keep {percent_text(kept)} of that even then: the mean, which is "
            f"{percent_text(mean @ mean / np.trace(pooled))} of the energy, takes a component."
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

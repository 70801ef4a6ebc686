"""Private regression as a problem for `core.sweep`, and how good its answers are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from core import check
from core.functional.losses import Loss
from core.functional.mechanism import MECHANISMS, Moments, Regression, fit, moments
from core.hashed import hashed
from core.schemes import PLAIN, planned

_NOTHING = 1e-12  # A loss: that of certain predictions that are right.
_FARTHEST = 30.0  # A constant prediction beyond ±30 has odds of 1 to 10¹³.


@dataclass(frozen=True)
class Judged:
    """Values that a sweep computes once per data set: the sites' moments and the reference solution.

    Attributes
    ----------
    moments : Moments
    truth : ndarray of shape (d,)
        w*, or the non-private ŵ where nobody knows it.
    best, zero : float
        True average loss of the non-private ŵ and of w = 0.
    answer : ndarray of shape (d,)
        The non-private ŵ.
    """

    moments: Moments
    truth: np.ndarray
    best: float
    zero: float
    answer: np.ndarray = field(repr=False)

    @cached_property
    def base(self) -> float:
        """True average loss of the best constant prediction: of the mean, or of the base rate; 0 of equal responses."""
        target = self.moments.target
        constant, loss = np.ones((len(target), 1)), self.moments.loss
        result = scipy.optimize.minimize_scalar(
            lambda z: loss.empirical(constant, target, np.array([z])),
            bounds=(-_FARTHEST, _FARTHEST),
            method="bounded",
            options={"xatol": 1e-9},
        )
        # Of equal responses the search leaves rounding, of which no share says anything.
        return 0.0 if np.ptp(target) == 0 and result.fun < _NOTHING else float(result.fun)

    @cached_property
    def of_answer(self) -> dict[str, float]:
        """`figures` and `gains` of the non-private ŵ, which no noise changes; not to be changed."""
        return figures(self, self.answer) | gains(self, self.answer)

    @cached_property
    def best_ranking(self) -> float:
        """The AUC of the non-private ŵ."""
        return ranking(self.moments.features @ self.answer, self.moments.target)


@hashed
@check.arguments
@dataclass(frozen=True)
class Problem:
    """Private regression as a problem for `core.sweep`.

    Attributes
    ----------
    load : callable
        Maps the settings named in `data_settings` to (sites, truth): pairs (X, y), and w* of shape (d,), or
        None for the non-private fit. Must pickle.
    data_settings : tuple of str
        Settings that `load` depends on.
    loss : {"linear", "logistic"} or Loss
    options : tuple of (str, value)
        Further options of `fit`.
    gains : bool
        Judge runs also by what the features add to the best constant prediction: `gains` beside `figures`.
    """

    load: Callable[[Mapping], tuple[Sequence, np.ndarray | None]]
    data_settings: tuple[str, ...] = ("sites", "samples", "dimension", "data_seed")
    loss: str | Loss = "linear"
    options: tuple[tuple[str, Any], ...] = ()
    gains: bool = False

    methods = MECHANISMS

    @check.arguments
    def statistics(self, settings: Mapping) -> Judged:
        """Moments of the settings' data."""
        sites, truth = self.load(settings)
        result = moments(sites, loss=self.loss)
        answer = self._fit(result, PLAIN, None, np.random.default_rng(0), {}).coefficients
        truth = answer if truth is None else truth
        zero = result.empirical(np.zeros(len(truth)))
        return Judged(result, truth, result.empirical(answer), zero, answer)

    @check.arguments(norm=check.sized, box=check.sized)
    def fit(self, statistics: Judged, scheme: str, privacy, rng, settings: Mapping) -> Regression:
        """One fit, on the terms that the settings name (see `core.schemes.planned`)."""
        check.choice("scheme", scheme, MECHANISMS)
        options = planned(settings, statistics.moments.samples, scheme)
        return self._fit(statistics.moments, scheme, privacy, rng, options)

    @check.arguments
    def estimate(self, statistics: Judged, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """Figures of one fit, all measured on the records themselves: see `figures`, and `gains` if asked for."""
        w = self.fit(statistics, scheme, privacy, rng, settings).coefficients
        return figures(statistics, w) | (gains(statistics, w) if self.gains else {})

    def _fit(self, found, mechanism, privacy, rng, options):
        return fit(found, mechanism=mechanism, privacy=privacy, rng=rng, **dict(self.options) | options)


@check.arguments(w=check.vector)
def figures(judged: Judged, w: np.ndarray) -> dict[str, float]:
    """Measures of the quality of ŵ: diagnostics, *not private*.

    "loss": true average loss; "error": err_w = ‖w* − ŵ‖/d ([Cape] section 5.2); "excess": loss above the
    non-private one, as a share of what predicting with w = 0 loses; "lost": the same as a share of what the best constant
    prediction loses, see `gains`.
    """
    loss = judged.moments.empirical(w)
    return {
        "loss": loss,
        "error": float(np.linalg.norm(judged.truth - w) / len(w)),
        "excess": _share(loss - judged.best, judged.zero - judged.best),
        "lost": _share(loss - judged.best, judged.base - judged.best),
    }


@check.arguments(w=check.vector)
def gains(judged: Judged, w: np.ndarray) -> dict[str, float]:
    """What the features add to the best constant prediction under ŵ: diagnostics, *not private*.

    "explained": 1 − loss/base, the share of the deviance that is explained; R² for squared errors. "lost": loss above
    the non-private one, as a share of what that one gains over the base. Of labels also "auc", the probability that a
    record of label 1 is ranked above one of label 0, and "auc_lost", how much less it is than without noise.
    """
    loss = judged.moments.empirical(w)
    result = {
        "explained": 1 - loss / judged.base if judged.base > 0 else math.nan,
        "lost": _share(loss - judged.best, judged.base - judged.best),
    }
    if not judged.moments.loss.labels:
        return result
    auc = ranking(judged.moments.features @ w, judged.moments.target)
    return result | {"auc": auc, "auc_lost": judged.best_ranking - auc}


@check.arguments(scores=check.vector, labels=check.vector)
def ranking(scores: np.ndarray, labels: np.ndarray) -> float:
    """The area under the ROC curve: P(score of a 1 > score of a 0) + P(equal)/2; NaN if there is only one label."""
    positive = np.asarray(labels) == np.max(labels, initial=0)
    ones, zeros = int(positive.sum()), int((~positive).sum())
    if not ones or not zeros:
        return math.nan
    ranks = scipy.stats.rankdata(scores)
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * zeros))


@check.arguments(box=check.sized)
def likelihood_minimum(judged: Judged, *, box: float) -> float:
    """The least true average loss of a logistic regression over [−box, box]^d: a diagnostic, *not private*.

    The mechanism minimises a polynomial in its place, and so stays above it even without noise.

    Raises
    ------
    ValueError
        For another loss than "logistic".
    """
    result = judged.moments
    check.choice("loss", result.loss.name, ("logistic",))

    def value(w):
        z = result.features @ w
        slope = result.features.T @ (scipy.special.expit(z) - result.target) / len(z)
        return float(np.mean(np.logaddexp(0, z) - result.target * z)), slope

    bounds = [(-check.positive("box", box), box)] * len(judged.answer)
    start = np.clip(judged.answer, -box, box)
    return float(scipy.optimize.minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds).fun)


def _share(part, whole):
    return part / whole if whole > 0 else math.nan

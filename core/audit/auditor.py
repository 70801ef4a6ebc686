"""Statistical audit: tests a privacy claim of a mechanism on two neighbouring data sets.

Run the mechanism many times on each, and let a test guess from the output which one it was. By the meaning
of privacy the test's false-alarm rate α and missed-detection rate β cannot both be small:

* (ε, δ): 1 − δ − β ≤ e^ε α, and the same with α and β exchanged;
* μ-GDP: β ≥ Φ(Φ⁻¹(1 − α) − μ) [Gdp].

Exact (Clopper-Pearson) upper bounds of both rates therefore give *lower* confidence bounds on ε and μ. An
audit can convict a mechanism, at a stated error rate; it can never prove one private: it only tries these
two data sets and one kind of test.

Where the distribution of the output is known the best test is the likelihood ratio (`likelihood_ratio`). Elsewhere
a projection is learnt on runs that are not used again, and with it the threshold. A learnt test is weak: it
looks for one direction from half of the runs, and misses most faults that the likelihood ratio would find, as
where releases were not composed. That it does not convict says little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from core import check
from core.privacy import Privacy, gdp_epsilon, gdp_mu, tradeoff
from core.schemes.noise_design import NoiseDesign, members


def _scores(name, values):
    """Scores in a row, ±∞ included."""
    array = check.numeric(name, values)
    if array.ndim != 1 or not len(array) or np.isnan(array).any():
        raise ValueError(f"{name} must be numbers in a row, got {check.shown(values)}")
    return array


Mechanism = Callable[[Any, int, np.random.Generator], np.ndarray]
Score = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Audit:
    """Result of an audit: what repeated runs show about a privacy claim.

    Attributes
    ----------
    promise : Privacy or float
        (ε, δ), or μ.
    confidence : float
        Each of the two bounds holds with this probability, whatever the mechanism.
    mu : float
        Lower confidence bound on μ.
    epsilon, delta : float
        Lower confidence bound on ε at that δ.
    violated : bool
        The bound on the promised quantity is above the promise.
    trials : int
        Runs on each data set that were judged.
    false_alarms, missed : int
        How often the test of the promised quantity took the first for the second data set, and the
        second for the first.
    first_scores, second_scores : ndarray of shape (trials,)
        The test's statistic in each run, sorted: their empirical trade-off is `tradeoff`.
    """

    promise: Privacy | float
    confidence: float
    mu: float
    epsilon: float
    delta: float
    violated: bool
    trials: int
    false_alarms: int
    missed: int
    first_scores: np.ndarray = field(repr=False)
    second_scores: np.ndarray = field(repr=False)

    @check.arguments(alpha=check.probabilities)
    def tradeoff(self, alpha) -> np.ndarray:
        """Observed missed-detection rate β of the test at false-alarm rate α: to hold against T(α)."""
        alpha = np.asarray(alpha, dtype=float)
        # The lowest threshold that at most a share α of the first scores exceed.
        rank = self.trials - np.floor(alpha * self.trials + 1e-9).astype(int) - 1
        threshold = np.where(rank >= 0, self.first_scores[np.maximum(rank, 0)], -math.inf)
        return np.searchsorted(self.second_scores, threshold, side="right") / self.trials


@dataclass(frozen=True)
class Distinguisher:
    """A test that tells two data sets apart: score, and thresholds chosen beforehand.

    It says "second" where the score exceeds a threshold. `swapped`: the bound on ε uses the rates
    exchanged, which is better where the second distribution has the thinner tail.
    """

    score: Score = field(repr=False)
    mu_threshold: float
    epsilon_threshold: float
    swapped: bool
    promise: Privacy | float
    delta: float
    gaussian: bool
    confidence: float

    @check.arguments(first_scores=_scores, second_scores=_scores)
    def judge(self, first_scores, second_scores) -> Audit:
        """The verdict from the scores of fresh runs on the two data sets, equally many."""
        first, second = np.sort(first_scores), np.sort(second_scores)
        if len(first) != len(second):
            raise ValueError(
                f"second_scores must be as many as first_scores, {len(first)}, got {len(second)}"
            )
        trials = len(first)
        alarms, missed = _errors(first, second, self.mu_threshold)
        mu = float(_mu_bound(alarms, missed, trials, self.confidence))
        if self.gaussian:
            epsilon = gdp_epsilon(self.delta, mu) if mu > 0 else 0.0
            counts = alarms, missed
        else:
            counts = _errors(first, second, self.epsilon_threshold)
            false, unseen = counts[::-1] if self.swapped else counts
            epsilon = float(_epsilon_bound(false, unseen, trials, self.delta, self.confidence))
        if isinstance(self.promise, Privacy):
            violated = epsilon > self.promise.epsilon
        else:
            counts, violated = (alarms, missed), mu > self.promise
        return Audit(
            self.promise,
            self.confidence,
            mu,
            epsilon,
            self.delta,
            bool(violated),
            trials,
            int(counts[0]),
            int(counts[1]),
            first,
            second,
        )


@check.arguments
def audit(mechanism: Mechanism, first, second, *, runs: int, rng: np.random.Generator, **options) -> Audit:
    """Audit a privacy claim on two neighbouring data sets.

    Parameters
    ----------
    mechanism : callable
        `mechanism(data, runs, rng)` returns the outputs of that many independent runs, shape (runs, ...).
        `repeated` makes one of a function that runs once.
    first, second : object
        Two neighbouring data sets.
    runs : int
        Runs on each data set, at least 100; a part of them goes into choosing the test.
    **options
        `promise`, `confidence`, `delta`, `score`, `gaussian`: see `distinguisher`.
    """
    runs = check.integer("runs", runs, low=100)
    learning = runs // 2 if options.get("score") is None else runs // 4
    test = distinguisher(mechanism, first, second, runs=learning, rng=rng, **options)
    scores = [test.score(_outputs(mechanism, data, runs - learning, rng)) for data in (first, second)]
    return test.judge(*scores)


@check.arguments
def distinguisher(
    mechanism: Mechanism,
    first,
    second,
    *,
    promise: Privacy | float,
    runs: int,
    rng: np.random.Generator,
    confidence: float = 0.999,
    delta: float | None = None,
    score: Score | None = None,
    gaussian: bool = False,
) -> Distinguisher:
    """Choose a test on separate runs that are not used for the verdict.

    Parameters
    ----------
    promise : Privacy or float
        What the mechanism promises: (ε, δ), or μ.
    confidence : float
        How sure each lower bound is to be right.
    delta : float, optional
        δ at which ε is bounded; default that of the promise, or 1e-5.
    score : callable, optional
        Scores outputs of shape (runs, ...), larger for "second": the likelihood ratio where the distribution is known.
        Default: of two learnt ones, a linear and a quadratic discriminant, the better. They are weak.
    gaussian : bool
        The output is known to be Gaussian with the same covariance on both data sets, so that μ is the
        whole guarantee: ε is then bounded through μ, which needs far fewer runs at large ε.
    """
    confidence = check.fraction("confidence", confidence)
    if not isinstance(promise, Privacy):
        promise = check.positive("promise", promise)
    delta = getattr(promise, "delta", 1e-5) if delta is None else check.fraction("delta", delta)
    check.integer("runs", runs, low=25)
    outputs = [_outputs(mechanism, data, runs, rng) for data in (first, second)]
    if score is None:
        half = runs // 2
        learnt = _discriminants(*(o[:half] for o in outputs))
        outputs = [o[half:] for o in outputs]
    else:
        learnt = [score]

    def trial(candidate):
        return _thresholds(*(candidate(o) for o in outputs), delta, confidence, gaussian)

    def strength(candidate):
        result = trial(candidate)
        mu, epsilon = result[1], result[3]
        return (mu, epsilon) if gaussian or not isinstance(promise, Privacy) else (epsilon, mu)

    best = max(learnt, key=strength) if len(learnt) > 1 else learnt[0]
    mu_threshold, _, epsilon_threshold, _, swapped = trial(best)
    return Distinguisher(best, mu_threshold, epsilon_threshold, swapped, promise, delta, gaussian, confidence)


@check.arguments
def repeated(mechanism: Callable[[Any, np.random.Generator], np.ndarray]) -> Mechanism:
    """A mechanism of many runs from a function `(data, rng) -> output` of one."""

    def run(data, runs, rng):
        return np.stack([np.asarray(mechanism(data, rng), dtype=float) for _ in range(runs)])

    return run


@check.arguments(change=check.reals, covariance=check.reals)
def likelihood_ratio(change, covariance) -> Score:
    """Score of the best test between two Gaussians of one covariance whose means differ by `change`.

    Outputs are flattened to the length of `change`. Directions without noise count fully.
    """
    change = np.ravel(np.asarray(change, dtype=float))
    if np.size(covariance) != len(change) ** 2:
        raise ValueError(
            f"covariance must be ({len(change)}, {len(change)}), as change is long, got {np.shape(covariance)}"
        )
    covariance = np.asarray(covariance, dtype=float).reshape(len(change), len(change))
    direction = _whitened(covariance, change)
    return lambda outputs: outputs.reshape(len(outputs), -1) @ direction


@check.arguments(messages=check.numeric, zero_sum=check.numeric)
def adversary_view(messages, zero_sum, colluding: Iterable[int] = ()) -> np.ndarray:
    """What an adversary sees of a CAPE release: honest messages, and the zero-sum noise of colluders.

    All arrays have sites first. The broadcast sum T is left out: it is independent of all e_s, so it says
    nothing more once the colluders' e_s are known; nor do their own messages and local noise.
    """
    if messages.shape != zero_sum.shape or not messages.ndim:
        raise ValueError(
            f"messages and zero_sum must have one shape, got {messages.shape} and {zero_sum.shape}"
        )
    known = members("colluding", colluding, len(messages))
    return np.concatenate([np.asarray(messages)[~known], np.asarray(zero_sum)[known]])


@check.arguments
def view_covariance(design: NoiseDesign, colluding: Iterable[int] = ()) -> np.ndarray:
    """Covariance (S, S) of the noise in one coordinate of `adversary_view`, for `likelihood_ratio`."""
    known = members("colluding", colluding, design.sites)
    # w_s e_s = w_s ê_s − (d_s/D) Σ_j w_j ê_j, in terms of independent ê of standard deviation one.
    forms = np.diag(design.seed_std) - np.outer(design.correction, design.weights * design.seed_std)
    covariance = forms @ forms.T + np.diag(np.where(known, 0.0, design.local_std**2))
    order = np.concatenate([np.flatnonzero(~known), np.flatnonzero(known)])
    return covariance[np.ix_(order, order)]


@check.arguments(alpha=check.probabilities)
def promised_tradeoff(promise: Privacy | float, alpha, *, gaussian: bool = False) -> np.ndarray:
    """Least missed-detection rate at false-alarm rate α that the privacy claim allows.

    For μ, or `gaussian`, that of the Gaussian release which just keeps it; else that of (ε, δ) itself,
    max(0, 1 − δ − e^ε α, e^−ε (1 − δ − α)) [Gdp, Proposition 3].
    """
    alpha = np.asarray(alpha, dtype=float)
    if gaussian or not isinstance(promise, Privacy):
        return tradeoff(alpha, promised_mu(promise))
    left = 1 - promise.delta
    lines = left - math.exp(promise.epsilon) * alpha, math.exp(-promise.epsilon) * (left - alpha)
    return np.maximum(np.maximum(*lines), 0.0)


@check.arguments
def promised_mu(promise: Privacy | float) -> float:
    """μ of the Gaussian mechanism that meets the privacy claim exactly."""
    return gdp_mu(promise) if isinstance(promise, Privacy) else check.positive("promise", promise)


def _outputs(mechanism, data, runs, rng):
    outputs = np.asarray(mechanism(data, runs, rng), dtype=float)
    if outputs.ndim < 1 or len(outputs) != runs:
        raise ValueError(f"mechanism must return {runs} outputs in its first axis, got shape {outputs.shape}")
    return check.finite("outputs of the mechanism", outputs.reshape(runs, -1))


def _discriminants(first, second):
    """Two scores learnt from outputs of shape (n, m): linear, and linear in squared deviations too."""
    centre = (first.mean(axis=0) + second.mean(axis=0)) / 2

    def linear(outputs):
        return outputs - centre

    def quadratic(outputs):
        return np.hstack([outputs - centre, (outputs - centre) ** 2])

    return [_discriminant(features, features(first), features(second)) for features in (linear, quadratic)]


def _discriminant(features, first, second):
    """Fisher's linear discriminant; with more features than runs, on their variances alone."""
    change = second.mean(axis=0) - first.mean(axis=0)
    spread = np.vstack([first - first.mean(axis=0), second - second.mean(axis=0)])
    if spread.shape[1] > len(first) // 2:
        variance = spread.var(axis=0)
        direction = change / (variance + 1e-12 * variance.mean() + 1e-24 * change @ change + 1e-300)
    else:
        direction = _whitened(spread.T @ spread / len(spread), change)
    direction = direction / (np.abs(direction).max() or 1.0)
    return lambda outputs: features(outputs) @ direction


def _whitened(covariance, change):
    """Σ⁻¹ · change, with a ridge far below all noise, so that a direction without noise is found."""
    size = len(change)
    ridge = 1e-12 * np.trace(covariance) / size + 1e-24 * change @ change + 1e-300
    return np.linalg.solve(covariance + ridge * np.eye(size), change)


def _thresholds(first, second, delta, confidence, gaussian):
    """Thresholds with the best bounds on μ and on ε in these scores, the bounds, and the side for ε."""
    middle = (first.mean() + second.mean()) / 2
    first, second = np.sort(first), np.sort(second)
    pooled = np.unique(np.concatenate([first, second]))
    if len(pooled) == 1:
        return middle, 0.0, middle, 0.0, False
    between = (pooled[1:] + pooled[:-1]) / 2
    # Few places, so that chance does not choose: between two Gaussians the middle is the best; otherwise
    # the widest gap and the quantiles for μ; and for ε ever rarer events on either side.
    inner = between[(np.linspace(0.04, 0.96, 25) * len(between)).astype(int)]
    inner = np.append(inner, between[np.diff(pooled).argmax()])
    steps = np.unique(np.geomspace(1, len(between), 40).astype(int)) - 1
    outer = np.concatenate([inner, between[steps], between[::-1][steps]])
    inner = np.array([middle]) if gaussian else inner
    mus = _mu_bound(*_errors(first, second, inner), len(first), confidence)
    alarms, missed = _errors(first, second, outer)
    sides = [
        _epsilon_bound(*pair, len(first), delta, confidence) for pair in ((alarms, missed), (missed, alarms))
    ]
    side = int(sides[1].max() > sides[0].max())
    best_mu, best_epsilon = int(mus.argmax()), int(sides[side].argmax())
    return inner[best_mu], mus[best_mu], outer[best_epsilon], sides[side][best_epsilon], bool(side)


def _errors(first, second, threshold):
    """False alarms and missed detections of "second above the threshold", in sorted scores."""
    alarms = len(first) - np.searchsorted(first, threshold, side="right")
    return alarms, np.searchsorted(second, threshold, side="right")


def _upper(count, trials, confidence):
    """Clopper-Pearson upper bound of a rate, at half of the error each for two rates."""
    count = np.asarray(count, dtype=float)
    inside = np.minimum(count, trials - 1)
    bound = betaincinv(inside + 1, trials - inside, 1 - (1 - confidence) / 2)
    return np.where(count < trials, bound, 1.0)


def _mu_bound(alarms, missed, trials, confidence):
    alpha, beta = _upper(alarms, trials, confidence), _upper(missed, trials, confidence)
    return np.maximum(-ndtri(np.minimum(alpha, 1 - 1e-16)) - ndtri(np.minimum(beta, 1 - 1e-16)), 0.0)


def _epsilon_bound(alarms, missed, trials, delta, confidence):
    """From 1 − δ − β ≤ e^ε α."""
    alpha, beta = _upper(alarms, trials, confidence), _upper(missed, trials, confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(np.log(np.maximum(1 - delta - beta, 0.0)) - np.log(alpha), 0.0)

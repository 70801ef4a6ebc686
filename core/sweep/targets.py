"""Targets of a plan: a bound on a figure of a problem, and a statistical test of repeated runs against it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrc, stdtr

from core import check


@check.arguments
@dataclass(frozen=True)
class Target:
    """A bound on a figure that `estimate` of a problem returns.

    Parameters
    ----------
    figure : str
        Its name.
    value : float or None
        The bound, in the figure's units. None: there is none, and the figure is only measured.
    at_least : bool
        Whether the figure shall be at least `value`, or at most.
    relative : bool
        Whether `value` is a share of the non-private figure at the same settings.
    chance : float, optional
        Ask that a single run meets the bound with at least this probability. Default: that the mean over
        runs meets it.
    """

    figure: str
    value: float | None
    at_least: bool = True
    relative: bool = False
    chance: float | None = None

    def __post_init__(self):
        if self.value is not None:
            check.finite("value", self.value)
        if self.chance is not None:
            check.fraction("chance", self.chance)

    @check.arguments
    def score(self, row: Mapping[str, float], best: Mapping[str, float] | None) -> float:
        """The figure of one run, as a share of the non-private one if the target is relative.

        Raises
        ------
        ValueError
            If the figure is missing or not finite, or there is nothing to take a share of.
        """
        if self.figure not in row:
            raise ValueError(
                f"figure must be one that row has, as the problem returns it, got {self.figure!r}"
            )
        value = float(row[self.figure])
        if self.relative:
            if best is None:
                raise ValueError(
                    "best must be the non-private run's figures where the target is relative, got None"
                )
            whole = float(best[self.figure])
            if not 0 < whole < math.inf:
                raise ValueError(
                    f"the non-private {self.figure} must be positive to take a share of it, got {whole}"
                )
            value /= whole
        if not math.isfinite(value):
            raise ValueError(f"the {self.figure} of every run must be finite, got {value}")
        return value

    @check.arguments(scores=check.vector)
    def margins(self, scores) -> np.ndarray:
        """By how much every run does better than the bound; with a chance, 1 − chance or −chance."""
        if self.value is None:
            raise ValueError("value must be the bound from which margins are taken, got None")
        margin = np.asarray(scores, dtype=float) - self.value
        margin = margin if self.at_least else -margin
        return margin if self.chance is None else (margin >= 0) - self.chance

    @check.arguments(scores=check.vector)
    def verdict(self, scores, error: float) -> bool | None:
        """Whether independent runs show that the target is met (True), missed (False), or neither (None).

        The wrong one of both is said with probability at most `error`. For a chance this is exact, whatever
        the distribution of the figure (binomial test). For a mean it is Student's test: exact for normal figures,
        otherwise as good as the central limit theorem. No test of few runs sees a failure that is rarer than
        one in so many: where a run in twenty ends far off, six runs mislead more often than not. Then ask for
        a chance. Runs that all agree count as so many tosses of a coin.
        """
        margins = self.margins(scores)
        meets, misses = self._binomial(margins) if self.chance is not None else _student(margins)
        return True if meets <= error else False if misses <= error else None

    def _binomial(self, margins):
        """How probable so many successes would be at the chance itself, at least and at most."""
        n, good = len(margins), int((margins > 0).sum())
        return (1.0 if good == 0 else bdtrc(good - 1, n, self.chance)), bdtr(good, n, self.chance)


def _student(margins):
    """Probabilities that a mean margin of zero would give as much, and as little."""
    n, mean = len(margins), float(margins.mean())
    if n < 2:
        return 1.0, 1.0
    spread = float(margins.std(ddof=1))
    if spread <= 1e-12 * max(1.0, abs(mean)):
        # Nothing is known of values that did not come; that half of all runs are such would show so rarely.
        agreed = 0.5**n
        return (agreed, 1.0) if mean >= -1e-12 else (1.0, agreed)
    t = mean / (spread / math.sqrt(n))
    return stdtr(n - 1, -t), stdtr(n - 1, t)

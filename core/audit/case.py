"""A case of an audit: a mechanism, two neighbouring data sets, and the privacy claim to test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core import audit, check
from core.privacy import Privacy


@check.arguments
@dataclass(frozen=True)
class Case:
    """A mechanism, two neighbouring data sets, and the privacy claim to test.

    Attributes
    ----------
    title, lesson : str
        What it is, and what the audit teaches about it.
    sound : bool
        Whether the promise is kept.
    promise : Privacy or float
        (ε, δ), or μ.
    mechanism, first, second, score, gaussian
        Arguments of `core.audit.audit`.
    """

    title: str
    lesson: str
    sound: bool
    promise: Privacy | float
    mechanism: audit.Mechanism = field(repr=False)
    first: Any = field(repr=False)
    second: Any = field(repr=False)
    score: audit.Score | None = field(default=None, repr=False)
    gaussian: bool = False

    @check.arguments
    def distinguisher(
        self, *, runs: int, rng: np.random.Generator, confidence: float = 0.999
    ) -> audit.Distinguisher:
        """Choose a test on this many runs, which are not used for the verdict."""
        return audit.distinguisher(
            self.mechanism, self.first, self.second, runs=runs, rng=rng, **self._options(confidence)
        )

    @check.arguments(runs=check.whole(1))
    def scores(
        self, test: audit.Distinguisher, *, runs: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """The test's scores of fresh runs on either data set; batches of them may be joined."""
        first, second = (
            test.score(np.asarray(self.mechanism(data, runs, rng), dtype=float).reshape(runs, -1))
            for data in (self.first, self.second)
        )
        return first, second

    @check.arguments
    def audit(self, *, runs: int, rng: np.random.Generator, confidence: float = 0.999) -> audit.Audit:
        """Audit the case."""
        options = self._options(confidence)
        return audit.audit(self.mechanism, self.first, self.second, runs=runs, rng=rng, **options)

    def _options(self, confidence):
        return {
            "promise": self.promise,
            "confidence": confidence,
            "score": self.score,
            "gaussian": self.gaussian,
        }

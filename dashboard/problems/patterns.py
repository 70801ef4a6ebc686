"""Hidden patterns that a search finds or not: how many, and the marks under their pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from core import power, tensors
from dashboard.state.number_text import angle_text

FOUND = f"✓ found (cosine over {power.FOUND:g}), ✗ not."
RULE = f"A pattern counts as found if the result is less than {angle_text(power.FOUND)} off."


def found(cosines: np.ndarray) -> int:
    """How many patterns were found, from the |cos| of each with its estimate."""
    return int((np.asarray(cosines) > power.FOUND).sum())


def marks(cosines: np.ndarray) -> list[str]:
    """For each pattern ✓ if it was found, else ✗."""
    return ["✓" if c > power.FOUND else "✗" for c in cosines]


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found of the true patterns.

    An estimate for each of them, (k, d), with its |cos|, (k,), and its path from the random start, (steps, d) each.
    """

    vectors: np.ndarray
    cosines: np.ndarray
    paths: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, pairs: tensors.Eigenpairs, true: np.ndarray) -> Search:
        """The pairs, each once: beside the pattern that it found, the others where they are nearest."""
        cosines = np.abs(true @ pairs.vectors.T)
        _, place = linear_sum_assignment(cosines + len(true) * (cosines > power.FOUND), maximize=True)
        return cls(
            pairs.vectors[place], cosines[np.arange(len(true)), place], tuple(pairs.paths[i] for i in place)
        )

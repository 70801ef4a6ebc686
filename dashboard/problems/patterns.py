"""Hidden patterns that a search finds or not: how many, and the marks under their pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from core import power, tensors
from dashboard.components.tiles import pictured
from dashboard.state.number_text import angle_text

FOUND = f"✓ found (cosine over {power.FOUND:g}), ✗ not."
_STEPPED = 400  # Numbers in a pattern, beyond which the steps would be too much to send.
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

    def steps(self, true: np.ndarray) -> np.ndarray:
        """Pictures of the steps, (steps, k, pixels), the last of which is what was found; of wide patterns that one alone.

        The sign of a vector says nothing: each step is drawn with that of its pattern.
        """
        most = max(map(len, self.paths))
        first = 0 if true.shape[1] <= _STEPPED else most - 1
        return np.stack([pictured(self._at(step), true) for step in range(first, most)])

    def _at(self, step):
        return np.stack([path[min(step, len(path) - 1)] for path in self.paths])


def seen(search: Search, true: np.ndarray) -> dict[str, Any]:
    """Pixels, steps and marks of a row of pictures (`Row`) of what a search found."""
    steps = search.steps(true)
    return {"pixels": steps[-1], "steps": steps, "marks": marks(search.cosines)}

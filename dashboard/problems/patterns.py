"""Hidden patterns that a search finds or not: how many, and the marks under their pictures."""

from __future__ import annotations

import numpy as np

from core import power
from dashboard.state.number_text import angle_text

FOUND = f"✓ found (cosine over {power.FOUND:g}), ✗ not."
RULE = f"A pattern counts as found if the result is less than {angle_text(power.FOUND)} off."


def found(cosines: np.ndarray) -> int:
    """How many patterns were found, from the |cos| of each with its estimate."""
    return int((np.asarray(cosines) > power.FOUND).sum())


def marks(cosines: np.ndarray) -> list[str]:
    """For each pattern ✓ if it was found, else ✗."""
    return ["✓" if c > power.FOUND else "✗" for c in cosines]

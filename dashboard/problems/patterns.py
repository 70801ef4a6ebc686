"""Hidden patterns that a search finds or not: how many, and the marks under their pictures."""

from __future__ import annotations

import numpy as np

from core import power
from dashboard.state.number_text import angle_text

NEAR = f"less than {angle_text(power.FOUND)} off"
FOUND = f"✓ found ({NEAR}), ✗ not."


def found(cosines: np.ndarray) -> int:
    """How many patterns were found, from the |cos| of each with its estimate."""
    return int((np.asarray(cosines) > power.FOUND).sum())


def marks(cosines: np.ndarray) -> list[str]:
    """For each pattern ✓ if it was found, or ✗ and the angle that is left, rounded up."""
    angles = np.ceil(np.degrees(np.arccos(np.clip(cosines, 0, 1))))
    return ["✓" if c > power.FOUND else f"✗ {angle:.0f}°" for c, angle in zip(cosines, angles, strict=True)]

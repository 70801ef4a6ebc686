"""Where the bold sentence reads a figure: a line there, and the values that it names beside the names of the curves."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import rule


class Reading:
    """The line at which a figure is read, the values in its legend, and a line at what chance alone reaches.

    Parameters
    ----------
    curve : Curve
    """

    def __init__(self, curve: Curve):
        self._curve = curve
        self._line, self._chance = (rule(curve.figure, side, visible=False) for side in ("height", "width"))

    @property
    def at(self) -> float | None:
        """Where the figure is read; None for nowhere."""
        return self._line.location if self._line.visible else None

    @property
    def chance(self) -> float | None:
        """The height of the line of chance; None for none."""
        return self._chance.location if self._chance.visible else None

    def draw(self, at: float | None, values: Mapping[str, str], chance: float | None = None) -> None:
        """Draw the lines, and write the values of methods at `at`; with None nothing is read."""
        self._curve.write(values)
        for line, place in ((self._line, at), (self._chance, chance if values else None)):
            line.update(visible=place is not None, **({} if place is None else {"location": place}))

"""Where the bold sentence reads a figure: a line there, and beside the points the values that the sentence names."""

from __future__ import annotations

import math

from bokeh.models import ColumnDataSource, LogScale

from dashboard.pages.decide.papers.axes import learns_more
from dashboard.pages.decide.papers.text import BEFORE, ERRORS, called
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import rule
from dashboard.reproduce.experiments import Plan as Runs
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import INK, ink, paper

_COLUMNS = ("x", "y", "text", "align", "right", "below")
_HEIGHT, _LINE = 270, 21  # Pixels of the figure's frame, and of a line of words.
_PAST_ARROW = -28  # Pixels to the left of x, beyond the arrow that stands there.
_RIGHT = 0.72  # Share of the frame's width, from which on words do not stand to the right of a point.
_TOP = 0.97  # Share of the highest point, from which on words above a point would be cut.


class Reading:
    """The line and the values in a figure.

    Parameters
    ----------
    curve : Curve
        The figure's curves.
    """

    def __init__(self, curve: Curve):
        self._curve = curve
        self._source = ColumnDataSource({name: [] for name in _COLUMNS})
        self._line = rule(curve.figure, "height", visible=False)
        self._rim, words = (
            curve.figure.text(
                "x",
                "y",
                text="text",
                source=self._source,
                text_align="align",
                text_baseline="bottom",
                x_offset="right",
                y_offset="below",
                text_font_size="16px",
                text_font_style="bold",
            ).glyph
            for _ in range(2)
        )
        words.tags = [INK]
        words.text_color = ink(dark=False)
        self._rim.text_outline_width = 5
        self.set_dark(dark=False)

    @property
    def values(self) -> dict[str, float]:
        """The words in the figure, and the x at which they stand."""
        return dict(zip(self._source.data["text"], self._source.data["x"], strict=True))

    def set_dark(self, *, dark: bool) -> None:
        """Put a rim in the colour of the page around the words, which stand on curves."""
        self._rim.text_outline_color = paper(dark=dark)

    def draw(self, runs: Runs, found: tuple[float, dict[str, float]] | None) -> None:
        """Mark x and the values by method, as `text.reading` gives them; None for nothing to mark."""
        x, values = (None, {}) if found is None else found
        rightwards = [self._rightwards(method, values, x, runs) for method in values]
        self._source.data = {
            "x": [x] * len(values),
            "y": list(values.values()),
            "text": [_written(runs.experiment, m, y, values) for m, y in values.items()],
            "align": ["left" if right else "right" for right in rightwards],
            "right": [
                14 if right else (_PAST_ARROW if m == ERRORS else -14)
                for m, right in zip(values, rightwards, strict=True)
            ],
            "below": self._apart({m: self._below(m, values, x, runs) for m in values}, values, runs),
        }
        self._line.update(visible=x is not None, **({} if x is None else {"location": x}))

    def _apart(self, below, values, runs):
        """The same pixels, but words that would lie on each other moved apart, downwards from the highest."""
        scale = (
            (lambda y: math.log(max(y, 1e-300)))
            if isinstance(self._curve.figure.y_scale, LogScale)
            else float
        )
        drawn = [scale(y) for method in runs.methods for y in self._curve.points(method)[1]]
        size = (max(drawn) - min(drawn) or 1.0) if drawn else 1.0
        highest = math.inf
        for method in sorted(values, key=values.__getitem__, reverse=True):
            height = _HEIGHT * scale(values[method]) / size
            highest = min(height - below[method], highest - _LINE)
            below[method] = round(height - highest)
        return list(below.values())

    def _below(self, method, values, x, runs):
        """Pixels by which a value stands below its point: above it, unless that is at the top, or close to what is now."""
        most = max((y for drawn in runs.methods for y in self._curve.points(drawn)[1]), default=0.0)
        if method == ERRORS:  # At the end of its arrow; curves of other methods rise below it.
            return -6
        y = values[method]
        least = min(y for m, y in values.items() if m != ERRORS)  # Words below the lowest point might be cut.
        if y > _TOP * most or (method == BEFORE and y > least):
            return 24
        if x in (runs.x[0], runs.x[-1]):  # The curve may be there.
            return 8
        return -18 if method != BEFORE and self._is_low(method, x) else -4

    def _rightwards(self, method, values, x, runs):
        """Whether a value stands at the right of its point: where a curve falls there is room, else at the left."""
        place, last = runs.x.index(x), len(runs.x) - 1
        if method == ERRORS:  # To its right it would be cut on a phone.
            return False
        if self._share(x) > _RIGHT:  # The words would be cut.
            return False
        if method == BEFORE:  # Curves come from the left, and a ring may hide the words.
            return place < max(last / 2, last - 2)
        if place in (0, last):  # The words need the room inside the figure.
            return place < last / 2
        return any(self._falls(method, x) for method in values if method not in (BEFORE, ERRORS))

    def _share(self, x):
        """How far to the right x stands, from 0 to 1."""
        axis = self._curve.figure.x_range
        scale = math.log if isinstance(self._curve.figure.x_scale, LogScale) else float
        start, end = scale(axis.start), scale(axis.end)
        return (scale(x) - start) / (end - start)

    def _falls(self, method, x):
        left, _, right = self._around(method, x)
        return left > right

    def _is_low(self, method, x):
        """Whether the curve rises on both sides, through what stands close above the point."""
        left, here, right = self._around(method, x)
        return left > here < right

    def _around(self, method, x):
        """Heights of the curve at the point before x, at x, and at the point after it."""
        places, heights = self._curve.points(method)
        at = places.index(x)
        return heights[max(at - 1, 0)], heights[at], heights[min(at + 1, len(heights) - 1)]


def _written(experiment, method, value, values):
    """A value with its name, as the bold sentence says it."""
    if method == BEFORE:
        return f"{number_text(value)} as published"
    if method == ERRORS:
        return f"{number_text(value)} {'most' if learns_more(experiment) else 'errors'} corrected"
    if BEFORE in values:
        return f"{number_text(value)} {'better noise' if ERRORS in values else 'revised'}"
    return f"{called(method)}{':' if called(method)[-1].isdigit() else ''} {number_text(value)}"

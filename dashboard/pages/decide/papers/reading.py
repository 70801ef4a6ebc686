"""Where the bold sentence reads a figure: a line there, and beside the points the values that the sentence names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from bokeh.models import ColumnDataSource, LogScale

from dashboard.pages.decide.papers.text import Mark
from dashboard.plotting.figure import rule
from dashboard.theme.scheme_style import INK, ink, paper

_WIDTHS, _HEIGHT = (305, 900), 280  # Pixels of the figure's frame on a phone and on a screen.
_LETTER, _LINE = 8.2, 18  # Pixels of a letter, and of a line of words.
_PAD = 0.05  # Share of the vertical axis that is free at each end.
_SHARE = {"left": 0.0, "center": 0.5, "right": 1.0}  # Of words, to the left of where they are tied.
# What is bad about a place, the worst first.
_HIDES, _SWAPS, _CUT, _FAR, _CROSSES = 1e6, 1e6, 1e5, 1.5, 0.2
_SAMPLES = 600  # Points of a line that words should not cross.

Line = tuple[Sequence[float], Sequence[float]]


class Place(NamedTuple):
    """Where words stand: which end of them is tied, pixels to the right of their point, and below it."""

    align: str
    right: int
    below: int

    def box(self, point: tuple[float, float], text: str) -> tuple[float, float, float, float]:
        """The left, right, upper and lower end of words beside a point, in pixels."""
        wide, low = _LETTER * len(text), point[1] + self.below
        left = point[0] + self.right - wide * _SHARE[self.align]
        return left, left + wide, low - _LINE, low

    @property
    def distance(self) -> float:
        """Pixels from the point to the middle of the line of words."""
        return math.hypot(self.below - _LINE / 2, self.right)


_PLACES = [
    *(Place(*side, below) for below in range(9, 70, 8) for side in (("right", -14), ("left", 14))),
    *(Place(*side, below) for below in range(-6, -60, -8) for side in (("right", -14), ("left", 14))),
    *(Place("center", right, below) for below in range(32, 80, 8) for right in (0, -45, 45)),
    *(Place("center", right, below) for below in range(-14, -60, -8) for right in (0, -45, 45)),
]


class Frame:
    """Pixels of values, in a frame of the width of a phone or of a screen.

    Parameters
    ----------
    plot : bokeh.plotting.figure
    heights : iterable of float
        All values that the vertical axis must show.
    """

    def __init__(self, plot, heights: Iterable[float]):
        self._logs = [isinstance(scale, LogScale) for scale in (plot.x_scale, plot.y_scale)]
        ends = np.array([self._scaled(v, 1) for v in heights])
        ends = ends[np.isfinite(ends)]
        room = _PAD * (np.ptp(ends) or 1.0)
        self._x = [self._scaled(v, 0) for v in (plot.x_range.start, plot.x_range.end)]
        self._y = ends.min() - room, ends.max() + room

    def pixels(self, x, y, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Pixels from the left and from the top."""
        x, y = self._scaled(x, 0), self._scaled(y, 1)
        return (
            (x - self._x[0]) / (self._x[1] - self._x[0]) * width,
            (self._y[1] - y) / (self._y[1] - self._y[0]) * _HEIGHT,
        )

    def _scaled(self, value, side):
        value = np.asarray(value, dtype=float)
        return np.log(np.where(value > 0, value, math.nan)) if self._logs[side] else value


def placed(marks: Sequence[Mark], lines: Sequence[Line], frame: Frame) -> dict[Mark, Place]:
    """Places for the words of marks, the first mark's first: none is cut, and as few as can be cross a line.

    Words get no place if, wherever they are put, they hide others, swap their order, or are cut on a phone and on a
    screen; the bold sentence says them.
    """
    drawn = {
        width: np.concatenate([_dense(*frame.pixels(*line, width)) for line in lines], axis=1)
        for width in _WIDTHS
    }
    found: dict[Mark, Place] = {}
    for mark in marks:
        costs = dict.fromkeys(_PLACES, 0.0)
        for width, some in drawn.items():
            ends = [frame.pixels(m.x, m.y, width) for m in found]
            others = [place.box(end, m.text) for end, (m, place) in zip(ends, found.items(), strict=True)]
            at = frame.pixels(mark.x, mark.y, width)
            for place in costs:
                box = place.box(at, mark.text)
                swaps = sum(
                    (at[1] < end[1]) != (box[3] < other[3]) for end, other in zip(ends, others, strict=True)
                )
                costs[place] += _badness(box, some, others, width) + _SWAPS * swaps
        best = min(costs, key=lambda place, costs=costs: costs[place] + _FAR * place.distance)
        if costs[best] < len(drawn) * _CUT:
            found[mark] = best
    return found


def _badness(box, drawn, others, width):
    left, right, top, low = box
    bad = _CUT * (left < 0 or right > width or top < 0 or low > _HEIGHT)
    bad += _HIDES * any(a < right and left < b and c < low and top < d for a, b, c, d in others)
    x, y = drawn
    return bad + _CROSSES * np.count_nonzero((left < x) & (x < right) & (top < y) & (y < low))


def _dense(x, y):
    """Many points of a line, or of the ring around its only point."""
    if len(x) == 1:
        turn = np.linspace(0, 2 * math.pi, 16)
        return np.array([x[0] + 7 * np.cos(turn), y[0] + 7 * np.sin(turn)])
    known = np.arange(len(x))
    return np.array([np.interp(np.linspace(0, known[-1], _SAMPLES), known, side) for side in (x, y)])


class Reading:
    """The line and the values in a figure.

    Parameters
    ----------
    figure : bokeh.plotting.figure
    """

    def __init__(self, figure):
        self._figure = figure
        self._source = ColumnDataSource({name: [] for name in Mark._fields + Place._fields})
        self._line = rule(figure, "height", visible=False)
        self._chance = rule(figure, "width", visible=False)
        self._rim, words = (
            figure.text(
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

    @property
    def places(self) -> list[Place]:
        """Where the words stand."""
        return list(map(Place, *(self._source.data[name] for name in Place._fields)))

    def set_dark(self, *, dark: bool) -> None:
        """Put a rim in the colour of the page around the words, which stand on curves."""
        self._rim.text_outline_color = paper(dark=dark)

    def draw(self, marks: Sequence[Mark], lines: Sequence[Line], chance: float | None = None) -> None:
        """Write the marks, as `text.reading` gives them, beside the lines of the figure; [] for nothing to mark."""
        heights = [y for line in lines for y in line[1]] + [mark.y for mark in marks]
        axis = self._figure.x_range
        lines = [*lines, *([] if chance is None else [((axis.start, axis.end), (chance, chance))])]
        places = placed(marks, lines, Frame(self._figure, heights)) if marks else {}
        self._source.data = {
            **{name: [getattr(mark, name) for mark in places] for name in Mark._fields},
            **{name: [getattr(place, name) for place in places.values()] for name in Place._fields},
        }
        level = chance if marks else None
        for line, at in ((self._line, marks[0].x if marks else None), (self._chance, level)):
            line.update(visible=at is not None, **({} if at is None else {"location": at}))

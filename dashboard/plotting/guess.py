"""Guessing: a figure is covered, a class guesses points of a curve, and then sees the curve and the errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.core.properties import value
from bokeh.models import BoxAnnotation, ColumnDataSource, CustomJS, Grid, LabelSet, LogScale

from dashboard.state.number_text import number_text
from dashboard.theme import colours
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import PAPER, QUIET, ink, paper

NAMES = "ABCDE"
_CLOSE = 0.01  # Off by less than this share of the axis is a hit.
_TAP = beside(__file__, "guess.js")


@dataclass(frozen=True)
class Answer:
    """The curve whose height is guessed.

    Attributes
    ----------
    what : str
        Its name, e.g. "the curve of CAPE".
    here : float
        The position on the horizontal axis of a typed guess.
    where : str
        That position in words, e.g. "Privacy ε = 1"; "" if it does not matter.
    x, y : sequence of float
        The curve as far as it is known; a single point is a height for all positions.
    """

    what: str
    here: float
    where: str = ""
    x: Sequence[float] = ()
    y: Sequence[float] = ()


class GuessLayer:
    """The cover over a figure's frame, and the guesses on it; axes and legend stay visible.

    Attributes
    ----------
    guesses : ColumnDataSource
        Columns x, y and name of the guesses.
    changed : callable
        Called when guesses were added or removed.
    """

    def __init__(self, figure):
        self._figure = figure
        self.changed: Callable[[], None] = lambda: None
        self.guesses = ColumnDataSource({"x": [], "y": [], "name": []})
        self._gaps = ColumnDataSource({"x": [], "y": [], "truth": []})
        self.guesses.on_change("data", lambda attr, old, new: self._came(new))
        # Add the cover and its grids only when the figure is first covered: the browser paints them at every change.
        self._sheets: list = []
        self._hovers: list[tuple] = []

    @property
    def covered(self) -> bool:
        """Whether the figure is covered."""
        return any(sheet.visible for sheet in self._sheets)

    def cover(self, *, dark: bool = False) -> None:
        """Cover the figure, in the colours of the light or the dark theme, and delete earlier guesses."""
        self.clear()
        if not self._sheets:
            self._join(dark)
        # Hover boxes would reveal the covered curves.
        self._hovers = [(tool, tool.renderers) for tool in self._figure.hover]
        self._show(True)
        for tool, _ in self._hovers:
            tool.renderers = []

    def reveal(self) -> None:
        """Remove the cover; the guesses stay."""
        self._show(False)
        for tool, renderers in self._hovers:
            tool.renderers = renderers

    def put(self, x: float, y: float) -> None:
        """Add a guess, up to five."""
        data = self.guesses.data
        if len(data["x"]) < len(NAMES):
            names = list(NAMES[: len(data["x"]) + 1])
            self.guesses.data = {"x": [*data["x"], x], "y": [*data["y"], y], "name": names}

    def clear(self) -> None:
        """Delete the guesses."""
        self._gaps.data = {"x": [], "y": [], "truth": []}
        self.guesses.data = {"x": [], "y": [], "name": []}

    def _came(self, data):
        """Take new guesses from a browser; only finite numbers, up to the maximal number of guesses, are kept."""
        points = list(zip(data.get("x", ()), data.get("y", ()), strict=False))
        points = [(x, y) for x, y in points[: len(NAMES)] if _finite(x) and _finite(y)]
        x, y = ([point[i] for point in points] for i in range(2))
        found = {"x": x, "y": y, "name": list(NAMES[: len(points)])}
        if {name: list(values) for name, values in data.items()} == found:
            self.changed()
        else:
            self.guesses.data = found

    def judge(self, answer: Answer | None) -> list[str]:
        """Draw the distance of every guess from the answer, and return one HTML phrase per guess."""
        data, found, gaps = self.guesses.data, [], {"x": [], "y": [], "truth": []}
        for x, y, name in zip(data["x"], data["y"], data["name"], strict=True):
            truth = self._truth(answer, x)
            if np.isnan(truth):
                found.append(f"<b>{name}</b> {number_text(y)}: there is no value to compare with")
                continue
            for column, number in zip(gaps.values(), (x, y, truth), strict=True):
                column.append(number)
            place = f" at {number_text(x)}" if len(answer.x) > 1 else ""
            off = self._off(answer, y, truth)
            found.append(f"<b>{name}</b> {number_text(y)}{place}: <b>{off}</b> ({number_text(truth)})")
        self._gaps.data = gaps
        return found

    def _truth(self, answer, x):
        if answer is None or not len(answer.x):
            return float("nan")
        points, at = np.asarray(answer.x, dtype=float), float(x)
        if len(points) > 1 and isinstance(self._figure.x_scale, LogScale):
            if at <= 0:
                return float("nan")
            points, at = np.log(points), math.log(at)
        y = np.asarray(answer.y, dtype=float)
        steep = isinstance(self._figure.y_scale, LogScale) and (y[np.isfinite(y)] > 0).all()
        return float(np.exp(np.interp(at, points, np.log(y))) if steep else np.interp(at, points, y))

    def _off(self, answer, y, truth):
        side = "too high" if y > truth else "too low"
        if isinstance(self._figure.y_scale, LogScale) and y > 0 and truth > 0:
            ratio = max(y, truth) / min(y, truth)
            times = (
                f"{math.log10(ratio):.1f} powers of ten"
                if ratio > 1000
                else f"{number_text(ratio, digits=2)} times"
            )
            return f"{times} {side}" if ratio > 1 + _CLOSE else "a hit"
        spread = np.ptp([v for v in (*answer.y, y) if np.isfinite(v)])
        return (
            f"{number_text(abs(y - truth), digits=2)} {side}" if abs(y - truth) > _CLOSE * spread else "a hit"
        )

    def _join(self, dark):
        """Add the cover, grids on it, and the marks of guesses to the figure."""
        figure = self._figure
        cover = BoxAnnotation(
            fill_color=paper(dark=dark), fill_alpha=1, line_color=None, level="overlay", tags=[PAPER]
        )
        grid = {
            "level": "overlay",
            "tags": [QUIET],
            "grid_line_color": ink(dark=dark, quiet=True),
            "grid_line_alpha": 0.25,
        }
        axes = figure.xaxis[0], figure.yaxis[0]
        self._sheets = [cover, *(Grid(axis=axis, dimension=d, **grid) for d, axis in enumerate(axes))]
        for part in (*self._sheets, *_marks(self.guesses)):
            figure.add_layout(part)
        figure.segment(
            "x", "y", "x", "truth", source=self._gaps, color=colours.GUESS, line_dash="dotted", line_width=2
        )
        parts = {"cover": cover, "plot": figure, "guesses": self.guesses, "names": NAMES}
        figure.js_on_event("tap", CustomJS(args=parts, code=_TAP))

    def _show(self, covered):
        for sheet in self._sheets:
            sheet.visible = covered


def is_covered(figure) -> bool:
    """Whether a cover hides what the figure shows."""
    return any(
        isinstance(part, BoxAnnotation) and part.level == "overlay" and PAPER in part.tags and part.visible
        for part in figure.center
    )


def _finite(number):
    return isinstance(number, int | float) and math.isfinite(number)


def _marks(source):
    """A cross at every guess, with its name beside it; annotations, for they alone lie above the cover."""
    look = {"source": source, "level": "overlay", "text_color": colours.GUESS, "text_baseline": "middle"}
    cross = LabelSet(text=value("✕"), text_align="center", text_font_size="20px", **look)
    name = LabelSet(text="name", x_offset=12, text_font_size="17px", text_font_style="bold", **look)
    return cross, name

"""Names at the ends of curves, dots where they cross the present setting, and that setting's name at its rule."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from bokeh.models import ColumnDataSource, CustomJS, Scatter, Text

from dashboard.plotting.chart import Chart, Line
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import INK, SHORT, ink

_APART = beside(__file__, "curve_ends.js")
_LETTER = 7.4  # Pixels, about, of a bold letter of 14.
_LETTERS, _ROOM = 15, 16  # Of the longest name, and pixels beside it.
_TEXT = {"text_font_size": "14px", "text_font_style": "bold"}


class CurveEnds:
    """What stands beside the curves of a figure; a script keeps names apart, and those without room in the legend."""

    def __init__(self, plot: Any, legend: Any):
        self._plot = plot
        self._names = ColumnDataSource(
            {"x": [], "y": [], "name": [], "listed": [], "colour": [], "down": [], "ink": []}
        )
        self._dots = ColumnDataSource({"x": [], "y": [], "colour": []})
        # A circle of the page's colour around a dot parts it from other curves.
        plot.add_glyph(self._dots, Scatter(x="x", y="y", size=10, fill_color="colour", line_color="white"))
        # Glyphs of this level are not cut at the frame.
        labels = Text(
            x="x",
            y="y",
            text="name",
            x_offset=8,
            y_offset="down",
            text_color="ink",
            text_baseline="middle",
            **_TEXT,
        )
        plot.add_glyph(self._names, labels, level="annotation")
        self._set = ColumnDataSource({"x": [], "y": [], "text": []})
        setting = Text(
            x="x",
            y="y",
            text="text",
            y_offset=-4,
            text_align="center",
            text_baseline="bottom",
            text_color=ink(dark=False),
            tags=[INK],
            **_TEXT,
        )
        plot.add_glyph(self._set, setting, level="annotation")
        parts = {"plot": plot, "names": self._names, "labels": labels, "setting": setting, "legend": legend}
        apart = CustomJS(args=parts, code=_APART)
        self._names.js_on_change("data", apart)
        for name in ("inner_height", "inner_width"):
            plot.js_on_change(name, apart)
        plot.y_range.js_on_change("end", apart)
        setting.js_on_change("text_color", apart)  # It is another in the dark.
        plot.update(min_border_top=22, min_border_bottom=24)

    def show(self, chart: Chart) -> None:
        """Show the names of a chart's curves."""
        lines = [line for line in chart.lines if line.listed]
        ends = [(line, y) for line in lines if (y := _end(line)) is not None]
        names = {
            "x": [chart.x.ends[1]] * len(ends),
            "y": [y for _, y in ends],
            "name": [_short(line.name) for line, _ in ends],
            "listed": [line.name for line, _ in ends],
            "colour": [line.colour for line, _ in ends],
        }
        before = self._names.data
        if names != {name: before[name] for name in names}:
            self._names.data = {**names, "down": [0] * len(ends), "ink": names["colour"]}
        longest = round(_LETTER * max([len(_short(line.name)) for line in lines], default=0))
        if self._plot.min_border_right != longest + _ROOM:
            self._plot.min_border_right = longest + _ROOM
        dots = [(y, line.colour) for line in lines if math.isfinite(y := chart.at_rule(line))]
        found = {
            "x": [chart.rules[0]] * len(dots) if dots else [],
            "y": [y for y, _ in dots],
            "colour": [colour for _, colour in dots],
        }
        if found != self._dots.data:
            self._dots.data = found
        here = chart.rules[:1]
        rule = {"x": [*here], "y": [chart.y.ends[1]] * len(here), "text": [chart.ruled] * len(here)}
        if rule != self._set.data:
            self._set.data = rule


@lru_cache(maxsize=256)
def _short(name: str) -> str:
    """A name as it stands at a curve: the chip's, or of a long one the last words, which the others do not have."""
    words = SHORT.get(name, name)
    while len(words) > _LETTERS and " " in words:
        words = words.split(" ", 1)[1]
    return words


def _end(line: Line) -> float | None:
    """Where a curve ends; None where nothing of it is known."""
    for y in reversed(line.y):
        if math.isfinite(y):
            return y
    return None

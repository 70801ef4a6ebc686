"""The curve: its columns are a pure function of plan and results; one Bokeh figure with four renderers shows them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.core.properties import value as fixed
from bokeh.models import (
    ColumnDataSource,
    HoverTool,
    LegendItem,
    MultiLine,
    Patches,
    Range1d,
    Scatter,
)
from bokeh.plotting import figure

from core.schemes import is_private
from dashboard.compare.spec import Measure
from dashboard.compare.store import Results
from dashboard.page.axes import Axis
from dashboard.plotting.comparison_curve import crossing
from dashboard.plotting.figure import folding_legend, rule, scale_x, scale_y
from dashboard.plotting.log_ticks import log_ticks
from dashboard.plotting.printed_points import Printed, colour_of
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS, ink, label

_ROOM = 0.04  # Share of the axis that is left free at each end.
_SHADE = 0.14
_NAMES = {
    "lines": ("xs", "ys", "colour", "dash", "width", "alpha", "name"),
    "pinned": ("xs", "ys", "colour", "dash", "width", "alpha", "name"),
    "bands": ("xs", "ys", "colour"),
    "points": ("x", "y", "colour", "marker", "name", "band", "size", "fill"),
    "hollow": ("x", "y"),
}
_DASHES = {"solid": (), "dashed": (7, 4), "dotted": (2, 4), "dotdash": (2, 4, 7, 4), "dashdot": (7, 4, 2, 4)}


@dataclass(frozen=True)
class Columns:
    """What the figure shows.

    Attributes
    ----------
    lines, pinned, bands, points, hollow : mapping of str to list
        Columns of the five renderers; copies and printed curves are `pinned`.
    x : (float, float)
        Ends of the horizontal axis.
    y : (float, float)
        Ends of the vertical axis.
    log, log_y : bool
        Whether the horizontal and the vertical axis are logarithmic.
    here : float
        The present setting, where the rule stands.
    label, counts : str
        Of the horizontal and the vertical axis.
    """

    lines: Mapping[str, list]
    pinned: Mapping[str, list]
    bands: Mapping[str, list]
    points: Mapping[str, list]
    hollow: Mapping[str, list]
    x: tuple[float, float]
    y: tuple[float, float]
    log: bool
    log_y: bool
    here: float
    label: str
    counts: str


@dataclass(frozen=True)
class Pinned:
    """A copy of the curves, with the settings of which they are in words."""

    words: str
    axis: str
    measure: str
    lines: Mapping[str, Sequence[Any]]


def columns(
    results: Results,
    measure: Measure,
    axis: Axis,
    *,
    dark: bool,
    pins: Sequence[Pinned] = (),
    printed: Printed | None = None,
) -> Columns:
    """The curve of a plan as far as it is known; points that are not yet known are hollow at its foot.

    Printed points are rings on pale lines.
    """
    plan, means = results.plan, results.means
    grid = sorted(cell[plan.axis] for cell in plan.cells)
    here = plan.here[plan.axis]
    lines: dict[str, list] = {n: [] for n in _NAMES["lines"]}
    pinned: dict[str, list] = {n: [] for n in _NAMES["pinned"]}
    bands: dict[str, list] = {n: [] for n in _NAMES["bands"]}
    points: dict[str, list] = {n: [] for n in _NAMES["points"]}
    known: set[float] = set()
    for method, x, y in printed.series if printed else ():
        colour, name = colour_of(method), f"{label(method)}, {printed.figure}"
        _line(pinned, x, y, colour, (), 6, 0.15, name)
        for at, value in zip(x, y, strict=True):
            _point(points, at, value, colour, "circle", name, "as printed", 14, 0.0)
    for pin in pins:
        for x, y, name in zip(*(pin.lines[n] for n in ("xs", "ys", "name")), strict=True):
            _line(pinned, x, y, ink(dark=dark, quiet=True), (3, 3), 1.5, 0.8, f"{name}; {pin.words}")
    for method in plan.shown if means is not None else ():
        part = means[(means.scheme == method) & ((means["mean"] > 0) | (not measure.log))].sort_values(
            plan.axis
        )
        if measure.log and part.empty:
            continue
        x, mean = part[plan.axis].tolist(), part["mean"].tolist()
        low, high = part["low"].tolist(), part["high"].tolist()
        look, known = LOOKS[method], known | set(x)
        colour = look.colour if is_private(method) else ink(dark=dark)
        _line(lines, *_gaps(x, mean, grid), colour, _DASHES.get(look.dash, ()), 2.5, 1.0, look.label)
        for start, end in _runs(x, grid):
            if end - start > 1:
                bands["xs"].append(x[start:end] + x[start:end][::-1])
                bands["ys"].append(high[start:end] + low[start:end][::-1])
                bands["colour"].append(colour)
        for i, at in enumerate(x):
            band = f"{low[i]:.4g} to {high[i]:.4g}" if plan.batches else "exact"
            band = band if is_private(method) else "no noise"
            marker = look.marker if is_private(method) else "dash"
            _point(points, at, mean[i], colour, marker, look.label, band, 8, 1.0)
    bottom, top = _vertical(measure, lines["ys"] + pinned["ys"])
    known = known if plan.batches else set(grid)
    missing = [at for at in grid if at not in known]
    hollow = {"x": missing, "y": [bottom + 0.02 * (top - bottom)] * len(missing)}
    x = _horizontal([*grid, here, *points["x"]], plan.logarithmic)
    columns = lines, pinned, bands, points, hollow
    return Columns(*columns, x, (bottom, top), plan.logarithmic, measure.log, here, axis.label, measure.words)


def needed(points: Mapping[str, Sequence[float]], method: str, level: float) -> str:
    """The ε at which a method's curve reaches a level, with its interval."""
    x = points["x"]
    at = crossing(x, points["mean"], level)
    if math.isnan(at):
        return f"more than ε = {number_text(float(max(x, default=0)))} ({label(method)})"
    least, most = crossing(x, points["high"], level), crossing(x, points["low"], level)
    known = least < most < math.inf  # A single run has no interval.
    span = f", {number_text(least, digits=2)} to {number_text(most, digits=2)}" if known else ""
    sign = "≤" if at == min(x) else "≈"  # It may be less than the curve begins with.
    return f"<b>ε {sign} {number_text(at, digits=2)}</b> ({label(method)}{span})"


def _line(lines, xs, ys, colour, dash, width, alpha, name):
    for key, value in zip(_NAMES["lines"], (xs, ys, colour, list(dash), width, alpha, name), strict=True):
        lines[key].append(value)


def _point(points, *values):
    for name, value in zip(_NAMES["points"], values, strict=True):
        points[name].append(value)


def _runs(x, grid):
    """Stretches of points without an unknown point of the grid between them, as (start, end); both ascend."""
    start = 0
    for i in range(1, len(x) + 1):
        # A point of the grid that stands strictly between two neighbours is not known.
        if i == len(x) or bisect_left(grid, x[i]) > bisect_right(grid, x[i - 1]):
            yield start, i
            start = i


def _gaps(x, y, grid):
    """The points with NaN wherever one between two of them is not known: it breaks the line."""
    xs: list[float] = []
    ys: list[float] = []
    for start, end in _runs(x, grid):
        if xs:
            xs.append(math.nan)
            ys.append(math.nan)
        xs += x[start:end]
        ys += y[start:end]
    return xs, ys


def _horizontal(values, log):
    low, high = min(values), max(values)
    if log:
        room = (high / low) ** _ROOM if high > low else 2.0
        return low / room, high * room
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room


def _vertical(measure, lines):
    low, high = measure.ends
    found = [value for line in lines for value in line if math.isfinite(value)]
    if measure.log:
        return _horizontal(found or [0.1, 1.0], log=True)
    values = np.array(found or [0.0, 1.0])
    least, most = float(values.min()), float(values.max())
    room = 0.05 * (most - least) or 0.5
    return (least - room if math.isnan(low) else low), (most + room if math.isnan(high) else high)


class CurveFigure:
    """The figure of the curve; it lives as long as its page and is updated in place.

    Attributes
    ----------
    figure : bokeh.plotting.figure
    """

    def __init__(self, height: int = 230, *, narrow: bool = False):
        # Plain glyphs: those that `bokeh.plotting` makes are of four times as many models.
        plot = self.figure = figure(
            x_range=Range1d(1, 10),
            y_range=Range1d(0, 1),
            x_axis_type="log",
            height=height,
            # As high as its panel leaves; a slide of a lecture sets its own.
            styles={"height": "auto", "flex": "1 1 210px", "min-height": "210px"},
            tools="",
            toolbar_location=None,
            min_border_right=10,
            outline_line_color=None,
            sizing_mode="stretch_width",
        )
        plot.grid.grid_line_alpha = 0.6
        plot.axis.axis_label_text_font_size = "14px"
        plot.axis.axis_label_text_font_style = "normal"
        plot.axis.major_label_text_font_size = "13px"
        log_ticks(plot, plot.xaxis[0], plot.xgrid[0])
        self._shown: Columns | None = None
        self._sources = {name: ColumnDataSource({one: [] for one in names}) for name, names in _NAMES.items()}
        drawn = {name: plot.add_glyph(self._sources[name], glyph) for name, glyph in _glyphs().items()}
        tips = [("", "@name"), ("", "@x{0.[000]}"), ("", "@y{0.[0000]}"), ("95 %", "@band")]
        plot.add_tools(HoverTool(tooltips=tips, mode="mouse", renderers=[drawn["points"]]))
        self._drawn = drawn["lines"]
        legend = folding_legend(plot)
        legend.label_text_font_size = "13px"
        if narrow:  # Beside two other panels its entries need less room.
            legend.update(label_text_font_size="11px", glyph_width=14, spacing=0, padding=0, label_standoff=3)
        self._here = rule(plot, "height")

    def show(self, found: Columns) -> None:
        """Show columns; what has not changed is left alone."""
        before, self._shown = self._shown, found
        for name, source in self._sources.items():
            if before is None or getattr(before, name) != getattr(found, name):
                source.data = dict(getattr(found, name))
        plot, names = self.figure, found.lines["name"]
        if before is None or before.lines["name"] != names:
            plot.legend[0].items = [
                LegendItem(label=fixed(name), renderers=[self._drawn], index=i)
                for i, name in enumerate(names)
            ]
        if (True if before is None else before.log) != found.log:  # It is made with a logarithmic axis.
            scale_x(plot, log=found.log)
        if (False if before is None else before.log_y) != found.log_y:
            scale_y(plot, log=found.log_y)
        if before is None or before.x != found.x:
            plot.x_range.update(
                start=found.x[0], end=found.x[1], reset_start=found.x[0], reset_end=found.x[1]
            )
        if before is None or before.y != found.y:
            plot.y_range.update(
                start=found.y[0], end=found.y[1], reset_start=found.y[0], reset_end=found.y[1]
            )
        if before is None or before.here != found.here:
            self._here.location = found.here
        if before is None or before.label != found.label:
            plot.xaxis[0].axis_label = found.label
        if before is None or before.counts != found.counts:
            plot.yaxis[0].axis_label = found.counts


def _glyphs():
    """From back to front."""
    style = {"line_color": "colour", "line_dash": "dash", "line_width": "width", "line_alpha": "alpha"}
    return {
        "bands": Patches(xs="xs", ys="ys", fill_color="colour", fill_alpha=_SHADE, line_color=None),
        "pinned": MultiLine(xs="xs", ys="ys", **style),
        "lines": MultiLine(xs="xs", ys="ys", **style),
        "points": Scatter(
            x="x",
            y="y",
            marker="marker",
            size="size",
            line_color="colour",
            fill_color="colour",
            fill_alpha="fill",
        ),
        "hollow": Scatter(x="x", y="y", size=7, fill_alpha=0, line_color="#888888", line_width=1.2),
    }

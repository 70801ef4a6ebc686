"""The curve: a chart that is a pure function of plan and results."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.schemes import is_private
from dashboard.compare.spec import Measure
from dashboard.compare.store import Results
from dashboard.plotting.bands import crossing
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.plotting.printed_points import Printed, colour_of
from dashboard.runs.axes import Axis
from dashboard.state.number_text import exactly, number_text
from dashboard.theme.scheme_style import LOOKS, ink, label

_ROOM = 0.04  # Share of the axis that is left free at each end.


def curve(
    results: Results,
    measure: Measure,
    axis: Axis,
    *,
    dark: bool,
    pins: Sequence[Line] = (),
    printed: Printed | None = None,
) -> Chart:
    """The curve of a plan as far as it is known; points that are not yet known are hollow at its foot.

    Printed points are rings on pale lines; they and copies stand behind the curves.
    """
    plan, means = results.plan, results.means
    grid = sorted(cell[plan.axis] for cell in plan.cells)
    here = plan.here[plan.axis]
    behind, rings = _printed(printed)
    behind += pins
    lines, bands, points = [], [], []
    for method in plan.shown if means is not None else ():
        part = results.points_of(method)
        above = [i for i, value in enumerate(part["mean"]) if value > 0 or not measure.log]
        if measure.log and not above:
            continue
        x, mean, low, high = ([part[name][i] for i in above] for name in ("x", "mean", "low", "high"))
        look, private = LOOKS[method], is_private(method)
        colour = look.colour if private else ink(dark=dark)
        lines.append(Line(look.label, *_gaps(x, mean, grid), colour, look.dash))
        bands += [Band(x[a:b], low[a:b], high[a:b], colour) for a, b in _runs(x, grid) if b - a > 1]
        notes = [_note(*ends, private=private, exact=plan.exact) for ends in zip(low, high, strict=True)]
        points.append(
            Points(look.label, x, mean, colour, look.marker if private else "dash", size=5, notes=notes)
        )
    bottom, top = _vertical(measure, [line.y for line in (*behind, *lines)])
    known = {at for one in points for at in one.x} if not plan.exact else grid
    missing = [at for at in grid if at not in known]
    foot = [bottom + 0.02 * (top - bottom)] * len(missing)
    awaited = [Points("not yet computed", missing, foot, "#888888", size=7, fill=0)] if missing else []
    ends = _horizontal([*grid, here, *(at for one in (*rings, *points) for at in one.x)], plan.logarithmic)
    return Chart(
        Scale(axis.label, ends, plan.logarithmic),
        Scale(measure.words, (bottom, top), measure.log),
        bands=tuple(bands),
        lines=(*behind, *lines),
        points=(*rings, *points, *awaited),
        rules=(here,),
        ruled=_ruled(axis, here),
    )


def moved(chart: Chart, plan: Any, axis: Axis) -> Chart | None:
    """The same chart with its rule where a plan stands; None where its axis must reach further, or may end before."""
    low, *_, high = sorted([*[cell[plan.axis] for cell in plan.cells], *chart.rules])
    inside = chart.rules[0] not in (low, high) and low <= plan.here[plan.axis] <= high
    return (
        replace(chart, rules=(plan.here[plan.axis],), ruled=_ruled(axis, plan.here[plan.axis]))
        if inside
        else None
    )


def _ruled(axis, value):
    """The present setting of an axis; one whose settings have names is not repeated."""
    return exactly(axis.symbol, value) if isinstance(value, int | float) else ""


def _printed(printed):
    lines, rings = [], []
    for method, x, y in printed.series if printed else ():
        colour, name = colour_of(method), f"{label(method)}, {printed.figure}"
        lines.append(Line(name, [*x], [*y], colour, width=6, alpha=0.15, listed=False))
        rings.append(Points(name, [*x], [*y], colour, size=14, fill=0.0, notes=["as printed"] * len(x)))
    return lines, rings


def _note(low, high, *, private, exact):
    """What the pointer says of a point besides its number."""
    if not private:
        return "no noise"
    return "exact" if exact else f"95 %: {low:.4g} to {high:.4g}"


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

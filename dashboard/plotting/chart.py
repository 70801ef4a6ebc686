"""A chart as data: what one figure shows, without the library that draws it; and its numbers as a table."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_MOST = 24  # Rows of a table.


@dataclass(frozen=True)
class Scale:
    """An axis.

    Attributes
    ----------
    label : str
        Plain text.
    ends : (float, float)
        Positive where `log`.
    log : bool
    names : tuple of str
        What stands at 1, 2, … in place of numbers; plain text.
    """

    label: str
    ends: tuple[float, float]
    log: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """A curve.

    Attributes
    ----------
    name : str
        In the legend; plain text.
    x, y : sequence of float
        No arrays; NaN leaves a gap.
    colour : str
        A CSS colour.
    dash : str
        As of a `Look`.
    value : str
        What the legend says behind the name, e.g. its number at the present settings; plain text.
    listed : bool
        Whether the legend lists it.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    dash: str = "solid"
    width: float = 2.5
    alpha: float = 1.0
    value: str = ""
    listed: bool = True


@dataclass(frozen=True)
class Points:
    """Markers of one series.

    Attributes
    ----------
    name : str
        Beside the pointer; plain text.
    notes : sequence of str
        What the box beside the pointer says of each; () for nothing.
    fill : float
        Opacity inside: 0 for rings.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    marker: str = "circle"
    size: float = 8
    fill: float = 1.0
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Band:
    """The area between two curves."""

    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    colour: str


@dataclass(frozen=True)
class Chart:
    """What a figure shows, from back to front: bands, lines, points.

    Attributes
    ----------
    title : str
        Above the figure; "" where its place has a title.
    rules : tuple of float
        Where thin upright lines stand; the first is at the present setting.
    ruled : str
        What stands at the first of them where names stand at the ends of curves, e.g. "ε = 2".
    """

    x: Scale
    y: Scale
    title: str = ""
    bands: tuple[Band, ...] = ()
    lines: tuple[Line, ...] = ()
    points: tuple[Points, ...] = ()
    rules: tuple[float, ...] = ()
    ruled: str = ""

    def at_rule(self, line: Line) -> float:
        """Where a curve crosses the first rule; NaN where it is not known there."""
        known = [(x, y) for x, y in zip(line.x, line.y, strict=True) if math.isfinite(x) and math.isfinite(y)]
        if not known or not self.rules or not known[0][0] <= self.rules[0] <= known[-1][0]:
            return math.nan
        (x, y), at = np.transpose(known), self.rules[0]
        x, at = (np.log(x), math.log(at)) if self.x.log else (x, at)
        return float(np.exp(np.interp(at, x, np.log(y)))) if self.y.log else float(np.interp(at, x, y))

    def line(self, name: str) -> Line:
        """The curve of a name."""
        return next(line for line in self.lines if line.name == name)


def table(chart: Chart) -> str:
    """The numbers of a chart as an HTML table: the first answer carries them. "" where it has none.

    A column for each series, a row for each place; of many rows every second, or third, stands.
    """
    series = [line for line in chart.lines if line.listed and len(line.x)]
    series = series or [line for line in chart.points if line.name]
    names = chart.x.names
    columns = [dict(zip((round(x) if names else x for x in one.x), one.y, strict=True)) for one in series]
    places = sorted({x for column in columns for x in column if math.isfinite(x)})
    if not places:
        return ""
    titles = {x: html.escape(names[x - 1]) if names else f"{x:.4g}" for x in places}
    rows = "".join(
        f"<tr><th scope='row'>{titles[x]}</th>{''.join(f'<td>{_cell(one.get(x))}</td>' for one in columns)}</tr>"
        for x in places[:: math.ceil(len(places) / _MOST)]
    )
    heads = "".join(f"<th>{html.escape(one.name)}</th>" for one in series)
    head = f"<tr><th>{html.escape(chart.x.label)}</th>{heads}</tr>"
    return f"<table class='numbers'><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _cell(value):
    return "" if value is None or not math.isfinite(value) else f"{value:.4g}"

"""A line chart as SVG text: axes with round ticks, lines, points; the server draws it anew at every change."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.state.number_text import number_text

_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 10, 38  # Pixels around the plotted area.
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Line:
    """One curve.

    Attributes
    ----------
    x, y : sequence of float
        Points; NaN leaves a gap.
    colour : str
        A CSS colour.
    dash : str
        As in SVG; "" for a solid line.
    name : str
        What the curve is, plain text: its tooltip.
    width : float
        Pixels.
    """

    x: Sequence[float]
    y: Sequence[float]
    colour: str
    dash: str = ""
    name: str = ""
    width: float = 2.5


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes
    ----------
    label : str
        Plain text.
    low, high : float
        The ends; positive where `log`.
    log : bool
    """

    label: str
    low: float
    high: float
    log: bool = False

    def place(self, values) -> np.ndarray:
        """Where values stand between the ends, from 0 to 1; values beyond are outside of it."""
        scale = np.log10 if self.log else np.asarray
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = scale([self.low, self.high])
            return (scale(np.asarray(values, dtype=float)) - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        """Round numbers between the ends, seven at most."""
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            every = max(1, math.ceil((last - first) / 6))
            return [10.0**power for power in range(last, first - 1, -every)][::-1]
        span = (self.high - self.low) / 6
        power = 10 ** math.floor(math.log10(span))
        step = next(s * power for s in _STEPS if s * power >= span)
        return [
            tick * step
            for tick in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)
        ]


def chart(
    lines: Iterable[Line],
    x: Axis,
    y: Axis,
    *,
    width: int = 460,
    height: int = 250,
    rule: float | None = None,
    points: Iterable[tuple[float, float, str]] = (),
    label: str = "",
) -> str:
    """An SVG with the curves.

    Parameters
    ----------
    rule : float, optional
        Where a dotted vertical line stands.
    points : iterable of (float, float, str)
        Points with their colours.
    label : str
        What the chart shows, plain text, for those who do not see it.
    """
    inner = width - _LEFT - _RIGHT, height - _TOP - _BOTTOM

    def right(values):
        return _LEFT + inner[0] * x.place(values)

    def down(values):
        return _TOP + inner[1] * (1 - y.place(values))

    parts = [_grid(x, y, right, down, width, height)]
    if rule is not None and 0 <= x.place(rule) <= 1:
        at = f"{float(right(rule)):.1f}"
        parts.append(f"<line class='rule' x1='{at}' x2='{at}' y1='{_TOP}' y2='{height - _BOTTOM}'/>")
    drawn = [_path(line, right, down) for line in lines]
    clip = f"plot-{width}-{height}"
    box = f"<rect x='{_LEFT}' y='0' width='{inner[0]}' height='{height - _BOTTOM + 1}'/>"
    parts.append(f"<clipPath id='{clip}'>{box}</clipPath><g clip-path='url(#{clip})'>{''.join(drawn)}</g>")
    for at, value, colour in points:
        if 0 <= x.place(at) <= 1 and 0 <= y.place(value) <= 1:
            parts.append(
                f"<circle cx='{float(right(at)):.1f}' cy='{float(down(value)):.1f}' r='5' fill='{colour}'/>"
            )
    spoken = html.escape(label, quote=True)
    return f"<svg class='chart' viewBox='0 0 {width} {height}' role='img' aria-label='{spoken}'>{''.join(parts)}</svg>"


def _grid(x, y, right, down, width, height):
    parts = []
    for tick in x.ticks:
        at = float(right(tick))
        parts.append(f"<line class='grid' x1='{at:.1f}' x2='{at:.1f}' y1='{_TOP}' y2='{height - _BOTTOM}'/>")
        parts.append(
            f"<text x='{at:.1f}' y='{height - _BOTTOM + 17}' text-anchor='middle'>{number_text(tick)}</text>"
        )
    for tick in y.ticks:
        at = float(down(tick))
        parts.append(f"<line class='grid' x1='{_LEFT}' x2='{width - _RIGHT}' y1='{at:.1f}' y2='{at:.1f}'/>")
        parts.append(f"<text x='{_LEFT - 6}' y='{at + 4.5:.1f}' text-anchor='end'>{number_text(tick)}</text>")
    middle = (_LEFT + width - _RIGHT) / 2
    parts.append(
        f"<text x='{middle:.0f}' y='{height - 4}' text-anchor='middle'>{html.escape(x.label)}</text>"
    )
    return "".join(parts)


def _path(line, right, down):
    across, along = np.atleast_1d(right(line.x)), np.atleast_1d(down(line.y))
    # Far beyond the ends a browser's numbers lose their digits.
    known = np.isfinite(across) & np.isfinite(along)
    along = np.clip(along, -1e4, 1e4)
    pieces, pen = [], "M"
    for i in range(len(across)):
        if not known[i]:
            pen = "M"
            continue
        pieces.append(f"{pen}{across[i]:.1f} {along[i]:.1f}")
        pen = "L"
    dash = f" stroke-dasharray='{line.dash}'" if line.dash else ""
    name = f"<title>{html.escape(line.name)}</title>" if line.name else ""
    return (
        f"<path d='{''.join(pieces)}' fill='none' stroke='{line.colour}' stroke-width='{line.width:g}'{dash}>"
        f"{name}</path>"
    )

"""A line chart as SVG text: axes with round ticks, lines, points; the server draws it anew at every change.

Places are shares of the plotted area: the chart takes the size that its panel has, and its letters keep theirs.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.state.number_text import number_text

_FINE = 10_000  # Parts of the plotted area, in which the curves are drawn.
_NEAR = 0.17  # Share of an axis that the name of a rule takes at each side.
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
    rule: float | None = None,
    ruled: str = "",
    points: Iterable[tuple[float, float, str]] = (),
    label: str = "",
) -> str:
    """An SVG with the curves; its style sheet leaves room around it for the numbers of the axes.

    Parameters
    ----------
    rule : float, optional
        Where a dotted vertical line stands.
    ruled : str
        What stands below it, in place of the ticks that are near; plain text.
    points : iterable of (float, float, str)
        Points with their colours.
    label : str
        What the chart shows, plain text, for those who do not see it.
    """
    parts = [_grid(x, y, rule if ruled else None)]
    if rule is not None and 0 <= x.place(rule) <= 1:
        at = _share(x.place(rule))
        parts.append(_upright("rule", at))
        parts.append(
            f"<text class='set' x='{at}' y='100%' dy='17' text-anchor='middle'>{html.escape(ruled)}</text>"
        )
    curves = "".join(_path(line, x, y) for line in lines)
    parts.append(
        f"<svg width='100%' height='100%' viewBox='0 0 {_FINE} {_FINE}' preserveAspectRatio='none'>{curves}</svg>"
    )
    for at, value, colour in points:
        if 0 <= x.place(at) <= 1 and 0 <= y.place(value) <= 1:
            parts.append(
                f"<circle cx='{_share(x.place(at))}' cy='{_share(1 - y.place(value))}' r='5' fill='{colour}'/>"
            )
    spoken = html.escape(label, quote=True)
    return f"<svg class='chart' role='img' aria-label='{spoken}'>{''.join(parts)}</svg>"


def _grid(x, y, rule):
    parts = []
    for number, tick in enumerate(x.ticks):
        at, kind = _share(x.place(tick)), " class='second'" if number % 2 else ""
        parts.append(_upright("grid", at))
        if rule is not None and abs(x.place(tick) - x.place(rule)) < _NEAR:
            continue
        parts.append(f"<text{kind} x='{at}' y='100%' dy='17' text-anchor='middle'>{number_text(tick)}</text>")
    for tick in y.ticks:
        at = _share(1 - y.place(tick))
        parts.append(f"<line class='grid' x1='0' x2='100%' y1='{at}' y2='{at}'/>")
        parts.append(f"<text x='0' y='{at}' dx='-6' dy='4.5' text-anchor='end'>{number_text(tick)}</text>")
    parts.append(
        f"<text class='along' x='50%' y='100%' dy='34' text-anchor='middle'>{html.escape(x.label)}</text>"
    )
    return "".join(parts)


def _upright(kind, at):
    return f"<line class='{kind}' x1='{at}' x2='{at}' y1='0' y2='100%'/>"


def _share(place):
    return f"{100 * float(place):.2f}%"


def _path(line, x, y):
    across, along = _FINE * np.atleast_1d(x.place(line.x)), _FINE * (1 - np.atleast_1d(y.place(line.y)))
    # Far beyond the ends a browser's numbers lose their digits.
    known = np.isfinite(across) & np.isfinite(along)
    along = np.clip(along, -100 * _FINE, 100 * _FINE)
    pieces, pen = [], "M"
    for i in range(len(across)):
        if not known[i]:
            pen = "M"
            continue
        pieces.append(f"{pen}{across[i]:.0f} {along[i]:.0f}")
        pen = "L"
    dash = f" stroke-dasharray='{line.dash}'" if line.dash else ""
    name = f"<title>{html.escape(line.name)}</title>" if line.name else ""
    return (
        f"<path d='{''.join(pieces)}' fill='none' stroke='{line.colour}' stroke-width='{line.width:g}'{dash}>"
        f"{name}</path>"
    )

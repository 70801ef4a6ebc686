"""A tiny drawing for each of the terms that come first: sketches of the idea, not of data."""

from __future__ import annotations

import math

from dashboard.theme.colours import AGGREGATOR, CAPE, COLLUDERS, FIRST_DATA, SECOND_DATA

WIDE, HIGH = 150, 60  # Pixels of a drawing.


def _bell(middle, colour):
    """A normal density around a place, in the shape of what an observer may see."""
    points = ((x, 52 - 44 * math.exp(-(((x - middle) / 24) ** 2) / 2)) for x in range(4, 147, 3))
    path = "L".join(f"{x} {y:.1f}" for x, y in points)
    return f'<path d="M{path}" fill="{colour}" fill-opacity="0.18" stroke="{colour}" stroke-width="2"/>'


def _dots(y, last):
    """A data set as a row of records; the last one has this colour."""
    colours = ["currentColor"] * 7 + [last]
    return "".join(
        f'<circle cx="{16 + 17 * i}" cy="{y}" r="6" fill="{colour}" fill-opacity="{1 if i == 7 else 0.35}"/>'
        for i, colour in enumerate(colours)
    )


def _site(x, y, colour="currentColor"):
    return f'<path d="M{x} {y - 9}l10 8h-3v9h-14v-9h-3z" fill="{colour}"/>'


def _arrow(x, y, to_x, to_y):
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="currentColor" stroke-opacity="0.5" stroke-width="1.5"/>'


def _eye(x, y, colour):
    return (
        f'<path d="M{x - 17} {y}q17 -20 34 0q-17 20 -34 0z" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<circle cx="{x}" cy="{y}" r="5.5" fill="{colour}"/>'
    )


def _zero_sum():
    sizes = (19, -9, 13, -22, -1)  # Their sum is zero.
    bars = "".join(
        f'<rect x="{8 + 20 * i}" y="{30 - max(size, 0)}" width="13" height="{abs(size)}" fill="{CAPE}"/>'
        for i, size in enumerate(sizes)
    )
    line = '<path d="M2 30H108" stroke="currentColor" stroke-opacity="0.5"/>'
    return f'{bars}{line}<text x="114" y="36" font-size="17" fill="currentColor">= 0</text>'


def _messages(*, colours=("currentColor",) * 3):
    sites = "".join(_site(20, 14 + 19 * i, colour) for i, colour in enumerate(colours))
    return sites + "".join(_arrow(36, 12 + 18 * i, 94, 30) for i in range(3))


_SHAPES = {
    "epsilon": _bell(62, FIRST_DATA) + _bell(88, SECOND_DATA),
    "neighbours": _dots(18, FIRST_DATA) + _dots(42, SECOND_DATA),
    "zero-sum": _zero_sum(),
    "cape": _messages(colours=(CAPE,) * 3) + f'<circle cx="112" cy="30" r="14" fill="{CAPE}"/>',
    "aggregator": _messages() + _eye(118, 30, AGGREGATOR),
    "colluders": _messages(colours=("currentColor", COLLUDERS, COLLUDERS)) + _eye(118, 30, COLLUDERS),
}


def drawing(key: str) -> str:
    """The drawing of a term, as SVG; a reader of the screen has the text beside it."""
    return f'<svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" aria-hidden="true">{_SHAPES[key]}</svg>'

"""Figures as SVG, written without a browser; also the thumbnails of the gallery."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from core.schemes import is_private
from dashboard.packs.papers.reproduce.pictures.scale import FLOOR, Scale
from dashboard.theme.scheme_style import LOOKS, ink

WIDTH, HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 20, 76, 56
_DASHES = {"solid": "", "dashed": "8 5", "dotted": "2 4", "dashdot": "9 4 2 4", "dotdash": "2 4 9 4"}
_INK, _QUIET = ink(dark=False), ink(dark=False, quiet=True)


@dataclass(frozen=True)
class Line:
    """One method's curve.

    Attributes
    ----------
    method : str
    x, mean : sequence of float
    error : sequence of float
        Half width of the band; NaN for none.
    points : sequence of (float, float, bool)
        Published points (x, y), and whether they are reproduced.
    outside : bool
        Whether the vertical scale ignores this curve.
    """

    method: str
    x: Sequence[float]
    mean: Sequence[float]
    error: Sequence[float] = ()
    points: Sequence[tuple[float, float, bool]] = ()
    outside: bool = False


def svg(
    lines: Sequence[Line],
    *,
    title: str,
    note: str,
    x_label: str,
    y_label: str,
    x_log: bool,
    y_log: bool,
) -> str:
    """The figure: lines with bands; published points are rings, filled if they are not reproduced."""
    across = Scale.over(_all(lines, "x"), _LEFT, WIDTH - _RIGHT, log=x_log)
    up = Scale.over(
        _all([line for line in lines if not line.outside], "y"), HEIGHT - _BOTTOM, _TOP, log=y_log
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" role="img"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(_LEFT, 20, title, size=15, weight="600"),
        _text(_LEFT, 38, note, size=12, fill=_QUIET),
        *_axes(across, up, x_label, y_label),
        *_legend(lines),
        f'<clipPath id="inside"><rect x="{_LEFT}" y="{_TOP - 6}" width="{WIDTH - _LEFT - _RIGHT + 6}" '
        f'height="{HEIGHT - _TOP - _BOTTOM + 12}"/></clipPath><g clip-path="url(#inside)">',
    ]
    for line in lines:
        parts += [*_band(line, across, up), *_curve(line, across, up)]
    for line in lines:
        parts += _rings(line, across, up)
    return "\n".join([*parts, "</g></svg>\n"])


def thumbnail(curves: Mapping[str, tuple], *, x_log: bool, y_log: bool, width=120, height=44) -> str:
    """A small drawing of curves (x, y) by method, as inline SVG."""
    xs, ys = ([v for curve in curves.values() for v in curve[i]] for i in (0, 1))
    across = Scale.over(xs, 0, width, log=x_log)
    up = Scale.over(ys, height, 0, log=y_log)
    drawn = "".join(
        f'<path d="{_path(x, y, across, up)}" fill="none" stroke="{_stroke(method)}" stroke-width="1.8" '
        f'stroke-dasharray="{_DASHES[LOOKS[method].dash]}"/>'
        for method, (x, y) in curves.items()
    )
    return f'<svg viewBox="0 0 {width} {height}" aria-hidden="true">{drawn}</svg>'


def _stroke(method):
    # The curve without noise has the page's text colour.
    return LOOKS[method].colour if is_private(method) else "currentColor"


def _all(lines, which):
    for line in lines:
        if which == "x":
            yield from line.x
            yield from (x for x, _, _ in line.points)
        else:
            yield from line.mean
            yield from (y for _, y, _ in line.points)


def _path(x, y, across, up):
    steps = [
        f"{across(a):.1f},{up(b):.1f}"
        for a, b in zip(x, y, strict=True)
        if math.isfinite(b) and (b > FLOOR or not up.log)
    ]
    return "M" + "L".join(steps) if steps else ""


def _curve(line, across, up):
    look = LOOKS[line.method]
    path = _path(line.x, line.mean, across, up)
    return [
        f'<path d="{path}" fill="none" stroke="{look.colour}" stroke-width="2.2" '
        f'stroke-dasharray="{_DASHES[look.dash]}"/>'
    ]


def _band(line, across, up):
    kept = [
        (x, m, e)
        for x, m, e in zip(line.x, line.mean, line.error or [math.nan] * len(line.x), strict=True)
        if math.isfinite(e) and e > 0
    ]
    if len(kept) < 2:
        return []
    least = 10.0**up.low if up.log else -math.inf
    top = [f"{across(x):.1f},{up(m + e):.1f}" for x, m, e in kept]
    bottom = [f"{across(x):.1f},{up(max(m - e, least)):.1f}" for x, m, e in reversed(kept)]
    return [f'<polygon points="{" ".join(top + bottom)}" fill="{LOOKS[line.method].colour}" opacity="0.14"/>']


def _rings(line, across, up):
    colour = LOOKS[line.method].colour
    return [
        f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="4.5" stroke="{colour}" stroke-width="1.8" '
        f'fill="{"white" if good else colour}"/>'
        for x, y, good in line.points
        if y > FLOOR or not up.log
    ]


def _axes(across, up, x_label, y_label):
    bottom, left = HEIGHT - _BOTTOM, _LEFT
    for value in up.ticks():
        y = up(value)
        yield f'<line x1="{left}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e6ea"/>'
        yield _text(left - 8, y + 4, _number(value), anchor="end")
    for value in across.ticks():
        x = across(value)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 5}" stroke="{_QUIET}"/>'
        yield _text(x, bottom + 20, _number(value), anchor="middle")
    yield f'<line x1="{left}" x2="{WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}" stroke="{_QUIET}"/>'
    yield _text((left + WIDTH - _RIGHT) / 2, HEIGHT - 12, x_label, anchor="middle")
    middle = (_TOP + bottom) / 2
    yield f'<g transform="rotate(-90 18 {middle})">{_text(18, middle, y_label, anchor="middle")}</g>'


def _legend(lines):
    x = float(_LEFT)
    for line in lines:
        look = LOOKS[line.method]
        yield (
            f'<line x1="{x:.0f}" x2="{x + 22:.0f}" y1="58" y2="58" stroke="{look.colour}" stroke-width="2.2" '
            f'stroke-dasharray="{_DASHES[look.dash]}"/>'
        )
        yield _text(x + 27, 62, look.label)
        x += 40 + 7.2 * len(look.label)


def _text(x, y, text, *, anchor="start", size=13, fill=_INK, weight="400"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
        f'fill="{fill}">{escape(text)}</text>'
    )


def _number(value):
    if value and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:g}"

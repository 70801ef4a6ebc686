"""The marks of a live figure as SVG: lines, areas, points, bars and words, from the arrays of their data sources.

Positions are percent of the frame, and lines are drawn on a square that is stretched to the frame while their strokes
keep their width: one drawing fits every width of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from html import escape
from typing import Any

import numpy as np
from bokeh.core.properties import field, value
from bokeh.models import ColorMapper

from dashboard.theme.scheme_style import INK, PAPER, QUIET
from static_figures.colour_maps import data_image, shades
from static_figures.ranges import AxisPicture

GRID = 4000  # Units along each side of the stretched square.
_FAR = 4 * GRID
_DASHES = {
    "solid": (),
    "dashed": (6,),
    "dotted": (2, 4),
    "dotdash": (2, 4, 6, 4),
    "dashdot": (6, 4, 2, 4),
}
_MOST_MARKS = 3000  # Of one renderer; a picture with more takes them evenly.


def mark(renderer, x: AxisPicture, y: AxisPicture, *, name: str = "") -> Iterator[tuple[bool, str]]:
    """The SVG of a renderer: pairs of whether it belongs on the stretched square, and markup."""
    glyph = renderer.glyph
    draw = _MARKS.get(type(glyph).__name__)
    if draw is not None and renderer.visible:
        yield from draw(Glyph(renderer), x, y, f"<title>{escape(name)}</title>" if name else "")


def extent(renderer, side: str) -> list[np.ndarray]:
    """The values of a renderer along an axis, which a range that follows the data covers."""
    names = _EXTENTS.get(type(renderer.glyph).__name__, {}).get(side, ())
    glyph = Glyph(renderer)
    parts = [part for name in names if (part := glyph.numbers(name)).dtype != object]
    size = {("VBar", "x"): "width", ("HBar", "y"): "height"}.get((type(renderer.glyph).__name__, side))
    if size and parts and len(parts[0]):
        half = np.broadcast_to(glyph.numbers(size), parts[0].shape) / 2
        parts = [parts[0] - half, parts[0] + half]
    return parts


class Glyph:
    """The properties of a renderer's glyph, resolved with its data."""

    def __init__(self, renderer):
        self._glyph = renderer.glyph
        self._data = renderer.data_source.data
        self._row = 0  # Whose colour and stroke `one` tells.
        self.count = len(next(iter(self._data.values()), ()))
        self.shade = next(
            (f"var(--{tag})" for tag in (INK, QUIET, PAPER) if tag in renderer.glyph.tags), None
        )

    @property
    def mapper(self) -> Any:
        """What turns the numbers of an image into colours."""
        return self._glyph.color_mapper

    def row(self, number: int) -> Glyph:
        """The same glyph, whose stroke and colours are those of one of its lines."""
        found = copy(self)
        found._row = number
        return found

    def column(self, name: str) -> Sequence:
        """A property as a sequence: a column of the data, or one constant value."""
        spec = getattr(self._glyph, name, None)
        if isinstance(spec, field):
            found = self._data.get(spec.field, ())
            return shades(spec.transform, found) if isinstance(spec.transform, ColorMapper) else found
        if isinstance(spec, value):
            return (spec.value,)
        if isinstance(spec, str) and spec in self._data:
            return self._data[spec]
        return (spec,)

    def numbers(self, name: str) -> np.ndarray:
        """A numeric property as an array; names of a categorical axis, also with an offset each, stay what they are."""
        found = self.column(name)
        if len(found) and isinstance(found[0], str | tuple):
            return np.fromiter(found, dtype=object, count=len(found))
        return np.asarray([math.nan if v is None else v for v in found], dtype=float)

    def each(self, name: str, count: int) -> list:
        """A property of every mark."""
        found = list(self.column(name))
        return found * count if len(found) == 1 and count != 1 else found[:count]

    def one(self, name: str, default: Any = None) -> Any:
        """A property that all marks share; of a column, that of this row."""
        found = self.column(name)
        first = found[self._row if len(found) > self._row else 0] if len(found) else default
        return default if first is None else first

    def stroke(self) -> str:
        """The attributes of a line."""
        dash = self._glyph.line_dash
        dash = self.one("line_dash") if isinstance(dash, field | value | str) else dash
        dash = _DASHES.get(dash, ()) if isinstance(dash, str) else tuple(dash or ())
        dashes = f' stroke-dasharray="{" ".join(map(str, dash))}"' if dash else ""
        alpha = self.one("line_alpha", 1)
        faint = f' stroke-opacity="{alpha:g}"' if alpha != 1 else ""
        colour = self.shade or self.one("line_color", "none")
        return f'stroke="{escape(str(colour))}" stroke-width="{self.one("line_width", 1):g}"{dashes}{faint}'


def _line(glyph, x, y, title):
    yield (
        True,
        f'<path d="{_path(x.places(glyph.numbers("x")), y.places(glyph.numbers("y")))}" fill="none" '
        f"{glyph.stroke()}>{title}</path>",
    )


def _lines(glyph, x, y, title):
    for i, (across, up) in enumerate(zip(glyph.column("xs"), glyph.column("ys"), strict=True)):
        path = _path(x.places(np.asarray(across, dtype=float)), y.places(np.asarray(up, dtype=float)))
        yield True, f'<path d="{path}" fill="none" {glyph.row(i).stroke()}>{title}</path>'


def _patches(glyph, x, y, title):
    for i, (across, up) in enumerate(zip(glyph.column("xs"), glyph.column("ys"), strict=True)):
        path = _path(x.places(np.asarray(across, dtype=float)), y.places(np.asarray(up, dtype=float)))
        yield True, f'<path d="{path}Z" {_fill(glyph.row(i))}>{title}</path>'


def _step(glyph, x, y, title):
    at, up = x.places(glyph.numbers("x")), y.places(glyph.numbers("y"))
    if glyph._glyph.mode == "center":
        edges = np.r_[at[:1], (at[1:] + at[:-1]) / 2, at[-1:]]
        at, up = np.repeat(edges, 2)[1:-1], np.repeat(up, 2)
    else:
        at, up = np.repeat(at, 2), np.repeat(up, 2)
        at, up = (at[1:], up[:-1]) if glyph._glyph.mode == "after" else (at[:-1], up[1:])
    yield True, f'<path d="{_path(at, up)}" fill="none" {glyph.stroke()}>{title}</path>'


def _area(glyph, x, y, title):
    at = x.places(glyph.numbers("x"))
    low, high = (np.broadcast_to(y.places(glyph.numbers(n)), at.shape) for n in ("y1", "y2"))
    kept = np.isfinite(at) & np.isfinite(low) & np.isfinite(high)
    if kept.sum() < 2:
        return
    edge = _path(np.r_[at[kept], at[kept][::-1]], np.r_[high[kept], low[kept][::-1]])
    yield True, f'<path d="{edge}Z" {_fill(glyph)}/>'


def _segment(glyph, x, y, title):
    ends = [axis.places(glyph.numbers(n)) for axis, n in ((x, "x0"), (y, "y0"), (x, "x1"), (y, "y1"))]
    lines = "".join(
        f'<line x1="{a:.2f}%" y1="{b:.2f}%" x2="{c:.2f}%" y2="{d:.2f}%"/>' for a, b, c, d in _rows(*ends)
    )
    if lines:
        yield False, f"<g {glyph.stroke()}>{title}{lines}</g>"


def _patch(glyph, x, y, title):
    path = _path(x.places(glyph.numbers("x")), y.places(glyph.numbers("y")))
    yield True, f'<path d="{path}Z" {_fill(glyph)}>{title}</path>'


def _image(glyph, x, y, title):
    mapper = glyph.mapper
    for array, *place in zip(*(glyph.column(n) for n in ("image", "x", "y", "dw", "dh")), strict=True):
        left, bottom, wide, high = map(float, place)
        (a, b), (c, d) = x.places([left, left + wide]), y.places([bottom, bottom + high])
        yield (
            False,
            f'<image x="{min(a, b):.2f}%" y="{min(c, d):.2f}%" width="{abs(b - a):.2f}%" '
            f'height="{abs(d - c):.2f}%" preserveAspectRatio="none" href="{data_image(mapper, array)}" '
            f'opacity="{glyph.one("global_alpha", 1):g}">{title}</image>',
        )


def _scatter(glyph, x, y, title):
    at, up = x.places(glyph.numbers("x")), y.places(glyph.numbers("y"))
    count = len(at)
    looks = zip(
        at,
        up,
        *(glyph.each(n, count) for n in ("size", "marker", "fill_color", "fill_alpha", "line_color")),
        strict=False,
    )
    every = max(1, math.ceil(count / _MOST_MARKS))
    parts: list[str] = []
    for a, b, size, shape, fill, fill_alpha, line in list(looks)[::every]:
        if not (math.isfinite(a) and math.isfinite(b)):
            continue
        fill, line = glyph.shade or fill or "none", glyph.shade if line and glyph.shade else line or "none"
        seen = f' fill-opacity="{fill_alpha:g}"' if fill_alpha is not None and fill_alpha != 1 else ""
        look = f'fill="{escape(str(fill))}"{seen} stroke="{escape(str(line))}"'
        r = (size or 4) / 2
        if shape in _SHAPES:
            parts.append(f'<svg x="{a:.2f}%" y="{b:.2f}%"><path d="{outline(shape, r)}" {look}/></svg>')
        else:
            parts.append(f'<circle cx="{a:.2f}%" cy="{b:.2f}%" r="{r:g}" {look}/>')
    if parts:
        yield False, f'<g stroke-width="{glyph.one("line_width", 1):g}">{title}{"".join(parts)}</g>'


def _bars(glyph, x, y, title):
    """Rectangles: bars along either axis, and quads."""
    kind = type(glyph._glyph).__name__
    if kind == "VBar":
        left, right = _sides(glyph, x, "x", "width")
        top, bottom = y.places(glyph.numbers("top")), y.places(glyph.numbers("bottom"))
    elif kind == "HBar":
        top, bottom = _sides(glyph, y, "y", "height")
        left, right = x.places(glyph.numbers("left")), x.places(glyph.numbers("right"))
    else:
        left, right = x.places(glyph.numbers("left")), x.places(glyph.numbers("right"))
        top, bottom = y.places(glyph.numbers("top")), y.places(glyph.numbers("bottom"))
    count = max(map(len, (left, right, top, bottom)))
    colours, alphas, lines = (glyph.each(n, count) for n in ("fill_color", "fill_alpha", "line_color"))
    parts = []
    for (a, b, c, d), fill, alpha, line in zip(
        _rows(left, right, top, bottom, drop=False), colours, alphas, lines, strict=False
    ):
        if not all(map(math.isfinite, (a, b, c, d))):
            continue
        paint = f'fill="{escape(str(glyph.shade or fill or "none"))}" fill-opacity="{alpha:g}"'
        edge = f' stroke="{escape(str(line))}"' if line else ""
        parts.append(
            f'<rect x="{min(a, b):.2f}%" y="{min(c, d):.2f}%" width="{abs(b - a):.2f}%" '
            f'height="{abs(d - c):.2f}%" {paint}{edge}/>'
        )
    if parts:
        yield False, f"<g>{title}{''.join(parts)}</g>"


def _words(glyph, x, y, title):
    at, up = x.places(glyph.numbers("x")), y.places(glyph.numbers("y"))
    anchors = {"left": "start", "center": "middle", "right": "end"}
    parts = [
        f'<text x="{a:.2f}%" y="{b:.2f}%" dy="{down:g}" text-anchor="{anchors.get(align, "start")}">'
        f"{escape(str(text))}</text>"
        for a, b, text, align, down in zip(
            at, up, *(glyph.each(n, len(at)) for n in ("text", "text_align", "y_offset")), strict=False
        )
        if math.isfinite(a) and math.isfinite(b)
    ]
    if parts:
        colour = glyph.shade or glyph.one("text_color", "currentColor")
        size = glyph.one("text_font_size", "14px")
        yield False, f'<g fill="{escape(str(colour))}" font-size="{escape(str(size))}">{"".join(parts)}</g>'


def _sides(glyph, axis, middle, size):
    """Both sides of bars of a width in the axis' own units."""
    centres, widths = glyph.numbers(middle), glyph.numbers(size)
    if centres.dtype == object:
        centres = np.array([axis.factors.index(c) + 0.5 if c in axis.factors else math.nan for c in centres])
    half = np.broadcast_to(widths, centres.shape) / 2
    return axis.scale.places(centres - half), axis.scale.places(centres + half)


def _rows(*columns, drop=True):
    count = max(map(len, columns)) if all(map(len, columns)) else 0
    if not count:
        return
    for row in zip(*(np.broadcast_to(c, count).tolist() for c in columns), strict=True):
        if not drop or all(map(math.isfinite, row)):
            yield row


def _fill(glyph):
    colour = glyph.shade or glyph.one("fill_color", "none")
    return f'fill="{escape(str(colour))}" fill-opacity="{glyph.one("fill_alpha", 1):g}" stroke="none"'


def _path(x: np.ndarray, y: np.ndarray) -> str:
    """The data of a path on the stretched square; NaN breaks it."""
    x, y = (np.clip(np.round(np.asarray(v, dtype=float) * GRID / 100), -_FAR, _FAR) for v in (x, y))
    gaps = ~(np.isfinite(x) & np.isfinite(y))
    steps, pen = [], "M"
    for a, b, gap in zip(x.tolist(), y.tolist(), gaps.tolist(), strict=True):
        if gap:
            pen = "M"
        else:
            steps.append(f"{pen}{a:.0f} {b:.0f}")
            pen = "L"
    return "".join(steps)


def outline(shape: str, r: float) -> str:
    """The outline of a marker of radius r around the origin; a circle for a shape that is not drawn otherwise."""
    if shape in _SHAPES:
        return _SHAPES[shape](r)
    return f"M{-r:g} 0A{r:g} {r:g} 0 1 1 {r:g} 0A{r:g} {r:g} 0 1 1 {-r:g} 0Z"


def _polygon(*points: tuple[float, float]) -> Callable[[float], str]:
    return lambda r: "M" + "L".join(f"{a * r:.1f} {b * r:.1f}" for a, b in points) + "Z"


_SHAPES: Mapping[str, Callable[[float], str]] = {
    "square": _polygon((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": _polygon((0, -1), (0.67, 0), (0, 1), (-0.67, 0)),
    "triangle": _polygon((0, -1), (1, 0.73), (-1, 0.73)),
    "inverted_triangle": _polygon((0, 1), (1, -0.73), (-1, -0.73)),
    "hex": _polygon((0, -1), (0.87, -0.5), (0.87, 0.5), (0, 1), (-0.87, 0.5), (-0.87, -0.5)),
    "star": _polygon(
        *((r * math.sin(i * math.pi / 5), -r * math.cos(i * math.pi / 5)) for i, r in enumerate((1, 0.4) * 5))
    ),
    "dash": lambda r: f"M{-r:g} 0L{r:g} 0",
    "cross": lambda r: f"M{-r:g} 0L{r:g} 0M0 {-r:g}L0 {r:g}",
    "x": lambda r: f"M{-r:g} {-r:g}L{r:g} {r:g}M{-r:g} {r:g}L{r:g} {-r:g}",
}
_MARKS = {
    "Line": _line,
    "MultiLine": _lines,
    "Patches": _patches,
    "Step": _step,
    "VArea": _area,
    "Patch": _patch,
    "Image": _image,
    "Segment": _segment,
    "Scatter": _scatter,
    "VBar": _bars,
    "HBar": _bars,
    "Quad": _bars,
    "Text": _words,
}
_POINTS = {"x": ("x",), "y": ("y",)}
_EXTENTS = {
    **dict.fromkeys(("Line", "Step", "Scatter", "Text", "Patch"), _POINTS),
    "VArea": {"x": ("x",), "y": ("y1", "y2")},
    "Segment": {"x": ("x0", "x1"), "y": ("y0", "y1")},
    "VBar": {"x": ("x",), "y": ("bottom", "top")},
    "HBar": {"x": ("left", "right"), "y": ("y",)},
    "Quad": {"x": ("left", "right"), "y": ("bottom", "top")},
}

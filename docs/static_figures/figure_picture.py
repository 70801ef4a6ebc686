"""A live Bokeh figure as a static picture: HTML and SVG with the same numbers, colours, ticks and legend."""

from __future__ import annotations

import math
from html import escape
from itertools import groupby
from typing import Any

from bokeh.models import BoxAnnotation, GlyphRenderer, Legend, Span, Title

from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import INK, PAPER, QUIET
from static_figures import marks
from static_figures.ranges import AxisPicture, axis_picture

SHEET = beside(__file__, "picture.css")
_DIGIT, _LETTER, _SMALL = 7.9, 6.4, 4.7  # Pixels of a digit, a letter and a raised digit beside an axis.
# Pixels of an axis without its labels, below the frame, more for high labels, and less without a name.
_BESIDE, _BELOW, _TALL, _NO_LABEL = 47, 58, 5, 33


def picture(plot, *, covered: bool = False, legend: bool = True) -> str:
    """A figure as HTML that needs no script; its style sheet is `SHEET`.

    Parameters
    ----------
    plot : bokeh.plotting.figure
    covered : bool
        Show the axes and the legend only: the answer is hidden.
    legend : bool
        Show the legend; `legend_of` draws one for several figures.
    """
    renderers = [r for r in plot.renderers if isinstance(r, GlyphRenderer)]
    x = axis_picture(plot, "x", data=_data(renderers, "x"))
    wide, tall = _size(plot)
    height = tall - _BELOW - 18 * len(plot.above)
    # The range of the answer's axis is part of the answer, unless the program fixes it.
    y = axis_picture(plot, "y", data=[] if covered else _data(renderers, "y"), height=height)
    legends = _legends(plot)
    above = [*(part for part in plot.above if isinstance(part, Title)), *(legends if legend else ())]
    names = _names(legends)
    drawn = [] if covered else [m for r in renderers for m in marks.mark(r, x, y, name=names.get(r.id, ""))]
    heads = "".join(map(_above(plot), reversed(above)))
    title = plot.title.text if plot.title is not None else ""
    bare = "" if x.visible or y.visible else "--below:0px;--right:0px;"
    tail = (_TALL if _tall(x) else 0) - (0 if x.label or not x.visible else _NO_LABEL)
    return (
        f'<figure class="picture" style="height:{tall}px;{wide}{bare}--full:{_left(y):.0f}px;'
        f'--slim:{_left(y, 0.88):.0f}px;--tall:{tail}px">'
        + (f'<div class="title">{escape(title)}</div>' if title else "")
        + heads
        + f'<svg class="frame" role="img" aria-label="{escape(_summary(x, y, names))}" '
        f'data-x="{_ends(x)}" data-y="{_ends(y)}">'
        + "".join(_grid(plot, x, y))
        + f'<svg class="clip">{"" if covered else _annotations(plot, x, y)}{_stack(drawn)}</svg>'
        + "".join(_axis(x, y))
        + "</svg></figure>"
    )


def legend_of(plot) -> str:
    """The legends of a figure alone; "" if it has none."""
    return "".join(_legend(found) for found in _legends(plot))


def _legends(plot):
    return [part for part in (*plot.above, *plot.right, *plot.center) if isinstance(part, Legend)]


def _size(plot):
    """A width for figures that have one of their own, as CSS, and the height in pixels."""
    head = 29 if plot.title is not None and plot.title.text else 0
    if plot.frame_height is not None:
        axes = [axis for axis in (*plot.xaxis, *plot.yaxis) if axis.visible]
        return f"width:{plot.frame_width}px;", plot.frame_height + head + (_BELOW if axes else 0)
    fixed = plot.width is not None and plot.sizing_mode == "fixed"
    return (f"width:{plot.width}px;max-width:100%;" if fixed else ""), plot.height


def _data(renderers, side):
    return [values for r in renderers for values in marks.extent(r, side)]


def _stack(drawn):
    """Marks in their order; those on the stretched square share one wherever they follow each other."""
    square = f'<svg viewBox="0 0 {marks.GRID} {marks.GRID}" preserveAspectRatio="none">'
    parts = []
    for stretched, group in groupby(drawn, key=lambda m: m[0]):
        markup = "".join(text for _, text in group)
        parts.append(f"{square}{markup}</svg>" if stretched else markup)
    return "".join(parts)


def _names(legends):
    """The label of every renderer that a legend lists, by the renderer's id."""
    return {
        renderer.id: _label(item)
        for legend in legends
        for item in _listed(legend)
        for renderer in item.renderers[:1]
    }


def _listed(legend):
    """The entries that are shown, and those of curves to come: here they have their symbols before their points."""
    return [item for item in legend.items if item.visible or any(one.visible for one in item.renderers)]


def _label(item):
    return str(getattr(item.label, "value", None) or "").strip()


def _summary(x, y, names):
    what = ", ".join(names.values())
    axes = " over ".join(filter(None, (y.label, x.label)))
    return f"{axes}: {what}" if what else axes


def _above(plot):
    def part(found: Any) -> str:
        if isinstance(found, Title):
            return f'<div class="subtitle">{escape(found.text)}</div>' if found.text else ""
        return _legend(found) if isinstance(found, Legend) else ""

    return part


def _legend(legend):
    items = "".join(f"<li>{_swatch(item)}{escape(_label(item))}</li>" for item in _listed(legend))
    return f'<ul class="legend">{items}</ul>'


def _swatch(item):
    """A small drawing of the first renderers of a legend's entry."""
    parts = []
    for renderer in item.renderers[:2]:
        glyph, kind = marks.Glyph(renderer).row(item.index or 0), type(renderer.glyph).__name__
        if kind in ("Line", "MultiLine", "Step", "Segment"):
            parts.append(f'<path d="M0 8L16 8" {glyph.stroke()}/>')
        elif kind == "Scatter":
            parts.append(_dot(glyph))
        else:
            colour = glyph.shade or glyph.one("fill_color", "none")
            alpha = glyph.one("fill_alpha", 1)
            parts.append(f'<path d="M0 3H16V13H0Z" fill="{escape(str(colour))}" fill-opacity="{alpha:g}"/>')
    return f'<svg width="16" height="16" aria-hidden="true">{"".join(parts)}</svg>'


def _dot(glyph):
    shape, size = glyph.one("marker", "circle"), min(glyph.one("size", 8), 11)
    fill = glyph.shade or glyph.one("fill_color", "none")
    line = glyph.shade or glyph.one("line_color", "none")
    faint = f'fill-opacity="{glyph.one("fill_alpha", 1):g}"'
    paint = f'fill="{escape(str(fill))}" {faint} stroke="{escape(str(line))}"'
    outline = marks.outline(shape, size / 2)
    return f'<path transform="translate(8 8)" d="{outline}" {paint}/>'


def _ends(axis):
    """Kind and ends of an axis, for whoever reads numbers from the picture."""
    if not axis.known:
        return "unknown"
    kind = "names" if axis.factors else "log" if axis.scale.log else "linear"
    return f"{kind} {axis.scale.low!r} {axis.scale.high!r}"


def _left(y, size=1.0):
    """Pixels left of the frame, for labels of a share of the full size."""
    if not y.visible:
        return 5
    widths = [
        sum(_SMALL if c in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹" else _LETTER if c.isalpha() else _DIGIT for c in text)
        for _, text in y.ticks["wide"]
    ]
    return (_BESIDE if y.label else _BESIDE - 26) + size * max(widths, default=24) - 3 * (size < 1)


def _tall(x):
    """Whether labels below the frame are higher than digits."""
    return any(not set(text) <= set("0123456789.,−\u202f") for _, text in x.ticks["wide"])


def _grid(plot, x: AxisPicture, y: AxisPicture):
    for axis, grids, line in (
        (x, plot.xgrid, 'x1="{0:.2f}%" x2="{0:.2f}%" y1="0" y2="100%"'),
        (y, plot.ygrid, 'x1="0" x2="100%" y1="{0:.2f}%" y2="{0:.2f}%"'),
    ):
        if (not axis.visible and axis is y) or not grids or not grids[0].visible or axis.factors:
            continue
        if grids[0].grid_line_color is None:
            continue
        for size, ticks in axis.ticks.items():
            lines = "".join(f"<line {line.format(at)}/>" for at, _ in ticks)
            yield f'<g class="grid {size}">{lines}</g>'


def _axis(x: AxisPicture, y: AxisPicture):
    if x.visible:
        for size, ticks in x.ticks.items():
            slant = x.factors and 8 * max(map(len, x.factors), default=0) * len(x.factors) > 700
            turn = ' class="slant"' if slant else ""
            labels = "".join(
                f'<svg x="{at:.2f}%" y="100%"><text y="22"{turn}>{escape(text)}</text></svg>'
                for at, text in ticks
            )
            yield f'<g class="across {size}">{labels}</g>'
        yield f'<text class="label" x="50%" y="100%" dy="51">{escape(x.label)}</text>'
    if y.visible:
        for size, ticks in y.ticks.items():
            labels = "".join(
                f'<text x="-11" y="{at:.2f}%" dy="5">{escape(text)}</text>' for at, text in ticks
            )
            yield f'<g class="up {size}">{labels}</g>'
        yield f'<svg y="50%"><text class="label turned">{escape(y.label)}</text></svg>'


def _annotations(plot, x: AxisPicture, y: AxisPicture):
    parts = []
    for found in (*plot.center, *plot.renderers):  # HoloViews puts them among the renderers.
        if isinstance(found, Span) and found.visible and found.location is not None:
            parts.append(_span(found, x, y))
        elif isinstance(found, BoxAnnotation) and found.visible:
            parts.append(_box(found, x, y))
    return "".join(parts)


def _span(span, x, y):
    upright = span.dimension == "height"
    axis = x if upright else y
    at = float(axis.scale.places([span.location])[0]) if axis.known else math.nan
    if not math.isfinite(at):
        return ""
    ends = f'x1="{at:.2f}%" x2="{at:.2f}%" y1="0" y2="100%"' if upright else ""
    ends = ends or f'x1="0" x2="100%" y1="{at:.2f}%" y2="{at:.2f}%"'
    colour = next((f"var(--{t})" for t in (INK, QUIET, PAPER) if t in span.tags), span.line_color)
    dash = " ".join(map(str, span.line_dash or ()))
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line {ends} stroke="{escape(str(colour))}" stroke-width="{span.line_width:g}"{dashes}/>'


def _box(box, x, y):
    def edge(axis, given, otherwise):
        if not isinstance(given, int | float) or not math.isfinite(given):
            return otherwise
        return float(axis.scale.places([given])[0]) if axis.known else otherwise

    left, right = edge(x, box.left, 0.0), edge(x, box.right, 100.0)
    top, bottom = edge(y, box.top, 0.0), edge(y, box.bottom, 100.0)
    if not all(map(math.isfinite, (left, right, top, bottom))) or not isinstance(box.fill_color, str):
        return ""
    colour = next((f"var(--{t})" for t in (INK, QUIET, PAPER) if t in box.tags), box.fill_color)
    return (
        f'<rect x="{min(left, right):.2f}%" y="{min(top, bottom):.2f}%" width="{abs(right - left):.2f}%" '
        f'height="{abs(bottom - top):.2f}%" fill="{escape(colour)}" fill-opacity="{box.fill_alpha:g}"/>'
    )

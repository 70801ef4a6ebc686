"""The curves of schemes in one figure: a band, a line, markers and a legend entry each, made when first needed.

A page may draw a dozen schemes and shows three or four. Every renderer costs the server and the browser as much as a
button of the page does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bokeh.models import CDSView, ColumnDataSource, GlyphRenderer, LegendItem, Line, Scatter, VArea

from core.schemes import is_private
from dashboard.plotting.figure import entry, folding_legend
from dashboard.theme.scheme_style import INK, LOOKS, follow_theme

EMPTY: dict[str, list] = {"x": [], "mean": [], "low": [], "high": []}
SHADE = 0.16  # Opacity of a band.


@dataclass(frozen=True)
class Series:
    """What shows one scheme."""

    source: ColumnDataSource
    band: GlyphRenderer
    line: GlyphRenderer
    marks: GlyphRenderer
    item: LegendItem
    shade: float

    @property
    def renderers(self) -> tuple[GlyphRenderer, ...]:
        """From back to front."""
        return self.band, self.line, self.marks

    def show(self, shown: bool) -> None:
        """Whether figure and legend show it."""
        for part in self.renderers:
            part.visible = shown
        self.name()

    def name(self) -> None:
        """Show it in the legend once it has points: before, the browser draws no symbol beside the name."""
        self.item.visible = self.line.visible and len(self.source.data["x"]) > 0

    def fade(self, alpha: float) -> None:
        """Set its opacity."""
        self.line.glyph.line_alpha = alpha
        self.band.glyph.fill_alpha = self.shade * alpha
        self.marks.glyph.update(line_alpha=alpha, fill_alpha=alpha)


class SchemeLines:
    """The curves of a figure by scheme, in the order of `LOOKS`, which is also that of drawing and of the legend.

    Parameters
    ----------
    figure : bokeh.plotting.figure
    schemes : iterable of str
        Every scheme that may be drawn.
    shade : float
        Opacity of the bands.

    Attributes
    ----------
    legend : bokeh.models.Legend
    lines : list of (GlyphRenderer or None)
        The line of every scheme, at a place that does not change; None while it is not made.
    """

    def __init__(self, figure, schemes: Iterable[str], *, shade: float = SHADE):
        self._figure, self._shade = figure, shade
        possible = set(schemes)
        self._names = [scheme for scheme in LOOKS if scheme in possible]
        self._made: dict[str, Series] = {}
        self.lines: list[GlyphRenderer | None] = [None] * len(self._names)
        self._hover = list(figure.hover)
        for tool in self._hover:
            tool.renderers = []
        self.legend = folding_legend(figure)

    def __iter__(self) -> Iterator[str]:
        """Every scheme that may be drawn."""
        return iter(self._names)

    def __getitem__(self, scheme: str) -> Series:
        """The curve of a scheme, which is made now if it is new.

        Raises
        ------
        ValueError
            If the figure cannot draw the scheme.
        """
        if scheme not in self._made:
            self.line_at(self._names.index(scheme))
        return self._made[scheme]

    @property
    def made(self) -> dict[str, Series]:
        """The curves that are made, by scheme."""
        return {scheme: self._made[scheme] for scheme in self._names if scheme in self._made}

    def offer(self, schemes: Iterable[str], *, dark: bool) -> None:
        """Show these schemes and no others."""
        shown = list(schemes)
        for scheme in shown:
            if scheme not in self._made:
                made = self[scheme]
                for renderer in made.renderers if dark else ():
                    follow_theme(renderer, dark=True)
        for scheme, series in self._made.items():
            series.show(scheme in shown)

    def line_at(self, place: int) -> GlyphRenderer:
        """The line at a place of `lines`, which is made now if it is new; it is not shown before `offer` says so."""
        scheme = self._names[place]
        if scheme not in self._made:
            before = self.made
            self._made[scheme] = series = _series(scheme, self._shade)
            series.show(False)
            self.lines[place] = series.line
            self._insert(before)
        return self._made[scheme].line

    def _insert(self, before):
        """Put the new curve behind those of later schemes, and its entry before theirs."""
        made = list(self.made.values())
        parts = [renderer for one in made for renderer in one.renderers]
        old = [renderer for one in before.values() for renderer in one.renderers]
        others = [renderer for renderer in self._figure.renderers if renderer not in old]
        # What the page draws besides curves lies over them, and pinned copies under all.
        self._figure.renderers = [*parts, *others]
        items = [one.item for one in before.values()]
        others = [item for item in self.legend.items if item not in items]
        self.legend.items = [*(one.item for one in made), *others]
        for tool in self._hover:
            tool.renderers = [one.marks for one in made]


def _named(scheme):
    return LOOKS[scheme].legend or LOOKS[scheme].label


def _series(scheme, shade):
    look = LOOKS[scheme]
    tags = [] if is_private(scheme) else [INK]
    source, view, pale = ColumnDataSource({**EMPTY, "scheme": []}), CDSView(), {"line_alpha": 0.08}
    area = {"x": "x", "y1": "low", "y2": "high", "fill_color": look.colour, "fill_alpha": shade}
    stroke = {"x": "x", "y": "mean", "line_color": look.colour, "line_width": 2.5, "line_dash": look.dash}
    mark = {"x": "x", "y": "mean", "marker": look.marker, "size": 9}
    mark |= {"fill_color": look.colour, "line_color": look.colour}
    pairs = (
        (VArea(**area, tags=tags), VArea(**{**area, "fill_alpha": 0.02})),
        (Line(**stroke, tags=tags), Line(**stroke, **pale)),
        (Scatter(**mark, tags=tags), Scatter(**mark, **pale, fill_alpha=0.08)),
    )
    # One call a glyph of the library's own `figure.line` makes twice as many models.
    parts: list[Any] = [
        GlyphRenderer(data_source=source, glyph=glyph, muted_glyph=muted, view=view) for glyph, muted in pairs
    ]
    return Series(source, *parts, entry(_named(scheme), [parts[1], parts[2]]), shade)

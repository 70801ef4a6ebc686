"""The comparison curve: one Bokeh figure that exists as long as its page.

Each scheme has a line with markers and a band, from one data source that is updated in place: the
user's zoom and muted legend entries stay. When a new run starts, the old picture fades until the
first new point arrives. Then all old points are removed at once, so that the figure never shows a point with
settings other than its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import CDSView, ColumnDataSource, Line, Scatter, VArea

from core.schemes import SCHEMES, is_private
from dashboard.plotting.figure import folding_legend, house_figure, subtitle
from dashboard.plotting.pins import Pins
from dashboard.state.number_text import LEAST_REPEATS
from dashboard.theme.scheme_style import INK, LOOKS

_EMPTY: dict[str, list] = {"x": [], "mean": [], "low": [], "high": []}
_FADED, _CLEAR = 0.25, 1.0


@dataclass
class _Series:
    source: ColumnDataSource
    band: Any
    line: Any
    marks: Any


class Curve:
    """Curves of several schemes over one axis, drawn point by point.

    Parameters
    ----------
    x_label, y_label : str
        Axis labels, with units.
    x_log, y_log : bool
        Logarithmic axes.
    height : int
        Pixels.
    hover : bool
        Show the values under the pointer.
    schemes : sequence of str
        Every scheme or method that may be drawn; `start` selects among them.

    Attributes
    ----------
    figure : bokeh.plotting.figure
        The figure on the page.
    pins : Pins
        Pinned copies of the curves.
    """

    def __init__(
        self,
        x_label: str,
        y_label: str,
        *,
        x_log: bool = False,
        y_log: bool = False,
        height: int = 440,
        hover: bool = True,
        schemes=SCHEMES,
    ):
        rows = [
            ("", "@scheme"),
            (x_label, "@x{0.[000]}"),
            (y_label, "@mean{0.[0000]}"),
            ("band", "@low to @high"),
        ]
        self.figure = house_figure(
            x_label, y_label, x_log=x_log, y_log=y_log, height=height, hover=rows if hover else None
        )
        self._subtitle = subtitle(self.figure)
        self._series = {scheme: self._add(scheme) for scheme in LOOKS if scheme in schemes}
        drawn = [(LOOKS[scheme].label, [s.line, s.marks]) for scheme, s in self._series.items()]
        self._legend = folding_legend(self.figure, drawn)
        self._items = dict(zip(self._series, self._legend.items, strict=True))
        self._awaited: tuple[tuple[str, ...], str] | None = None
        self.label = ""
        lines = [series.line for series in self._series.values()]
        self.pins = Pins(self.figure, self._legend, lines, ready=lambda: bool(self.label) and not self.stale)

    def start(self, schemes, label: str) -> None:
        """Prepare for a run with settings `label`; the old curves fade until its first point."""
        self._awaited = (tuple(schemes), label)
        if not self.label:  # Nothing was drawn yet: the legend lists the curves to come.
            self._offer(schemes)
        self._fade(_FADED)

    def update(self, scheme: str, x, mean, low, high) -> None:
        """Set all points of one scheme so far: arrays of equal length; NaN leaves a gap."""
        if self._awaited is not None:
            self._begin()
        self._series[scheme].source.data = {
            "x": list(x),
            "mean": list(mean),
            "low": list(low),
            "high": list(high),
            "scheme": [LOOKS[scheme].label] * len(x),
        }

    @property
    def columns(self) -> dict[str, dict[str, list]]:
        """The drawn data of every scheme: x, means and the ends of the band; empty while it has no points."""
        return {scheme: dict(series.source.data) for scheme, series in self._series.items()}

    def points(self, scheme: str) -> tuple[list, list]:
        """x and y of a scheme's curve as far as it is drawn."""
        data = self._series[scheme].source.data
        return list(data["x"]), list(data["mean"])

    def renderers(self, scheme: str) -> tuple:
        """The renderers of a scheme: band, line and markers."""
        series = self._series[scheme]
        return series.band, series.line, series.marks

    @property
    def stale(self) -> bool:
        """Whether the drawn curves belong to older settings."""
        return self._awaited is not None

    def _begin(self):
        schemes, self.label = self._awaited
        self._awaited = None
        for series in self._series.values():
            series.source.data = {**_EMPTY, "scheme": []}
        self._offer(schemes)
        self._subtitle.text = self.label
        self._fade(_CLEAR)

    def _offer(self, schemes):
        for scheme, series in self._series.items():
            self._items[scheme].visible = scheme in schemes
            for renderer in (series.band, series.line, series.marks):
                renderer.visible = scheme in schemes

    def _fade(self, alpha):
        for series in self._series.values():
            series.line.glyph.line_alpha = alpha
            series.band.glyph.fill_alpha = 0.16 * alpha
            series.marks.glyph.update(line_alpha=alpha, fill_alpha=alpha)

    def _add(self, scheme):
        look = LOOKS[scheme]
        tags = [] if is_private(scheme) else [INK]
        source = ColumnDataSource({**_EMPTY, "scheme": []})
        view, pale = CDSView(), {"line_alpha": 0.08}
        area = {"x": "x", "y1": "low", "y2": "high", "fill_color": look.colour, "fill_alpha": 0.16}
        stroke = {"x": "x", "y": "mean", "line_color": look.colour, "line_width": 2.5, "line_dash": look.dash}
        mark = {"x": "x", "y": "mean", "marker": look.marker, "size": 9}
        mark |= {"fill_color": look.colour, "line_color": look.colour}
        pairs = (
            (VArea(**area, tags=tags), VArea(**{**area, "fill_alpha": 0.02})),
            (Line(**stroke, tags=tags), Line(**stroke, **pale)),
            (Scatter(**mark, tags=tags), Scatter(**mark, **pale, fill_alpha=0.08)),
        )
        # One call a glyph of the library's own `figure.line` makes twice as many models.
        band, line, marks = (
            self.figure.add_glyph(source, glyph, muted_glyph=muted, view=view) for glyph, muted in pairs
        )
        for tool in self.figure.hover:
            tool.renderers = [*(tool.renderers if tool.renderers != "auto" else []), marks]
        return _Series(source, band, line, marks)


def band(values, *, z: float = 1.96) -> tuple[float, float, float]:
    """Mean of repeats and a normal 95 % interval for it: (mean, low, high); no width for fewer than three repeats.

    Two values are too few to estimate the spread of their distribution: a correct 95 % interval (Student's t) would
    be six times as wide.
    """
    n = len(values)
    mean = sum(values) / n
    if n < LEAST_REPEATS:
        return mean, mean, mean
    half = z * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)
    return mean, mean - half, mean + half


def crossing(x, y, level: float) -> float:
    """The x, on a log axis, at which a curve through points last rises through `level`; NaN if it ends below."""
    x, y = np.log(np.asarray(x, dtype=float)), np.asarray(y, dtype=float)
    below = np.flatnonzero(y < level)
    if len(y) == 0 or y[-1] < level:
        return math.nan
    if len(below) == 0:
        return float(np.exp(x[0]))
    i = below[-1]
    return float(np.exp(x[i] + (level - y[i]) / (y[i + 1] - y[i]) * (x[i + 1] - x[i])))

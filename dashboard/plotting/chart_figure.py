"""The Bokeh figure of a chart: it lives as long as its page and is updated in place."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from bokeh.core.properties import value as fixed
from bokeh.models import (
    AllLabels,
    ColumnDataSource,
    CustomLabelingPolicy,
    FixedTicker,
    HoverTool,
    LegendItem,
    MultiLine,
    Patches,
    Range1d,
    Scatter,
)
from bokeh.plotting import figure

from dashboard.plotting.chart import Chart
from dashboard.plotting.curve_ends import CurveEnds
from dashboard.plotting.figure import (
    APART,
    folding_legend,
    keep_text,
    rule,
    scale_x,
    scale_y,
)
from dashboard.plotting.log_ticks import log_ticks
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import DASHES

_SHADE = 0.14
_FILLS_ITS_PLACE = {"height": "auto", "flex": "1 1 210px", "min-height": "210px"}
_SLANT = 0.7  # Radians, of names under an axis.
_FITS, _ROW = {"x": 46, "y": 28}, 28  # Letters of an axis's title in one row on a phone, and in each of two.
_AXIS = {"axis_label_text_font_size": "14px", "major_label_text_font_size": "12px"}
_APART = beside(__file__, "labels_apart.js")
_TITLE, _LEGEND = {"text_font_size": "16px"}, {"label_text_font_size": "12px"}
_TIPS = [("", "@name"), ("", "@x{0.[000]}"), ("", "@y{0.[0000]}"), ("", "@note")]


class ChartFigure:
    """The figure of a chart.

    Parameters
    ----------
    narrow : bool
        Whether it stands beside two others: its legend then needs less room.
    ends : bool
        Whether names stand at the ends of curves in place of a legend, and the present setting's at its rule; the page
        around it has the axes' titles.

    Attributes
    ----------
    figure : bokeh.plotting.figure
    """

    def __init__(self, *, narrow: bool = False, ends: bool = False):
        # Plain glyphs: those that `bokeh.plotting` makes are of four times as many models.
        plot = self.figure = figure(
            x_range=Range1d(1, 10),
            y_range=Range1d(0, 1),
            x_axis_type="log",
            height=230,
            styles=_FILLS_ITS_PLACE,
            tools="",
            toolbar_location=None,
            min_border_right=10,
            outline_line_color=None,
            sizing_mode="stretch_width",
        )
        plot.grid.grid_line_alpha = 0.6
        for axis in plot.axis:
            axis.update(axis_label_text_font_style="normal", **_AXIS)
        plot.title.update(text_font_style="normal", **_TITLE)
        plot.xaxis[0].major_label_policy = CustomLabelingPolicy(code=_APART)
        log_ticks(plot, plot.xaxis[0], plot.xgrid[0])
        self._shown: Chart | None = None
        self._sources: dict[str, ColumnDataSource] = {}
        for name in ("bands", "lines", "points"):
            self._draw(name)
        drawn = plot.renderers[-1]
        plot.add_tools(HoverTool(tooltips=_TIPS, mode="mouse", renderers=[drawn]))
        self._lines = plot.renderers[1]
        self._legend = folding_legend(plot)
        self._legend.update(**_LEGEND)
        keep_text(plot, axis=_AXIS, title=_TITLE, legend=_LEGEND)
        if narrow:
            self._legend.update(
                label_text_font_size="12px", glyph_width=14, spacing=0, padding=0, label_standoff=3
            )
        # The first one waits for its place: a browser that lays out a figure does not know one that has just come.
        self._rules = [rule(plot, "height")]
        self._ends = CurveEnds(plot, self._legend) if ends else None
        if ends:
            self._legend.visible = False

    def show(self, chart: Chart) -> None:
        """Show a chart; what has not changed is left alone."""
        before, self._shown = self._shown, chart
        for name, columns in _COLUMNS.items():
            found = getattr(chart, name)
            if found != (getattr(before, name) if before else ()):
                self._draw(name).data = columns(found)
        if before is None or before.lines != chart.lines:
            self._list(chart)
        if self._ends is not None:
            self._ends.show(chart)
        self._scale("x", chart.x, before and before.x, was_log=True)  # It is made with a logarithmic axis.
        self._scale("y", chart.y, before and before.y, was_log=False)
        if chart.title != (before.title if before else ""):
            self.figure.title.text = chart.title
        self._rule(chart.rules)

    def clear(self) -> None:
        """Show nothing but the axes."""
        if self._shown is not None:
            self.show(replace(self._shown, **dict.fromkeys((*_COLUMNS, "rules"), ())))

    def _draw(self, name):
        """The source of a kind of mark, drawn from the first time on that a chart has it."""
        if name not in self._sources:
            source = self._sources[name] = ColumnDataSource(_COLUMNS[name](()))
            self.figure.add_glyph(source, _GLYPHS[name]())
        return self._sources[name]

    def _list(self, chart):
        listed = [(place, line) for place, line in enumerate(chart.lines) if line.listed]
        names = [f"{line.name}{APART}{line.value}" if line.value else line.name for _, line in listed]
        places, items = [place for place, _ in listed], self._legend.items
        if [item.index for item in items] != places:
            items = self._legend.items = [
                LegendItem(label=fixed(name), renderers=[self._lines], index=place)
                for name, place in zip(names, places, strict=True)
            ]
        for item, name in zip(items, names, strict=True):
            if item.label.value != name:
                item.label = fixed(name)

    def _scale(self, side, scale, before, *, was_log):
        plot = self.figure
        if (before.log if before else was_log) != scale.log:
            (scale_x if side == "x" else scale_y)(plot, log=scale.log)
        if before is None or before.ends != scale.ends:
            low, high = scale.ends
            span = plot.x_range if side == "x" else plot.y_range
            span.update(start=low, end=high, reset_start=low, reset_end=high)
        axis = (plot.xaxis if side == "x" else plot.yaxis)[0]
        if self._ends is None and (before is None or before.label != scale.label):
            fits = len(scale.label) <= _FITS[side]
            axis.axis_label = scale.label if fits else "\n".join(textwrap.wrap(scale.label, _ROW))
        if scale.names != (before.names if before else ()):
            axis.ticker = FixedTicker(ticks=[*range(1, len(scale.names) + 1)])
            axis.major_label_overrides = dict(enumerate(scale.names, start=1))
            axis.major_label_orientation, axis.major_label_policy = _SLANT, AllLabels()

    def _rule(self, places: Sequence[float]):
        while len(self._rules) < len(places):
            self._rules.append(rule(self.figure, "height"))
        for number, span in enumerate(self._rules):
            at = places[number] if number < len(places) else None
            if span.location != at:
                span.location = at


def _of_lines(lines):
    return {
        "xs": [line.x for line in lines],
        "ys": [line.y for line in lines],
        "colour": [line.colour for line in lines],
        "dash": [list(DASHES.get(line.dash, ())) for line in lines],
        "width": [line.width for line in lines],
        "alpha": [line.alpha for line in lines],
        "name": [line.name for line in lines],
    }


def _of_bands(bands):
    return {
        "xs": [[*band.x, *band.x[::-1]] for band in bands],
        "ys": [[*band.high, *band.low[::-1]] for band in bands],
        "colour": [band.colour for band in bands],
    }


def _of_points(series):
    def each(name):
        return [getattr(points, name) for points in series for _ in points.x]

    notes = [note for points in series for note in (points.notes or [""] * len(points.x))]
    return {
        "x": [x for points in series for x in points.x],
        "y": [y for points in series for y in points.y],
        "note": notes,
        **{name: each(name) for name in ("name", "colour", "marker", "size", "fill")},
    }


_COLUMNS = {"bands": _of_bands, "lines": _of_lines, "points": _of_points}
_GLYPHS = {
    "bands": lambda: Patches(xs="xs", ys="ys", fill_color="colour", fill_alpha=_SHADE, line_color=None),
    "lines": lambda: MultiLine(
        xs="xs", ys="ys", line_color="colour", line_dash="dash", line_width="width", line_alpha="alpha"
    ),
    "points": lambda: Scatter(
        x="x",
        y="y",
        marker="marker",
        size="size",
        line_color="colour",
        fill_color="colour",
        fill_alpha="fill",
    ),
}

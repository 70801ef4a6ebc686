"""The comparison curve: one Bokeh figure that exists as long as its page.

Each scheme has a line with markers and a band, from one data source that is updated in place: the
user's zoom and muted legend entries stay. When a new run starts, the old picture fades, and a line above it says of
which settings it is, until the first new point arrives. Then all old points are removed at once, so that the figure
never shows a point with settings other than its own. The horizontal axis covers all points of the run from its start.
Points that are not known yet are hollow marks at its foot, and neither line nor band leads across them. The legend
names the curves that have points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, LabelSet, LogScale, Range1d
from scipy.special import stdtrit

from core.schemes import SCHEMES
from dashboard.plotting.figure import house_figure, in_lines, scale_x, subtitle
from dashboard.plotting.pins import Pins
from dashboard.plotting.scheme_lines import EMPTY, SHADE, SchemeLines
from dashboard.state.number_text import LEAST_REPEATS
from dashboard.theme.scheme_style import LOOKS, QUIET, ink

_FADED, _CLEAR = 0.25, 1.0
_ROOM = 0.05  # Share of the axis that is left free at each end.


@dataclass(frozen=True)
class _Run:
    schemes: tuple[str, ...]
    label: str
    grid: tuple[float, ...]
    also: tuple[float, ...]
    log: bool


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
    shade : float
        Opacity of the bands.

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
        shade: float = SHADE,
    ):
        rows = [
            ("", "@scheme"),
            (x_label, "@x{0.[000]}"),
            (y_label, "@mean{0.[0000]}"),
            ("band", "@low to @high"),
        ]
        # A range that follows data goes back to its first ends, so another axis would be cut at those of this one.
        options = {"x_range": Range1d(1, 10), "hover": rows if hover else None}
        self.figure = house_figure(x_label, y_label, x_log=x_log, y_log=y_log, height=height, **options)
        self._subtitle = subtitle(self.figure)
        self._schemes = SchemeLines(self.figure, schemes, shade=shade)
        self._awaited: _Run | None = None
        self._grid: tuple[float, ...] = ()
        self._missing = _hollow_marks(self.figure)
        # Not drawn: before the first point, the vertical axis follows it.
        self._room = ColumnDataSource({"x": [], "y": []})
        self.figure.scatter("x", "y", source=self._room, visible=False)
        self.label = ""
        self.pins = Pins(
            self.figure,
            self._schemes.legend,
            self._schemes.lines,
            ready=lambda: bool(self.label) and not self.stale,
        )

    def start(
        self,
        schemes,
        label: str,
        *,
        grid: Sequence[float] = (),
        also: Sequence[float] = (),
        log: bool = True,
        scale: Sequence[float] = (),
    ) -> None:
        """Prepare for a run with settings `label`; the old curves fade until its first point.

        Parameters
        ----------
        grid : sequence of float
            Positions of all points of the run; the horizontal axis covers them. Without them it stays as it is.
        also : sequence of float
            Further positions that the axis covers.
        log : bool
            Whether an axis with a grid is logarithmic.
        scale : (float, float), optional
            Ends of the vertical axis before the first point.
        """
        self._awaited = _Run(tuple(schemes), label, tuple(sorted(grid)), tuple(also), log)
        if self.label:
            words = f"Computing. The faded curves are from the previous settings: {self.label}"
            self._subtitle.text = in_lines(words)
        else:  # Nothing was drawn yet: axis and legend are those of the curves to come.
            self._offer(schemes)
            self._cover(self._awaited)
            self._room.data = {"x": [grid[0], grid[-1]] if scale else [], "y": list(scale)}
        self._fade(_FADED)

    def update(self, scheme: str, x, mean, low, high) -> None:
        """Set all points of one scheme so far, in order: arrays of equal length; NaN leaves a gap."""
        if self._awaited is not None:
            self._begin()
        columns = {"x": list(x), "mean": list(mean), "low": list(low), "high": list(high)}
        columns = _broken(columns, self._grid)
        series = self._schemes[scheme]
        series.source.data = columns | {"scheme": [LOOKS[scheme].label] * len(columns["x"])}
        series.name()
        known = {at for series in self._schemes.made.values() for at in series.source.data["x"]}
        self._mark([at for at in self._grid if at not in known])

    @property
    def columns(self) -> dict[str, dict[str, list]]:
        """The drawn data of every scheme: x, means and the ends of the band; empty while it has no points."""
        made = self._schemes.made
        return {name: dict(made[name].source.data) if name in made else _nothing() for name in self._schemes}

    def points(self, scheme: str) -> tuple[list, list]:
        """x and y of a scheme's curve as far as it is drawn."""
        data = self.columns[scheme]
        kept = [point for point in zip(data["x"], data["mean"], strict=True) if not math.isnan(point[1])]
        return [x for x, _ in kept], [mean for _, mean in kept]

    @property
    def stale(self) -> bool:
        """Whether the drawn curves belong to older settings."""
        return self._awaited is not None

    def _begin(self):
        run, self._awaited = self._awaited, None
        self.label = run.label
        for series in self._schemes.made.values():
            series.source.data = _nothing()
        self._offer(run.schemes)
        self._cover(run)
        self._room.data = {"x": [], "y": []}
        self._subtitle.text = in_lines(self.label)
        self._fade(_CLEAR)

    def _cover(self, run):
        """Let the horizontal axis cover all points of a run, none of which is known yet."""
        self._grid = run.grid
        self._mark(run.grid)
        if not run.grid:
            return
        if run.log != isinstance(self.figure.x_scale, LogScale):
            scale_x(self.figure, log=run.log)
        low, high = min(*run.grid, *run.also), max(*run.grid, *run.also)
        if run.log:
            room = (high / low) ** _ROOM if high > low else 2.0
            self.figure.x_range.update(start=low / room, end=high * room)
        else:
            room = _ROOM * (high - low) or 1.0
            self.figure.x_range.update(start=low - room, end=high + room)

    def _mark(self, missing):
        if list(missing) != self._missing.data["x"]:
            self._missing.data = {"x": list(missing)}

    def _offer(self, schemes):
        # New curves are made in the colours of the light theme.
        dark = self._subtitle.text_color == ink(dark=True, quiet=True)
        self._schemes.offer((scheme for scheme in self._schemes if scheme in schemes), dark=dark)

    def _fade(self, alpha):
        for series in self._schemes.made.values():
            series.fade(alpha)


def _nothing():
    return {**EMPTY, "scheme": []}


def _hollow_marks(figure):
    """The source of hollow marks at the foot of a figure, one for each point that was not run yet."""
    source = ColumnDataSource({"x": []})
    look = {"text_color": ink(dark=False, quiet=True), "text_align": "center", "text_font_size": "13px"}
    figure.add_layout(
        LabelSet(x="x", y=3, y_units="screen", text=value("○"), source=source, tags=[QUIET], **look)
    )
    return source


def _broken(columns, grid):
    """Columns with a gap wherever a point of `grid` between two points is not known.

    NaN breaks the line. The browser leads a band across NaN, so the band has no width from end to end of a gap.
    """
    x, mean = columns["x"], columns["mean"]
    gaps = [i for i in range(1, len(x)) if any(x[i - 1] < at < x[i] for at in grid)]
    for i in reversed(gaps):
        ends = mean[i - 1 : i + 1]
        closed = {"x": x[i - 1 : i + 1], "mean": [math.nan, math.nan], "low": ends, "high": ends}
        columns = {name: [*old[:i], *closed[name], *old[i:]] for name, old in columns.items()}
    return columns


def band(values) -> tuple[float, float, float]:
    """Mean of repeats and Student's 95 % interval for it: (mean, low, high); no width for fewer than three repeats.

    A normal interval of five repeats would hold the mean in 88 % of cases only. Two repeats say too little for any.
    """
    n = len(values)
    mean = sum(values) / n
    if n < LEAST_REPEATS:
        return mean, mean, mean
    half = float(stdtrit(n - 1, 0.975)) * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)
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

"""What a correction moves: the leading curve as published, dashed, the area up to the revised one, and an arrow.

Where the value with the errors corrected alone is known, a first arrow leads to it and a second from there.
"""

from __future__ import annotations

from bokeh.models import ColumnDataSource, LogScale

from core.schemes import is_private
from dashboard.pages.decide.papers import changes
from dashboard.pages.decide.papers.model import Plan
from dashboard.theme.scheme_style import INK, LOOKS, ink

_NONE: dict[str, list] = {"x": [], "was": [], "now": []}
_ASIDE = 0.016  # Of the axis: where the first of two arrows stands beside the second.
_HEADS = ("inverted_triangle", "triangle")


class Gain:
    """The drawing of a change in a figure; its renderers are made when a corrected figure is first shown.

    Parameters
    ----------
    figure : bokeh.plotting.figure
    """

    def __init__(self, figure):
        self._figure = figure
        self._course, self._step = ColumnDataSource(dict(_NONE)), ColumnDataSource({**_NONE, "head": []})
        self._made: tuple = ()

    @property
    def arrow(self) -> tuple[float, float, float] | None:
        """x, from and to of the arrow, of the last one where there are two; None while there is none."""
        data = self._step.data
        return None if not data["x"] else (data["x"][-1], data["was"][-1], data["now"][-1])

    @property
    def by_errors(self) -> tuple[float, float] | None:
        """From and to of the arrow of the errors alone; None where they are not known alone."""
        data = self._step.data
        return None if len(data["x"]) < 2 else (data["was"][0], data["now"][0])

    def draw(self, plan: Plan, rows, *, dark: bool) -> None:
        """Show the change of a corrected figure whose published run is there, else nothing."""
        known = plan.convention == "corrected" and plan.other is not None and not rows.empty
        found = changes.change(plan, rows) if known else None
        if found is None:
            self._course.data, self._step.data = dict(_NONE), {**_NONE, "head": []}
            return
        colour = LOOKS[found.method].colour if is_private(found.method) else ink(dark=dark)
        self._build(dark=dark)
        self._made[0].glyph.fill_color = self._made[1].glyph.line_color = colour
        self._course.data = _between(*changes.lines(plan, rows), log=plan.experiment.y_log)
        steps = [(found.x, found.was, found.now)]
        if found.errors is not None:
            steps = [(self._beside(found.x), found.was, found.errors), (found.x, found.errors, found.now)]
        data = {name: [step[i] for step in steps] for i, name in enumerate(_NONE)}
        self._step.data = {**data, "head": [_HEADS[now > was] for _, was, now in steps]}

    def _beside(self, x):
        """A place a little to the left of x."""
        axis = self._figure.x_range
        if isinstance(self._figure.x_scale, LogScale):
            return x * (axis.start / axis.end) ** _ASIDE
        return x - _ASIDE * (axis.end - axis.start)

    def _build(self, *, dark):
        if self._made:
            return
        area = self._figure.varea("x", "was", "now", source=self._course, fill_alpha=0.14)
        line = self._figure.line(
            "x", "was", source=self._course, line_dash="dashed", line_width=2.5, line_alpha=0.9
        )
        colour, step = ink(dark=dark), self._step
        shaft = self._figure.segment("x", "was", "x", "now", source=step, line_color=colour, line_width=3.5)
        head = {"size": 15, "marker": "head", "line_color": colour, "fill_color": colour}
        heads = self._figure.scatter("x", "now", source=step, **head)
        for part in (shaft, heads):  # The browser finds no view of an `Arrow` that comes later.
            part.glyph.tags = [INK]
        self._made = area, line, shaft, heads


def _between(before, after, *, log):
    """x and the two heights at all points that both curves have; a logarithmic axis shows none that are not positive."""
    now = dict(zip(*after, strict=True))
    points = [(x, was, now[x]) for x, was in zip(*before, strict=True) if x in now]
    points = [point for point in points if not log or min(point[1:]) > 0]
    return {name: [point[i] for point in points] for i, name in enumerate(_NONE)}

"""What a correction moves: the leading curve as published, dashed, the area up to the corrected one, and an arrow."""

from __future__ import annotations

from bokeh.models import ColumnDataSource

from core.schemes import is_private
from dashboard.pages.decide.papers import changes
from dashboard.pages.decide.papers.model import Plan
from dashboard.theme.scheme_style import INK, LOOKS, ink

_NONE: dict[str, list] = {"x": [], "was": [], "now": []}
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
        """x, from and to of the arrow; None while there is none."""
        data = self._step.data
        return None if not data["x"] else (data["x"][0], data["was"][0], data["now"][0])

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
        head = _HEADS[found.now > found.was]
        self._step.data = {"x": [found.x], "was": [found.was], "now": [found.now], "head": [head]}

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

"""What a revision moves: two curves as published, dashed, the areas up to the revised ones, and an arrow each."""

from __future__ import annotations

from itertools import zip_longest

from bokeh.models import ColumnDataSource, LogScale

from core.schemes import is_private
from dashboard.pages.decide.papers import changes
from dashboard.pages.decide.papers.model import Plan
from dashboard.theme.scheme_style import INK, LOOKS, ink

_NONE: dict[str, list] = {"x": [], "was": [], "now": []}
_ASIDE = 0.02  # Of the axis: where the second of two arrows stands beside the first.
_HEADS = ("inverted_triangle", "triangle")


class Gain:
    """The drawing of a change in a figure; its renderers are made when a revised figure is first shown.

    Parameters
    ----------
    figure : bokeh.plotting.figure
    """

    def __init__(self, figure):
        self._figure = figure
        self._courses = [ColumnDataSource(dict(_NONE)) for _ in range(2)]
        self._step = ColumnDataSource({**_NONE, "head": []})
        self._made: list = []

    @property
    def arrows(self) -> list[tuple[float, float, float]]:
        """x, from and to of the arrows."""
        return list(zip(*(self._step.data[name] for name in _NONE), strict=True))

    def draw(self, plan: Plan, rows, *, dark: bool) -> None:
        """Show the change of a revised figure whose published run is there, else nothing."""
        found = changes.change(plan, rows)
        lines = {} if found is None else changes.lines(plan, rows)
        if lines:
            self._build(dark=dark)
        for place, (course, method) in enumerate(zip_longest(self._courses, lines)):
            course.data = (
                _between(*lines[method], log=plan.experiment.y_log) if method is not None else dict(_NONE)
            )
            if method is not None:
                area, line = self._made[place]
                colour = LOOKS[method].colour if is_private(method) else ink(dark=dark)
                area.glyph.fill_color = line.glyph.line_color = colour
        steps = (
            [] if found is None else [(found.x, *move) for move in found.moves.values() if move[0] != move[1]]
        )
        if len(steps) == 2 and max(map(min, (s[1:] for s in steps))) < min(map(max, (s[1:] for s in steps))):
            steps[1] = (self._beside(found.x), *steps[1][1:])
        data = {name: [step[i] for step in steps] for i, name in enumerate(_NONE)}
        self._step.data = {**data, "head": [_HEADS[now > was] for _, was, now in steps]}

    def _beside(self, x):
        """A place a little to the right of x, for an arrow that would lie on another."""
        axis = self._figure.x_range
        if isinstance(self._figure.x_scale, LogScale):
            return x * (axis.end / axis.start) ** _ASIDE
        return x + _ASIDE * (axis.end - axis.start)

    def _build(self, *, dark):
        if self._made:
            return
        dashed = {"line_dash": "dashed", "line_width": 2.5, "line_alpha": 0.9}
        for course in self._courses:
            area = self._figure.varea("x", "was", "now", source=course, fill_alpha=0.14)
            self._made.append((area, self._figure.line("x", "was", source=course, **dashed)))
        colour, step = ink(dark=dark), self._step
        shaft = self._figure.segment("x", "was", "x", "now", source=step, line_color=colour, line_width=3.5)
        head = {"size": 15, "marker": "head", "line_color": colour, "fill_color": colour}
        heads = self._figure.scatter("x", "now", source=step, **head)
        for part in (shaft, heads):  # The browser finds no view of an `Arrow` that comes later.
            part.glyph.tags = [INK]


def _between(before, after, *, log):
    """x and the two heights at all points that both curves have; a logarithmic axis shows none that are not positive."""
    points = [(x, before[x], after[x]) for x in before.index if x in after.index]
    points = [point for point in points if not log or min(point[1:]) > 0]
    return {name: [point[i] for point in points] for i, name in enumerate(_NONE)}

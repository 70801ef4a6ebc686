"""The two figures by formula: noise along the amplitude, and along dropouts or colluders."""

from __future__ import annotations

import pandas as pd
from bokeh.models import ColumnDataSource, FixedTicker

from dashboard.pages.trust.limits.model import AMPLITUDES, COMPARED, Plan
from dashboard.plotting.figure import ASIDE, folding_legend, house_figure, rule
from dashboard.theme.scheme_style import LOOKS, label

RATIO = "noise variance ÷ that of a trusted curator"


class AmplitudeCurve:
    """CAPE's noise along its amplitude, with the other schemes as levels."""

    def __init__(self):
        self.figure = house_figure(
            "amplitude of the noise that cancels (1: CAPE as published)",
            RATIO,
            x_log=True,
            y_log=True,
            height=400,
            name="amplitude",
        )
        self._curve = ColumnDataSource({"x": AMPLITUDES, "y": [1.0] * len(AMPLITUDES)})
        look = LOOKS["cape"]
        line = self.figure.line("x", "y", source=self._curve, color=look.colour, line_width=3)
        self._levels, entries = {}, [("CAPE at this amplitude", [line])]
        for scheme in ("conventional", "graph", "secure"):
            # A line through two points: a legend cannot list an annotation.
            source = ColumnDataSource({"x": [], "y": []})
            style = {"color": LOOKS[scheme].colour, "line_dash": LOOKS[scheme].dash, "line_width": 2.5}
            level = self.figure.line("x", "y", source=source, **style)
            level.tags = [ASIDE] if scheme == "graph" else []  # No slide explains it.
            entries.append((label(scheme), [level]))
            self._levels[scheme] = source
        self._points = {}
        for name, words, marker in (("published", "published", "circle"), ("best", "best tuned", "square")):
            source = ColumnDataSource({"x": [], "y": []})
            mark = self.figure.scatter(
                "x", "y", source=source, marker=marker, size=12, color=look.colour, line_color="white"
            )
            entries.append((f"CAPE, {words}", [mark]))
            self._points[name] = source
        self._chosen = ColumnDataSource({"x": [], "y": []})
        ring = {"size": 22, "fill_alpha": 0, "line_color": look.colour, "line_width": 2.5}
        self.figure.scatter("x", "y", source=self._chosen, **ring)
        self._here = rule(self.figure, "height")
        legend = folding_legend(self.figure, entries)
        self._graph = legend.items[[name for name, _ in entries].index(label("graph"))]

    def draw(self, plan: Plan, graph: float | None) -> None:
        """Show a plan; the graph's level is None until it is computed."""
        if self._curve.data["y"] is not plan.curve:
            self._curve.data = {"x": AMPLITUDES, "y": plan.curve}
        # An entry without a line would name nothing.
        self._graph.visible = graph is not None and self._graph.renderers[0].visible
        levels = {
            "conventional": plan.ratios["conventional"],
            "secure": plan.ratios["secure"],
            "graph": graph,
        }
        for scheme, source in self._levels.items():
            ends = {"x": [AMPLITUDES[0], AMPLITUDES[-1]], "y": [levels[scheme]] * 2}
            source.data = {"x": [], "y": []} if levels[scheme] is None else ends
        for name, point in (("published", plan.published), ("best", plan.best)):
            self._points[name].data = {"x": [min(point[0], AMPLITUDES[-1])], "y": [point[1]]}
        self._chosen.data = {"x": [plan.chosen[0]], "y": [plan.chosen[1]]}
        self._here.location = plan.chosen[0]


class Counted:
    """Every scheme's noise along the number of dropouts or of colluders."""

    def __init__(self):
        self.figure = house_figure("sites that drop out", RATIO, y_log=True, height=320, name="counted")
        self._sources, entries = {}, []
        for scheme in COMPARED:
            if scheme == "graph":
                continue
            look, source = LOOKS[scheme], ColumnDataSource({"count": [], "ratio": []})
            line = self.figure.line(
                "count", "ratio", source=source, color=look.colour, line_dash=look.dash, line_width=2.5
            )
            marks = self.figure.scatter(
                "count", "ratio", source=source, marker=look.marker, size=9, color=look.colour
            )
            entries.append((label(scheme), [line, marks]))
            self._sources[scheme] = source
        self.figure.xaxis[0].ticker = FixedTicker(ticks=list(range(21)))
        self._now = rule(self.figure, "height")
        folding_legend(self.figure, entries)

    def draw(self, table: pd.DataFrame, along: str, now: int) -> None:
        """Show what `model.counted` found."""
        for scheme, source in self._sources.items():
            part = table[table.scheme == scheme]
            source.data = {"count": part["count"], "ratio": part["ratio"]}
        self.figure.xaxis[0].axis_label = (
            "sites that drop out" if along == "dropouts" else "sites that collude"
        )
        self._now.location = now

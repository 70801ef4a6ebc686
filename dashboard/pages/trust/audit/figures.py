"""The figures of the Audit page, updated in place."""

from __future__ import annotations

import numpy as np
from bokeh.models import BasicTicker, ColumnDataSource, CustomJSTickFormatter, Range1d, Span

from core.audit import promised_tradeoff
from dashboard.components.layout import bokeh_pane, grid
from dashboard.plotting.figure import folding_legend, house_figure
from dashboard.theme.colours import FORBIDDEN, OBSERVED
from dashboard.theme.scheme_style import INK, QUIET, ink

_GROUPED = r'return String(tick).replace(/\B(?=(\d{3})+$)/g, "\u202f")'  # 100 000, as on the slider.
_TWO = {"--least": "40%"}  # No third column on a wide screen.


class AuditFigures:
    """The trade-off, and the lower bound on ε against the number of runs."""

    def __init__(self, alpha: np.ndarray):
        self._alpha = alpha
        self._build_tradeoff()
        self._build_bounds()
        self.figures = self._tradeoff, self._bound
        self.layout = grid(
            bokeh_pane(self._tradeoff), bokeh_pane(self._bound), least=380, margin=(16, 0, 0, 0)
        )

    def draw(self, picture) -> None:
        """Draw one picture."""
        verdict, case = picture.verdict, picture.plan.case
        promised = promised_tradeoff(case.promise, self._alpha, gaussian=case.gaussian)
        self._promise.data = {"alpha": self._alpha, "beta": promised, "zero": np.zeros_like(promised)}
        self._observed.data = {"alpha": self._alpha, "beta": verdict.tradeoff(self._alpha)}
        self._point.data = {
            "alpha": [verdict.false_alarms / verdict.trials],
            "beta": [verdict.missed / verdict.trials],
        }
        self._course.data = {"trials": picture.trials, "epsilon": picture.bounds}
        self._promised.location = case.promise.epsilon
        self._bound.x_range.update(start=0, end=1.02 * picture.plan.batch * 20)
        top = max(case.promise.epsilon, float(picture.bounds.max(initial=0)))
        self._bound.y_range.update(start=0, end=1.15 * top)

    def _build_tradeoff(self):
        plot = self._tradeoff = house_figure(
            "false alarms α",
            "missed β",
            height=340,
            title="Error rates, observed and promised",
        )
        plot.x_range, plot.y_range = Range1d(0, 1), Range1d(0, 1)
        self._promise = ColumnDataSource({"alpha": [], "beta": [], "zero": []})
        self._observed = ColumnDataSource({"alpha": [], "beta": []})
        self._point = ColumnDataSource({"alpha": [], "beta": []})
        forbidden = plot.varea(
            "alpha", "zero", "beta", source=self._promise, fill_color=FORBIDDEN, fill_alpha=0.16
        )
        soft, shade = ink(dark=False, quiet=True), ink(dark=False)
        nothing = plot.line([0, 1], [1, 0], color=soft, line_dash="dotted", line_width=1.5)
        promise = plot.line(
            "alpha", "beta", source=self._promise, color=shade, line_dash="dashed", line_width=2.5
        )
        observed = plot.line("alpha", "beta", source=self._observed, color=OBSERVED, line_width=3)
        point = plot.scatter("alpha", "beta", source=self._point, size=11, color=OBSERVED, line_color="white")
        nothing.glyph.tags, promise.glyph.tags = [QUIET], [INK]
        entries = [
            ("promised lower limit", [promise]),
            ("below the promise", [forbidden]),
            ("observed", [observed]),
            ("counts behind the bound", [point]),
            ("pure guessing", [nothing]),
        ]
        folding_legend(plot, entries)

    def _build_bounds(self):
        plot = self._bound = house_figure(
            "releases of each kind", "ε", height=340, title="Lower bound on ε against releases"
        )
        plot.xaxis[0].formatter = CustomJSTickFormatter(code=_GROUPED)
        plot.xaxis[0].ticker = plot.xgrid[0].ticker = BasicTicker(desired_num_ticks=4)
        plot.x_range, plot.y_range = Range1d(0, 1), Range1d(0, 1)
        self._course = ColumnDataSource({"trials": [], "epsilon": []})
        line = plot.line("trials", "epsilon", source=self._course, color=OBSERVED, line_width=3)
        plot.scatter("trials", "epsilon", source=self._course, color=OBSERVED, size=6)
        shade = ink(dark=False)
        self._promised = Span(
            dimension="width", line_color=shade, line_dash="dashed", line_width=2, tags=[INK]
        )
        plot.add_layout(self._promised)
        dashes = plot.line([float("nan")] * 2, [0, 0], color=shade, line_dash="dashed", line_width=2)
        dashes.glyph.tags = [INK]
        folding_legend(plot, [("lower bound on ε", [line]), ("promised ε", [dashes])])

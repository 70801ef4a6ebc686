"""The figures of the Regression page beside its curve, updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource

from core import cape
from core.schemes import PRIVATE, is_private, named, presented
from dashboard.components.layout import FULL, bokeh_pane, grid
from dashboard.pages.analyse.regression.model import WIDTHS, noise
from dashboard.plotting.figure import drawable, folding_legend, house_figure, rule
from dashboard.theme.scheme_style import INK, LOOKS, QUIET, ink

PREDICTION = "prediction"
_Z = 1.96


def drawn_noise() -> tuple[str, ...]:
    """Schemes whose noise may be drawn: those without a curator."""
    return tuple(s for s in presented(PRIVATE) if not named(s).curator)


def with_bars() -> tuple[str, ...]:
    """Schemes whose coefficients are drawn: those in which all sites take part, to leave space for the bars."""
    return tuple(s for s in drawn_noise() if not named(s).one_site)


class RegressionFigures:
    """Coefficients beside the true ones, predictions along one feature, and noise against the width."""

    def __init__(self, mechanisms):
        self._build_coefficients()
        self._build_fit(mechanisms)
        self._build_noise()
        self.figures = self._coefficients, self._fit, self._noise
        panes = [bokeh_pane(plot) for plot in self.figures]
        self.view = pn.Column(panes[0], grid(*panes[1:], least=380), **FULL)

    def draw(self, plan, records, spots) -> None:
        """Draw the spots found so far; `spots` by mechanism."""
        self._draw_coefficients(plan, records.truth, spots)
        self._draw_fit(plan, records, spots)
        self._draw_noise(plan, records.total)

    def _build_coefficients(self):
        plot = self._coefficients = house_figure("feature", "coefficient", height=300, title="Coefficients")
        plot.xgrid.visible = False
        self._truth = ColumnDataSource({"x0": [], "x1": [], "w": []})
        truth = plot.segment("x0", "w", "x1", "w", source=self._truth, line_width=3, color=ink(dark=False))
        truth.glyph.tags = [INK]
        self._bars, drawn = {}, []
        for name in with_bars():
            look, source = LOOKS[name], ColumnDataSource({n: [] for n in ("x", "mean", "low", "high")})
            bars = plot.segment("x", "low", "x", "high", source=source, color=look.colour, line_width=2)
            dots = plot.scatter("x", "mean", source=source, color=look.colour, marker=look.marker, size=7)
            self._bars[name] = source
            drawn.append((look.label, [bars, dots]))
        self._legend = folding_legend(plot, [("truth", [truth]), *drawn])

    def _build_fit(self, mechanisms):
        plot = self._fit = house_figure(
            "feature", "response", height=320, title="Prediction", name=PREDICTION
        )
        self._dots = ColumnDataSource({"x": [], "y": []})
        dots = plot.scatter("x", "y", source=self._dots, size=4, alpha=0.4, color=ink(dark=False, quiet=True))
        dots.glyph.tags = [QUIET]
        self._lines = _lines(plot, mechanisms)

    def _build_noise(self):
        plot = self._noise = house_figure(
            "features d",
            "standard deviation",
            x_log=True,
            y_log=True,
            height=320,
            title="Noise on one entry of Λ₂",
        )
        names = (*drawn_noise(), "dpfm")
        self._widths = _lines(plot, names)
        self._width = rule(plot, "height")
        self._published = ColumnDataSource({"x": [], "y": []})
        line = plot.line(
            "x", "y", source=self._published, color=LOOKS["dpfm"].colour, line_width=1.5, line_dash="dotted"
        )
        drawn = [(LOOKS[n].label, [self._widths[n][1]]) for n in names]
        legend = folding_legend(plot, [*drawn, (f"{LOOKS['dpfm'].label}, published", [line])])
        self._entries = dict(zip(names, legend.items, strict=False))

    def _draw_coefficients(self, plan, truth, spots):
        at = np.arange(1, len(truth) + 1)
        self._truth.data = {"x0": at - 0.4, "x1": at + 0.4, "w": truth}
        offsets = dict(zip(self._bars, np.linspace(-1, 1, len(self._bars)) * 0.16, strict=True))
        for item, (name, source) in zip(self._legend.items[1:], self._bars.items(), strict=True):
            found = spots.get(name)
            item.visible = found is not None
            if found is None:
                source.data = {n: [] for n in ("x", "mean", "low", "high")}
                continue
            mean, spread = found.coefficients.mean(axis=0), _Z * found.coefficients.std(axis=0)
            source.data = {"x": at + offsets[name], "mean": mean, "low": mean - spread, "high": mean + spread}
        plot = self._coefficients
        names = plan.source.features
        known = "the truth" if plan.source.synthetic else "the non-private ones"
        self._legend.items[0].label = value("truth" if plan.source.synthetic else "non-private")
        plot.title.text = f"Coefficients of {plan.settings.repeats} answers, against {known}"
        plot.xaxis.major_label_overrides = {i: drawable(name)[:24] for i, name in enumerate(names, start=1)}
        plot.xaxis.ticker = list(range(1, len(truth) + 1)) if len(truth) <= 31 else [1, 10, 20, 30, 40, 50]
        plot.xaxis.major_label_orientation = 0.9 if names else 0.0
        plot.height = 380 if names else 300

    def _draw_fit(self, plan, records, spots):
        """Predictions between public bounds, with the other features at their middle; records appear only as dots."""
        x, y, j = records.features, records.target, plan.feature - 1
        self._dots.data = {"x": x[:, j], "y": y} if plan.dots else {"x": [], "y": []}
        names = plan.source.features
        name = drawable(names[j])[:40] if names else f"feature {j + 1}"
        low, middle, high = plan.source.public_span(x.shape[1])
        ends = np.linspace(low[j], high[j], 41)
        for mechanism, (source, line) in self._lines.items():
            found = spots.get(mechanism)
            line.visible = found is not None
            if found is not None:
                w = found.drawn
                z = middle @ w + (ends - middle[j]) * w[j]
                shown = z if plan.source.response == "linear" else 0.5 * (1 + np.tanh(z / 2))
                source.data = {"x": ends, "y": shown}
        self._fit.title.text = f"Prediction along {name} (one answer)"
        self._fit.xaxis.axis_label = f"{name}, scaled; others at mid-range"
        self._fit.yaxis.axis_label = "response, scaled" if plan.source.response == "linear" else "P(y = 1)"

    def _draw_noise(self, plan, total):
        settings = plan.settings
        widths = noise(settings, plan.source.response, total, plan.here["sites"])
        for name, (source, line) in self._widths.items():
            line.visible = self._entries[name].visible = name in widths
            if name in widths:
                source.data = {"x": WIDTHS, "y": widths[name]}
        # A curator's noise is not drawn: against an observer of one message it equals CAPE's.
        same = "CAPE = pooled" if settings.adversary == "message" else LOOKS[cape.SCHEME].label
        self._entries[cape.SCHEME].label = value(f"{same}\u2003")
        self._published.data = {"x": WIDTHS, "y": widths["dpfm published"]}
        self._width.location = plan.here["dimension"]


def _lines(plot, names):
    lines = {}
    for name in names:
        look, source = LOOKS[name], ColumnDataSource({"x": [], "y": []})
        line = plot.line("x", "y", source=source, color=look.colour, line_dash=look.dash, line_width=2.5)
        line.glyph.tags = [] if is_private(name) else [INK]
        lines[name] = source, line
    return lines

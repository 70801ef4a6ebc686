"""The figures of the Sites page, updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, FactorRange, Range1d, Span

from core.schemes import named
from dashboard.components.layout import FULL, bokeh_pane, grid
from dashboard.pages.trust.sites.model import compared
from dashboard.plotting.figure import folding_legend, house_figure, slanting_names
from dashboard.state.number_text import number_text
from dashboard.theme.colours import AGGREGATOR, COLLUDERS, LOCAL_NOISE, ONE_MESSAGE, PUBLIC, ZERO_SUM
from dashboard.theme.scheme_style import LOOKS, QUIET, ink, label

BELOW = 1e-4  # A δ below this fraction of the least promise is drawn at the edge.
# Adversary, marker, colour, label.
ONLOOKERS = (
    ("message", "circle", ONE_MESSAGE, "its message alone"),
    ("public", "square", PUBLIC, "the public average"),
    ("aggregator", "diamond", AGGREGATOR, "the aggregator"),
    ("colluders", "triangle", COLLUDERS, "with the colluders"),
)


class SitesFigures:
    """The noise of each site, each adversary's δ for each site, and the noise of the average."""

    def __init__(self):
        self._build_shares()
        self._build_deltas()
        self._build_schemes()
        self.figures = self._shares, self._deltas, self._schemes
        self.layout = pn.Column(
            bokeh_pane(self._shares),
            grid(bokeh_pane(self._deltas), bokeh_pane(self._schemes), least=380),
            **FULL,
        )

    def draw(self, picture) -> None:
        """Draw one picture."""
        names = _names(picture.rows)
        for plot in (self._shares, self._deltas):
            if list(plot.x_range.factors) != names:
                plot.x_range.factors = names
        self._draw_shares(picture, names)
        self._draw_deltas(picture, names)
        self._draw_schemes(picture)

    def _build_shares(self):
        plot = self._shares = house_figure(
            "",
            "variance in the average, of CAPE's target",
            height=360,
            title="Noise of each message: what of it cancels",
            hover=[("", "@name"), ("τ", "@std"), ("zero-sum", "@zero_std"), ("local", "@local_std")],
            x_range=FactorRange(factors=["a"]),
        )
        slanting_names(plot)
        plot.y_range = Range1d(0, 1.1)
        plot.xgrid.grid_line_color = None
        names = ("name", "local", "zero_sum", "top", "std", "zero_std", "local_std", "faded")
        self._share_source = ColumnDataSource({n: [] for n in names})
        options = {"x": "name", "width": 0.7, "source": self._share_source, "line_color": None}
        local = plot.vbar(bottom=0, top="local", fill_color=LOCAL_NOISE, fill_alpha="faded", **options)
        zero_sum = plot.vbar(bottom="local", top="top", fill_color=ZERO_SUM, fill_alpha="faded", **options)
        soft = ink(dark=False, quiet=True)
        rule = Span(dimension="width", location=1, line_color=soft, line_dash="dashed", tags=[QUIET])
        plot.add_layout(rule)
        folding_legend(
            plot, [("local noise: remains", [local]), ("zero-sum noise: cancels", [zero_sum])], width=190
        )

    def _draw_shares(self, picture, names):
        zero_sum, local = picture.shares
        plan = picture.design
        self._share_source.data = {
            "name": names,
            "local": local,
            "zero_sum": zero_sum,
            "top": local + zero_sum,
            "std": [number_text(x) for x in plan.std],
            "zero_std": [number_text(x) for x in plan.zero_sum_std],
            "local_std": [number_text(x) for x in plan.local_std],
            "faded": np.where(picture.left, 1.0, 0.35),
        }
        self._shares.y_range.end = 1.12 * max(1.0, float((local + zero_sum).max()))

    def _build_deltas(self):
        plot = self._deltas = house_figure(
            "",
            "δ at the site's own ε",
            y_log=True,
            height=360,
            title="What each adversary learns about each site",
            hover=[("", "@name"), ("δ", "@text")],
            x_range=FactorRange(factors=["a"]),
        )
        slanting_names(plot)
        plot.y_range = Range1d(1e-8, 1)
        plot.xgrid.grid_line_color = None
        self._promise = ColumnDataSource({"name": [], "delta": [], "text": []})
        soft = ink(dark=False, quiet=True)
        dash = plot.rect(
            "name", "delta", width=0.9, height=3, height_units="screen", source=self._promise, color=soft
        )
        dash.glyph.tags = [QUIET]
        entries = [("promised", [dash])]
        self._seen = {}
        for key, marker, colour, name in ONLOOKERS:
            source = self._seen[key] = ColumnDataSource({"name": [], "delta": [], "text": []})
            renderer = plot.scatter("name", "delta", source=source, marker=marker, color=colour, size=9)
            entries.append((name, [renderer]))
        folding_legend(plot, entries, width=150)

    def _draw_deltas(self, picture, names):
        promised = np.array([row.delta for row in picture.rows])
        self._promise.data = {"name": names, "delta": promised, "text": [number_text(d) for d in promised]}
        edge, high = BELOW * promised.min(), promised.max()
        for key, *_ in ONLOOKERS:
            values = getattr(picture.exposed, key)
            if key == "colluders" and not picture.colluding:
                values = np.full(len(names), np.nan)  # Without colluders this is the aggregator's δ.
            shown = np.isfinite(values) & (values > 0)
            kept = np.clip(values[shown], edge, 1)
            # Markers lie side by side, so that equal values stay visible.
            offset = 0.14 * ([k for k, *_ in ONLOOKERS].index(key) - 1.5)
            places = [(name, offset) for name, is_shown in zip(names, shown, strict=True) if is_shown]
            self._seen[key].data = {
                "name": places,
                "delta": kept,
                "text": [number_text(d) for d in values[shown]],
            }
            if len(kept):
                high = max(high, kept.max())
        self._deltas.y_range.update(start=edge / 3, end=min(10.0, 10 * high))

    def _build_schemes(self):
        plot = self._schemes = house_figure(
            "noise of the average, × one curator's",
            "",
            height=360,
            title="The released average",
            hover=[("", "@name"), ("predicted", "@text"), ("measured", "@measured_text")],
            y_range=FactorRange(factors=[label(s) for s in compared()[::-1]]),
        )
        plot.x_range = Range1d(0, 1)
        plot.ygrid.grid_line_color = None
        names = ("name", "std", "colour", "text", "measured", "measured_text")
        self._scheme_source = ColumnDataSource({n: [] for n in names})
        bars = plot.hbar(
            y="name",
            left=0,
            right="std",
            height=0.55,
            fill_color="colour",
            line_color=None,
            source=self._scheme_source,
        )
        dots = plot.scatter(
            "measured",
            "name",
            size=10,
            source=self._scheme_source,
            fill_color="white",
            line_color=ink(dark=False),
            line_width=2,
        )
        folding_legend(plot, [("predicted", [bars]), ("measured, 2000 repetitions", [dots])], width=150)

    def _draw_schemes(self, picture):
        shown = [s for s in compared() if s in picture.std]
        unit = picture.std["pooled"]
        std = [picture.std[s] / unit for s in shown]
        measured = [picture.measured[s] / unit for s in shown]
        self._scheme_source.data = {
            "name": [label(s) for s in shown],
            "std": std,
            "colour": [LOOKS[s].colour for s in shown],
            "text": [number_text(unit * x) for x in std],
            "measured": measured,
            "measured_text": [number_text(unit * x) for x in measured],
        }
        # "local" may be far noisier than the rest, so its bar may exceed the axis.
        shared = max(picture.std[s] for s in shown if not named(s).one_site) / unit
        self._schemes.x_range.end = 1.15 * min(max(std), 4 * shared)


def _names(rows):
    """Names of the sites for an axis; equal names get a number."""
    names, seen = [], set()
    for number, row in enumerate(rows, start=1):
        name = row.site if row.site not in seen else f"{row.site} ({number})"
        seen.add(name)
        names.append(name)
    return names

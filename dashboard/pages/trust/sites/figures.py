"""The figures of the Sites page, updated in place."""

from __future__ import annotations

import math

import numpy as np
from bokeh.models import ColumnDataSource, FactorRange, Range1d

from dashboard.components.layout import bokeh_pane, grid
from dashboard.pages.trust.sites.model import compared
from dashboard.plotting.figure import folding_legend, house_figure, slanting_names
from dashboard.state.number_text import at_most_text, number_text
from dashboard.theme.colours import AGGREGATOR, COLLUDERS, ONE_MESSAGE, PUBLIC
from dashboard.theme.scheme_style import LOOKS, QUIET, ink, label

BELOW = 1e-4  # A δ below this fraction of the least promise is drawn at the edge.
# Adversary, marker, colour, label.
ONLOOKERS = (
    ("message", "circle", ONE_MESSAGE, "its message alone"),
    ("public", "square", PUBLIC, "the public average"),
    ("aggregator", "diamond", AGGREGATOR, "the aggregator"),
    ("colluders", "triangle", COLLUDERS, "with the colluders"),
)

_TWO = {"--least": "40%"}  # No third column on a wide screen.


class SitesFigures:
    """Each adversary's δ for each site, and the noise of the average."""

    def __init__(self):
        self._build_deltas()
        self._build_schemes()
        self.figures = self._deltas, self._schemes
        self.layout = grid(bokeh_pane(self._deltas), bokeh_pane(self._schemes), least=380)
        self.layout.styles = _TWO

    def draw(self, picture) -> None:
        """Draw one picture."""
        names = _names(picture.rows)
        if list(self._deltas.x_range.factors) != names:
            self._deltas.x_range.factors = names
        self._draw_deltas(picture, names)
        self._draw_schemes(picture)

    def _build_deltas(self):
        plot = self._deltas = house_figure(
            "",
            "δ at the site's own ε",
            y_log=True,
            height=360,
            title="What each adversary learns",
            hover=[("", "@name"), ("δ", "@text")],
            x_range=FactorRange(factors=["a"]),
        )
        slanting_names(plot)
        plot.y_range = Range1d(1e-8, 1)
        plot.xgrid.grid_line_color = None
        self._promise = ColumnDataSource({"name": [], "delta": [], "text": []})
        soft = ink(dark=False, quiet=True)
        dash = plot.scatter(
            "name", "delta", marker="dash", size=44, line_width=3, source=self._promise, color=soft
        )
        dash.glyph.tags = [QUIET]
        entries = [("promised", [dash])]
        self._seen = {}
        for key, marker, colour, name in ONLOOKERS:
            source = self._seen[key] = ColumnDataSource({"name": [], "delta": [], "text": []})
            renderer = plot.scatter("name", "delta", source=source, marker=marker, color=colour, size=9)
            entries.append((name, [renderer]))
        # Without colluders their entry would stand without a mark.
        self._colluders = folding_legend(plot, entries).items[-1]

    def _draw_deltas(self, picture, names):
        promised = np.array([row.delta for row in picture.rows])
        self._promise.data = {"name": names, "delta": promised, "text": [at_most_text(d) for d in promised]}
        self._colluders.visible = bool(picture.colluding)
        # The least tick of the axis is the edge, and says so.
        edge, high = 10.0 ** math.floor(math.log10(BELOW * promised.min()) + 1e-9), promised.max()
        self._deltas.yaxis[0].major_label_overrides = {edge: f"≤ {at_most_text(edge)}"}
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
                "text": [at_most_text(d) for d in values[shown]],
            }
            if len(kept):
                high = max(high, kept.max())
        self._deltas.y_range.update(start=edge / 3, end=min(6.0, 6 * high))

    def _build_schemes(self):
        plot = self._schemes = house_figure(
            "noise variance, × one curator's",
            "",
            height=360,
            title="The released average",
            hover=[("", "@name"), ("predicted", "@text"), ("measured", "@measured_text")],
            y_range=FactorRange(factors=[label(s) for s in compared()[::-1]]),
        )
        plot.x_range = Range1d(0, 1)
        plot.ygrid.grid_line_color = None
        names = ("name", "variance", "colour", "text", "measured", "measured_text")
        self._scheme_source = ColumnDataSource({n: [] for n in names})
        bars = plot.hbar(
            y="name",
            left=0,
            right="variance",
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
        folding_legend(plot, [("predicted", [bars]), ("measured, 2000 repetitions", [dots])])

    def _draw_schemes(self, picture):
        shown = [s for s in compared() if s in picture.std]
        unit = picture.curator
        variance = [(picture.std[s] / unit) ** 2 for s in shown]
        measured = [(picture.measured[s] / unit) ** 2 for s in shown]
        self._scheme_source.data = {
            "name": [label(s) for s in shown],
            "variance": variance,
            "colour": [LOOKS[s].colour for s in shown],
            "text": [number_text(x) for x in variance],
            "measured": measured,
            "measured_text": [number_text(x) for x in measured],
        }
        self._schemes.x_range.end = 1.15 * max(variance)


def _names(rows):
    """Names of the sites for an axis; equal names get a number."""
    names, seen = [], set()
    for number, row in enumerate(rows, start=1):
        name = row.site if row.site not in seen else f"{row.site} ({number})"
        seen.add(name)
        names.append(name)
    return names

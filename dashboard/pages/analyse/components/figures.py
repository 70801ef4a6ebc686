"""Figures below the curve of the Components page; each is created once and updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, FixedTicker, LinearColorMapper, Span
from bokeh.palettes import diverging_palette

from core import decomposition
from core.schemes import SCHEMES, is_private
from dashboard.components.fold import unfolding
from dashboard.components.layout import FULL, bokeh_pane, grid
from dashboard.pages.analyse.components.leak import Leak
from dashboard.pages.analyse.components.model import WIDTHS, Plan, Spot
from dashboard.plotting.figure import house_figure, in_lines
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import INK, LOOKS, QUIET, ink, label

_MOST_COLUMNS, _MOST_SLICES = 60, 8
_TITLE = 38  # Letters in a line of a title: more are cut off on a phone.
_BLUE, _RED, _WHITE = (8, 64, 129), (150, 35, 10), (255, 255, 255)


def _shades(start, end, steps=128):
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.linspace(start, end, steps).astype(int)]


_SEQUENTIAL = _shades(_WHITE, _BLUE, 256)
_DIVERGING = diverging_palette(_shades(_BLUE, _WHITE), _shades(_RED, _WHITE), 256)


class Tiles:
    """Rows of images, one row a method, in one figure."""

    def __init__(self, title: str):
        self.figure = house_figure("", "", height=300, title=title, x_range=(0, 1), y_range=(0, 1))
        self.figure.grid.visible = False
        self.figure.xaxis.visible = False
        self.figure.yaxis.update(axis_line_color=None, major_tick_line_color=None, minor_tick_line_color=None)
        self.figure.yaxis.major_label_text_font_size = "14px"
        self._ticker = self.figure.yaxis[0].ticker = FixedTicker(ticks=[])
        self._source = ColumnDataSource({n: [] for n in ("image", "x", "y", "dw", "dh")})
        self._mapper = LinearColorMapper(palette=_SEQUENTIAL, low=0, high=1)
        self.figure.image("image", "x", "y", "dw", "dh", source=self._source, color_mapper=self._mapper)
        frame = self.figure.block(
            "x", "y", "dw", "dh", source=self._source, fill_color=None, line_color=ink(dark=False, quiet=True)
        )
        frame.glyph.update(line_alpha=0.5, tags=[QUIET])

    def show(self, rows, *, title: str, high: float, signed: bool, row_height: int, names) -> None:
        """Draw rows of equally many images each; values up to `high`, and down to −high if `signed`."""
        self.figure.title.text = in_lines(title, _TITLE)
        self._mapper.update(
            palette=_DIVERGING if signed else _SEQUENTIAL, low=-high if signed else 0, high=high
        )
        data = {n: [] for n in ("image", "x", "y", "dw", "dh")}
        for i, row in enumerate(rows):
            for j, tile in enumerate(row):
                data["image"].append(tile[::-1])
                data["x"].append(j + 0.02)
                data["y"].append(len(rows) - i - 1 + 0.07)
                data["dw"].append(0.96)
                data["dh"].append(0.86)
        self._source.data = data
        centres = [len(rows) - i - 0.5 for i in range(len(rows))]
        self._ticker.ticks = centres
        self.figure.yaxis.major_label_overrides = dict(zip(centres, names, strict=True))
        self.figure.x_range.update(start=0, end=max(len(row) for row in rows))
        self.figure.y_range.update(start=0, end=len(rows))
        lines = self.figure.title.text.count("\n") + 1
        self.figure.height = 40 + 20 * lines + row_height * len(rows)


class ComponentsFigures:
    """Components as heat maps, the spectrum against the noise, tensor slices, numbers sent, and a leak."""

    def __init__(self):
        self._components = Tiles("True and released centres: one row of pixels each")
        self._slices = Tiles("Slices of the whitened third moment in the basis of its eigenvectors")
        self._build_spectrum()
        self._build_sent()
        self._build_leak()
        self._table, self._sentence, self._pairs = (
            pn.pane.HTML("", stylesheets=[css.FINE], **FULL) for _ in range(3)
        )
        self.view = pn.Column(
            bokeh_pane(self._components.figure),
            self._table,
            unfolding(
                "How components follow from moments: eigenvalues, slices, numbers sent",
                bokeh_pane(self._spectrum),
                bokeh_pane(self._slices.figure),
                bokeh_pane(self._sent),
            ),
            pn.pane.HTML(
                "<h3>A leak: moments that are not symmetrised</h3>",
                stylesheets=[css.FINE, "h3 { font-size: 18px; margin: 12px 0 0 }"],
                **FULL,
            ),
            self._sentence,
            grid(bokeh_pane(self._leak), self._pairs, least=380),
            **FULL,
        )

    @property
    def figures(self) -> tuple:
        """All Bokeh figures."""
        return self._components.figure, self._spectrum, self._slices.figure, self._sent, self._leak

    def draw(self, plan: Plan, spots: list[Spot]) -> None:
        """Draw the results so far."""
        self._draw_components(plan, spots)
        self._draw_spectrum(spots)
        self._draw_slices(spots)
        self._table.object = _table(spots, plan.settings.repeats)
        here = plan.here
        for name, source in self._lines_sent.items():
            source.data = {"d": list(WIDTHS), "sent": [_numbers(name, plan, d) for d in WIDTHS]}
        self._width.location = here["dimension"]
        self._sent.title.text = in_lines(
            f"Numbers sent for one fit of capeAGN, {equals('S', here['sites'])}, {equals('k', here['k'])}: "
            f"{number_text(_numbers('published', plan, here['dimension']))} as published, "
            f"{number_text(_numbers('projected', plan, here['dimension']))} projected",
            _TITLE,
        )

    def draw_leak(self, found: Leak) -> None:
        """Draw the differences of the two halves of the published release."""
        gap = found.upper - found.lower
        self._leak_source.data = {"pair": list(range(1, len(gap) + 1)), "gap": gap}
        whole = np.abs(gap - np.round(gap)).max()
        self._sentence.object = (
            f"<p>Two sites hold {found.documents} documents. CAPE releases M2 with mirrored noise of standard "
            f"deviation {number_text(found.std)} on every count. The entries (i, j) and (j, i) have the same noise, "
            f"so their difference has none: all {len(gap)} differences are whole numbers to within "
            f"{number_text(max(float(whole), 1e-16), digits=1)}. Each says how many more documents begin with "
            "“word i, word j” than with “word j, word i”. Averaging the moments over the order of the words "
            "removes the leak without more noise. Independent noise on every entry also removes it (last column).</p>"
        )
        largest = np.argsort(-np.abs(gap), kind="stable")[:8]
        rows = "".join(
            f"<tr><th scope='row'>{found.pairs[p][0] + 1}, {found.pairs[p][1] + 1}</th><td>{found.upper[p]:.3f}</td>"
            f"<td>{found.lower[p]:.3f}</td><td><b>{gap[p]:.3f}</b></td><td>{found.fresh[p]:.2f}</td></tr>"
            for p in largest
        )
        self._pairs.object = (
            "<div class='scroll'><table><thead><tr><th scope='col'>words</th><th scope='col'>N·M̂₂[i, j]</th>"
            "<th scope='col'>N·M̂₂[j, i]</th><th scope='col'>difference</th><th scope='col'>with independent noise</th></tr>"
            f"</thead><tbody>{rows}</tbody></table></div>"
        )

    def _draw_components(self, plan, spots):
        truth, signed = spots[0].true, plan.here["model"] == "gaussians"
        columns = np.arange(min(truth.shape[1], _MOST_COLUMNS))
        if truth.shape[1] > _MOST_COLUMNS and not signed:
            columns = np.sort(np.argsort(-truth.sum(axis=0), kind="stable")[:_MOST_COLUMNS])
        tiles = [[truth[:, columns]], *([s.components[:, columns]] for s in spots)]
        high = (
            float(np.abs(truth[:, columns]).max()) if signed else float(np.quantile(truth[:, columns], 0.98))
        )
        shown = f"the {len(columns)} " + ("first coordinates" if signed else "most frequent words")
        part = f"; {shown} of {truth.shape[1]}" if len(columns) < truth.shape[1] else ""
        kind = "True" if plan.own is None else "Non-private"
        what = "centres" if signed else "topics"
        self._components.show(
            tiles,
            title=f"{kind} and released {what}: a line each{part}",
            high=high,
            signed=signed,
            row_height=min(max(44, 8 * len(truth)), 110),
            names=[
                "truth" if plan.own is None else "no noise",
                *(in_lines(label(s.method), 13) for s in spots),
            ],
        )

    def _draw_slices(self, spots):
        found = [s for s in spots if len(s.tensor)]
        self._slices.figure.visible = bool(found)
        if not found:
            return
        rows = [[_slice(s.tensor, i) for i in range(min(len(s.tensor), _MOST_SLICES))] for s in found]
        count = max(len(row) for row in rows)
        self._slices.show(
            rows,
            title=f"The {'first ' if count == _MOST_SLICES else ''}{count} slices of the whitened third moment: "
            "slice i has one nonzero entry, at (i, i); the rest is noise",
            high=1,
            signed=True,
            row_height=84,
            names=[label(s.method) for s in found],
        )

    def _build_spectrum(self):
        plot = self._spectrum = house_figure(
            "component", "eigenvalue of M̂₂", height=300, title="Eigenvalues; fine dots: noise alone"
        )
        self._spectra = {}
        for method in (*SCHEMES, "avn"):
            look = LOOKS[method]
            source, edge = ColumnDataSource({"i": [], "value": []}), ColumnDataSource({"i": [], "value": []})
            style = {"color": look.colour, "line_width": 2}
            line = plot.line("i", "value", source=source, line_dash=look.dash, **style)
            marks = plot.scatter("i", "value", source=source, marker=look.marker, size=8, color=look.colour)
            below = plot.line("i", "value", source=edge, line_alpha=0.55, line_dash=[2, 4], **style)
            if not is_private(method):
                line.glyph.tags = marks.glyph.tags = [INK]
            self._spectra[method] = source, edge, (line, marks, below)

    def _draw_spectrum(self, spots):
        found = {s.method: s for s in spots}
        for method, (source, edge, renderers) in self._spectra.items():
            s = found.get(method)
            for renderer in renderers:
                renderer.visible = s is not None
            if s is not None:
                i = list(range(1, len(s.values) + 1))
                source.data = {"i": i, "value": s.values}
                edge.data = {"i": i, "value": [s.edge] * len(i)} if s.edge else {"i": [], "value": []}

    def _build_sent(self):
        plot = self._sent = house_figure(
            "width d", "numbers sent", x_log=True, y_log=True, height=260, title=" "
        )
        self._lines_sent = {}
        styles_of = {
            "published": (LOOKS["conventional"].colour, "dashed", "as published: d³"),
            "projected": (LOOKS["cape"].colour, "solid", "projected: d²"),
        }
        for name, (colour, dash, words) in styles_of.items():
            source = self._lines_sent[name] = ColumnDataSource({"d": [], "sent": []})
            plot.line(
                "d", "sent", source=source, color=colour, line_dash=dash, line_width=2.5, legend_label=words
            )
        plot.legend.update(location="top_left", border_line_color=None, background_fill_alpha=0)
        quiet = ink(dark=False, quiet=True)
        self._width = Span(dimension="height", line_dash="dotted", line_color=quiet, tags=[QUIET])
        plot.add_layout(self._width)

    def _build_leak(self):
        plot = self._leak = house_figure(
            "pair of words i < j",
            "N·(M̂₂[i, j] − M̂₂[j, i])",
            height=300,
            title="Whole numbers despite the noise",
        )
        self._leak_source = ColumnDataSource({"pair": [], "gap": []})
        plot.segment("pair", 0, "pair", "gap", source=self._leak_source, color=LOOKS["conventional"].colour)
        plot.scatter("pair", "gap", source=self._leak_source, color=LOOKS["conventional"].colour, size=7)
        plot.ygrid.grid_line_alpha = 0.9
        plot.yaxis.ticker.update(min_interval=1)


def _slice(tensor, i):
    """Slice i, scaled by its own diagonal entry."""
    spot = abs(tensor[i, i, i])
    return tensor[:, :, i] / spot if spot > 0 else tensor[:, :, i]


def _numbers(form, plan, width):
    here = plan.here
    return decomposition.communication("cape", sites=here["sites"], width=width, k=here["k"], form=form)


def _table(spots, repeats):
    many = (
        f"Errors are means of {count_text(repeats, 'release')}; the rest is of the drawn one. "
        if repeats > 1
        else ""
    )
    rows = "".join(
        f"<tr><th scope='row'>{label(s.method)}</th><td>{_count(s)}</td><td>{s.figures['matched']:.3f}</td>"
        f"<td>{s.figures['error']:.3f}</td><td>{s.figures['weights']:.3f}</td></tr>"
        for s in spots
    )
    return (
        "<div class='scroll'><table><thead><tr><th></th><th scope='col'>M₂ above its noise</th>"
        "<th scope='col'>matched error</th><th scope='col'>q_comp</th><th scope='col'>weights</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
        f"<p>{many}M₂ above its noise: eigenvalues of the second moment that its noise alone would not give. The "
        "noise of the third moment can still hide these components, as that of vector noise does.</p>"
    )


def _count(s):
    return "—" if s.method == "random" else f"{s.above_noise} of {len(s.values)}"

"""The figures of the Averaging page, updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource, FixedTicker, Range1d, Span
from scipy.stats import norm

from core.schemes import PRIVATE
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.plotting.figure import folding_legend, house_figure
from dashboard.state.number_text import number_text
from dashboard.theme import css
from dashboard.theme.colours import LOCAL_NOISE, ZERO_SUM
from dashboard.theme.scheme_style import INK, LOOKS, QUIET, ink, label

BINS = 41
_WRAP = {
    "flexDirection": "row",
    "flexWrap": "wrap",
    "& .MuiToggleButton-root": {"width": "auto", "flex": "0 1 auto", "paddingX": "14px"},
}


class AveragingFigures:
    """One run of the protocol, running sums that show the noise cancel, and the distribution of the average."""

    def __init__(self, model):
        self._build_protocol()
        self._build_sums()
        self._build_law()
        self._table = LiveText(css.FINE, margin=(4, 0))
        steps = _step_buttons(model)
        self.figures = self._protocol, self._sums, self._law
        self.main = pn.Column(steps, bokeh_pane(self._protocol), bokeh_pane(self._sums), **FULL)
        self.more = pn.Column(bokeh_pane(self._law), self._table.pane, **FULL)

    def draw(self, picture) -> None:
        """Draw one picture."""
        self._draw_axis(len(picture.values))
        self._draw_protocol(picture)
        self._draw_sums(picture)

    def draw_more(self, picture) -> None:
        """Draw the distribution of the average."""
        self._draw_law(picture.laws)

    def _build_protocol(self):
        plot = self._protocol = house_figure("site", "value", height=400, title="One run of the protocol")
        self._x_range = plot.x_range = Range1d(0.3, 13)
        plot.y_range = Range1d(0, 1)
        plot.xaxis[0].ticker = FixedTicker(ticks=[])
        plot.xgrid.grid_line_color = None
        names = ("x", "x1", "x2", "x3", "value", "masked", "message", "to_x", "to_y")
        self._sites = ColumnDataSource({name: [] for name in names})
        self._centre = ColumnDataSource({k: [] for k in ("x", "average", "conventional")})
        source, shade, soft = self._sites, ink(dark=False), ink(dark=False, quiet=True)
        fan = plot.segment(
            "x3", "message", "to_x", "to_y", source=source, color=soft, line_width=1, line_alpha=0.45
        )
        truth = self._truth = Span(
            dimension="width", line_color=soft, line_dash="dashed", line_width=1.5, tags=[QUIET]
        )
        plot.add_layout(truth)
        zero_sum = plot.segment("x1", "value", "x1", "masked", source=source, color=ZERO_SUM, line_width=6)
        local = plot.segment("x2", "masked", "x2", "message", source=source, color=LOCAL_NOISE, line_width=6)
        value = plot.scatter("x", "value", source=source, size=10, color=shade, marker="circle")
        message = plot.scatter(
            "x3",
            "message",
            source=source,
            size=11,
            fill_color="white",
            line_color=shade,
            line_width=2,
            marker="square",
        )
        cape, other = LOOKS["cape"], LOOKS["conventional"]
        conventional = plot.scatter(
            "x", "conventional", source=self._centre, size=17, color=other.colour, marker=other.marker
        )
        average = plot.scatter(
            "x", "average", source=self._centre, size=17, color=cape.colour, marker=cape.marker
        )
        dashes = plot.line(
            [float("nan")] * 2, [float("nan")] * 2, color=soft, line_dash="dashed", line_width=1.5
        )
        fan.glyph.tags = dashes.glyph.tags = [QUIET]
        value.glyph.tags = [INK]
        self._steps = {
            1: (value,),
            2: (zero_sum,),
            3: (local,),
            4: (message,),
            5: (fan, average, conventional),
        }
        entries = [
            ("site's true value", [value]), ("zero-sum part", [zero_sum]), ("local part", [local]),
            ("message", [message]), ("CAPE's average", [average]), ("conventional average", [conventional]),
            ("true average", [dashes]),
        ]  # fmt: skip
        folding_legend(plot, entries, width=165)

    def _build_sums(self):
        plot = self._sums = house_figure(
            "site", "sum so far", height=210, title="Cumulative sum of the noise", x_range=self._x_range
        )
        plot.xgrid.grid_line_color = None
        plot.xaxis[0].ticker = FixedTicker(ticks=[])
        self._running = ColumnDataSource({"x": [], "zero_sum": [], "local": []})
        self._ends = ColumnDataSource({"x": [], "y": [], "colour": []})
        rest = Span(
            dimension="width", location=0, line_color=ink(dark=False, quiet=True), line_width=1, tags=[QUIET]
        )
        plot.add_layout(rest)
        step = {"source": self._running, "line_width": 3, "mode": "after"}
        plot.step("x", "zero_sum", color=ZERO_SUM, **step)
        plot.step("x", "local", color=LOCAL_NOISE, **step)
        plot.scatter("x", "y", source=self._ends, color="colour", size=9)

    def _build_law(self):
        plot = self._law = house_figure(
            "released average − true average",
            "density",
            height=320,
            title="Distribution of the average's error",
        )
        plot.x_range, plot.y_range = Range1d(-1, 1), Range1d(0, 1)
        self._law_sources, self._law_shapes, entries = {}, {}, []
        for scheme in PRIVATE:
            look = LOOKS[scheme]
            bars = ColumnDataSource({"left": [], "right": [], "top": []})
            density = ColumnDataSource({"x": [], "y": []})
            histogram = plot.quad(
                "left",
                "right",
                "top",
                0,
                source=bars,
                fill_color=look.colour,
                fill_alpha=0.22,
                line_color=None,
            )
            line = plot.line("x", "y", source=density, color=look.colour, line_width=2.5, line_dash=look.dash)
            self._law_sources[scheme], self._law_shapes[scheme] = (bars, density), (histogram, line)
            entries.append((look.label, [line, histogram]))
        folding_legend(plot, entries, width=135)

    def _draw_axis(self, sites):
        """Place ticks where there is room; reuse the tickers, because a new one would rebuild the document."""
        self._x_range.update(start=0.3, end=centre_of(sites) + 0.6 + 0.06 * sites)
        every = 1 if sites <= 12 else 2 if sites <= 24 else 5
        ticks = [s for s in range(1, sites + 1) if s % every == 0 or s == 1]
        self._sums.xaxis[0].ticker.ticks = ticks
        self._protocol.xaxis[0].ticker.ticks = [*ticks, centre_of(sites)]
        self._protocol.xaxis[0].major_label_overrides = {centre_of(sites): "aggregator"}

    def _draw_protocol(self, p):
        sites = np.arange(1, len(p.values) + 1)
        centre = centre_of(len(sites))
        self._sites.data = {
            "x": sites - 0.3,
            "x1": sites - 0.12,
            "x2": sites + 0.06,
            "x3": sites + 0.26,
            "value": p.values,
            "masked": p.values + p.zero_sum,
            "message": p.messages,
            "to_x": np.full(len(sites), centre),
            "to_y": np.full(len(sites), p.average),
        }
        self._centre.data = {"x": [centre], "average": [p.average], "conventional": [p.conventional]}
        self._truth.location = p.truth
        points = np.r_[p.values, p.values + p.zero_sum, p.messages, p.average, p.conventional]
        margin = 0.07 * np.ptp(points)
        self._protocol.y_range.update(start=points.min() - margin, end=points.max() + margin)
        for step, renderers in self._steps.items():
            for renderer in renderers:
                renderer.visible = step <= p.step

    def _draw_sums(self, p):
        zero_sum, local = (np.r_[0, np.cumsum(part)] for part in (p.zero_sum, p.local))
        sites = np.arange(len(zero_sum)) + 0.5
        hidden = np.full(len(sites), np.nan)
        self._running.data = {
            "x": sites,
            "zero_sum": zero_sum if p.step >= 2 else hidden,
            "local": local if p.step >= 3 else hidden,
        }
        ends = [(zero_sum[-1], ZERO_SUM, "zero-sum")] if p.step >= 2 else []
        ends += [(local[-1], LOCAL_NOISE, "local")] if p.step >= 3 else []
        self._ends.data = {
            "x": [sites[-1]] * len(ends),
            "y": [y for y, _, _ in ends],
            "colour": [colour for _, colour, _ in ends],
        }
        sums = ", ".join(f"{name} {_sum_text(y, p.message_std)}" for y, _, name in ends)
        self._sums.title.text = (
            f"Cumulative sum of the noise: {sums}" if ends else "Cumulative sum of the noise"
        )

    def _draw_law(self, laws):
        stds = {law.scheme: law.predicted_std for law in laws if law.predicted_std > 0}
        for scheme, shapes in self._law_shapes.items():
            for shape in shapes:
                shape.visible = scheme in stds
        if stds:
            least, most = min(stds.values()), max(stds.values())
            # The widest distribution would flatten the others, so the second widest sets the end of the axis.
            reach = 4 * (sorted(stds.values())[-2] if len(stds) > 1 and most > 2 * least else most)
            self._law.x_range.update(start=-reach, end=reach)
            self._law.y_range.end = 1.15 * norm.pdf(0) / least
            for law in laws:
                if law.predicted_std > 0:
                    self._draw_one_law(law)
        self._table.show(_table_html(law_rows(laws), len(laws[0].errors) if laws else 0))

    def _draw_one_law(self, law):
        bars, density = self._law_sources[law.scheme]
        edges = law.bias + law.predicted_std * np.linspace(-4, 4, BINS)
        counts, _ = np.histogram(law.errors, edges)
        heights = counts / (len(law.errors) * np.diff(edges))
        bars.data = {"left": edges[:-1], "right": edges[1:], "top": heights}
        x = law.bias + np.linspace(-4, 4, 201) * law.predicted_std
        density.data = {"x": x, "y": norm.pdf(x, law.bias, law.predicted_std)}


def _step_buttons(model):
    """The steps of the protocol as buttons; they wrap on a phone."""
    options = model.param.step.get_range()
    buttons = pmui.RadioButtonGroup(
        options=options, value=model.step, size="small", color="primary", sx=_WRAP
    )
    buttons.param.watch(lambda event: setattr(model, "step", event.new), "value")
    model.param.watch(lambda event: setattr(buttons, "value", event.new), "step")
    return buttons


def centre_of(sites: int) -> float:
    """Position of the aggregator on the axis of sites."""
    return round(sites + 1 + 0.12 * sites, 3)


def _sum_text(value, scale):
    return "0" if abs(value) < 1e-9 * scale else number_text(value, digits=2)


def _table_html(rows, draws):
    head = ("scheme", "predicted variance", f"measured over {draws} repetitions", "ratio", "allowed", "")
    cells = "".join(f"<th scope='col'>{name}</th>" for name in head)
    body = "".join(
        f"<tr><th scope='row'>{row[0]}</th>{''.join(f'<td>{cell}</td>' for cell in row[1:])}</tr>"
        for row in rows
    )
    return (
        f"<div class='scroll'><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
        "<p>Allowed: 3.29 standard errors of √(2/R) each. A correct variance falls outside once in a thousand.</p>"
    )


def law_rows(laws) -> list[tuple[str, ...]]:
    """Texts of the table: scheme, predicted variance, measured variance, ratio, allowed range, verdict."""
    rows = []
    for law in laws:
        if law.predicted_std == 0:
            rows.append((label(law.scheme), "0", "0", "—", "—", "exact to rounding"))
            continue
        low, high = 1 - law.allowed, 1 + law.allowed
        inside = low <= law.ratio <= high
        rows.append(
            (
                label(law.scheme),
                number_text(law.predicted_std**2),
                number_text(law.variance),
                f"{law.ratio:.3f}",
                f"{low:.2f} … {high:.2f}",
                "as predicted" if inside else "outside",
            )
        )
    return rows

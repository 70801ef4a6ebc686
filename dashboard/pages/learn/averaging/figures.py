"""The figures of the Averaging page below the play, updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, Range1d
from scipy.stats import norm

from core.schemes import PRIVATE
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.components.sketch import Sketch
from dashboard.page.guarantee import Exposure
from dashboard.pages.learn.averaging.learned import HEIGHT, learned_sketch
from dashboard.plotting.figure import folding_legend, house_figure
from dashboard.state.number_text import number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, label

BINS = 41
_TITLE = "Distribution of the average's error"


class AveragingFigures:
    """The distribution of the average under every scheme, a table of its variances, and who learns how much."""

    def __init__(self):
        self._build_law()
        self._table = LiveText(css.FINE, margin=(4, 0))
        self.figures = (self._law,)
        self.table = self._table.pane
        self.learned = Sketch()
        self.more = pn.Column(bokeh_pane(self._law), self.table, self.learned.pane, **FULL)

    def draw(self, laws, name: str = "CAPE") -> None:
        """Draw the distribution of the average; `name` says what CAPE's share of zero-sum noise makes of it."""
        other = name != "CAPE" and any(law.scheme == "cape" for law in laws)
        blue = f"blue: {name}" if other else " "
        self._law.title.text = f"{_TITLE}\n{blue}"  # Always two lines: the figure stays where it is.
        self._draw_law(laws, name)

    def draw_learned(self, found: Exposure | None, **settings) -> None:
        """Draw who learns how much; nothing where CAPE is not shown.

        Parameters
        ----------
        **settings
            sites, colluding, epsilon.
        """
        shapes = "" if found is None else learned_sketch(found, **settings)
        self.learned.show(shapes, height=HEIGHT if shapes else 0, said="δ of three observers, to scale")

    def _build_law(self):
        plot = self._law = house_figure(
            "released average − true average",
            "density",
            height=320,
            title=_TITLE,
        )
        plot.x_range, plot.y_range = Range1d(-1, 1), Range1d(0, 1)
        plot.xaxis.formatter.power_limit_low = -5  # An error of −0.003 is no power of ten.
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
        legend = folding_legend(plot, entries)
        self._entries = dict(zip(self._law_shapes, legend.items, strict=True))

    def _draw_law(self, laws, name):
        stds = {law.scheme: law.predicted_std for law in laws if law.predicted_std > 0}
        for scheme, shapes in self._law_shapes.items():
            for part in (*shapes, self._entries[scheme]):
                part.visible = scheme in stds
        self._entries["cape"].label = value(f"{name}\u2003")
        if stds:
            least, most = min(stds.values()), max(stds.values())
            # The widest distribution would flatten the others, so the second widest sets the end of the axis.
            reach = 4 * (sorted(stds.values())[-2] if len(stds) > 1 and most > 2 * least else most)
            self._law.x_range.update(start=-reach, end=reach)
            self._law.y_range.end = 1.15 * norm.pdf(0) / least
            for law in laws:
                if law.predicted_std > 0:
                    self._draw_one_law(law)
        self._table.show(_table_html(law_rows(laws, name), len(laws[0].errors) if laws else 0))

    def _draw_one_law(self, law):
        bars, density = self._law_sources[law.scheme]
        edges = law.bias + law.predicted_std * np.linspace(-4, 4, BINS)
        counts, _ = np.histogram(law.errors, edges)
        heights = counts / (len(law.errors) * np.diff(edges))
        bars.data = {"left": edges[:-1], "right": edges[1:], "top": heights}
        x = law.bias + np.linspace(-4, 4, 201) * law.predicted_std
        density.data = {"x": x, "y": norm.pdf(x, law.bias, law.predicted_std)}


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


def law_rows(laws, name: str = "CAPE") -> list[tuple[str, ...]]:
    """Texts of the table: scheme, predicted variance, measured variance, ratio, allowed range, verdict.

    `name` says what CAPE's share of zero-sum noise makes of it.
    """
    rows = []
    for law in laws:
        scheme = name if law.scheme == "cape" else label(law.scheme)
        if law.predicted_std == 0:
            rows.append((scheme, "0", "0", "—", "—", "exact to rounding"))
            continue
        low, high = 1 - law.allowed, 1 + law.allowed
        inside = low <= law.ratio <= high
        rows.append(
            (
                scheme,
                number_text(law.predicted_std**2),
                number_text(law.variance),
                f"{law.ratio:.3f}",
                f"{low:.2f} … {high:.2f}",
                "as predicted" if inside else "outside",
            )
        )
    return rows

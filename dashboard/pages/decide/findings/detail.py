"""An open finding: what the paper says, what is true, both numbers or a small figure, and what changes."""

from __future__ import annotations

import html

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource

from core.findings import PAPERS, Finding, Shown
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.plotting.figure import folding_legend, house_figure, scale_x, scale_y
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside
from dashboard.theme.colours import OCHRE
from dashboard.theme.scheme_style import INK, follow_theme

MOST_LINES = 3
# Colours stand for schemes: the published line and the correct one have one ink.
_TAGS, _DASHES = ([INK], [INK], []), ("dashed", "solid", "dotdash")
_SHEET = beside(__file__, "detail.css")


class Detail:
    """Content of the open row; built once and filled for each finding."""

    def __init__(self):
        self._said, self._text, self._fine = (LiveText(_SHEET) for _ in range(3))
        self.see = pmui.Button(
            label="See it live", icon="arrow_forward", size="small", variant="outlined", margin=(14, 0, 4, 0)
        )
        self.plot = house_figure("", "", height=250)
        self._source = ColumnDataSource({"x": [], **{name: [] for name in self._names()}})
        self._lines = [
            self.plot.line("x", name, source=self._source, color=OCHRE, line_width=3, line_dash=dash)
            for name, dash in zip(self._names(), _DASHES, strict=True)
        ]
        for line, tags in zip(self._lines, _TAGS, strict=True):
            line.glyph.tags = tags
            follow_theme(line, dark=False)
        self._legend = folding_legend(
            self.plot, [(name, [line]) for name, line in zip("abc", self._lines, strict=True)]
        )
        self._figure = pn.Column(
            bokeh_pane(self.plot), sizing_mode="stretch_width", margin=(10, 0, 0, 0), max_width=760
        )
        self.view = pn.Column(
            self._said.pane, self._text.pane, self._figure, self.see, self._fine.pane, **FULL
        )

    def open(self, finding: Finding) -> None:
        """Show the texts of a finding; its numbers follow."""
        self._said.show(
            f"<p class='term'>{rich(finding.title)}</p>"
            f"<div class='two'><div><h3>The paper says</h3><p>{rich(finding.says)}</p></div>"
            f"<div><h3>What holds</h3><p>{rich(finding.true)}</p></div></div>"
        )
        self._text.show("<h3>Demonstration</h3><p>Computing …</p>")
        self._figure.visible = False
        sources = "".join(f"<p>[{p}] {rich(PAPERS[p])}.</p>" for p in finding.papers)
        ours = ", ".join(f"<code>{html.escape(name)}</code>" for name in finding.ours)
        self._fine.show(f"<div class='fine'>{sources}<p>Implemented correctly in {ours}.</p></div>")

    def show(self, finding: Finding, shown: Shown) -> None:
        """Show the result of the demonstration."""
        numbers = "".join(
            f"<div class='number'><b>{number_text(size)}</b><span>{rich(name)}</span></div>"
            for name, size in zip(shown.names, (shown.published, shown.correct), strict=True)
        )
        self._text.show(
            f"<h3>Demonstration</h3><div class='numbers'>{numbers}</div><p class='unit'>{rich(shown.unit)}</p>"
            f"<h3>What it changes</h3><p>{rich(finding.consequence(shown, write=number_text))}</p>"
        )
        if shown.curve is not None:
            self._draw(shown.curve)
        self._figure.visible = shown.curve is not None

    def _draw(self, curve):
        scale_x(self.plot, log=curve.log[0])
        scale_y(self.plot, log=curve.log[1])
        self.plot.xaxis.axis_label, self.plot.yaxis.axis_label = curve.x_name, curve.y_name
        lines = list(curve.lines.items())
        nothing = np.full(len(curve.x), np.nan)
        filled = dict(zip(self._names(), [y for _, y in lines] + [nothing] * MOST_LINES, strict=False))
        self._source.data = {"x": np.asarray(curve.x, dtype=float), **filled}
        for i, (item, line) in enumerate(zip(self._legend.items, self._lines, strict=True)):
            item.visible = line.visible = i < len(lines)
            # A single line is drawn like the correct one.
            item.label = value(f"{lines[i][0] if i < len(lines) else ''}\u2003")
        alone = len(lines) == 1
        self._lines[0].glyph.line_dash = _DASHES[alone]

    @staticmethod
    def _names():
        return [f"line {i}" for i in range(MOST_LINES)]

"""Gain: how much narrower CAPE's averages spread than the conventional scheme's, with colluders, for any site sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from bokeh.models import BoxAnnotation, ColumnDataSource, Range1d

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.components.live_picture import LivePicture
from dashboard.components.sketch import pair
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.learn.gain.model import (
    POINTS,
    GainModel,
    GainPicture,
    largest_ratio,
    public_excess,
)
from dashboard.pages.learn.gain.sketch import SHEET, markup
from dashboard.plotting.figure import folding_legend, house_figure, rule
from dashboard.plotting.pins import Pins
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import count_text, number_text
from dashboard.state.seeds import next_seed
from dashboard.theme import css
from dashboard.theme.scheme_style import CURVE, LOOKS, QUIET, ink

_SLOW, _QUICK = 40, 6  # Milliseconds between two averages that fall.
_MOST_CLOSER = 8  # Above √50.
_SEEN = "<b>Unequal sites</b>, where only the result or one message is seen:"
_EQUAL = "raise <i>Imbalance</i> to see what they change; here all hold equally many records."
LIMITS = "What else can go wrong: <a href='?page=limits'>When does CAPE not help?</a>"

_UNEQUAL = {
    "one giant": "one site held {} times as many records as each of the others",
    "two halves": "half of the sites held {} times as many records as the others",
    "geometric": "sizes grew by one factor from site to site, up to {} times the smallest",
}


class GainPage(Page):
    """The gain at equal privacy against colluders; G(n) and H(n) against imbalance, with the Schur bounds."""

    name = "gain"
    model_type = GainModel
    shared = ("sites", "samples", "colluding", "noise_seed")
    primary = along = "sites"
    noise_button = False  # The picture has one.
    first = ("colluding", "imbalance", "family")
    presets = (
        Preset("Ten sites", {"imbalance": 1.0, "sites": 10, "samples": 1000, "colluding": 0}),
        Preset("Fifty sites", {"imbalance": 1.0, "sites": 50, "samples": 1000, "colluding": 0}),
        Preset("Six of ten collude", {"imbalance": 1.0, "sites": 10, "samples": 1000, "colluding": 6}),
    )
    code = ("core.cape.gain", "core.cape.excess", "core.cape.honest_gain")
    equation = r"""
$$G(n)=\frac{\tau_{\rm conv}^2}{\tau_{\rm pool}^2}=\frac{N^2}{S^2}\sum_{s=1}^{S}\frac1{n_s^2},\qquad
H(n)=\frac{\tau_{\rm cape}^2}{\tau_{\rm pool}^2}=\frac{G(n)}{S}$$

Both are Schur-convex in the sizes. G is least, S, where all sites are equal, and largest where
all sites but one hold a single record; H lies between 1 and that bound over S:
$$S \;\le\; G(n) \;\le\; \frac{N^2}{S^2}\Big(\frac{1}{(N-S+1)^2}+S-1\Big).$$
This is for the plain average of the sites, and for CAPE as published, its average carrying
$$\tau_{\rm cape}^2=\frac1{S^3}\sum_s\tau_s^2$$ of noise. Where sizes differ that is less than the smallest site
requires of the public average, (max τ_s/S)². Where site s is weighted by its share of the records, CAPE has H = 1
for any sizes, and the average meets every site's privacy target.

**Gain at equal privacy.** CAPE's messages are correlated. An adversary who sees all of them, and knows what S_C colluding
sites know, learns more than from one message. To give the same (ε, δ) against this adversary as the conventional
scheme does, τ must be larger, and the gain S falls to
$$\frac{(S+1)(S-S_C)}{2S-S_C}.$$
Gains are of variances. The width of a heap of averages is its standard deviation, so CAPE's is narrower by the root.
"""

    def compute(self) -> GainPicture:
        return self.model.picture()

    def body(self):
        self._build_main()
        self._build_sizes()
        self._build_honest()
        self._sites = LivePicture(sheet=SHEET, chosen=self._press, css_classes=["first"])
        self._runs = self._seed = None
        self._falls = 0
        self._unequal = LiveText(css.WORDS, margin=(36, 0, 8, 0))
        return pair(self._sites, self._honest)

    def still(self) -> str:
        if not self._sites.visible:
            return ""
        return f"<style>{SHEET}</style>{self._sites.picture.replace('sketch rain', 'sketch', 1)}"

    def exhibits(self) -> tuple:
        self.content()
        return (*self.figures(), self._sites, self._unequal.pane)

    def more(self):
        self.content()
        return Stack(self._unequal.pane, bokeh_pane(self._main), bokeh_pane(self._sizes), **FULL)

    def in_sight(self, names) -> int:
        return 1  # The others change the lower figures alone.

    def draw(self, picture: GainPicture) -> None:
        self._honest_points.data = {"sites": picture.numbers, "closer": np.sqrt(picture.honest)}
        self._mark(picture)
        self._draw_sites(picture)

    def _mark(self, picture):
        """The points of this many sites on the curves."""
        self._honest_at.data = {"x": [picture.sites], "y": [picture.closer]}
        self._alone_at.data = {"x": [picture.sites], "y": [picture.sites**0.5]}
        self._honest_rule.location = picture.sites

    def _draw_sites(self, picture):
        """The averages fall into their places, slowly if the noise is new and quickly where a slider moved."""
        runs, seed = picture.runs, self.controls.noise_seed
        if runs is self._runs:
            return
        new, self._runs, self._seed = seed != self._seed, runs, seed
        self._falls += 1
        self._sites.picture = markup(runs, pace=_SLOW if new else _QUICK, key=str(self._falls))

    def _press(self, name: str, number: int) -> None:
        """A press draws new runs."""
        if name == "runs" and self.picture is not None:
            self.controls.noise_seed = next_seed(self.controls.noise_seed)

    def draw_more(self, picture: GainPicture) -> None:
        self._tell_unequal(picture)
        self._bars.data = {"site": np.arange(1, picture.sites + 1), "size": picture.sizes}
        if picture.ratio is not self._ratio:  # It changes with S, N and the family only: send it once.
            self._ratio = picture.ratio
            self._curves.data = {"ratio": picture.ratio, "gain": picture.gain, "excess": picture.excess}
        at = {"x": [picture.chosen] * 2, "y": [picture.chosen_gain, picture.chosen_gain / picture.sites]}
        self._chosen.data = {**at, "colour": [LOOKS["conventional"].colour, LOOKS["cape"].colour]}
        self._rule.location = picture.chosen
        low, high = picture.bounds
        self._between.update(bottom=low, top=high)
        self._least.location, self._most.location = low, high

    def words(self, picture: GainPicture) -> str:
        others = picture.colluding and f" and {count_text(picture.colluding, 'colluding site')}"
        same = f"at the same privacy against the aggregator{others or ''}"
        first = f"CAPE's heap is <b>{number_text(picture.closer)} times narrower</b> than with independent noise, {same}."
        why = "CAPE's messages carry more noise, but part of it cancels in the average."
        other = (
            f"If only the result or one message is seen (dashed), it is {number_text(picture.sites**0.5)} times narrower, "
            "as on <a href='?page=protocol'>Protocol</a>."
        )
        return paragraph(first) + paragraph(why, other, LIMITS)

    def _tell_unequal(self, picture):
        """The sentence above the lower figures."""
        if picture.chosen == 1:
            self._unequal.show(paragraph(f"{_SEEN} {_EQUAL}"))
            return
        gain, excess = picture.chosen_gain, picture.chosen_gain / picture.sites
        beside = f"only {number_text(excess)} times" if excess > 1.0005 else "exactly the curator's"
        above = public_excess(picture.sizes)  # Of standard deviations; the sentence is about variances.
        price = (
            f" To keep the smallest site's promise, CAPE's public average would need {number_text(above**2)} times that."
            if above >= 1 + 1e-3
            else ""
        )
        ends = " The imbalance ends where the smallest site holds a single record." if picture.capped else ""
        self._unequal.show(
            paragraph(
                f"{_SEEN} if {_UNEQUAL[picture.family].format(number_text(picture.chosen))} "
                "(<i>Imbalance</i>), and each message alone met the target, the conventional average would have "
                f"{number_text(gain)} times a curator's noise variance, CAPE's {beside}.{price}{ends}"
            )
        )

    def guarantee(self, picture: GainPicture) -> Guarantee:
        beyond = public_excess(picture.sizes)
        if beyond < 1 + 1e-3:
            words = ""
        else:
            words = (
                f" CAPE there is as published: its average would need {number_text(beyond**2)} times the noise variance to "
                "keep this (ε, δ) for the smallest site's records."
            )
        return Guarantee(
            sentence="The solid curve compares the schemes at the same privacy against the aggregator and those who "
            f"collude, the dashed one and the chart of unequal sites where every message meets the same (ε, δ).{words} "
            "No record is used on this page, so it has no privacy cost."
        )

    def table(self) -> pd.DataFrame:
        p = self.picture or self.compute()
        return pd.DataFrame({"imbalance": p.ratio, "gain": p.gain, "excess": p.excess})

    def script(self) -> str:
        c, m = self.controls, self.model
        shape = {
            "one giant": "np.r_[np.ones(sites - 1), ratio]",
            "two halves": "np.r_[np.ones((sites + 1) // 2), np.full(sites // 2, ratio)]",
            "geometric": "np.geomspace(1, ratio, sites)",
        }[m.family]
        top = largest_ratio(c.sites * c.samples, c.sites, m.family)
        return f'''"""G(n) and H(n) against the imbalance of the sites ({m.family})."""
import numpy as np

from core import cape

sites, total = {c.sites}, {c.sites * c.samples}
columns = {{"imbalance": [], "gain": [], "excess": []}}
for ratio in np.geomspace(1, {top!r}, {POINTS}):  # up to where the smallest site holds one record
    shape = {shape}
    n = total * shape / shape.sum()
    columns["imbalance"].append(ratio)
    columns["gain"].append(cape.gain(n))
    columns["excess"].append(cape.excess(n))

print("Schur bounds of G:", cape.gain_bounds(total, sites))
print("gain at equal privacy:", cape.honest_gain(sites, {c.colluding}), "of", sites)
for row in zip(*columns.values()):
    print("%12.4f %12.6g %12.6g" % row)
'''

    def figures(self) -> tuple:
        self.content()
        return self._honest, self._main, self._sizes

    def _build_main(self):
        plot = self._main = house_figure(
            "largest site ÷ smallest site",
            "noise variance ÷ that of a trusted curator",
            x_log=True,
            y_log=True,
            height=360,
            title="If only the result or one message is seen:\nunequal sites, equal weights",
        )
        self._ratio = None
        self._curves = ColumnDataSource({"ratio": [], "gain": [], "excess": []})
        conventional, cape_look = LOOKS["conventional"], LOOKS["cape"]
        self._between = BoxAnnotation(
            fill_color=conventional.colour, fill_alpha=0.06, line_color=None, level="underlay"
        )
        plot.add_layout(self._between)
        self._least, self._most = (rule(plot, "width") for _ in range(2))
        self._rule = rule(plot, "height")
        gain = plot.line("ratio", "gain", source=self._curves, color=conventional.colour, line_width=3)
        excess = plot.line("ratio", "excess", source=self._curves, color=cape_look.colour, line_width=3)
        self._chosen = ColumnDataSource({"x": [], "y": [], "colour": []})
        plot.scatter("x", "y", size=13, color="colour", line_color="white", source=self._chosen)
        # A legend cannot list an annotation, so an area represents it; no value is drawn, and one must be there.
        where = plot.quad(*[[np.nan]] * 4, fill_color=conventional.colour, fill_alpha=0.3, line_color=None)
        entries = [("conventional", [gain]), ("CAPE", [excess]), ("conventional, any sizes", [where])]
        folding_legend(plot, entries)

    def _build_sizes(self):
        plot = self._sizes = house_figure("site", "records", height=250, title="Site sizes")
        self._bars = ColumnDataSource({"site": [], "size": []})
        bars = plot.vbar("site", 0.75, "size", source=self._bars, color=ink(dark=False, quiet=True))
        bars.glyph.tags = [QUIET]
        plot.y_range.start = 0
        plot.xgrid.grid_line_color = None

    def _build_honest(self):
        plot = self._honest = house_figure("sites S", "times narrower with CAPE", height=410)
        self._honest_points = ColumnDataSource({"sites": [], "closer": []})
        self._honest_at = ColumnDataSource({"x": [], "y": []})
        colour, shade = LOOKS["cape"].colour, ink(dark=False, quiet=True)
        low, high = self.controls.param.sites.bounds
        alone = np.arange(low, high + 1)
        claim = plot.line(alone, np.sqrt(alone), color=shade, line_dash="dashed", line_width=2)
        claim.glyph.tags = [QUIET]
        self._alone_at = ColumnDataSource({"x": [], "y": []})
        alone_here = plot.scatter("x", "y", size=9, color=shade, line_color=None, source=self._alone_at)
        alone_here.glyph.tags = [QUIET]
        line = plot.line("sites", "closer", source=self._honest_points, color=colour, line_width=3)
        here = plot.scatter("x", "y", size=13, color=colour, line_color=None, source=self._honest_at)
        line.glyph.tags, here.glyph.tags = [CURVE], [CURVE]
        self._honest_rule = rule(plot, "height")
        plot.x_range, plot.y_range = Range1d(0, high + 1), Range1d(0, _MOST_CLOSER)
        entries = [("all messages are seen", [line]), ("only the result or one message", [claim])]
        legend = folding_legend(plot, entries)
        self.pins = Pins(plot, legend, [line])

"""Start: the idea of CAPE in one minute, with one interactive figure."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
import pandas as pd
from bokeh.models import CDSView, ColumnDataSource, Line, Range1d, VArea
from scipy.stats import norm

from core import Privacy, release
from core.privacy import gaussian_mu
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.page.base import GROUPS, Page
from dashboard.page.guarantee import Guarantee, exposures, sentence
from dashboard.page.lesson import Preset
from dashboard.page.model import Model
from dashboard.plotting.figure import folding_legend, house_figure
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import number_text
from dashboard.theme import css
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS

_WAYS = beside(__file__, "ways.css")
SHOWN = ("local", "conventional", "cape")
POINTS = 241
_GRID = f"3 * np.sinh(np.linspace(-4, 4, {POINTS})) / np.sinh(4)"  # Denser where CAPE's peak is.
_IDEA = (
    ("Records stay where they are.", "Hospitals, banks and laboratories are often not allowed to pool them."),
    (
        "Every site adds noise to its message.",
        "The noise protects each record and makes the answer less accurate.",
    ),
    ("CAPE makes the noise cancel.", "The sites draw part of it together, so that this part sums to zero."),
)


@dataclass(frozen=True)
class StartPicture:
    """Density of the released average's error under three schemes; arrays have shape (POINTS,)."""

    sites: int
    error: np.ndarray
    density: dict[str, np.ndarray]
    std: dict[str, float]


class StartModel(Model):
    """The noise of a private average, in units of one message's noise."""

    def picture(self) -> StartPicture:
        """Distributions of the error, from the noise of an actual release."""
        c = self.controls
        privacy, rng = Privacy(c.epsilon, c.delta), np.random.default_rng(0)
        message = 1 / gaussian_mu(privacy)
        std = {
            s: float(release(np.zeros(c.sites), 1.0, privacy, scheme=s, rng=rng).std) / message for s in SHOWN
        }
        error = 3 * np.sinh(np.linspace(-4, 4, POINTS)) / np.sinh(4)
        return StartPicture(c.sites, error, {s: norm.pdf(error, scale=std[s]) for s in SHOWN}, std)


class StartPage(Page):
    """The accuracy that privacy costs when data stay at several sites, and how much correlated noise recovers."""

    name, title, group, icon = "start", "Start", "Learn", "home"
    heading = "What does privacy cost when data stay at their sites?"
    lead = "And how much of that cost does correlated noise remove? Move the slider."
    model_type = StartModel
    no_release = "The figure shows distributions of noise; no record is used."
    shared = ("sites", "epsilon", "delta", "colluding")
    hidden = ("epsilon", "delta", "colluding")
    primary = "sites"
    presets = (
        Preset("Three hospitals", {"sites": 3}),
        Preset("A consortium of ten", {"sites": 10}),
        Preset("Fifty laboratories", {"sites": 50}),
    )

    def compute(self) -> StartPicture:
        return self.model.picture()

    def body(self):
        self._plot = house_figure(
            "error of the released average, in units of one message's noise", "density", height=300
        )
        self._plot.x_range, self._plot.y_range = Range1d(-3, 3), Range1d(0, 1)
        self._plot.yaxis.visible = False
        self._plot.ygrid.visible = False
        self._source = ColumnDataSource({name: [] for name in ("error", *SHOWN)})
        entries, view = [], CDSView()
        for scheme in SHOWN:
            colour = LOOKS[scheme].colour
            area = VArea(x="error", y1=0, y2=scheme, fill_color=colour, fill_alpha=0.14)
            style = {"line_color": colour, "line_width": 3, "line_dash": LOOKS[scheme].dash}
            area, line = (
                self._plot.add_glyph(self._source, glyph, view=view)
                for glyph in (area, Line(x="error", y=scheme, **style))
            )
            entries.append((LOOKS[scheme].label, [line, area]))
        folding_legend(self._plot, entries)
        return Stack(bokeh_pane(self._plot), **FULL)

    def before(self):
        """The idea in three sentences."""
        steps = "".join(f"<p><b>{first}</b><br>{second}</p>" for first, second in _IDEA)
        text = f"<div class='idea'>{steps}</div>"
        return LiveText(css.FINE + _WAYS, text=text, margin=(4, 0, 12, 0)).pane

    def opening(self) -> str:
        steps = "".join(f"<p><b>{first}</b><br>{second}</p>" for first, second in _IDEA)
        return f'<div class="idea">{steps}</div>'

    def after(self):
        """Links to the other pages."""
        return LiveText(_WAYS, text=self._ways()).pane

    def draw(self, picture: StartPicture) -> None:
        self._source.data = {"error": picture.error, **picture.density}
        self._plot.y_range.end = 1.1 * max(d.max() for d in picture.density.values())

    def words(self, picture: StartPicture) -> str:
        better = picture.std["conventional"] / picture.std["cape"]
        return paragraph(
            f"With {picture.sites} sites, the error of CAPE's average is <b>{number_text(better)} times</b> smaller than "
            "that of the conventional one, although every message has the same noise.",
            "A single message protects a record equally well in both schemes. The guarantee below and the Guarantee page "
            "state what the aggregator learns from all messages together.",
        )

    def guarantee(self, picture: StartPicture) -> Guarantee:
        c = self.controls
        privacy = Privacy(c.epsilon, c.delta)
        found = exposures(SHOWN, privacy, sites=c.sites, colluding=c.colluding, calibration="exact")
        return Guarantee(sentence(privacy, found), privacy, c.colluding, found)

    def table(self) -> pd.DataFrame:
        picture = self.picture or self.compute()
        return pd.DataFrame({"error": picture.error, **picture.density})

    def script(self) -> str:
        c = self.controls
        return f'''"""Error of a private average over {c.sites} sites, in units of one message's noise."""
import numpy as np
from scipy.stats import norm

from core import Privacy, release
from core.privacy import gaussian_mu

privacy, rng = Privacy({c.epsilon!r}, {c.delta!r}), np.random.default_rng(0)
error = {_GRID}
columns = {{"error": error.tolist()}}
for scheme in {SHOWN}:
    std = float(release(np.zeros({c.sites}), 1.0, privacy, scheme=scheme, rng=rng).std)
    columns[scheme] = norm.pdf(error, scale=std * gaussian_mu(privacy)).tolist()
    print(scheme, "noise of the average:", std * gaussian_mu(privacy))
'''

    def figures(self) -> tuple:
        self.content()
        return (self._plot,)

    def _ways(self):
        """Links to the other pages by group, in HTML."""
        lists = []
        for group in GROUPS:
            links = "".join(_link(kind) for kind in self.others if kind.group == group)
            if links:
                name = html.escape(group, quote=True)
                lists.append(f"<section><h2>{name}</h2><ul aria-label='{name}'>{links}</ul></section>")
        return f"<div class='ways'>{''.join(lists)}</div>"


def _link(kind):
    name, icon, title, lead = (
        html.escape(text, quote=True) for text in (kind.name, kind.icon, kind.title, kind.lead)
    )
    icon = f"<span class='material-icons' aria-hidden='true'>{icon}</span>"
    return f"<li><a href='?page={name}' data-page='{name}'>{icon}<span>{title}<small>{lead}</small></span></a></li>"

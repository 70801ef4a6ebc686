"""The figures of the Guarantee page, updated in place."""

from __future__ import annotations

import html

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, Range1d, Span

from core.privacy import tradeoff
from dashboard.components.layout import FULL, LiveText, bokeh_pane, grid
from dashboard.components.live_picture import LivePicture
from dashboard.components.sketch import SHEET, Sketch
from dashboard.pages.learn.guarantee import guess
from dashboard.pages.learn.guarantee.game import Game
from dashboard.pages.learn.guarantee.sketch import HEIGHT, beyond, chance, delta_text, record_sketch
from dashboard.plotting.figure import ASIDE, folding_legend, house_figure, rule
from dashboard.state.number_text import at_least_text, at_most_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import CURVE, LOOKS, QUIET, ink

CEILING = 10.0
_SHOWN = 1e-12  # The lower end of the first axis unless a value that the page names is smaller.
AGAINST = "δ against collusion"
MAIN = ("cape_exact", "cape_theorem", "conventional_exact")  # Forms of the first figure.
_PALE = {"exact": 1.0, "theorem": 0.75, "plotted": 0.75, "published": 0.75}
_SHEET = ":host { color: var(--mui-palette-text-primary) }" + SHEET + guess.SHEET
_TAUGHT = ("cape_exact", "cape_plotted")  # The forms of δ against collusion that a slide shows.
_TRADEOFFS = (("solid", "cape"), ("dashed", "cape"), ("dotted", "cape"), ("solid", "conventional"))


class GuaranteeFigures:
    """The game, δ against τ/Δ and against S_C, δ as an area, and the trade-off functions of the adversaries.

    Parameters
    ----------
    forms : sequence of Form
        Every form of δ.
    floor : float
        The smallest δ that is drawn.
    chosen : callable
        Called with a name and a number when something is pressed in the game.
    """

    def __init__(self, forms, floor: float, chosen):
        self._forms, self._floor = forms, floor
        self._along_noise = None
        self._noise, self._noise_source, self._noise_here, self._noise_rule = self._delta_figure(
            "noise of a message ÷ effect of one record, τ/Δ",
            x_log=True,
            height=360,
            shown=MAIN,
            title="δ against the noise",
        )
        folding_legend(self._noise, self._entries)
        self._colluding, self._colluding_source, self._colluding_here, self._colluding_rule = (
            self._delta_figure("colluding sites", x_log=False, height=330, title=AGAINST)
        )
        self._legend = folding_legend(self._colluding, self._entries)
        self._build_tradeoff()
        self._table = LiveText(css.FINE, margin=(8, 0))
        self.table = self._table.pane
        self.figures = self._noise, self._colluding, self._tradeoff
        self.delta = Sketch()
        self.game = LivePicture(sheet=_SHEET, chosen=chosen)
        self.main = bokeh_pane(self._noise)
        self.more = pn.Column(
            self.game,
            self.delta.pane,
            grid(bokeh_pane(self._colluding), bokeh_pane(self._tradeoff)),
            self._table.pane,
            **FULL,
        )

    def draw(self, picture) -> None:
        """Draw the first figure."""
        if picture.along_noise is not self._along_noise:  # It changes with ε, S and S_C only: send it once.
            self._along_noise = picture.along_noise
            self._noise_source.data = {"x": picture.noise, **self._clipped(picture.along_noise)}
        self._noise_here.data = self._mark(picture, picture.chosen_noise)
        self._noise_rule.location = picture.chosen_noise
        self._noise.x_range.update(start=picture.noise[0], end=picture.noise[-1])
        # All decades only where the point or the published δ is so small: above, the curves part.
        named = [picture.here[key] for key in ("cape_exact", "cape_theorem")]  # The theorem's may be NaN.
        self._noise.y_range.start = self._floor if np.nanmin(named) < _SHOWN else _SHOWN

    def play(self, game: Game) -> None:
        """Draw the game."""
        self.game.picture = guess.markup(game)

    def _draw_delta(self, picture):
        mu = picture.onlookers[2].mu
        exact, stated = (delta_text(picture.here[key]) for key in ("cape_exact", "cape_theorem"))
        self.delta.show(
            record_sketch(picture),
            height=HEIGHT,
            said=f"What an observer sees with one record and with another in its place, as two curves at a distance "
            f"of {number_text(mu)}. With the record, the chance to land right of the mark is "
            f"{chance(beyond(mu, picture.epsilon))}. δ is {exact}; the published theorem states {stated}.",
        )

    def draw_more(self, picture) -> None:
        """Draw the figures and the table below the main figure."""
        self._draw_delta(picture)
        self._colluding_source.data = {"x": picture.colluding, **self._clipped(picture.along_colluding)}
        self._colluding_here.data = self._mark(picture, picture.chosen_colluding)
        low = np.nanmax(picture.along_colluding["cape_exact"], initial=0) < self._floor
        self._colluding.title.text = "Collusion: CAPE's exact δ < 10⁻³⁰" if low else AGAINST
        for item in self._legend.items:  # An entry without a line would name nothing.
            (line,) = item.renderers
            item.visible = line.visible and bool(np.isfinite(self._colluding_source.data[line.glyph.y]).any())
        self._colluding_rule.location = picture.chosen_colluding
        self._colluding.x_range.update(start=-0.5, end=picture.sites - 0.5)
        self._fit(picture)
        self._draw_tradeoff(picture)

    def _mark(self, picture, x):
        """The point that the sentence names: CAPE's exact δ."""
        return {"x": [x], "y": [self._clipped(picture.here)["cape_exact"]]}

    def _fit(self, picture):
        """Fit the axis of the collusion figure to its values; the main figure always shows all decades."""
        values = np.concatenate([np.atleast_1d(v) for v in self._clipped(picture.along_colluding).values()])
        low = np.nanmin(values, initial=1.0)
        self._colluding.y_range.update(start=max(self._floor, 0.05 * low), end=CEILING)

    def _clipped(self, deltas):
        """Values for drawing: NaN replaces negative ones and those below the floor of the logarithmic axis."""
        with np.errstate(invalid="ignore"):
            return {
                key: np.where((values >= self._floor), np.minimum(values, CEILING), np.nan)[()]
                for key, values in deltas.items()
            }

    def _delta_figure(self, x_label, *, x_log, height, title, shown=None):
        plot = house_figure(x_label, "δ", x_log=x_log, y_log=True, height=height, title=title)
        plot.x_range, plot.y_range = Range1d(1, 100), Range1d(self._floor, CEILING)
        keys = [form.key for form in self._forms]
        source = ColumnDataSource({name: [] for name in ("x", *keys)})
        here = ColumnDataSource({"x": [], "y": []})
        soft = ink(dark=False, quiet=True)
        one = Span(dimension="width", location=1, line_color=soft, line_width=1, tags=[QUIET])
        plot.add_layout(one)
        upright = rule(plot, "height")
        self._entries = []
        for form in self._forms:
            if shown and form.key not in shown:
                continue
            line = plot.line(
                "x",
                form.key,
                source=source,
                color=LOOKS[form.scheme].colour,
                line_dash=form.dash,
                line_width=3.5 if form.form == "exact" else 2.2,
                line_alpha=_PALE[form.form],
            )
            drawn = [line]
            if not x_log:
                drawn.append(
                    plot.scatter("x", form.key, source=source, color=LOOKS[form.scheme].colour, size=4)
                )
            for renderer in drawn:
                renderer.glyph.tags = [CURVE] if form.scheme == "cape" else []
                renderer.tags = [] if x_log or form.key in _TAUGHT else [ASIDE]
            self._entries.append((form.label, [line]))
        mark = plot.scatter("x", "y", source=here, color=LOOKS["cape"].colour, size=12, line_color=None)
        mark.glyph.tags = [CURVE]
        return plot, source, here, upright

    def _build_tradeoff(self):
        plot = self._tradeoff = house_figure(
            "false alarms α",
            "misses of a used record, T(α)",
            height=330,
            title="Trade-off function of the best attack",
        )
        plot.x_range, plot.y_range = Range1d(0, 1), Range1d(0, 1)
        soft = ink(dark=False, quiet=True)
        nothing = plot.line([0, 1], [1, 0], color=soft, line_dash="dashed", line_width=1.5)
        nothing.glyph.tags = [QUIET]
        self._curves = ColumnDataSource({"alpha": [], **{f"t{i}": [] for i in range(len(_TRADEOFFS))}})
        lines = [
            plot.line(
                "alpha",
                f"t{i}",
                source=self._curves,
                color=LOOKS[scheme].colour,
                line_dash=dash,
                line_width=2.5,
            )
            for i, (dash, scheme) in enumerate(_TRADEOFFS)
        ]
        for line, (_, scheme) in zip(lines, _TRADEOFFS, strict=True):
            line.glyph.tags = [CURVE] if scheme == "cape" else []
        # Its messages have less noise than CAPE's: the averages are equally accurate.
        names = ("public", "aggregator", "colluders", "conventional, equally accurate", "nothing learned")
        folding_legend(plot, [(n, [r]) for n, r in zip(names, [*lines, nothing], strict=True)])

    def _draw_tradeoff(self, picture):
        curves = {f"t{i}": tradeoff(picture.alpha, o.mu) for i, o in enumerate(picture.onlookers)}
        self._curves.data = {"alpha": picture.alpha, **curves}
        rows = "".join(
            f"<tr><th scope='row'>{html.escape(o.name)}</th><td>{html.escape(o.sees)}</td>"
            f"<td>{at_most_text(o.mu)}</td><td>{_at_least_shown(o.delta)}</td>"
            f"<td>{at_least_text(float(tradeoff(0.05, o.mu)))}</td></tr>"
            for o in picture.onlookers
        )
        self._table.show(
            "<div class='scroll'><table><thead><tr><th>who</th><th>sees</th><th>μ</th>"
            f"<th>δ at {equals('ε', picture.epsilon)}</th><th>missed at 5 % false alarms</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
            "<p>Published forms are shown uncorrected. The figures cut off values above 10 or below 10⁻³⁰. "
            "A line is interrupted where its form has no value.</p>"
        )


def _at_least_shown(delta):
    """δ in a table; one that is too small to compute is shown as a bound."""
    return "&lt; 10⁻³⁰⁰" if 0 <= delta < 1e-300 else at_most_text(delta)

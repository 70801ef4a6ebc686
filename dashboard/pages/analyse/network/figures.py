"""The figures of the Network page beside its curve, updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, LinearColorMapper, Range1d
from bokeh.palettes import diverging_palette

from core.schemes import PLAIN, is_private
from dashboard.components.layout import FULL, bokeh_pane, grid
from dashboard.plotting.figure import folding_legend, house_figure
from dashboard.theme import css
from dashboard.theme.colours import ONE_CLASS, OTHER_CLASS
from dashboard.theme.scheme_style import INK, LOOKS, QUIET, ink, label, pictured

CELLS = 70  # Cells a side of a boundary picture.
BOUNDARY = "decision boundary"
TOLD = "Dot: a record, in the colour of its true class. Area: what one trained network predicts."
_PALE = 0.55  # Strength of the background: a dot on its own class is seen.
_ABOVE = (PLAIN, "cape", "conventional", "local")  # Boundaries above the sentence.
# Four fill the width of a wide screen, and two that of a phone.
_FOUR = {"grid-template-columns": "repeat(auto-fill, minmax(max(150px, 22%), 1fr))"}
_SQUARE = ":host > * { max-height: 26vw } @media (max-width: 899px) { :host > * { max-height: none } }"  # In a hall.
_KEY = ":host { grid-column: 1 / -1 } p { margin: 0 }"
ZERO, ONE = (tuple(bytes.fromhex(colour[1:])) for colour in (ONE_CLASS, OTHER_CLASS))


class NetworkFigures:
    """Decision boundaries, losses during training, and the composed ε after each step."""

    def __init__(self, schemes):
        self._boundaries = {scheme: Boundary(scheme) for scheme in pictured(schemes)}
        self._build_losses(schemes)
        self._build_budget()
        self._panes = {s: _barred(s, b.figure) for s, b in self._boundaries.items()}
        key = pn.pane.HTML(f"<p>{TOLD}</p>", stylesheets=[css.FINE, _KEY], **FULL)
        above, below = (
            [p for s, p in self._panes.items() if (s in _ABOVE) == place] for place in (True, False)
        )
        self.boundaries, self.further = grid(key, *above, gap=8), grid(*below, gap=8)
        self.boundaries.styles = self.further.styles = _FOUR
        self.boundaries.stylesheets = [*self.boundaries.stylesheets, _SQUARE]
        self.courses = grid(bokeh_pane(self._losses), bokeh_pane(self._budget), least=380)

    @property
    def above(self) -> dict:
        """The boundaries above the sentence that are shown, by scheme."""
        return {s: b.figure for s, b in self._boundaries.items() if s in _ABOVE and self._panes[s].visible}

    @property
    def figures(self) -> tuple:
        """All Bokeh figures."""
        return self._losses, self._budget, *(b.figure for b in self._boundaries.values())

    def announce(self, plan) -> None:
        """Show the places of the plan's boundaries and no others."""
        drawn = self.boundaries.visible = self.further.visible = plan.source.window is not None
        for scheme, pane in self._panes.items():
            pane.visible = drawn and scheme in plan.shown

    def begin(self, plan, records) -> None:
        """Reset for a new training on `records`, a pair (X, y)."""
        self.announce(plan)
        if self.boundaries.visible:
            for boundary in self._boundaries.values():
                boundary.begin(records, plan.source.window)
        for scheme, (_, line) in self._lines.items():
            line.visible = self._named[scheme].visible = scheme in plan.shown
        self._losses.x_range.end = plan.steps
        self._draw_budget(plan)

    def head(self, scheme, text) -> None:
        """Write above a scheme's boundary what it stands for."""
        if scheme in self._boundaries:
            self._boundaries[scheme].head(text)

    def draw(self, found) -> None:
        """Draw a `Watched` training."""
        losses = found.losses
        source, _ = self._lines[found.scheme]
        source.data = {"x": np.arange(1, len(losses) + 1), "y": np.maximum(losses, 1e-4)}
        if found.scheme in self._boundaries:
            self._boundaries[found.scheme].draw(found)
        if is_private(found.scheme):
            spent = [number] if (number := found.step.number) else []  # Nothing before the first step.
            self._now.data = {"x": spent, "y": [self._spent(one) for one in spent]}

    def _build_losses(self, schemes):
        plot = self._losses = house_figure(
            "step",
            "cross-entropy",
            y_log=True,
            height=320,
            title="Loss on the training records, one training",
            x_range=Range1d(0, 100),
        )
        self._lines, drawn = {}, []
        for scheme in schemes:
            look, source = LOOKS[scheme], ColumnDataSource({"x": [], "y": []})
            line = plot.line("x", "y", source=source, color=look.colour, line_dash=look.dash, line_width=2)
            line.glyph.tags = [] if is_private(scheme) else [INK]
            self._lines[scheme] = source, line
            drawn.append((look.label, [line]))
        self._named = dict(zip(schemes, folding_legend(plot, drawn).items, strict=True))

    def _build_budget(self):
        plot = self._budget = house_figure(
            "step", "ε so far", y_log=True, height=320, title="Composed ε of all steps"
        )
        self._exact = ColumnDataSource({"x": [], "y": []})
        self._sum = ColumnDataSource({"x": [], "y": []})
        self._now = ColumnDataSource({"x": [], "y": []})
        exact = plot.line("x", "y", source=self._exact, color=LOOKS["cape"].colour, line_width=2.5)
        added = plot.line(
            "x", "y", source=self._sum, color=ink(dark=False, quiet=True), line_width=1.5, line_dash="dashed"
        )
        added.glyph.tags = [QUIET]
        plot.scatter("x", "y", source=self._now, size=10, color=LOOKS["cape"].colour)
        folding_legend(plot, [("composed exactly, same δ", [exact]), ("ε added up", [added])])

    def _draw_budget(self, plan):
        steps = np.unique(np.geomspace(1, plan.steps, 40).astype(int))
        epsilon, parts = plan.settings.epsilon, plan.steps / plan.visits
        visits = np.ceil(steps / parts).astype(int)
        by_visit = {v: plan.total_epsilon(epsilon, int(v)) for v in np.unique(visits)}
        exact = np.array([by_visit[v] for v in visits])
        self._curve = steps, exact
        shown = np.where(exact > 0, exact, np.nan)
        self._exact.data = {"x": steps, "y": shown}
        self._sum.data = {"x": steps, "y": plan.step_epsilon(epsilon) * visits}
        self._now.data = {"x": [], "y": []}

    def _spent(self, number):
        steps, exact = self._curve
        return float(np.interp(number, steps, exact))


def _barred(scheme, figure):
    """A figure below a bar in its scheme's colour."""
    pane = bokeh_pane(figure)
    colour = LOOKS[scheme].colour if is_private(scheme) else "currentColor"
    figure.stylesheets = [
        *figure.stylesheets,
        f":host {{ border-top: 4px solid {colour}; padding-top: 3px }}",
    ]
    return pane


class Boundary:
    """p(y = 1) over the plane for one scheme, with some of the records."""

    def __init__(self, scheme):
        ranges = {"x_range": Range1d(-2, 2), "y_range": Range1d(-2, 2)}
        title = f"{label(scheme)}\n "  # Two lines: one is wider than a picture on a phone.
        self.figure = plot = house_figure("", "", height=200, title=title, name=BOUNDARY, **ranges)
        plot.aspect_ratio = 0.95  # With its title: on a phone the sentence below is seen, too.
        plot.min_border_left, plot.min_border_right = 0, 6
        plot.axis.visible = False
        plot.grid.visible = False
        plot.title.text_font_size = "15px"
        self._label = label(scheme)
        self._image = ColumnDataSource({n: [] for n in ("image", "x", "y", "dw", "dh")})
        # Light in a dark theme, too: dots of the full colours stand out from it.
        palette = diverging_palette(_shades(ONE), _shades(ZERO), 64)[::-1]
        mapper = LinearColorMapper(palette=palette, low=0, high=1)
        plot.image("image", "x", "y", "dw", "dh", source=self._image, color_mapper=mapper)
        self._dots = ColumnDataSource({"x": [], "y": [], "colour": []})
        plot.scatter(
            "x", "y", fill_color="colour", line_color="white", line_width=0.8, size=6, source=self._dots
        )

    def begin(self, records, window) -> None:
        """Draw records in the public `window` (half width, half height), and clear the boundary."""
        x, y = records
        colours = np.array([ONE_CLASS, OTHER_CLASS])
        self._dots.data = {"x": x[:, 0], "y": x[:, 1], "colour": colours[y.astype(int)]}
        low, high = -np.array(window), np.array(window)
        (self._left, self._bottom), (self._width, self._height) = low, high - low
        self.figure.x_range.update(start=low[0], end=high[0])
        self.figure.y_range.update(start=low[1], end=high[1])
        self.clear()
        self.head("")
        across, up = ((np.arange(CELLS) + 0.5) / CELLS * (high - low)[i] + low[i] for i in range(2))
        self._cells = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)

    def head(self, text) -> None:
        """Write a line below the scheme's name."""
        title = f"{self._label}\n{text or ' '}"
        if self.figure.title.text != title:
            self.figure.title.text = title

    def clear(self) -> None:
        """Leave the records alone."""
        if len(self._image.data["image"]):
            self._image.data = {n: [] for n in ("image", "x", "y", "dw", "dh")}

    def draw(self, found) -> None:
        """Draw the decision boundary of a network."""
        if found.step.network.hidden_weights.shape[1] != 2:
            return
        image = found.step.network.probability(self._cells).reshape(CELLS, CELLS)
        self._image.data = {
            "image": [image.astype(np.float32)],
            "x": [self._left],
            "y": [self._bottom],
            "dw": [self._width],
            "dh": [self._height],
        }


def _shades(colour):
    """From a paler shade of a colour to white in 32 steps."""
    white = np.full(3, 255)
    pale = white + _PALE * (np.array(tuple(colour)) - white)
    return ["#{:02x}{:02x}{:02x}".format(*c) for c in np.linspace(pale, white, 32).astype(int)]

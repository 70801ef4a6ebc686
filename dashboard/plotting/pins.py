"""Pinned curves: pale copies of a figure's curves, for comparison with other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, LegendItem

from dashboard.plotting.figure import drawable, entry, name_of

MOST_PINS = 3
_MOST_NAMED = 2  # Settings that a legend entry names; the hover box names all.
_PALE = 0.42


@dataclass(eq=False)
class _Pin:
    settings: Mapping[str, str]
    axes: tuple[str, str]
    lines: list
    item: LegendItem


class Pins:
    """The pinned copies of a figure's lines.

    Parameters
    ----------
    figure : bokeh.plotting.figure
    legend : bokeh.models.Legend
    lines : sequence of (GlyphRenderer or None)
        Every line of the figure that may be copied; invisible and empty lines are not copied, nor is None, the place
        of a line that does not exist yet.
    ready : callable, optional
        Whether the lines belong to the current settings.

    Attributes
    ----------
    watchers : list of callable
        Called when copies were added or removed.
    """

    def __init__(
        self,
        figure,
        legend,
        lines: Sequence,
        *,
        ready: Callable[[], bool] = lambda: True,
    ):
        self._figure, self._legend, self._lines, self._ready = figure, legend, lines, ready
        self._pins: list[_Pin] = []
        self.watchers: list[Callable[[], None]] = []
        rows = [("pinned", "@pinned"), ("", "@name")]
        self._hover = HoverTool(tooltips=rows, renderers=[], line_policy="nearest")
        figure.add_tools(self._hover)

    def __len__(self) -> int:
        return len(self._pins)

    def __iter__(self):
        """Every copy with its `settings` and `lines`, the oldest first."""
        return iter(self._pins)

    def pin(self, settings: Mapping[str, str]) -> bool:
        """Copy the lines, drawn with `settings` (label to text); a fourth copy replaces the oldest.

        Returns
        -------
        bool
            False if there is nothing to copy, or the drawn lines belong to other settings.
        """
        drawn = {}
        for place, line in enumerate(self._lines):
            data = {} if line is None else line.data_source.data
            if line is not None and line.visible and len(data[line.glyph.x]):
                drawn[place] = list(data[line.glyph.x]), list(data[line.glyph.y])
        if not drawn or not self._ready():
            return False
        self._add(dict(settings), self._axes(), drawn)
        self.follow(settings)
        self._tell()
        return True

    def clear(self) -> None:
        """Remove all copies; the current lines stay."""
        for pin in list(self._pins):
            self._remove(pin)
        self._tell()

    def follow(self, settings: Mapping[str, str]) -> None:
        """Name every copy by its differences from the current settings; hide it if the axes differ."""
        for pin in self._pins:
            shown = pin.axes == self._axes()
            pin.item.update(label=value(f"{_name(pin.settings, settings)}\u2003"), visible=shown)
            for line in pin.lines:
                line.visible = shown
        self._hover.renderers = [line for pin in self._pins for line in pin.lines]

    def _axes(self):
        return self._figure.xaxis[0].axis_label, self._figure.yaxis[0].axis_label

    def _tell(self):
        for watcher in self.watchers:
            watcher()

    def _add(self, settings, axes, drawn):
        text = drawable(", ".join(f"{label} = {text}" for label, text in settings.items()))
        ghosts = [self._copy(self._lines[place], x, y, text) for place, (x, y) in drawn.items()]
        pin = _Pin(settings, axes, ghosts, entry("", ghosts))
        self._pins.append(pin)
        self._legend.items = [*self._legend.items, pin.item]
        for old in self._pins[:-MOST_PINS]:
            self._remove(old)

    def _copy(self, line, x, y, text):
        glyph = line.glyph
        names = {name_of(item) for item in self._legend.items if line in item.renderers}
        columns = {"x": x, "y": y, "pinned": [text] * len(x), "name": [" ".join(sorted(names))] * len(x)}
        ghost = self._figure.line(
            "x",
            "y",
            source=ColumnDataSource(columns),
            line_color=glyph.line_color,
            line_dash=glyph.line_dash,
            line_width=2,
            line_alpha=_PALE,
            muted_alpha=0.08,
            level="underlay",
        )
        ghost.glyph.tags = list(glyph.tags)
        return ghost

    def _remove(self, pin):
        self._pins.remove(pin)
        self._legend.items = [item for item in self._legend.items if item is not pin.item]
        self._hover.renderers = [line for line in self._hover.renderers if line not in pin.lines]
        self._figure.renderers = [line for line in self._figure.renderers if line not in pin.lines]


def _name(pinned, present):
    """A legend entry: the settings in which a pinned copy differs from the current ones."""
    other = [f"{label} = {text}" for label, text in pinned.items() if present.get(label) != text]
    more = f" and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
    return drawable(f"pinned: {', '.join(other[:_MOST_NAMED])}{more}" if other else "pinned: as now")

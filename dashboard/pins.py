"""Pinned curves: pale copies of what a figure shows, kept to compare other settings with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, LegendItem

from dashboard.figures import drawable, entry

MOST_PINS = 3
_MOST_NAMED = 2  # Settings that a legend entry names; the box under the pointer names all.
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
    lines : sequence of GlyphRenderer
        Every line of the figure that may be copied; invisible and empty ones are left out.
    ready : callable, optional
        Whether the lines belong to the present settings.

    Attributes
    ----------
    changed : callable
        Called when copies came or went.
    """

    def __init__(self, figure, legend, lines: Sequence, *, ready: Callable[[], bool] = lambda: True):
        self._figure, self._legend, self._lines, self._ready = figure, legend, tuple(lines), ready
        self._pins: list[_Pin] = []
        self.changed: Callable[[], None] = lambda: None
        rows = [("pinned", "@pinned"), ("", "@name")]
        self._hover = HoverTool(tooltips=rows, renderers=[], line_policy="nearest")
        figure.add_tools(self._hover)

    def __len__(self) -> int:
        return len(self._pins)

    def pin(self, settings: Mapping[str, str]) -> bool:
        """Keep a copy of the lines, drawn under `settings` (label to text); the oldest of three goes.

        Returns
        -------
        bool
            False if there is nothing to copy, or what is drawn belongs to other settings.
        """
        drawn = [line for line in self._lines if line.visible and len(line.data_source.data[line.glyph.x])]
        if not drawn or not self._ready():
            return False
        text = drawable(", ".join(f"{label} = {text}" for label, text in settings.items()))
        ghosts = [self._copy(line, text) for line in drawn]
        pin = _Pin(dict(settings), self._axes(), ghosts, entry("", ghosts))
        self._pins.append(pin)
        self._legend.items = [*self._legend.items, pin.item]
        for old in self._pins[:-MOST_PINS]:
            self._remove(old)
        self.follow(settings)
        self.changed()
        return True

    def clear(self) -> None:
        """Remove all copies; the present lines stay."""
        for pin in list(self._pins):
            self._remove(pin)
        self.changed()

    def follow(self, settings: Mapping[str, str]) -> None:
        """Name every copy by how it differs from the present settings; hide it where the axes are others."""
        for pin in self._pins:
            shown = pin.axes == self._axes()
            pin.item.update(label=value(f"{_name(pin.settings, settings)}\u2003"), visible=shown)
            for line in pin.lines:
                line.visible = shown
        self._hover.renderers = [line for pin in self._pins for line in pin.lines]

    def _axes(self):
        return self._figure.xaxis[0].axis_label, self._figure.yaxis[0].axis_label

    def _copy(self, line, text):
        glyph, data = line.glyph, line.data_source.data
        names = {item.label.value.strip() for item in self._legend.items if line in item.renderers}
        count = len(data[glyph.x])
        columns = {"x": list(data[glyph.x]), "y": list(data[glyph.y])}
        columns |= {"pinned": [text] * count, "name": [" ".join(sorted(names))] * count}
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
    """A legend entry: the settings in which a pinned copy differs from the present."""
    other = [f"{label} = {text}" for label, text in pinned.items() if present.get(label) != text]
    more = f" and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
    return drawable(f"pinned: {', '.join(other[:_MOST_NAMED])}{more}" if other else "pinned: as now")

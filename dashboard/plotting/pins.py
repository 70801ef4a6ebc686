"""Pinned curves: pale copies of a figure's curves, for comparison with other settings.

A settings file holds the copies as numbers, so that the same picture can be restored; its content is foreign text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, LegendItem

from dashboard.plotting.figure import drawable, entry, name_of

MOST_PINS = 3
_MOST_NAMED = 2  # Settings that a legend entry names; the hover box names all.
_PALE = 0.42
_MOST_LINES, _MOST_POINTS, _MOST_TEXTS, _MOST_SIGNS = 50, 1000, 50, 500  # Limits for a copy from a file.
_FARTHEST = 1e30  # The largest number in a figure; a browser's axes accept no larger ones.


@dataclass(eq=False)
class _Pin:
    settings: Mapping[str, str]
    values: Mapping[str, str]
    axes: tuple[str, str]
    lines: list
    places: tuple[int, ...]  # Indices of the figure's lines that were copied.
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
    line_at : callable, optional
        The line at a place of `lines`, made if it did not exist.

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
        line_at: Callable[[int], Any] | None = None,
    ):
        self._figure, self._legend, self._lines, self._ready = figure, legend, lines, ready
        self._line_at = line_at or lines.__getitem__
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

    @property
    def values(self) -> list[Mapping[str, str]]:
        """The settings of every copy in the URL's form, the oldest first."""
        return [pin.values for pin in self._pins]

    def pin(self, settings: Mapping[str, str], values: Mapping[str, str] | None = None) -> bool:
        """Copy the lines, drawn with `settings` (label to text); a fourth copy replaces the oldest.

        Parameters
        ----------
        values : mapping, optional
            The same settings in the URL's form.

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
        self._add(dict(settings), dict(values or {}), self._axes(), drawn)
        self.follow(settings)
        self._tell()
        return True

    def state(self) -> list[dict[str, Any]]:
        """All copies as a JSON-compatible value, numbers to six digits; `restore` accepts it."""
        return [
            {
                "settings": dict(pin.settings),
                "values": dict(pin.values),
                "axes": list(pin.axes),
                "lines": [
                    {"line": place, **{n: _short(line.data_source.data[n]) for n in ("x", "y")}}
                    for place, line in zip(pin.places, pin.lines, strict=True)
                ],
            }
            for pin in self._pins
        ]

    def restore(self, state: Any, present: Mapping[str, str]) -> None:
        """Replace all copies by those in `state`, named by their differences from the `present` settings.

        Raises
        ------
        ValueError
            If `state`, which is foreign, does not have the form that the method `state` returns for this figure.
        """
        found = understood(state, lines=len(self._lines))
        self.clear()
        for one in found:
            self._add(*one)
        self.follow(present)
        self._tell()

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

    def _add(self, settings, values, axes, drawn):
        text = drawable(", ".join(f"{label} = {text}" for label, text in settings.items()))
        ghosts = [self._copy(self._line_at(place), x, y, text) for place, (x, y) in drawn.items()]
        pin = _Pin(settings, values, axes, ghosts, tuple(drawn), entry("", ghosts))
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


def _short(numbers):
    """Every number rounded to six digits; None for a value that is not finite."""
    return [float(f"{float(v):.6g}") if math.isfinite(v) else None for v in numbers]


def understood(state: Any, *, lines: int = _MOST_LINES) -> list[tuple]:
    """Settings, values, axes, and points by the place of their line among `lines`, of every copy in a foreign `state`.

    Raises
    ------
    ValueError
        If it does not have the form that `Pins.state` returns.
    """
    if not isinstance(state, list) or len(state) > MOST_PINS:
        raise ValueError(f"pinned curves must be a list of at most {MOST_PINS}")
    return [_understood(one, lines) for one in state]


def _understood(found, count):
    if not isinstance(found, dict):
        raise ValueError("a pinned curve must be an object")
    axes, lines = found.get("axes"), found.get("lines")
    if not (isinstance(axes, list) and len(axes) == 2 and all(isinstance(axis, str) for axis in axes)):
        raise ValueError("the axes of a pinned curve must be two texts")
    if not (isinstance(lines, list) and lines and all(isinstance(line, dict) for line in lines)):
        raise ValueError("the lines of a pinned curve must be a list of objects")
    drawn = {_place(line.get("line"), count): (_points(line, "x"), _points(line, "y")) for line in lines}
    if any(len(x) != len(y) for x, y in drawn.values()):
        raise ValueError("a pinned curve must have as many x as y")
    return _texts(found, "settings"), _texts(found, "values"), tuple(axes), drawn


def _place(found, count):
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < count:
        raise ValueError(f"the line of a pinned curve must be a whole number below {count}")
    return found


def _texts(found, name):
    texts = found.get(name)
    good = isinstance(texts, dict) and len(texts) <= _MOST_TEXTS
    if not good or not all(isinstance(v, str) and len(k + v) <= _MOST_SIGNS for k, v in texts.items()):
        raise ValueError(f"the {name} of a pinned curve must be at most {_MOST_TEXTS} short texts")
    return texts


def _points(line, name):
    points = line.get(name)
    if not isinstance(points, list) or not 1 <= len(points) <= _MOST_POINTS:
        raise ValueError(f"{name} of a pinned curve must be a list of at most {_MOST_POINTS} numbers")
    points = [math.nan if v is None else v for v in points]
    kinds = all(isinstance(v, int | float) and not isinstance(v, bool) for v in points)
    if not kinds or any(abs(v) > _FARTHEST for v in points):
        raise ValueError(f"{name} of a pinned curve must be numbers of at most {_FARTHEST:g}")
    return points

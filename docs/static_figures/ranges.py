"""The axes of a live figure: their scales and ticks, as a browser would choose them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bokeh.models import FactorRange, FixedTicker, LogScale, Range1d

from dashboard.packs.papers.reproduce.pictures.scale import (
    Scale,
    linear_label,
    linear_ticks,
    log_label,
    log_ticks,
)
from dashboard.plotting.log_ticks import GAP

_PADDING = 0.1  # Share of the data's extent that Bokeh adds.
# Pixels of an axis that stands for all of its size class; ticks are chosen for them.
LENGTHS = {"wide": 728, "narrow": 306}


@dataclass(frozen=True)
class AxisPicture:
    """One axis of a static picture.

    Attributes
    ----------
    label : str
    scale : Scale
        Maps to percent of the frame.
    known : bool
        Whether the ends are known: without data they are not, and no tick is drawn.
    ticks : dict of str to list of (float, str)
        Positions in percent and labels, by size class of the picture.
    factors : tuple of str
        Names along the axis; empty for numbers.
    visible : bool
    """

    label: str
    scale: Scale
    known: bool
    ticks: Mapping[str, list[tuple[float, str]]]
    factors: tuple[str, ...]
    visible: bool

    def places(self, values: Sequence) -> np.ndarray:
        """Positions of values or of names, in percent."""
        if self.factors:
            middle = {name: i + 0.5 for i, name in enumerate(self.factors)}
            parts = [v if isinstance(v, tuple) else (v, 0.0) if isinstance(v, str) else None for v in values]
            values = [
                v if part is None else middle.get(part[0], math.nan) + part[1]
                for v, part in zip(values, parts, strict=True)
            ]
        return self.scale.places(values)


def axis_picture(plot, side: str, *, data: Iterable[np.ndarray], height: float = 300) -> AxisPicture:
    """The axis of a Bokeh figure.

    Parameters
    ----------
    side : str
        "x" or "y".
    data : iterable of array
        All values that the figure draws along it.
    height : float
        Pixels of the frame.
    """
    axis, found = (plot.xaxis[0], plot.x_range) if side == "x" else (plot.yaxis[0], plot.y_range)
    log = isinstance(plot.x_scale if side == "x" else plot.y_scale, LogScale)
    start, end = (0.0, 100.0) if side == "x" else (100.0, 0.0)
    factors: tuple[str, ...] = ()
    if isinstance(found, FactorRange):
        factors = tuple(map(str, found.factors))
        room = len(factors) * found.range_padding / 2
        low, high = -room, len(factors) + room
    elif isinstance(found, Range1d):
        low, high = float(found.start), float(found.end)
    else:
        low, high = _data_range(found, data, log)
    known = math.isfinite(low) and math.isfinite(high) and (not log or low > 0)
    scale = Scale.between(low, high, start, end, log=log) if known else Scale(0, 1, start, end, False)
    ticks = {}
    for size, length in LENGTHS.items():
        length = length if side == "x" else height
        gap = GAP["inner_width" if side == "x" else "inner_height"]
        ticks[size] = _labelled(axis, scale, low, high, log, length, gap, factors) if known else []
    return AxisPicture(axis.axis_label or "", scale, known, ticks, factors, axis.visible)


def _data_range(found, data, log):
    """The ends of Bokeh's range that follows the data, unless the program sets them."""
    values = [np.asarray(part, dtype=float).ravel() for part in data]
    values = np.concatenate(values) if values else np.empty(0)
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    low, high = math.nan, math.nan
    if len(values):
        low, high = float(values.min()), float(values.max())
        if log:
            low, high = math.log10(low), math.log10(high)
        room = _PADDING / 2 * (high - low) or 0.5 * (1 if log else 2)
        low, high = low - room, high + room
        if log:
            low, high = 10.0**low, 10.0**high
    given = [getattr(found, name) for name in ("start", "end")]
    given = [None if v is None or not math.isfinite(v) else float(v) for v in given]
    return (low if given[0] is None else given[0]), (high if given[1] is None else given[1])


def _labelled(axis, scale, low, high, log, length, gap, factors):
    if factors:
        return [(float(scale(i + 0.5)), name) for i, name in enumerate(factors)]
    if isinstance(axis.ticker, FixedTicker):
        ticks = [t for t in axis.ticker.ticks if min(low, high) <= t <= max(low, high)]
    elif log:
        ticks = log_ticks(low, high, length=length, gap=gap)
    else:
        ticks = linear_ticks(low, high)
    given = {float(at): str(text) for at, text in (axis.major_label_overrides or {}).items()}
    name, plain = log_label if log else linear_label, [t for t in ticks if float(t) not in given]
    return [(float(scale(t)), given.get(float(t)) or name(t, plain)) for t in ticks]

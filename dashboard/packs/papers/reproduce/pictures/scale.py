"""Scales and ticks of static pictures; the ticks are those of the live figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from data.check import grouped

FLOOR = 1e-30  # What a logarithmic axis shows at least.
_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NEAR = 1e-9


@dataclass(frozen=True)
class Scale:
    """Maps values to positions along one axis.

    Attributes
    ----------
    low, high : float
        Ends of the axis; on a logarithmic scale their powers of ten.
    start, end : float
        Positions of the ends, e.g. pixels or percent.
    log : bool
    """

    low: float
    high: float
    start: float
    end: float
    log: bool

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float, *, log: bool) -> Scale:
        """A scale that covers all finite values, with a margin."""
        values = np.asarray([v for v in values if math.isfinite(v) and (v > FLOOR or not log)], dtype=float)
        low, high = (values.min(), values.max()) if len(values) else (1.0, 10.0)
        if log:
            low, high = math.log10(low), math.log10(high)
        room = 0.05 * (high - low) or 0.5
        return cls(low - room, high + room, start, end, log)

    @classmethod
    def between(cls, low: float, high: float, start: float, end: float, *, log: bool) -> Scale:
        """A scale with these values at its ends."""
        if log:
            low, high = math.log10(max(low, FLOOR)), math.log10(max(high, FLOOR))
        return cls(low, high if high != low else low + 1.0, start, end, log)

    def __call__(self, value: float) -> float:
        """The position of a value; on a logarithmic scale all values that it cannot show lie at `FLOOR`."""
        return float(self.places([max(value, FLOOR) if self.log else value])[0])

    def places(self, values: Sequence[float]) -> np.ndarray:
        """The positions of values, shape (m,); NaN where a value has none."""
        values = np.asarray(values, dtype=float)
        if self.log:
            values = np.log10(np.where(values > 0, np.maximum(values, FLOOR), np.nan))
        return self.start + (values - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """A few round values: powers of ten on a logarithmic scale, otherwise steps of 1, 2 or 5."""
        if self.log:
            first, last = math.ceil(self.low), math.floor(self.high)
            step = max(1, math.ceil((last - first) / 7))
            powers = [10.0**e for e in range(first, last + 1, step)]
            few = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5)]
            return powers if len(powers) > 2 else [v for v in few if self.low <= math.log10(v) <= self.high]
        rough = (self.high - self.low) / 5
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough)
        first = math.ceil(self.low / step)
        return [n * step for n in range(first, math.floor(self.high / step) + 1)]


def linear_ticks(low: float, high: float, *, wanted: int = 6) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, about `wanted` of them."""
    low, high = min(low, high), max(low, high)
    if not math.isfinite(low) or not math.isfinite(high) or high <= low:
        return []
    unit = 10.0 ** math.floor(math.log10((high - low) / wanted))
    step = min((m * unit for m in (0.5, 1, 2, 5, 10)), key=lambda s: abs(wanted - (high - low) / s))
    first, last = math.ceil(low / step - _NEAR), math.floor(high / step + _NEAR)
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def log_ticks(low: float, high: float, *, length: float, gap: float) -> list[float]:
    """As many round numbers as fit on a logarithmic axis, as `plotting/log_ticks_major.js` chooses them.

    Parameters
    ----------
    length, gap : float
        Pixels of the axis, and from one label to the next.
    """
    low, high = min(low, high), max(low, high)
    if not 0 < low < high or not math.isfinite(high):
        return []
    decades = math.log10(high / low)
    least = gap / length * decades
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))

    def inside(ticks):
        return [t for t in ticks if low * (1 - _NEAR) <= t <= high * (1 + _NEAR)]

    few: list[float] = []
    for mantissas, apart in ((range(1, 10), 0.045), ((1, 2, 5), 0.3), ((1, 3), 0.47)):
        ticks = inside(float(f"{m}e{e}") for e in range(first, last + 1) for m in mantissas)
        if apart >= least and len(ticks) >= 3:
            return ticks
        few = max(few, ticks if apart >= least else [], key=len)
    if decades >= 2:
        step = max(1, math.ceil(least - _NEAR))
        return inside(float(f"1e{e}") for e in range(step * math.floor(first / step), last + 1, step))
    ticks = _short_ticks(low, high, least)
    return few if len(ticks) < len(few) else ticks


def _short_ticks(low, high, least):
    """Equal steps, where a range holds less than three round numbers."""
    size = math.floor(math.log10(high - low))
    for step in (m * 10.0**e for e in range(size - 2, size + 1) for m in (1, 2, 5)):
        last = math.floor(high / step + _NEAR)
        if last > 1 and math.log10(last / (last - 1)) < least:
            continue
        return [float(f"{n * step:.12g}") for n in range(math.ceil(low / step - _NEAR), last + 1)]
    return [low, high]


def log_label(tick: float, ticks: Sequence[float]) -> str:
    """A label of a logarithmic axis, as `plotting/log_ticks_label.js` writes it."""
    power = math.floor(math.log10(tick) + _NEAR)
    exponents = [math.log10(t) for t in ticks]
    whole = all(abs(e - round(e)) < _NEAR for e in exponents)
    if whole and max(exponents) - min(exponents) > 2.5:
        return "10" + str(power).translate(_POWERS)
    if -4 < power < 6:
        text = f"{float(f'{tick:.6g}'):.6f}".rstrip("0").rstrip(".")
        return grouped(int(tick)) if tick >= 1e4 and "." not in text else text
    mantissa = float(f"{tick / 10.0**power:.4g}")
    raised = "10" + str(power).translate(_POWERS)
    return raised if mantissa == 1 else f"{mantissa:g}·{raised}"


def linear_label(tick: float, ticks: Sequence[float]) -> str:
    """A label of a linear axis: all labels have the same number of decimals."""
    if any(t and not 1e-4 <= abs(t) < 1e5 for t in ticks):
        text = f"{tick:.4g}" if abs(tick) < 1e5 else f"{tick:.3e}".replace("e+0", "e+")
        return text.replace("-", "−")
    places = max((len(f"{t:.10g}".partition(".")[2]) for t in ticks), default=0)
    return f"{tick:.{places}f}".replace("-", "−")

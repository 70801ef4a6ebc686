"""Checks of what callers hand in; every message names the parameter, what was expected and what came."""

from __future__ import annotations

import math
import numbers

import numpy as np


def grouped(count: int) -> str:
    """A whole number as messages print it: from five digits on in groups, which no line break parts."""
    return f"{count:,}".replace(",", "\u202f") if abs(count) >= 10_000 else str(count)


def integer(name: str, value: int, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number in [low, high], else raise ValueError."""
    ok = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not ok or value < low or (high is not None and value > high):
        span = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {span}, got {value!r}")
    return int(value)


def number(name: str, value: float, *, low: float = -math.inf, high: float = math.inf) -> float:
    """Return `value` as a float if finite and strictly between `low` and `high`, else raise ValueError."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    if not (math.isfinite(result) and low < result < high):
        span = {
            (False, False): "a finite number",
            (True, False): f"a finite number above {low:g}",
            (False, True): f"a finite number below {high:g}",
            (True, True): f"a number strictly between {low:g} and {high:g}",
        }[math.isfinite(low), math.isfinite(high)]
        raise ValueError(f"{name} must be {span}, got {value!r}")
    return result


def choice(name: str, value: str, options) -> str:
    """Return `value` if it is one of `options`, else raise ValueError."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def finite(name: str, array) -> np.ndarray:
    """Return `array` as a float array if all entries are finite, else raise ValueError naming one."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, got an array of type {array.dtype}")
    array = array if array.dtype.kind == "f" else array.astype(float)
    # A sum is finite exactly when every entry is (or it overflows): one pass, no mask.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(array.sum())
    if suspicious and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    return array


def table(name: str, array) -> np.ndarray:
    """Return `array` as a finite float array of shape (N, d), N and d at least one, else raise ValueError."""
    array = finite(name, array)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name} must be a table (N, d) of at least one row and column, got shape {array.shape}"
        )
    return array


def law(name: str, weights, *, length: int) -> np.ndarray:
    """Return `weights` as `length` probabilities that sum to one, else raise ValueError."""
    weights = finite(name, weights)
    if weights.shape != (length,):
        raise ValueError(f"{name} must be {length} probabilities, got an array of shape {weights.shape}")
    if (weights < 0).any() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"{name} must be non-negative and sum to 1, got sum {weights.sum()}, least {weights.min()}"
        )
    return weights / weights.sum()

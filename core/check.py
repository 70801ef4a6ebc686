"""Checks of what callers hand in; every message names the parameter, what was expected and what came."""

from __future__ import annotations

import math
import numbers

import numpy as np


def positive(name: str, value: float) -> float:
    """Return `value` as a float if it is a positive finite number, else raise ValueError."""
    return _real(name, value, lambda x: 0 < x < math.inf, "a positive finite number")


def nonnegative(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number of at least zero, else raise ValueError."""
    return _real(name, value, lambda x: 0 <= x < math.inf, "a finite number of at least 0")


def fraction(name: str, value: float) -> float:
    """Return `value` as a float if it lies strictly between 0 and 1, else raise ValueError."""
    return _real(name, value, lambda x: 0 < x < 1, "a number strictly between 0 and 1")


def integer(name: str, value: int, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number in [low, high], else raise ValueError."""
    ok = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not ok or value < low or (high is not None and value > high):
        span = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {span}, got {value!r}")
    return int(value)


def choice(name: str, value: str, options) -> str:
    """Return `value` if it is one of `options`, else raise ValueError."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}")
    return value


def positives(name: str, values, *, length: int | None = None) -> np.ndarray:
    """Return `values` as a float vector if all are positive and finite, else name the first bad one."""
    array = np.atleast_1d(np.asarray(values, dtype=float))
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "numbers in a row" if length is None else f"{length} numbers in a row"
        raise ValueError(f"{name} must be {wanted}, got shape {np.shape(values)}")
    return at_least(name, array, 0, strict=True)


def at_least(name: str, values, low: float, *, strict: bool = False) -> np.ndarray:
    """Return `values` as a float array if all are finite and at least (`strict`: above) `low`, else raise."""
    array = np.asarray(values, dtype=float)
    bad = np.argwhere(~(np.isfinite(array) & ((array > low) if strict else (array >= low))))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        place = f" at position {where[0] if len(where) == 1 else where}" if where else ""
        raise ValueError(
            f"{name} must be finite and {'above' if strict else 'at least'} {low}, got {array[where]}{place}"
        )
    return array


def finite(name: str, array: np.ndarray) -> np.ndarray:
    """Return `array` if it has no NaN and no infinity, else raise ValueError naming the first bad entry."""
    array = np.asarray(array)
    # A sum is finite exactly when no entry is NaN or infinite (or it overflows): one pass, no mask.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(array.sum())
    if suspicious and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    return array


def _real(name, value, accept, expected):
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {expected}, got {value!r}") from None
    if not accept(number):
        raise ValueError(f"{name} must be {expected}, got {value!r}")
    return number

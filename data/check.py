"""Checks of what callers hand in; every message names the parameter, what was expected and what came."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from data.arguments import HUGE, LARGEST, is_number, is_sequence, numeric, shown
from data.arguments import (
    arguments as arguments,
)  # Decorators read "check.arguments", beside the checks they name.

Option = TypeVar("Option", bound=str)


def grouped(count: int) -> str:
    """A whole number as messages print it: from five digits on in groups, which no line break parts."""
    return f"{count:,}".replace(",", "\u202f") if abs(count) >= 10_000 else str(count)


def integer(name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number in [low, high], else raise ValueError."""
    ok = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not ok or value < low or value > (LARGEST if high is None else high):
        span = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {span}, got {shown(value)}")
    return int(value)


def number(name: str, value: Any, *, low: float = -math.inf, high: float = math.inf) -> float:
    """Return `value` as a float if finite and strictly between `low` and `high`, else raise ValueError."""
    result = float(value) if is_number(value) else math.nan
    if not (math.isfinite(result) and low < result < high):
        span = {
            (False, False): "a finite number",
            (True, False): f"a finite number above {low:g}",
            (False, True): f"a finite number below {high:g}",
            (True, True): f"a number strictly between {low:g} and {high:g}",
        }[math.isfinite(low), math.isfinite(high)]
        raise ValueError(f"{name} must be {span}, got {shown(value)}")
    return result


def choice(name: str, value: str, options: Iterable[Option]) -> Option:
    """Return `value` if it is one of `options`, else raise ValueError."""
    for option in options if isinstance(value, str) else ():
        if option == value:
            return option
    raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {shown(value)}")


def finite(name: str, array) -> np.ndarray:
    """Return `array` as a float array if all entries are finite, else raise ValueError naming one."""
    array = numeric(name, array)
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


def distribution(name: str, weights, *, length: int) -> np.ndarray:
    """Return `weights` as `length` probabilities that sum to one, else raise ValueError."""
    weights = finite(name, weights)
    if weights.shape != (length,):
        raise ValueError(f"{name} must be {length} probabilities, got an array of shape {weights.shape}")
    if (weights < 0).any() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"{name} must be non-negative and sum to 1, got sum {weights.sum()}, least {weights.min()}"
        )
    return weights / weights.sum()


def whole(low: int):
    """A check like `integer`, of numbers of at least `low`."""
    return lambda name, value: integer(name, value, low=low)


def records(name: str, value):
    """Return `value` if it has rows: an array, a sparse matrix, a list, or a tuple of such; else raise ValueError."""
    for part in value if isinstance(value, tuple) else (value,):
        rows = sparse.issparse(part) or (is_sequence(part) and hasattr(part, "__len__") and _even(part))
        if (
            not rows
            or (isinstance(part, np.ndarray) and not part.ndim)
            or (isinstance(value, tuple) and not value)
        ):
            raise ValueError(f"{name} must be records in rows, or a tuple of such, got {shown(part)}")
    if isinstance(value, tuple) and not value:
        raise ValueError(f"{name} must be records in rows, or a tuple of such, got ()")
    return value


def _even(part):
    try:
        return isinstance(part, np.ndarray) or np.asarray(part) is not None
    except ValueError:  # Rows of different length.
        return False


def sequence(name: str, value):
    """Return `value` if it is a sequence, an array or a column included, else raise ValueError."""
    if not is_sequence(value) or (isinstance(value, np.ndarray) and not value.ndim):
        raise ValueError(f"{name} must be a sequence, got {shown(value)}")
    return value


def setting(settings, name: str):
    """The setting of that name, else raise ValueError that says which there are."""
    if name not in settings:
        raise ValueError(f"settings must name {name!r}, got {', '.join(map(repr, settings)) or 'none'}")
    return settings[name]


def sized(name: str, value: Any) -> float:
    """Return `value` as a float if its square and its inverse's are numbers too, else raise ValueError."""
    if not 1 / HUGE < number(name, value, low=0) < HUGE:
        raise ValueError(f"{name} must lie between {1 / HUGE:g} and {HUGE:g}, got {value!r}")
    return float(value)


def real(name: str, value: Any) -> float:
    """Return `value` if it is a number, ∞ included, else raise ValueError."""
    if not is_number(value) or value != value:
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    return value


def optional(rule):
    """The same check, which lets None pass."""
    return lambda name, value: None if value is None else rule(name, value)

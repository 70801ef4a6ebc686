"""Checks of what callers hand in: those of `core.check`, and what records and probabilities need besides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from core import check
from core.check import (
    HUGE,
    arguments,
    choice,
    extended,
    integer,
    is_number,
    is_sequence,
    is_whole,
    numeric,
    optional,
    seed,
    sequence,
    setting,
    shown,
    whole,
)

__all__ = [
    "HUGE",
    "arguments",
    "choice",
    "distribution",
    "extended",
    "finite",
    "generator",
    "grouped",
    "integer",
    "is_number",
    "is_whole",
    "number",
    "numeric",
    "optional",
    "records",
    "seed",
    "sequence",
    "setting",
    "shown",
    "sized",
    "table",
    "whole",
]


def grouped(count: int) -> str:
    """A whole number as messages print it: from five digits on in groups, which no line break parts."""
    return f"{count:,}".replace(",", "\u202f") if abs(count) >= 10_000 else str(count)


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


def finite(name: str, array) -> np.ndarray:
    """Return `array` as a float array if all entries are finite, else raise ValueError naming one."""
    array = check.finite(name, array)
    return array if array.dtype.kind == "f" else array.astype(float)


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


def records(name: str, value):
    """Return `value` if it has rows: an array, a sparse matrix, a list, or a tuple of such; else raise ValueError."""
    for part in value if isinstance(value, tuple) else (value,):
        rows = sparse.issparse(part) or (is_sequence(part) and hasattr(part, "__len__") and _even(part))
        if not rows or (isinstance(part, np.ndarray) and not part.ndim):
            raise ValueError(f"{name} must be records in rows, or a tuple of such, got {shown(part)}")
    if isinstance(value, tuple) and not value:
        raise ValueError(f"{name} must be records in rows, or a tuple of such, got ()")
    return value


def _even(part):
    try:
        return isinstance(part, np.ndarray) or np.asarray(part) is not None
    except ValueError:  # Rows of different length.
        return False


def sized(name: str, value: Any) -> float:
    """Return `value` as a float if its square and its inverse's are numbers too, else raise ValueError."""
    if not 1 / HUGE < number(name, value, low=0) < HUGE:
        raise ValueError(f"{name} must lie between {1 / HUGE:g} and {HUGE:g}, got {value!r}")
    return float(value)


def generator(settings: Mapping) -> np.random.Generator:
    """The generator from which a source draws at these settings: that of their "data_seed"."""
    return np.random.default_rng(seed("data_seed", setting(settings, "data_seed")))

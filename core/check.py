"""Checks of arguments; every error names the parameter, what was expected and what was received."""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np

from core.arguments import HUGE, LARGEST, SMALL, finite, is_number, is_sequence, is_whole, numeric, shown
from core.arguments import (
    arguments as arguments,  # Decorators read "check.arguments", beside the checks they name.
)
from core.arguments import unmasked as unmasked
from core.foreign import seen as seen
from core.foreign import strict_json as strict_json
from core.foreign import worded as worded

Option = TypeVar("Option", bound=str)
LARGEST_SEED = 2**128 - 1  # As many bits as NumPy takes from the operating system where no seed is given.


def positive(name: str, value: Any) -> float:
    """Return `value` as a float if it is a positive finite number, else raise ValueError."""
    if type(value) is float and 0 < value < math.inf:
        return value
    return _real(name, value, lambda x: 0 < x < math.inf, "a positive finite number")


def nonnegative(name: str, value: Any) -> float:
    """Return `value` as a float if it is a finite number of at least zero, else raise ValueError."""
    if type(value) is float and 0 <= value < math.inf:
        return value
    return _real(name, value, lambda x: 0 <= x < math.inf, "a finite number of at least 0")


def fraction(name: str, value: Any) -> float:
    """Return `value` as a float if it lies strictly between 0 and 1, else raise ValueError."""
    if type(value) is float and 0 < value < 1:
        return value
    return _real(name, value, lambda x: 0 < x < 1, "a number strictly between 0 and 1")


def integer(name: str, value: Any, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number in [low, high], else raise ValueError."""
    ok = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not ok or value < low or value > (LARGEST if high is None else high):
        span = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {span}, got {shown(value)}")
    return int(value)


def seed(name: str, value: Any) -> int:
    """Return `value` as an int if it is a seed, a whole number of at most 128 bits, else raise ValueError."""
    return integer(name, value, low=0, high=LARGEST_SEED)


def upwards(value: float, digits: int = 6) -> str:
    """A positive number in so many digits, rounded up: a least value that an error names must suffice.

    Examples
    --------
    >>> upwards(0.1234567), downwards(0.1234567)
    ('0.123457', '0.123456')
    """
    return f"{directed(value, digits, up=True):.{digits}g}"


def downwards(value: float, digits: int = 6) -> str:
    """A positive number in so many digits, rounded down: the largest value that an error names must be allowed."""
    return f"{directed(value, digits, up=False):.{digits}g}"


def directed(value: float, digits: int, *, up: bool, slack: float = 0.0) -> float:
    """A positive number in so many significant digits, rounded up or down, never to the nearest.

    What lies no further than `slack`, relatively, on the other side of such a number counts as that number.
    """
    near = value * (1 - slack if up else 1 + slack) or value
    last = math.floor(math.log10(near)) - digits + 1
    scaled = Decimal(near).scaleb(-last)
    return float(Decimal(math.ceil(scaled) if up else math.floor(scaled)).scaleb(last))


def choice(name: str, value: str, options: Iterable[Option]) -> Option:
    """Return `value` if it is one of `options`, else raise ValueError."""
    for option in options if isinstance(value, str) else ():
        if option == value:
            return option
    raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {shown(value)}")


def positives(name: str, values, *, length: int | None = None, each: str = "") -> np.ndarray:
    """Return `values` as a float vector if all are positive and finite, else name the first bad one.

    `each` says what there is one value of, e.g. "site", where there must be so many.

    Examples
    --------
    >>> positives("weights", [1, 2])
    array([1., 2.])
    >>> positives("weights", [1, -2])
    Traceback (most recent call last):
    ValueError: weights must be finite and above 0, got -2.0 at position 1
    """
    if type(values) is not np.ndarray or values.dtype.kind not in "fiub":
        values = numeric(name, values)
    array = np.atleast_1d(values.astype(float, copy=False))
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "be numbers in a row" if length is None else f"have shape ({length},)"
        of = f", one for each {each}" if each else ""
        raise ValueError(f"{name} must {wanted}{of}, got shape {np.shape(values)}")
    return at_least(name, array, 0, strict=True)


def at_least(name: str, values, low: float, *, strict: bool = False) -> np.ndarray:
    """Return `values` as a float array if all are finite and at least (`strict`: above) `low`, else raise."""
    if type(values) is not np.ndarray or values.dtype.kind != "f":
        values = numeric(name, values)
    array = values.astype(float, copy=False)
    good = np.isfinite(array) & ((array > low) if strict else (array >= low))
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        place = f" at position {where[0] if len(where) == 1 else where}" if where else ""
        raise ValueError(
            f"{name} must be finite and {'above' if strict else 'at least'} {low}, got {array[where]}{place}"
        )
    return array


def reals(name: str, values) -> np.ndarray:
    """Return `values` as an array of finite real numbers with at least one entry, else raise ValueError."""
    array = finite(name, values)
    if not array.size:
        raise ValueError(f"{name} must hold at least one number, got shape {array.shape}")
    return array


def axes(count: int) -> Callable:
    """A check like `reals`, of arrays with so many axes."""

    def check(name, values):
        # Most are right, and this is asked most often.
        usual = type(values) is np.ndarray and values.dtype.kind == "f" and 0 < values.size < SMALL
        if usual and values.ndim == count and np.isfinite(values).all():
            return values
        array = finite(name, values)
        if not array.size:
            raise ValueError(f"{name} must hold at least one number, got shape {array.shape}")
        if array.ndim != count:
            raise ValueError(f"{name} must be an array of {count} axes, got shape {array.shape}")
        return array

    return check


vector, matrix, cube = axes(1), axes(2), axes(3)


def numbers_in(low: float, high: float) -> Callable:
    """A check that returns numbers, one or an array of them, if all are within [low, high]; ±∞ may be an end."""

    def check(name, values):
        array = numeric(name, values) if math.inf in (-low, high) else finite(name, values)
        if array.dtype.kind == "f":
            array = array.astype(float, copy=False)  # Single precision has no number as large as some ends.
        if not ((array >= low) & (array <= high)).all() or not array.size:
            raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {shown(values)}")
        return values if array.ndim == 0 else array

    return check


probabilities, mus = numbers_in(0, 1), numbers_in(0, math.inf)
bounded = numbers_in(-HUGE, HUGE)


def positives_in(low: float, high: float) -> Callable:
    """A check like `numbers_in`, of positive numbers."""

    def check(name, values):
        array = at_least(name, values, 0, strict=True)
        if not ((array >= low) & (array <= high)).all() or not array.size:
            raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {shown(values)}")
        if array.ndim == 0:
            return values
        given = np.asarray(values)
        return array if given.dtype.kind == "f" else given

    return check


sized = positives_in(1 / HUGE, HUGE)


def sequence(name: str, values):
    """Return `values` if they are a sequence, an array included, else raise ValueError."""
    if not is_sequence(values):
        raise ValueError(f"{name} must be a sequence, got {shown(values)}")
    return unmasked(name, values)


def whole(low: int) -> Callable:
    """A check like `integer`, of numbers of at least `low`."""
    return functools.partial(integer, low=low)


def optional(rule: Callable) -> Callable:
    """A check like `rule` that also accepts None."""
    return lambda name, value: None if value is None else rule(name, value)


def shape(name: str, value):
    """Return `value` if it is an array's shape, a whole number or a tuple of such, else raise ValueError."""
    sizes = value if isinstance(value, tuple | list) else (value,)
    if not all(is_whole(n) and 0 <= n < 2**40 for n in sizes):
        raise ValueError(f"{name} must be a whole number or a tuple of such, got {shown(value)}")
    return value


def having(*attributes: str, words: str) -> Callable:
    """A check that an object has these attributes."""

    def check(name, value):
        if isinstance(value, type) or not all(hasattr(value, a) for a in attributes):
            raise ValueError(f"{name} must be {words}, got {shown(value)}")
        return value

    return check


problem = having(
    "data_settings",
    "methods",
    "statistics",
    "estimate",
    words="a problem of `core.sweep`, as pca.Problem makes one",
)


def tensor(name: str, value):
    """Return a tensor if it is an array of three axes, or an object with `d` and `power`, else raise ValueError."""
    if not isinstance(value, type) and hasattr(value, "power") and hasattr(value, "d"):
        return value
    return cube(name, value)


def extended(name: str, value: Any) -> float:
    """Return `value` if it is a number, ∞ included, else raise ValueError."""
    if not is_number(value) or value != value:
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    return value


def setting(settings: Mapping, name: str):
    """The setting of that name, else raise ValueError that says which there are."""
    if name not in settings:
        raise ValueError(f"settings must name {name!r}, got {', '.join(map(repr, settings)) or 'none'}")
    return settings[name]


def _real(name, value, accept, expected):
    if not is_number(value) or not accept(float(value)):
        raise ValueError(f"{name} must be {expected}, got {shown(value)}")
    return float(value)

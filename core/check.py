"""Checks of what callers hand in; every message names the parameter, what was expected and what came."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import scipy.sparse as sp

LARGEST = 2**63 - 1  # The largest whole number that an array's index can be.
HUGE = 1e100  # Numbers beyond have no cube; no quantity of this subject needs them.
_SMALL = 10_000  # Entries of an array up to which a mask costs less than changing how sums warn.


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
    if not ok or value < low or value > (LARGEST if high is None else high):
        span = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {span}, got {shown(value)}")
    return int(value)


def choice(name: str, value: str, options) -> str:
    """Return `value` if it is one of `options`, else raise ValueError."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {shown(value)}")
    return value


def positives(name: str, values, *, length: int | None = None) -> np.ndarray:
    """Return `values` as a float vector if all are positive and finite, else name the first bad one."""
    array = np.atleast_1d(numeric(name, values).astype(float, copy=False))
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "numbers in a row" if length is None else f"{length} numbers in a row"
        raise ValueError(f"{name} must be {wanted}, got shape {np.shape(values)}")
    return at_least(name, array, 0, strict=True)


def at_least(name: str, values, low: float, *, strict: bool = False) -> np.ndarray:
    """Return `values` as a float array if all are finite and at least (`strict`: above) `low`, else raise."""
    array = numeric(name, values).astype(float, copy=False)
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
    array = numeric(name, array)
    if not _is_finite(array):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    return array


def numeric(name: str, values) -> np.ndarray:
    """Return `values` as an array of real numbers, else raise ValueError; an array stays the object it is."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # Rows of different length.
        array = np.empty((), dtype=object)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, got {shown(values)}")
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
        array = reals(name, values)
        if array.ndim != count:
            raise ValueError(f"{name} must be an array of {count} axes, got shape {array.shape}")
        return array

    return check


vector, matrix, cube = axes(1), axes(2), axes(3)


def numbers_in(low: float, high: float) -> Callable:
    """A check that returns numbers, one or an array of them, if all are within [low, high]; ±∞ may be an end."""

    def check(name, values):
        array = numeric(name, values)
        if not ((array >= low) & (array <= high)).all() or not array.size:
            raise ValueError(f"{name} must be from {low:g} to {high:g}, got {shown(values)}")
        return values if array.ndim == 0 else array

    return check


probabilities, mus = numbers_in(0, 1), numbers_in(0, math.inf)
bounded, sized = numbers_in(-HUGE, HUGE), numbers_in(1 / HUGE, HUGE)


def sequence(name: str, values):
    """Return `values` if they are a sequence, an array included, else raise ValueError."""
    if not _is_sequence(values):
        raise ValueError(f"{name} must be a sequence, got {shown(values)}")
    return values


def whole(low: int) -> Callable:
    """A check like `integer`, of numbers of at least `low`."""
    return lambda name, value: integer(name, value, low=low)


def optional(rule: Callable) -> Callable:
    """The same check, which lets None pass."""
    return lambda name, value: None if value is None else rule(name, value)


def shape(name: str, value):
    """Return `value` if it is an array's shape, a whole number or a tuple of such, else raise ValueError."""
    sizes = value if isinstance(value, tuple | list) else (value,)
    if not all(_is_whole(n) and 0 <= n < 2**40 for n in sizes):
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


def extended(name: str, value: float) -> float:
    """Return `value` if it is a number, ∞ included, else raise ValueError."""
    if not _is_number(value) or value != value:
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    return value


def setting(settings: Mapping, name: str):
    """The setting of that name, else raise ValueError that says which there are."""
    if name not in settings:
        raise ValueError(f"settings must name {name!r}, got {', '.join(map(repr, settings)) or 'none'}")
    return settings[name]


def shown(value) -> str:
    """What came, as a message quotes it: short, whatever it is."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape} and type {value.dtype}"
    try:
        text = repr(value)
    except Exception:  # Whole numbers of thousands of digits have no text.
        text = ""
    return text if 0 < len(text) <= 200 else f"a {type(value).__name__}"


def arguments(function=None, /, **rules: Callable):
    """Decorate a public function or class: its arguments are held against its annotations before it runs.

    `int`, `float` (finite), `bool`, `str`, `numpy.ndarray` (finite real numbers; a list becomes an array), classes,
    functions, collections, and unions of these are checked; what is not annotated is not, unless `rules` name a
    check of this module for it. The function itself, for callers that have checked already, is its `trusted`.

    Parameters
    ----------
    **rules
        By parameter: `rule(name, value)` returns the value to go on with, or raises ValueError.

    Raises
    ------
    ValueError
        From the decorated function; names the parameter, what was expected and what came.
    """
    if function is None:
        return functools.partial(arguments, **rules)
    if isinstance(function, type):
        function.__init__ = arguments(function.__init__, **rules)
        return function
    checks: dict[str, Callable | None] = {}
    places, rest = [], None

    def prepare():
        # Not before the first call: annotations may name what is defined further down.
        nonlocal rest
        hints = typing.get_type_hints(function)
        for name, parameter in inspect.signature(function).parameters.items():
            found = rules.get(name) or _rule(hints.get(name, typing.Any))
            if parameter.kind is parameter.VAR_POSITIONAL:
                rest = found and (name, found)
            elif parameter.kind is not parameter.VAR_KEYWORD:
                checks[name] = found
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    places.append((name, found))

    @functools.wraps(function)
    def checked(*given, **options):
        if not checks and rest is None:
            prepare()
        values = [found(name, v) if found else v for (name, found), v in zip(places, given, strict=False)]
        more = given[len(values) :]
        if more:
            values += [rest[1](rest[0], v) for v in more] if rest else more
        for name, value in options.items():
            if found := checks.get(name):
                options[name] = found(name, value)
        return function(*values, **options)

    checked.trusted = function
    return checked


def _rule(hint):
    """The check that an annotation asks for; None: there is nothing to check."""
    kinds = [_kind(part) for part in _parts(hint)]
    if any(kind is None for kind in kinds):
        return None
    accepts, words = [kind[0] for kind in kinds], " or ".join(kind[1] for kind in kinds)
    converts = any(part is np.ndarray for part in _parts(hint))

    first, *others = accepts

    def check(name, value):
        if first(value):
            return value
        for accept in others:
            if accept(value):
                return value
        if converts and (value is not None or len(accepts) == 1):
            return finite(name, value)
        raise ValueError(f"{name} must be {words}, got {shown(value)}")

    return check


def _parts(hint):
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _kind(hint):
    """A predicate for an annotation without alternatives and its words, or None."""
    origin, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in _KINDS:
        return _KINDS[origin]
    if origin is tuple:
        return _tuple(inner)
    if not isinstance(origin, type) or origin in (object, typing.Any):
        return None
    return lambda value: isinstance(value, origin), f"a {origin.__name__}"


def _tuple(inner):
    many = len(inner) == 2 and inner[1] is Ellipsis
    kinds = [_kind(part) for part in inner if part is not Ellipsis and len(_parts(part)) == 1]

    def accepts(value):
        if not isinstance(value, tuple | list) or not (many or not inner or len(value) == len(inner)):
            return False
        if len(kinds) != len(inner) - many or None in kinds:
            return True
        return all(kind[0](v) for kind, v in zip(kinds * len(value) if many else kinds, value, strict=False))

    return accepts, "a tuple" + ("" if many or not inner else f" of {len(inner)}")


def _is_number(value):
    if type(value) is float:
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "fiu"
    if isinstance(value, numbers.Integral):
        return abs(int(value)) < 1 << 1023
    return isinstance(value, numbers.Real)


def _is_whole(value):
    whole = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    return whole and -LARGEST <= value <= LARGEST


def _is_array(value):
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and _is_finite(value)


def _is_finite(array):
    if array.size < _SMALL:
        return bool(np.isfinite(array).all())
    # A sum is finite exactly when no entry is NaN or infinite (or it overflows): one pass, no mask.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def _is_sequence(value):
    plain = isinstance(value, str | bytes | Mapping) or sp.issparse(value)
    return not plain and hasattr(value, "__getitem__") and np.shape(getattr(value, "shape", (1,))) != (0,)


def _is_iterable(value):
    return not isinstance(value, str | bytes | Mapping) and hasattr(value, "__iter__")


_KINDS = {
    float: (lambda v: _is_number(v) and -HUGE <= v <= HUGE, f"a finite number of at most {HUGE:g} in size"),
    int: (_is_whole, "a whole number"),
    bool: (lambda v: isinstance(v, bool | np.bool_), "True or False"),
    str: (lambda v: isinstance(v, str), "a string"),
    type(None): (lambda v: v is None, "None"),
    np.ndarray: (_is_array, "an array of finite numbers"),
    np.random.Generator: (
        lambda v: isinstance(v, np.random.Generator),
        "a numpy.random.Generator, as numpy.random.default_rng(0) makes one",
    ),
    Callable: (callable, "a function"),
    Sequence: (_is_sequence, "a sequence"),
    Iterable: (_is_iterable, "a collection"),
    Mapping: (lambda v: isinstance(v, Mapping), "a mapping"),
}


def _real(name, value, accept, expected):
    if not _is_number(value) or not accept(float(value)):
        raise ValueError(f"{name} must be {expected}, got {shown(value)}")
    return float(value)

"""Checks of public functions' arguments against their annotations; `check` has further checks."""

from __future__ import annotations

import functools
import inspect
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, overload

import numpy as np
import scipy

LARGEST = 2**63 - 1  # The largest whole number that an array's index can be.
HUGE = 1e100  # Numbers beyond have no cube; no quantity of this subject needs them.
SMALL = 10_000  # Entries of an array up to which a mask costs less than changing how sums warn.

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Rest = ParamSpec("Rest")
Result = TypeVar("Result")
T = TypeVar("T")


class Checked(Protocol[P, R]):
    """A decorated function, with its own signature; `trusted` is the function itself."""

    __name__: str

    @property
    def trusted(self) -> Callable[P, R]: ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    # Of a method, what is called has no `self` any more.
    @overload
    def __get__(self, instance: None, owner: type) -> Checked[P, R]: ...
    @overload
    def __get__(
        self: Checked[Concatenate[Any, Rest], Result], instance: object, owner: type | None = None
    ) -> Callable[Rest, Result]: ...


class Decorator(Protocol):
    """What `arguments` with rules returns."""

    @overload
    def __call__(self, function: type[T], /) -> type[T]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, function: Callable[P, R], /) -> Checked[P, R]: ...


@overload
def arguments(function: type[T], /, **rules: Callable) -> type[T]: ...  # type: ignore[overload-overlap]
@overload
def arguments(function: Callable[P, R], /, **rules: Callable) -> Checked[P, R]: ...
@overload
def arguments(function: None = None, /, **rules: Callable) -> Decorator: ...
def arguments(function: Any = None, /, **rules: Callable) -> Any:
    """Decorator of a public function or class that checks its arguments against its annotations.

    `int`, `float` (finite), `bool`, `str`, `numpy.ndarray` (finite real numbers; a list becomes an array), classes,
    functions, collections, the values of a `Literal`, and unions of these are checked. What is not annotated is
    not checked, unless `rules` name a check of this module for it. The function itself, for callers that have
    checked already, is its `trusted`.

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
        made: Any = function
        made.__init__ = arguments(made.__init__, **rules)
        return made
    plan = None

    def checked(*given, **options):
        nonlocal plan
        if plan is None:
            # Not before the first call: annotations may name what is defined further down.
            plan = _plan(function, rules)
        places, rest, named = plan
        if given:
            values = list(given)
            for place, (name, plain, rule) in enumerate(places[: len(values)]):
                if rule and type(values[place]) not in plain:
                    values[place] = rule(name, values[place])
            for place in range(len(places), len(values) if rest else 0):
                values[place] = rest[1](rest[0], values[place])
            given = values
        for name, value in options.items():
            plain, rule = named.get(name, _UNCHECKED)
            if rule and type(value) not in plain:
                options[name] = rule(name, value)
        return function(*given, **options)

    decorated: Any = functools.wraps(function)(checked)
    decorated.trusted = function
    return decorated


_UNCHECKED: tuple[frozenset, None] = (frozenset(), None)


def _plan(function, rules):
    """Checks of a function's arguments: by place, of those that have no name (or None), and by name.

    With each check stand the types whose every value it would return as it is: these need no call.
    """
    hints = typing.get_type_hints(function)
    places, rest, named = [], None, {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, typing.Any)
        rule = rules.get(name) or _rule(hint)
        plain = frozenset() if name in rules or rule is None else _plain(hint)
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = rule and (name, rule)
        elif parameter.kind is not parameter.VAR_KEYWORD:
            named[name] = plain, rule
            if parameter.kind is not parameter.KEYWORD_ONLY:
                places.append((name, plain, rule))
    return places, rest, named


def _plain(hint):
    """Types of which every value fits an annotation."""
    plain: set[type] = set()
    for part in _parts(hint):
        origin = typing.get_origin(part) or part
        if part in _PLAIN:
            plain.update(_PLAIN[part])
        elif isinstance(part, type) and origin not in _KINDS and origin is not tuple:
            plain.add(part)
    return frozenset(plain)


_NEVER_MASKED = {float, int, np.ndarray, np.float64}  # Most values are of these types.


def numeric(name: str, values) -> np.ndarray:
    """Return `values` as an array of real numbers, else raise ValueError; an array stays the object it is."""
    if type(values) not in _NEVER_MASKED:
        values = unmasked(name, values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # Rows of different length.
        array = np.empty((), dtype=object)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, got {shown(values)}")
    return array


def unmasked(name: str, values: T) -> T:
    """Return `values` if no array of theirs is masked, else raise ValueError: arithmetic would use what a mask hides."""
    for array in values if isinstance(values, list | tuple) else (values,):
        if isinstance(array, np.ma.MaskedArray):
            raise ValueError(
                f"{name} must have no mask: leave the masked entries out first, got a masked array"
            )
    return values


def finite(name: str, array: np.ndarray) -> np.ndarray:
    """Return `array` if it has no NaN and no infinity, else raise ValueError naming the first bad entry."""
    if type(array) is not np.ndarray or array.dtype.kind not in "fiub":
        array = numeric(name, array)
    if not (np.isfinite(array).all() if array.size < SMALL else _is_finite(array)):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        place = f" at index {where}" if where else ""
        raise ValueError(f"{name} must be finite, got {array[where]}{place}")
    return array


def shown(value) -> str:
    """A short representation of a received value for an error message."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape} and type {value.dtype}"
    try:
        text = repr(value)
    except Exception:  # Whole numbers of thousands of digits have no text.
        text = ""
    return text if 0 < len(text) <= 200 else f"a value of type {type(value).__name__}"


def is_number(value):
    if type(value) is float:
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "fiu"
    if isinstance(value, numbers.Integral):
        return abs(int(value)) < 1 << 1023
    return isinstance(value, numbers.Real)


def is_whole(value):
    whole = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    return whole and -LARGEST <= value <= LARGEST


def is_sequence(value):
    plain = isinstance(value, str | bytes | Mapping) or scipy.sparse.issparse(value)
    return not plain and hasattr(value, "__getitem__") and np.shape(getattr(value, "shape", (1,))) != (0,)


def _rule(hint):
    """The check that an annotation asks for; None: there is nothing to check."""
    kinds = [_kind(part) for part in _parts(hint)]
    if any(kind is None for kind in kinds):
        return None
    accepts, texts = [kind[0] for kind in kinds], [kind[1] for kind in kinds]
    words = (", or " if ", e.g." in texts[0] else " or ").join(texts)
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
    if origin is Literal:
        known = frozenset((type(one), one) for one in inner)
        plain = frozenset(kind for kind, _ in known)
        # A string of NumPy is a string; an array is none of the values, nor compared with them.
        return (
            lambda value: (
                (type(value) in plain and (type(value), value) in known)
                or any(isinstance(value, type(one)) and value == one for one in inner)
            ),
            f"one of {', '.join(map(repr, inner))}",
        )
    if origin is Sequence and inner == (str,):
        return (
            lambda value: is_sequence(value) and all(isinstance(v, str) for v in value),
            "a sequence of strings",
        )
    if origin in _KINDS:
        return _KINDS[origin]
    if origin is tuple:
        return _tuple(inner)
    if not isinstance(origin, type) or origin in (object, typing.Any):
        return None
    return lambda value: isinstance(
        value, origin
    ), f"{'an' if origin.__name__[0] in 'AEIOU' else 'a'} {origin.__name__}"


def _tuple(inner):
    many = len(inner) == 2 and inner[1] is Ellipsis
    kinds = [_kind(part) for part in inner if part is not Ellipsis and len(_parts(part)) == 1]

    def accepts(value):
        if not isinstance(value, tuple | list) or not (many or not inner or len(value) == len(inner)):
            return False
        if len(kinds) != len(inner) - many or None in kinds:
            return True
        if many:
            return all(map(kinds[0][0], value))
        return all(kind[0](v) for kind, v in zip(kinds, value, strict=False))

    return accepts, "a tuple" + ("" if many or not inner else f" of {len(inner)}")


def _is_array(value):
    plain = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
    if not plain or value.dtype.kind not in "fiub":
        return False
    return bool(np.isfinite(value).all()) if value.size < SMALL else _is_finite(value)


def _is_finite(array):
    if array.size < SMALL:
        return bool(np.isfinite(array).all())
    # A sum is finite exactly when no entry is NaN or infinite (or it overflows): one pass, no mask.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def _is_iterable(value):
    return not isinstance(value, str | bytes | Mapping) and hasattr(value, "__iter__")


_KINDS = {
    float: (
        lambda v: (type(v) is float or is_number(v)) and -HUGE <= v <= HUGE,
        f"a finite number of at most {HUGE:g} in size",
    ),
    int: (is_whole, "a whole number"),
    bool: (lambda v: isinstance(v, bool | np.bool_), "True or False"),
    str: (lambda v: isinstance(v, str), "a string"),
    type(None): (lambda v: v is None, "None"),
    np.ndarray: (_is_array, "an array of finite numbers"),
    np.random.Generator: (
        lambda v: isinstance(v, np.random.Generator),
        # A fixed seed is public: whoever knows it can take the noise off.
        "a numpy.random.Generator, e.g. numpy.random.default_rng()",
    ),
    Callable: (callable, "a function"),
    Sequence: (is_sequence, "a sequence"),
    Iterable: (_is_iterable, "a collection"),
    Mapping: (lambda v: isinstance(v, Mapping), "a mapping"),
}
# Types of which every value passes the check above.
_PLAIN: dict[Any, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    str: (str,),
    type(None): (type(None),),
    np.random.Generator: (np.random.Generator,),
    Callable: (types.FunctionType, types.MethodType),
    Mapping: (dict,),
}

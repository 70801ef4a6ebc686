"""State in the URL: every value is written and read separately, so one bad value does not affect the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import param

from dashboard.state import seeds
from dashboard.state.typed_number import typed_number

_LONGEST = 65_536  # Characters of a link that are read; a request cannot hold more either.
_NONE = "none"  # An empty text would be lost on its way through the URL.
MOST_WORDS = 8  # So many bad values are named; the rest are counted.
_TRUE, _FALSE = {"1", "true", "yes"}, {"0", "false", "no"}


def encode(source: param.Parameterized, names: Iterable[str], *, full: bool = False) -> dict[str, str]:
    """The values of `names` that differ from their defaults (with `full`: all of them) as URL texts."""
    texts = {}
    for name in _written(names):
        value, default = getattr(source, name), source.param[name].default
        if full or value != default:
            texts[name] = as_text(value)
    return texts


def decode(make: Callable[[], param.Parameterized], names: Iterable[str], query: Mapping[str, str]):
    """The state that a query names: its valid values, and the defaults for all others.

    Parameters
    ----------
    make : callable
        Makes an object with these parameters; a bound may depend on a parameter named earlier.

    Returns
    -------
    values : dict
        A value of every name.
    problems : list of str
        One sentence for each bad value. It quotes foreign text: escape it before it is shown.
    """
    scratch, problems = make(), []
    for name in names:
        if name in query:
            try:
                if name not in _written(names):
                    raise ValueError("is chosen by the operating system on this server")
                setattr(scratch, name, _read(scratch.param[name], query[name]))
            except ValueError as error:
                problems.append(f"{name} {error}, got {query[name][:40]!r}")
    return {name: getattr(scratch, name) for name in names}, problems


def parse(search: str, *, longest: int = _LONGEST) -> dict[str, str]:
    """The names and values of a query, with or without its question mark; only the start of a very long one is read."""
    return dict(parse_qsl(search.removeprefix("?")[:longest]))


def search(page: str, texts: Mapping[str, str]) -> str:
    """The query part of a page's URL."""
    return "?" + urlencode({"page": page, **texts})


def ignored(where: str, problems: Iterable[str]) -> str:
    """One sentence of bounded length that lists what was ignored in a link or file; "" for nothing. Foreign text."""
    problems = list(problems)
    if not problems:
        return ""
    rest = len(problems) - MOST_WORDS
    more = f"; and {rest} more" if rest > 0 else ""
    return f"{where}: {'; '.join(problems[:MOST_WORDS])}{more}. Ignored."


def _written(names):
    """The names that links and files may contain: not that of a secret seed."""
    return [name for name in names if name != "noise_seed" or not seeds.secret()]


def as_text(value: Any) -> str:
    """A value as a link writes it; NumPy's numbers, and arrays of one without an axis, are numbers."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, Set):
        value = sorted(map(as_text, value))
    if isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping)):
        return ",".join(map(as_text, value)) or _NONE
    return str(value)


def _read(parameter: param.Parameter, text: str):
    if isinstance(parameter, param.Boolean):
        if text.lower() not in _TRUE | _FALSE:
            raise ValueError("must be 1 or 0")
        return text.lower() in _TRUE
    if isinstance(parameter, param.Number):
        return _number(parameter, text)
    if isinstance(parameter, param.String):
        return text
    options = {as_text(value): value for value in parameter.get_range().values()}
    several = isinstance(parameter, param.ListSelector)
    chosen = set(text.split(",")) - {_NONE} if several else {text}
    if not chosen <= set(options):
        raise ValueError(f"must be of {', '.join(name or 'nothing' for name in options)}")
    values = [value for name, value in options.items() if name in chosen]
    return values if several else values[0]


def _number(parameter: param.Number, text: str) -> float | int:
    whole = isinstance(parameter, param.Integer)
    bounds: Any = parameter.bounds  # Every number that a link may set has both.
    low, high = bounds
    expected = f"must be a {'whole ' if whole else ''}number from {low:g} to {high:g}"
    try:
        if whole and "e" in text.lower():
            raise ValueError("a link writes a count in full")
        value = typed_number(text, whole=whole)
    except ValueError:
        raise ValueError(expected) from None
    if not low <= value <= high:
        raise ValueError(expected)
    return value

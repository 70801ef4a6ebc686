"""Hostile values for every public function of a package: one parameter at a time, valid values for the others.

A call may answer, or raise ValueError or TypeError that names the parameter. It may not raise anything else, warn,
answer NaN, or change what it was handed.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import numpy as np
import scipy.sparse as sp

VALUES = (
    None,
    True,
    0,
    -1,
    2.5,
    np.nan,
    np.inf,
    -np.inf,
    1e308,
    5e-324,
    10**400,
    1j,
    "no such",
    b"x",
    (),
    [],
    {},
    [np.nan],
    [[np.inf]],
    ["a"],
    [[1.0], [1.0, 2.0]],
    {"no such": 0},
    np.zeros((0, 3)),
    np.array([None]),
    object(),
)
KINDS = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
MOST = 3  # Items taken of an answer that comes piece by piece.


def modules(package) -> list:
    """A package and all its modules whose names have no leading underscore."""
    found = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    return [package, *(importlib.import_module(m.name) for m in found if "._" not in m.name)]


def public(package) -> Iterator[tuple[str, Callable]]:
    """Every public function and class of a package, under the module that defines it."""
    for module in modules(package):
        for name, found in vars(module).items():
            own = not name.startswith("_") and getattr(found, "__module__", None) == module.__name__
            if own and (inspect.isroutine(found) or hasattr(found, "__wrapped__") or isinstance(found, type)):
                yield f"{module.__name__}.{name}", found


def methods(kind: type) -> list[str]:
    """Names of the public methods that a class defines and that take an argument."""
    found = []
    for name, member in vars(kind).items():
        member = getattr(member, "__func__", member)
        if inspect.isfunction(member) and not name.startswith("_") and parameters(member, skip=1):
            found.append(name)
    return found


def computes(kind: type) -> bool:
    """Whether making one of a class computes anything: a plain record keeps what it is given."""
    if issubclass(kind, BaseException) or inspect.isabstract(kind):
        return False
    return (
        not dataclasses.is_dataclass(kind)
        or hasattr(kind, "__post_init__")
        or hasattr(kind.__init__, "trusted")
    )


def parameters(function, skip=0) -> list[inspect.Parameter]:
    """Its parameters, `*values` and `**options` left out."""
    return [p for p in list(inspect.signature(function).parameters.values())[skip:] if p.kind not in KINDS]


def cases(package, examples: Mapping, objects, *, internal, unchecked) -> dict[str, tuple[Callable, Mapping]]:
    """Every public function of a package, class that computes when made, and method of `objects`, with an example."""
    found = {}
    for name, function in public(package):
        module, own = name.split(".")[-2:]
        if set(name.split(".")) & internal or (own in unchecked and function not in examples):
            continue
        if (not isinstance(function, type) or computes(function)) and parameters(function):
            found[f"{module}.{own}"] = function, examples.get(function, {})
    for thing, own in objects:
        for method in methods(type(thing)):
            if f"{type(thing).__name__}.{method}" in unchecked:
                continue
            name = f"{type(thing).__module__}.{type(thing).__name__}.{method}"
            found[name] = getattr(thing, method), own.get(method, {})
    return found


def example(function: Callable, named: Mapping, own: Mapping) -> dict:
    """Valid arguments: those given for this function, and for the others that it needs those of their name."""
    needed = [p.name for p in parameters(function) if p.default is inspect.Parameter.empty]
    return {name: named[name] for name in needed if name in named} | dict(own)


def special(table: Mapping, name: str) -> Mapping:
    """What a table says of a callable by the end of its name, so that modules may move."""
    return next((table[key] for key in table if f".{name}".endswith(f".{key}")), {})


def faults(
    name: str, function: Callable, example: Mapping[str, object], *, opaque=(), changed=(), nan=()
) -> list[str]:
    """What goes wrong with hostile values, in words; empty if nothing does.

    `opaque` parameters are handed on, as they are, to a function of the caller; `changed` ones are documented to be
    worked on in place; where those of `nan` are, NaN is documented to be the answer.
    """
    known = [p.name for p in parameters(function)]
    found = []
    if problem := _problem(
        function, {k: _copied(v) for k, v in example.items()}, "nothing", ("nothing",) if nan else ()
    ):
        return [f"{name} with its example: {problem}"]
    copies = {k: _copied(v) for k, v in example.items()}  # Every call has the same: none may change them.
    for parameter in known:
        for value in VALUES if parameter not in opaque else ():
            given = {
                **copies,
                **{k: _copied(example[k]) for k in changed if k in example},
                parameter: copy.deepcopy(value),
            }
            problem = _problem(function, given, parameter, nan)
            others = [k for k in example if k != parameter and k not in changed]
            if problem is None and not all(_same(given[k], example[k]) for k in others):
                problem, copies = "changes what it was handed", {k: _copied(v) for k, v in example.items()}
            if problem:
                found.append(f"{name}({parameter}={value!r:.40}): {problem}")
    return found


def _problem(function, given, parameter, nan):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            answer = function(**given)
            if isinstance(answer, Iterator):
                answer = list(islice(answer, MOST))
        except (ValueError, TypeError) as error:
            return (
                None if _names(parameter, str(error)) else f"{type(error).__name__} without its name: {error}"
            )
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if parameter in nan or not _has_nan(answer):
        return None
    return "answers NaN"


def _copied(value):
    try:
        return copy.deepcopy(value)
    except TypeError:  # What holds a lock.
        return value


def _names(parameter, message):
    """Whether a message speaks of a parameter: by its name, or in the singular and by its last word."""
    return re.search(rf"\b({parameter}|{re.sub('e?s$', '', parameter.split('_')[-1])})", message) is not None


def _has_nan(answer, depth=0):
    if depth > 4 or answer is None or isinstance(answer, str | bytes):
        return False
    if isinstance(answer, float | np.floating | complex):
        return answer != answer
    if sp.issparse(answer):
        answer = answer.data
    if isinstance(answer, np.ndarray):
        return answer.dtype.kind in "fc" and bool(np.isnan(answer).any())
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return any(_has_nan(getattr(answer, f.name), depth + 1) for f in dataclasses.fields(answer))
    if isinstance(answer, Mapping):
        return any(_has_nan(v, depth + 1) for v in answer.values())
    return isinstance(answer, list | tuple) and any(_has_nan(v, depth + 1) for v in answer)


def _same(first, second, depth=0):
    """Whether two structures hold the same arrays; anything else is taken to be as it was."""
    if isinstance(first, np.random.Generator) or depth > 5:
        return True
    if sp.issparse(first):
        return all(
            np.array_equal(getattr(first, n), getattr(second, n)) for n in ("data", "indices", "indptr")
        )
    if isinstance(first, np.ndarray):
        return (
            first.shape == second.shape
            and first.dtype == second.dtype
            and first.tobytes() == second.tobytes()
        )
    if isinstance(first, Mapping):
        return first.keys() == second.keys() and all(_same(first[k], second[k], depth + 1) for k in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _same(a, b, depth + 1) for a, b in zip(first, second, strict=True)
        )
    if dataclasses.is_dataclass(first) and not isinstance(first, type):
        fields = [f.name for f in dataclasses.fields(first)]
        return all(_same(getattr(first, n), getattr(second, n), depth + 1) for n in fields)
    return True

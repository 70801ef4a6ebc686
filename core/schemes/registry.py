"""Registry of schemes: look-up by name, and the sequence `SCHEMES` of all currently registered names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from core.schemes.scheme import Scheme

_KNOWN: dict[str, Scheme] = {}


class Names(Sequence):
    """A sequence of names that is recomputed at every access, so that it reflects what is registered now.

    It equals a tuple of the same names; slices are tuples.

    Parameters
    ----------
    names : callable
        Returns the current names.

    Examples
    --------
    >>> methods = Names(lambda: (*SCHEMES, "median"))
    >>> methods[-1], methods == (*SCHEMES, "median")
    ('median', True)
    """

    def __init__(self, names: Callable[[], Iterable[str]]):
        self._names = names

    def __getitem__(self, place):
        return tuple(self._names())[place]

    def __iter__(self):
        return iter(self._names())

    def __len__(self) -> int:
        return len(tuple(self._names()))

    def __contains__(self, name) -> bool:
        return name in self._names()

    def __eq__(self, other) -> bool:
        if not isinstance(other, tuple | list | Names):
            return NotImplemented
        return tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # What equals changes with what is registered.

    def __repr__(self) -> str:
        return repr(tuple(self))


SCHEMES = Names(lambda: tuple(_KNOWN))
"""Names of all registered schemes, in the order of registration: a new one changes no other's random stream."""

PRIVATE = Names(lambda: [name for name, scheme in _KNOWN.items() if scheme.private])
"""Names of those that take a privacy target."""

OFFERED = Names(lambda: [name for name, scheme in _KNOWN.items() if scheme.offered])
"""Names of those that pages show when nobody chose; the others can be chosen."""


def register(scheme: Scheme) -> Scheme:
    """Register a scheme for every problem, sweep and page of this process, and return it.

    Raises
    ------
    TypeError
        If it is not a `Scheme`.
    ValueError
        If its name or its label is already in use.
    """
    if not isinstance(scheme, Scheme):
        raise TypeError(f"scheme must be a core.schemes.Scheme, got {scheme!r}")
    if scheme.name in _KNOWN:
        raise ValueError(
            f"scheme must have a name of its own, got {scheme.name!r}, which is registered already"
        )
    if (same := next((s for s in _KNOWN.values() if s.label == scheme.label), None)) is not None:
        raise ValueError(
            f"scheme must have a label of its own, got {scheme.label!r}, the label of {same.name!r}"
        )
    _KNOWN[scheme.name] = scheme
    return scheme


def unregister(name: str) -> None:
    """Remove a scheme from the registry; ValueError if there is none of this name."""
    named(name)
    del _KNOWN[name]


def named(name: str) -> Scheme:
    """Return the record of a scheme, or raise a ValueError that lists the registered names."""
    if (scheme := _KNOWN.get(name) if isinstance(name, str) else None) is None:
        raise ValueError(f"scheme must be one of {', '.join(map(repr, _KNOWN))}, got {name!r}")
    return scheme


def find(name: str) -> Scheme | None:
    """Return the record of a scheme, or None for a method that is not a scheme."""
    return _KNOWN.get(name) if isinstance(name, str) else None


def registered() -> tuple[Scheme, ...]:
    """The records of all schemes that are registered now, in the order of `SCHEMES`."""
    return tuple(_KNOWN.values())


def is_private(method: str) -> bool:
    """Whether a method takes a privacy target; all do except schemes registered with `private=False`."""
    scheme = _KNOWN.get(method) if isinstance(method, str) else None
    return scheme is None or scheme.private


def presented(names: Iterable[str] | None = None) -> tuple[str, ...]:
    """Schemes (default: all) in the order of legends and tables; other names are left out."""
    chosen = [_KNOWN[name] for name in (SCHEMES if names is None else names) if name in _KNOWN]
    return tuple([scheme.name for scheme in sorted(chosen, key=attrgetter("order"))])

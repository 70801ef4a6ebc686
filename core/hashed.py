"""Frozen records that are keys of memories: their hash is computed once."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")
_KEPT = "_kept_hash"


def hashed(kind: type[T]) -> type[T]:
    """Decorator of a frozen dataclass: an object remembers its hash, which is that of all its fields, nested ones too.

    It does not travel with a pickled object, because texts have other hashes in another process.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @hashed
    ... @dataclass(frozen=True)
    ... class Cell:
    ...     sites: int
    ...     scheme: str
    >>> cell = Cell(10, "cape")
    >>> hash(cell) == hash(Cell(10, "cape")) and "_kept_hash" not in cell.__getstate__()
    True
    """
    of_fields = kind.__hash__

    def kept(self):
        known = vars(self).get(_KEPT)
        if known is None:
            known = of_fields(self)
            object.__setattr__(self, _KEPT, known)
        return known

    def state(self):
        return {name: value for name, value in vars(self).items() if name != _KEPT}

    setattr(kind, "__hash__", kept)  # noqa: B010
    setattr(kind, "__getstate__", state)  # noqa: B010
    return kind

"""Results that every session of this process may have: of public records, with noise of seeds that are shown.

What one visitor's page computed, the next one's finds. It is in memory alone, and ends with the process and so with the
code and the data sets behind it; other schemes than before begin it anew. `dashboard.runs.sharing` says what may be
here: nothing of records of a user's own, and nothing of secret seeds.
"""

from __future__ import annotations

import pickle
import threading
from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from core.schemes import registered

MOST_BYTES = 64_000_000
_CONSTANT = frozenset({float, int, bool, str, type(None)})  # Of these nothing can be written to.
_ENTRY = 1_000  # Bytes of a key and of the objects of a row, beside its content.


class Known:
    """Results by key, bounded in memory: what pages open with stays, of the rest the oldest go.

    The visitor who holds most gives way first, so that nobody's search through settings costs others theirs. What was
    asked for again is young again.

    Parameters
    ----------
    bytes : int
        Memory of all results beyond those that stay, as an estimate.
    """

    def __init__(self, *, bytes: int = MOST_BYTES):
        self._most, self._lock = bytes, threading.RLock()
        self._edition, self._schemes = 0, registered()
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._opening: set[Hashable] = set()
            self._stay: dict[Hashable, Any] = {}
            self._held: dict[str, OrderedDict[Hashable, tuple[Any, int]]] = {}
            self._bytes: Counter[str] = Counter()
            self._holder: dict[Hashable, str] = {}

    @property
    def edition(self) -> int:
        """A number of the schemes that are registered now: results of others are forgotten, and none is taken."""
        with self._lock:
            if self._schemes != (now := registered()):
                self.clear()
                self._edition, self._schemes = self._edition + 1, now
            return self._edition

    @property
    def bytes(self) -> int:
        """What is held beyond the results that stay, as an estimate."""
        return self._bytes.total()

    def __len__(self) -> int:
        return len(self._stay) + len(self._holder)

    def get(self, keys: Iterable[Hashable]) -> list[Any]:
        """The results under keys, in their order; None where there is none."""
        with self._lock:
            return [self._get(key) for key in keys]

    def put(self, key: Hashable, value: Any, *, visitor: str, edition: int) -> Any:
        """Take a result that a visitor's page, with the schemes of an edition, has computed.

        Returns
        -------
        object
            The result, which nobody can change; the one that was here before, if there was one.
        """
        size = _size(value)
        with self._lock:
            known = self._get(key)
            if known is not None or size is None or value is None or edition != self.edition:
                return value if known is None else known
            value = frozen(value)
            if key in self._opening:
                self._stay[key] = value
            else:
                self._held.setdefault(visitor, OrderedDict())[key] = value, size
                self._holder[key] = visitor
                self._bytes[visitor] += size
                self._make_room()
            return value

    def stay(self, keys: Iterable[Hashable]) -> None:
        """Keep what is found under these keys as long as the process runs: pages open with it."""
        with self._lock:
            for key in keys:
                self._opening.add(key)
                if key in self._holder:
                    self._stay[key] = self._drop(self._holder[key], key)

    def _get(self, key):
        if key in self._stay:
            return self._stay[key]
        holder = self._holder.get(key)
        if holder is None:
            return None
        self._held[holder].move_to_end(key)
        return self._held[holder][key][0]

    def _make_room(self):
        while self._held and self.bytes > self._most:
            [(most, _)] = self._bytes.most_common(1)
            self._drop(most, next(iter(self._held[most])))

    def _drop(self, visitor, key):
        value, size = self._held[visitor].pop(key)
        del self._holder[key]
        self._bytes[visitor] -= size
        if not self._held[visitor]:
            del self._held[visitor], self._bytes[visitor]
        return value


def frozen(value: Any) -> Any:
    """A result in which no session changes what others see: its arrays cannot be written, nor can a row."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, dict):
        return MappingProxyType(
            {name: one if type(one) in _CONSTANT else frozen(one) for name, one in value.items()}
        )
    elif isinstance(value, list | tuple):
        for one in value:
            frozen(one)
    elif is_dataclass(value):
        for field in fields(value):
            if type(one := getattr(value, field.name, None)) not in _CONSTANT:
                frozen(one)
    return value


def _size(value):
    """Bytes of a result, about; None of one that cannot be told."""
    arrays: list[pickle.PickleBuffer] = []
    try:
        content = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
        return _ENTRY + len(content) + sum(array.raw().nbytes for array in arrays)
    except Exception:
        return None


KNOWN = Known()

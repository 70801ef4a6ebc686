"""Results kept by key: the least recently used is forgotten first, and one computation serves all who wait for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any


class Memory:
    """The last results by key; threads share it.

    Parameters
    ----------
    size : int
        Results kept at most.
    """

    def __init__(self, size: int):
        self._size = size
        self._entries: OrderedDict[tuple[Hashable, ...], Future] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, key: tuple[Hashable, ...], compute: Callable[[], Any]) -> Any:
        """The result kept under `key`, computed first if there is none. What `compute` raises is raised, not kept."""
        with self._lock:
            future = self._entries.get(key)
            if mine := future is None:
                future = self._entries[key] = Future()
                while len(self._entries) > self._size:
                    self._entries.popitem(last=False)
            else:
                self._entries.move_to_end(key)
        if mine:
            try:
                future.set_result(compute())
            except BaseException as error:
                with self._lock:
                    self._entries.pop(key, None)
                future.set_exception(error)
        return future.result()

    def forget(self, first: Hashable) -> None:
        """Drop all results whose key begins with `first`."""
        with self._lock:
            for key in [key for key in self._entries if key[0] == first]:
                del self._entries[key]

    def __iter__(self):
        """The keys, the least recently used first."""
        with self._lock:
            return iter(tuple(self._entries))

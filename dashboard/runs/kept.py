"""What a worker keeps between the jobs of one run, e.g. a training that each job continues for some steps."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

MOST_BYTES = 400_000_000
MOST = 256


class Kept:
    """States by key; the oldest are dropped beyond `bytes`, and their job begins from the start.

    Parameters
    ----------
    bytes : int
        Memory of all states, as their jobs estimate it.
    """

    def __init__(self, *, bytes: int = MOST_BYTES):
        self._most, self._held = bytes, 0
        self._states: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: Hashable) -> Any:
        """Take a state out; None if there is none."""
        with self._lock:
            state, size = self._states.pop(key, (None, 0))
            self._held -= size
            return state

    def put(self, key: Hashable, state: Any, *, bytes: int) -> None:
        """Keep a state of about so many bytes until the next job of its run."""
        with self._lock:
            self._states[key] = state, bytes
            self._held += bytes
            while self._states and (self._held > self._most or len(self._states) > MOST):
                _, (_, size) = self._states.popitem(last=False)
                self._held -= size


KEPT = Kept()

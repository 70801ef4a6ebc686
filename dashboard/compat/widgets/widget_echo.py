"""Distinguishes old values that a browser sends back from values that its user chose."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

MOMENT = 3.0  # Seconds: longer than a busy browser takes to answer.


class ReplacedValues:
    """Values of a widget that the server set and replaced shortly afterwards.

    The library's widgets send every value that they have painted back to the server. If the server sets two values
    shortly after each other, for example by two presets, the first may return after the second was set. The user did
    not choose it.
    """

    def __init__(self):
        self._values: deque[tuple[float, Any]] = deque(maxlen=8)

    def note(self, value) -> None:
        """Note that the server has just replaced `value` by another."""
        self._values.append((time.monotonic(), value))

    def echoed(self, value) -> bool:
        """Whether `value`, received from the browser, was replaced less than `MOMENT` seconds ago."""
        since = time.monotonic() - MOMENT
        return any(moment >= since and value == old for moment, old in self._values)

    def clear(self) -> None:
        """The user chose a value: the next values may be choices as well."""
        self._values.clear()

"""Old values that a browser sends back, told from those that its user chose."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

MOMENT = 3.0  # Seconds: longer than a busy browser takes to answer.


class ReplacedValues:
    """Values of a widget that this side set and soon set anew.

    The library's widgets send every value that they have painted back to the server. If two values come close
    together, as from two presets, the first may come back after the second was set: nobody chose it.
    """

    def __init__(self):
        self._values: deque[tuple[float, Any]] = deque(maxlen=8)

    def note(self, value) -> None:
        """This side has just replaced `value` by another."""
        self._values.append((time.monotonic(), value))

    def echoed(self, value) -> bool:
        """Whether `value`, which came from the browser, was replaced a moment ago."""
        since = time.monotonic() - MOMENT
        return any(moment >= since and value == old for moment, old in self._values)

    def clear(self) -> None:
        """The user chose something: whatever comes next may be a choice, too."""
        self._values.clear()

"""Limits the length and the rate of log entries, whatever browsers send.

The libraries log invalid messages in full, each time one arrives.
"""

from __future__ import annotations

import logging
import time

LONGEST = 2_000  # Characters of an entry.
TRACEBACK = 6_000  # Characters of its traceback.
AT_ONCE = 200  # Entries in a burst.
EACH_SECOND = 2.0  # Entries per second after a burst.


class Bounded(logging.Filter):
    """Shortens long entries and drops entries above the rate; a later entry states how many were dropped."""

    def __init__(self):
        super().__init__()
        self._left, self._seen, self._missing = float(AT_ONCE), time.monotonic(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten an entry and return whether to write it."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._seen) * EACH_SECOND, AT_ONCE)
        self._seen = now
        if self._left < 1:
            self._missing += 1
            return False
        self._left -= 1
        text = record.getMessage()
        if self._missing:
            text = f"[{self._missing} entries were left out before this one] {text}"
            self._missing = 0
        record.msg, record.args = _cut(text, LONGEST), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = _cut(record.exc_text, TRACEBACK)
        return True


def bound_log() -> None:
    """Limit all existing log handlers; they share one limit."""
    bounded = Bounded()
    loggers = [logging.getLogger(), *logging.Logger.manager.loggerDict.values()]
    handlers = {handler for logger in loggers for handler in getattr(logger, "handlers", ())}
    for handler in {*handlers, logging.lastResort}:
        if not any(isinstance(part, Bounded) for part in handler.filters):
            handler.addFilter(bounded)


def _cut(text, length):
    return text if len(text) <= length else f"{text[:length]} … ({len(text)} letters)"

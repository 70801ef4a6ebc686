"""The log stays bounded whatever browsers send: short entries, and not many of them.

Libraries write what they were sent into the log, in full and as often as it comes.
"""

from __future__ import annotations

import logging
import time

LONGEST = 2_000  # Letters of an entry.
TRACEBACK = 6_000  # Letters of the traceback below it.
AT_ONCE = 200  # Entries that may come together, and then
EACH_SECOND = 2.0  # entries a second.


class Bounded(logging.Filter):
    """Cuts long entries and leaves out those that come too fast; says later how many were left out."""

    def __init__(self):
        super().__init__()
        self._left, self._seen, self._missing = float(AT_ONCE), time.monotonic(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write an entry, which is cut on the way."""
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
    """Bound every handler that there is by now; all of them share one measure."""
    bounded = Bounded()
    loggers = [logging.getLogger(), *logging.Logger.manager.loggerDict.values()]
    handlers = {handler for logger in loggers for handler in getattr(logger, "handlers", ())}
    for handler in {*handlers, logging.lastResort}:
        if not any(isinstance(part, Bounded) for part in handler.filters):
            handler.addFilter(bounded)


def _cut(text, length):
    return text if len(text) <= length else f"{text[:length]} … ({len(text)} letters)"

"""An end that depends on nobody who reads: neither on the reader of what the server prints, nor on its parent.

Bokeh prints that it was asked to end before it ends. Where the reader of its output is gone, that print raises, and the
server goes on.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

from bokeh.server.server import Server
from tornado.ioloop import PeriodicCallback

LOOK_EVERY = 5.0  # Seconds.
_PARENT = os.getppid()


def end_surely() -> None:
    """Stop at SIGTERM before anything is printed; call it before the server is built. A second call does nothing."""
    Server._sigterm = _sigterm


def end_if_abandoned(seconds: float = LOOK_EVERY) -> None:
    """In a process whose event loop exists: end when its parent is gone and nobody reads what it prints.

    Either alone is no reason: a service outlives the shell that started it, and a program need not read.
    """

    def look():
        if os.getppid() != _PARENT and all(map(_unread, (1, 2))):
            looking.stop()
            os.kill(os.getpid(), signal.SIGTERM)

    looking = PeriodicCallback(look, 1000 * seconds)
    if hasattr(select, "poll"):
        looking.start()


def _sigterm(self):
    self._loop.stop()
    _say("Received signal SIGTERM, shutting down")


def _say(text):
    """Print a line; if nobody reads it, nobody reads the next either, nor what Python writes at its end."""
    try:
        print(text, flush=True)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - as long as the process.


def _unread(number):
    """Whether an output is a pipe whose reader is gone, or is closed."""
    asked = select.poll()
    asked.register(number, 0)
    return any(state & (select.POLLERR | select.POLLNVAL) for _, state in asked.poll(0))

"""Ends the child processes of `--num-procs N` when their parent process ends.

Tornado's parent process only waits for its children: SIGTERM ends the parent, and the children continue to serve.
Here the parent holds one end of a pipe. When it stops or dies, the pipe closes and the children stop.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
from collections.abc import Callable

import tornado.process
from tornado.ioloop import IOLoop

_FORK = tornado.process.fork_processes
_ends: list[int] = []  # The end of the pipe that a child listens to.


def end_with_parent() -> None:
    """Install this; call it before the server is built. Calling it twice has no further effect.

    Where processes cannot be forked there are no children, and the library says so.
    """
    if hasattr(os, "fork"):
        tornado.process.fork_processes = _fork_processes


def listen_to_parent() -> None:
    """In a child whose event loop exists: stop when the parent stops. Elsewhere this has no effect."""

    def stop(*_):
        loop.remove_handler(_ends[0])
        os.kill(os.getpid(), signal.SIGTERM)

    if _ends:
        loop = IOLoop.current()
        loop.add_handler(_ends[0], stop, IOLoop.READ)


def end_first(action: Callable[[], object]) -> None:
    """Call `action` when this process ends, before Python waits for its threads.

    `atexit` is too late for what a thread waits for: Python calls it after all threads have ended.
    """
    register = getattr(threading, "_register_atexit", atexit.register)
    with contextlib.suppress(RuntimeError):  # The process ends already.
        register(action)


def _fork_processes(num_processes, max_restarts=None):
    listening, held = os.pipe()
    open_ends = [held]

    def stop(*_):
        while open_ends:  # A second signal has no further effect.
            os.close(open_ends.pop())

    before = signal.signal(signal.SIGTERM, stop)
    task = _FORK(
        num_processes, max_restarts
    )  # Returns in children only; the parent waits for them and exits.
    signal.signal(signal.SIGTERM, before)
    stop()
    _ends[:] = [listening]
    return task

"""The processes of `--num-procs N` end with the one that started them.

Tornado's parent only waits for its children: SIGTERM ends it and leaves them answering. Here the parent holds one
end of a pipe; when it is asked to stop, or dies, the other ends say so and the children stop.
"""

from __future__ import annotations

import os
import signal

import tornado.process
from tornado.ioloop import IOLoop

_FORK = tornado.process.fork_processes
_ends: list[int] = []  # The end of the pipe that a child listens to.


def end_with_parent() -> None:
    """Have children end so; call it before the server is built. Once is enough, twice does no harm."""
    tornado.process.fork_processes = _fork_processes


def listen_to_parent() -> None:
    """In a child, once its event loop stands: stop when the parent does. Anywhere else nothing happens."""

    def stop(*_):
        loop.remove_handler(_ends[0])
        os.kill(os.getpid(), signal.SIGTERM)

    if _ends:
        loop = IOLoop.current()
        loop.add_handler(_ends[0], stop, IOLoop.READ)


def _fork_processes(num_processes, max_restarts=None):
    listening, held = os.pipe()
    open_ends = [held]

    def stop(*_):
        while open_ends:  # A second signal finds nothing left to do.
            os.close(open_ends.pop())

    before = signal.signal(signal.SIGTERM, stop)
    task = _FORK(
        num_processes, max_restarts
    )  # Returns in children only; the parent waits for them and exits.
    signal.signal(signal.SIGTERM, before)
    stop()
    _ends[:] = [listening]
    return task

"""What runs in a worker process: calls come in, results go out, and a worker ends with its server."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import cloudpickle
from joblib.externals.loky import process_executor

from core.sweep.workers import freed
from core.sweep.workers.shipping import Store
from core.sweep.workers.tasks import Call, Signal
from core.sweep.workers.worker import called, drop

_STORE = Store(drop)


class _Link:
    """The pipe to the server: which call begins, and which is cancelled. A server that is gone ends this process."""

    def __init__(self, pipe):
        self._pipe, self._cancelled = pipe, 0
        self._number, self._signal = 0, Signal()
        threading.Thread(target=self._listen, name="link to server", daemon=True).start()

    def begin(self, number):
        """The signal of a call that begins."""
        self._number, self._signal = number, Signal()
        if self._cancelled >= number:
            self._signal.set()
        self._pipe.send((number, time.monotonic()))
        return self._signal

    def _listen(self):
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._cancelled = self._pipe.recv()
                if self._cancelled >= self._number:
                    self._signal.set()
        os._exit(1)


_LINKS: list[_Link] = []


def begin(pipe: Any, modules: Sequence[str]) -> None:
    """Prepare a worker process; it imports `modules` before the first call needs them."""
    # Keys pressed in a terminal end the server, which ends this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What is kept of problems is bounded by their number; a restart would lose all of it.
    if hasattr(process_executor, "_USE_PSUTIL"):
        process_executor._USE_PSUTIL = False
    _LINKS[:] = [_Link(pipe)]
    for name in modules:
        with contextlib.suppress(Exception):  # The first call that needs it says what is wrong.
            import_module(name)


def forget(digest: str) -> None:
    """Remove a problem, and give back its memory."""
    _STORE.forget(digest)
    freed.give_back()


def perform(number: int, content: bytes, problems: Mapping[str, bytes]) -> tuple[bool, bytes]:
    """Run a call, after learning the problems that it needs; (True, result) or (False, exception), pickled."""
    cancelled = _LINKS[0].begin(number)
    _STORE.learn(problems)
    return _packed(*called(lambda signal: Call(*_STORE.unpack(content))(signal), cancelled))


def _packed(good, value):
    try:
        if not good:
            return False, _error(value)
        return True, _STORE.pack(value)
    except Exception as error:
        return False, _error(error)


def _error(error):
    """A pickled exception, with where it was raised; one that does not survive pickling becomes RuntimeError."""
    where = "".join(traceback.format_tb(error.__traceback__))
    error.__traceback__ = error.__cause__ = error.__context__ = None
    if where:
        error.add_note(f"in a worker process:\n{where}")
    try:
        content = cloudpickle.dumps(error)
        pickle.loads(content)
    except Exception:
        content = cloudpickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content

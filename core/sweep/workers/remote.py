"""What runs in a worker process: orders come in, results go out, and a worker ends with its server."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import cloudpickle
from joblib.externals.loky import process_executor

from core.sweep.workers.segments import Board
from core.sweep.workers.shipping import Store, Unknown
from core.sweep.workers.tasks import Signal, Task
from core.sweep.workers.worker import call, drop

_STORE = Store(drop)
_BOARD: list[Board] = []


@dataclass(frozen=True)
class Orders:
    """What a worker is to do: forget problems, learn others, run jobs; `numbers` name these on the board."""

    numbers: Sequence[int] = ()
    jobs: Sequence[bytes] = ()
    problems: dict[str, bytes] | None = None
    forgotten: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """What came of orders: pickled results or exceptions, seconds, and hashes of problems that are not known here."""

    results: Sequence[tuple[bool, bytes]] = ()
    seconds: Sequence[float] = ()
    unknown: Sequence[str] = ()


class RemoteSignal(Signal):
    """The signal of a task whose owner is in another process."""

    def __init__(self, board: Board, number: int):
        super().__init__()
        self._board, self._number = board, number

    def is_set(self) -> bool:
        """Whether the task was cancelled."""
        return self._board.cancelled >= self._number

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the task is cancelled, or some seconds have passed."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.is_set() and (end is None or time.monotonic() < end):
            time.sleep(0.01)
        return self.is_set()


def begin(address: str, parent: int, modules: Sequence[str]) -> None:
    """Prepare a worker process; it imports `modules` before the first job needs them."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Keys pressed in a terminal end the server, which ends this.
    # What is kept of problems is bounded by their number; a restart would lose all of it.
    if hasattr(process_executor, "_USE_PSUTIL"):
        process_executor._USE_PSUTIL = False
    threading.Thread(target=_end_with, args=(parent,), name="parent watch", daemon=True).start()
    _BOARD[:] = [Board(address)]
    for name in modules:
        with contextlib.suppress(Exception):  # The first job that needs it says what is wrong.
            import_module(name)


def perform(orders: Orders) -> Report:
    """Carry out orders."""
    for digest in orders.forgotten:
        _STORE.forget(digest)
    board = _BOARD[0]
    results, seconds = [], []
    try:
        _STORE.learn(orders.problems or {})
        for number, content in zip(orders.numbers, orders.jobs, strict=True):
            begun = time.monotonic()
            task = Task(_job(content), owner=None, signal=RemoteSignal(board, number))
            board.begin(number, begun)
            results.append(_packed(*call(task)))
            board.end()
            seconds.append(time.monotonic() - begun)
    except Unknown as error:
        return Report(unknown=error.digests)
    return Report(results, seconds)


def _job(content):
    try:
        return _STORE.unpack(content)
    except Unknown:
        raise
    except Exception as error:
        return _Raising(error)


class _Raising:
    """A job that could not be unpickled: running it says why."""

    def __init__(self, error):
        self._error = error

    def __call__(self, signal):
        raise self._error


def _packed(good: bool, value: Any) -> tuple[bool, bytes]:
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


def _end_with(parent):
    """End this process as soon as the one that started it is gone, however it ended."""
    if sys.platform == "win32":  # There a process keeps the number of its parent for good.
        multiprocessing.parent_process().join()
    else:
        while os.getppid() == parent:
            time.sleep(1.0)
    os._exit(1)

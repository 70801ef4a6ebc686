"""A worker computes one call at a time, here in a thread of this process; what a process does when it is dropped."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from core.sweep.workers.tasks import Task

VARIABLE = "CAPE_LAB_WORKERS"  # Of the environment: what `shared.parse` reads.
# Called with a problem that a worker, or all of this process, no longer needs.
_DROPPING: list[Callable[[Any], None]] = []


def when_dropped(action: Callable[[Any], None]) -> None:
    """Have `action` called with every problem that is forgotten in this process."""
    if action not in _DROPPING:
        _DROPPING.append(action)


def drop(problem: Any) -> None:
    """Call the actions of `when_dropped`."""
    for action in _DROPPING:
        action(problem)


class Worker:
    """One thread. A call that hangs keeps its thread; another thread then takes its place.

    Attributes
    ----------
    apart : bool
        Whether calls run in another process.
    pid : int or None
        That process.
    begun : float or None
        The monotonic time at which the present call began; None before.
    ended : bool
        Whether it has ended for good.
    """

    apart: ClassVar[bool] = False
    pid: int | None = None
    begun: float | None = None
    ended = False

    def __init__(self):
        self._executor: Any = ThreadPoolExecutor(1, thread_name_prefix="run")

    def expect(self) -> None:
        """Another task will be started."""
        self.begun = None

    def warm(self) -> None:
        """Start before the first call comes."""
        return None

    def start(self, task: Task) -> Future:
        """Begin a task; the future has (True, result) or (False, exception), or an exception if the worker ended."""
        return self._executor.submit(self._run, task)

    def opened(self, good: bool, value: Any) -> tuple[bool, Any]:
        """What a future has, ready for use."""
        return good, value

    def stop(self) -> None:
        """Tell the present call that it is cancelled; the signal of its task is set already."""
        return None

    def replace(self) -> None:
        """End the present call by force, and be ready for others."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="run")

    def end(self) -> None:
        """End at once, and for good."""
        self.ended = True
        self._executor.shutdown(wait=False, cancel_futures=True)

    def forget(self, problem: Any) -> None:
        """Remove a problem and its results after the present call."""
        with contextlib.suppress(RuntimeError):  # It ends.
            self._executor.submit(drop, problem)

    def _run(self, task):
        self.begun = time.monotonic()
        return called(task.call, task.signal)


def called(job: Callable[[Any], Any], signal: Any) -> tuple[bool, Any]:
    """Call a job in this process; exceptions that would end the process become RuntimeError."""
    try:
        return True, None if signal.is_set() else job(signal)
    except (SystemExit, KeyboardInterrupt) as error:
        return False, RuntimeError(f"a job tried to end the program ({type(error).__name__})")
    except BaseException as error:
        return False, error

"""The shared workers as an executor, for sweeps and searches in programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from core import check
from core.sweep import workers as shared


class Warm(Executor):
    """An executor whose processes outlive it: the next one of this program finds them started.

    Leaving a `with` ends what was submitted through it, not the processes.
    """

    def __init__(self, workers: shared.Workers):
        self._workers = workers
        self._tasks: set[shared.Task] = set()

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Have a worker call a function; function, arguments and result must pickle."""
        task = self._workers.submit(shared.Call(_call, (fn, args, kwargs)), owner=self)
        self._tasks.add(task)
        task.future.add_done_callback(lambda future: self._over(task, future))
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for what was submitted, or cancel it; the processes stay."""
        for task in list(self._tasks):
            if cancel_futures:
                self._workers.cancel(task)
            elif wait and not task.future.cancelled():
                task.future.exception()

    @classmethod
    def asked_for(cls) -> Warm | None:
        """Such an executor if the variable `CAPE_LAB_WORKERS` asks for processes; not within a worker."""
        text = os.environ.get(shared.VARIABLE)
        return cls(shared.default()) if text and isinstance(shared.parse(text), int) else None

    def _over(self, task, future):
        self._tasks.discard(task)
        if future.cancelled():
            self._workers.cancel(task)


@check.arguments(workers=check.optional(check.whole(1)))
def warm(workers: int | None = None) -> Warm:
    """An executor of processes that stay warm, for `run` and `core.sweep.search.search`.

    The first call starts the processes, which takes seconds; later calls of the same program use them again. They end
    with the program.

    Parameters
    ----------
    workers : int, optional
        How many processes. Default: what the variable `CAPE_LAB_WORKERS` says, else one for every core but one.
        Another number than before replaces them.
    """
    result = shared.existing()
    if workers is not None and (result is None or result.count != workers or not result.apart):
        shared.close()
        shared.use(shared.make(workers))
    return Warm(shared.default())


def _call(fn, args, kwargs, signal):
    return fn(*args, **kwargs)

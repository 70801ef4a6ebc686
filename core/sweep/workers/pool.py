"""The one interface to workers: calls are submitted, taken in turn, cancelled, repeated after a death."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from core.sweep.workers.tasks import Call, Overdue, Signal, Task, Turns, WorkerDied
from core.sweep.workers.worker import Worker

LOOK_EVERY = 0.2  # Seconds between two looks for calls that exceed their limit.
REPEATS = 2  # Processes that may end over one call.
STARTS = (
    3  # Processes that may end one after another before they ran anything; then there are none to be had.
)
_LOG = logging.getLogger(__name__)
_DIED = (
    "The process that computed this run ended, and ended again when the run was repeated. "
    "It may have run out of memory."
)


class Workers:
    """Several workers of one kind, and the calls that wait for them.

    Parameters
    ----------
    workers : sequence of Worker
    instead : callable, optional
        Makes the worker that takes over if these cannot start.
    """

    def __init__(self, workers: Sequence[Worker], *, instead: Callable[[], Worker] | None = None):
        self._lock = threading.RLock()
        self._turns = Turns()
        self._workers, self._instead = list(workers), instead
        self._running: dict[Worker, Task] = {}
        # Calls are pickled here, for they may be large, and the caller may be an event loop.
        self._hand = ThreadPoolExecutor(1, thread_name_prefix="to workers")
        self._watching = self._closed = False
        self._failed: Counter[Worker] = Counter()  # Starts since it last ran a call.

    @property
    def count(self) -> int:
        """How many calls run at the same time."""
        return len(self._workers)

    @property
    def apart(self) -> bool:
        """Whether calls run in other processes than this one."""
        return all(worker.apart for worker in self._workers)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the workers; empty for threads."""
        return tuple(pid for worker in self._workers if (pid := worker.pid) is not None)

    @property
    def crowded(self) -> bool:
        """Whether a call waits for its turn."""
        with self._lock:
            return next(iter(self._turns), None) is not None

    @property
    def idle(self) -> bool:
        """Whether no call waits or runs."""
        return not self._running and not self.crowded

    def warm(self) -> None:
        """Start the workers before the first call comes."""
        for worker in self._workers:
            self._hand.submit(worker.warm)

    def submit(
        self, call: Call, *, owner: Any = None, limit: float = math.inf, signal: Signal | None = None
    ) -> Task:
        """Queue a call; the result is in the task's `future`."""
        task = Task(call, self if owner is None else owner, limit, signal or Signal())
        with self._lock:
            if self._closed:
                raise RuntimeError("the workers are closed")
            self._turns.add(task)
            self._serve()
        return task

    def cancel(self, task: Task) -> None:
        """Cancel a task: it does not start, or hears of it while it runs; its result is dropped."""
        task.signal.set()
        task.future.cancel()
        with self._lock:
            self._turns.remove(task)
            for worker, running in self._running.items():
                if running is task:
                    worker.stop()

    def before(self, task: Task) -> int:
        """How many tasks come before one that waits, those that run included; 0 once it runs."""
        with self._lock:
            return self._turns.before(task) + len(self._running) if task in self._turns else 0

    def forget(self, problem: Any) -> None:
        """Have all workers remove a problem and its results, as soon as each is done with its present call.

        Tasks that use it should be cancelled before.
        """
        with self._lock:
            if not self._closed:
                self._hand.submit(self._forget, problem)

    def close(self) -> None:
        """End the workers at once, whatever they do; tasks that wait or run are cancelled."""
        with self._lock:
            self._closed = True
            tasks = [*self._turns, *self._running.values()]
            self._running.clear()
        for task in tasks:
            task.signal.set()
            task.future.cancel()
        self._hand.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.end()

    def _forget(self, problem):
        for worker in self._workers:
            worker.forget(problem)

    def _serve(self):
        """Hand waiting tasks to idle workers."""
        for worker in self._workers if not self._closed else ():
            if worker not in self._running and (task := self._turns.take(worker)) is not None:
                self._running[worker] = task
                worker.expect()
                self._hand.submit(self._start, worker, task)
                if task.limit < math.inf and not self._watching:
                    self._watching = True
                    threading.Thread(target=self._look, name="limits of runs", daemon=True).start()

    def _start(self, worker, task):
        try:
            future = worker.start(task)
        except Exception as error:
            future = Future()
            future.set_exception(error)
        future.add_done_callback(partial(self._done, worker, task))

    def _done(self, worker, task, future):
        """A worker has finished its task, or could not."""
        if self._running.get(worker) is not task or worker.ended or future.cancelled():  # It was given up.
            return
        error = future.exception()
        good, value = (False, error) if error is not None else worker.opened(*future.result())
        with self._lock:
            if self._running.get(worker) is not task:
                return
            del self._running[worker]
            if error is None:
                self._failed[worker] = 0
            elif worker.apart:
                value = WorkerDied(_DIED)
                self._lost(worker, task, error)
            self._serve()
        if error is None or not worker.apart or task.deaths >= REPEATS:
            task.end(good, value)

    def _lost(self, worker, task, error):
        """A process ended: its task is repeated, or another kind of worker takes over."""
        begun = worker.begun is not None
        task.deaths += begun
        self._failed[worker] = 0 if begun else self._failed[worker] + 1
        worker.replace()
        if task.deaths < REPEATS and not task.future.done():
            self._turns.add(task, first=True)
        if self._failed[worker] >= STARTS or isinstance(error, OSError | ImportError):
            self._replace_all(error)

    def _replace_all(self, error):
        """These workers cannot start here."""
        if self._instead is None:
            return
        _LOG.warning("no worker process can be started (%s): runs are computed in a thread", error)
        for task in self._running.values():
            self._turns.add(task, first=True)
        self._running.clear()
        self._turns.unbind()
        for worker in self._workers:
            worker.end()
        self._workers, self._instead = [self._instead()], None

    def _look(self):
        while True:
            time.sleep(LOOK_EVERY)
            with self._lock:
                if self._closed or all(task.limit == math.inf for task in self._running.values()):
                    self._watching = False
                    return
                late = [pair for pair in self._running.items() if _overdue(*pair)]
                for worker, _ in late:
                    del self._running[worker]
                    worker.replace()
                self._serve()
            for _, task in late:
                task.signal.set()
                task.end(False, Overdue(f"a call took more than {task.limit:g} seconds"))


def _overdue(worker, task):
    begun = worker.begun
    return begun is not None and time.monotonic() - begun > task.limit

"""The one interface to workers: tasks are submitted, taken in turn, cancelled, repeated after a death."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from core.sweep.workers.tasks import Overdue, Signal, Task, Turns, WorkerDied
from core.sweep.workers.worker import CannotStart, Outcome, Worker

LOOK_EVERY = 0.2  # Seconds between two looks for tasks that exceed their limit.
REPEATS = 2  # Processes that may end over one task.
_LOG = logging.getLogger(__name__)


class Workers:
    """Several workers of one kind, and the tasks that wait for them.

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
        self._running: dict[Worker, list[Task]] = {}
        self._again: dict[Worker, list[Any]] = {}
        self._watching = self._closed = False

    @property
    def count(self) -> int:
        """How many tasks run at the same time."""
        return len(self._workers)

    @property
    def apart(self) -> bool:
        """Whether tasks run in other processes than this one."""
        return all(worker.apart for worker in self._workers)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the workers; empty for threads."""
        return tuple(pid for worker in self._workers if (pid := worker.pid) is not None)

    def warm(self) -> None:
        """Start the workers before the first task comes."""
        with self._lock:
            idle = [worker for worker in self._workers if worker not in self._running]
            self._running |= {worker: [] for worker in idle}
        for worker in idle:
            self._start(worker, [])

    def submit(
        self,
        job: Callable[[Any], Any],
        *,
        owner: Any = None,
        keep: Hashable = None,
        limit: float = math.inf,
        signal: Signal | None = None,
    ) -> Task:
        """Queue a job: a callable that takes a signal. See `Task`; the result is in its `future`."""
        task = Task(job, owner=self if owner is None else owner, keep=keep, limit=limit, signal=signal)
        with self._lock:
            if self._closed:
                raise RuntimeError("the workers are closed")
            self._turns.add(task)
        self._serve()
        return task

    def cancel(self, task: Task) -> None:
        """Cancel a task: it does not start, or is told while it runs; its result is dropped."""
        task.signal.set()
        task.future.cancel()
        with self._lock:
            self._turns.remove(task)
            for worker, tasks in self._running.items():
                if task in tasks:
                    worker.stop(task)

    def before(self, task: Task) -> int:
        """How many tasks come before one that waits, those that run included; 0 once it runs."""
        with self._lock:
            waits = task in self._turns
            return self._turns.before(task) + sum(map(len, self._running.values())) if waits else 0

    def forget(self, problem: Any) -> None:
        """Have all workers remove a problem and its results, as soon as each is done with its present tasks.

        Tasks that use it should be cancelled before.
        """
        with self._lock:
            for worker in self._workers:
                worker.forget(problem)
                if worker in self._running:  # Its tasks may be on their way, and bring the problem along.
                    self._again.setdefault(worker, []).append(problem)
        self._serve()

    def everywhere(self, action: Callable[[], Any]) -> list[Task]:
        """Have every worker call `action` once, after its present tasks."""
        tasks = []
        with self._lock:
            for worker in self._workers:
                task = Task(partial(_plainly, action), owner=worker, keep=worker)
                self._turns.bind(task, worker)
                tasks.append(task)
        self._serve()
        return tasks

    def close(self) -> None:
        """End the workers at once, whatever they do; tasks that wait or run are cancelled."""
        with self._lock:
            self._closed = True
            tasks = [*self._turns, *(task for running in self._running.values() for task in running)]
            self._running.clear()
            self._again.clear()
        for task in tasks:
            task.signal.set()
            task.future.cancel()
        for worker in self._workers:
            worker.end()

    def _serve(self):
        """Hand waiting tasks to idle workers."""
        while True:
            with self._lock:
                idle = [w for w in self._workers if w not in self._running and not self._closed]
                found = next(((w, t) for w in idle if (t := self._turns.take(w, most=w.most))), None)
                if found is None:
                    owing = [w for w in idle if w.owes]
                    if not owing:
                        return
                    found = owing[0], []
                self._running[found[0]] = found[1]
            self._start(*found)

    def _start(self, worker, tasks):
        if any(task.limit < math.inf for task in tasks):
            self._watch()
        worker.start(tasks, partial(self._done, worker))

    def _done(self, worker, outcome: Outcome | BaseException):
        """A worker has finished its tasks, or could not."""
        with self._lock:
            tasks = self._running.pop(worker, [])
            if self._closed:
                return
            for problem in self._again.pop(worker, []):
                worker.forget(problem)
            if isinstance(outcome, CannotStart):
                self._replace_all(outcome)
            if isinstance(outcome, BaseException):
                again = self._to_repeat(tasks, outcome)
                for task in reversed(again):
                    self._turns.add(task, first=True)
            else:
                for task, seconds in zip(tasks, outcome.seconds, strict=True):
                    self._turns.measured(task.owner, seconds)
        if isinstance(outcome, Outcome):
            for task, (good, value) in zip(tasks, outcome.results, strict=True):
                task.finish(value) if good else task.fail(value)
        self._serve()

    def _to_repeat(self, tasks, error):
        """The tasks that a worker lost and that run again; the one over which it ended only once more."""
        blamed = getattr(error, "task", None)
        if blamed is not None:
            blamed.deaths += 1
            if blamed.deaths >= REPEATS:
                words = "The process that computed this run ended, and ended again when the run was repeated."
                blamed.fail(WorkerDied(f"{words} It may have run out of memory."))
        return [task for task in tasks if not task.future.done()]

    def _replace_all(self, error):
        """These workers cannot start here: another kind takes over."""
        if self._instead is None:
            return
        _LOG.warning("no worker process can be started (%s): runs are computed in a thread", error)
        for worker in self._workers:
            worker.end()
        self._workers, self._instead = [self._instead()], None

    def _watch(self):
        with self._lock:
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._look, name="limits of runs", daemon=True).start()

    def _look(self):
        while True:
            time.sleep(LOOK_EVERY)
            with self._lock:
                limited = any(t.limit < math.inf for tasks in self._running.values() for t in tasks)
                if self._closed or not limited:
                    self._watching = False
                    return
                late = [(w, task) for w in self._running if (task := w.overdue()) is not None]
                for worker, task in late:
                    rest = [t for t in self._running.pop(worker) if t is not task and not t.future.done()]
                    for other in reversed(rest):
                        self._turns.add(other, first=True)
                    worker.replace()
            for _, task in late:
                task.signal.set()
                task.fail(Overdue(f"a task took more than {task.limit:g} seconds"))
            if late:
                self._serve()


def _plainly(action, signal):
    return action()

"""A task, the signal that reaches it while it runs, and the order in which the tasks of several owners are taken."""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from typing import Any

CHUNK_SECONDS = 0.05  # Short tasks are handed over together, about this long.


class Overdue(Exception):
    """A task took longer than its limit, and was ended."""


class WorkerDied(RuntimeError):
    """The process that computed a task ended, and ended again when the task was repeated."""


class Signal(threading.Event):
    """Tells a running task that it is cancelled."""


class Task:
    """One call of a job, and its result.

    Attributes
    ----------
    job : callable
        Called with a signal: `is_set()` says whether the task was cancelled.
    owner : object
        Owners take turns.
    keep : hashable or None
        Tasks of one owner with equal keys run in the same worker, in their order.
    limit : float
        Seconds that the task may take; longer ones end with `Overdue`.
    signal : Signal
    future : Future
    """

    def __init__(
        self,
        job: Callable[[Any], Any],
        *,
        owner: Any,
        keep: Hashable = None,
        limit: float = math.inf,
        signal: Signal | None = None,
    ):
        self.job, self.owner, self.keep, self.limit = job, owner, keep, limit
        self.signal = signal or Signal()
        self.future: Future = Future()
        self.deaths = 0  # Processes that ended while they ran it.

    def finish(self, result: Any) -> None:
        """Set the result, unless the task was cancelled."""
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Set an exception, unless the task was cancelled."""
        if not self.future.done():
            self.future.set_exception(error)


class _Line:
    """The waiting tasks of one owner, and what is known of them."""

    def __init__(self):
        self.waiting: deque[Task] = deque()
        self.home: Any = None  # The worker that knows the owner's problem.
        self.kept: dict[Hashable, Any] = {}
        self.seconds = math.inf  # Of a task, about.

    def runs_on(self, task, worker):
        return task.keep is None or self.kept.get(task.keep, worker) is worker

    def count(self, worker, most):
        return (
            max(1, min(most, int(CHUNK_SECONDS / max(self.seconds, 1e-4)))) if self.seconds < math.inf else 1
        )


class Turns:
    """Waiting tasks; owners are served in turn.

    A worker prefers owners that it served before, because it has computed the statistics of their problems. If none
    of these waits, it serves others.
    """

    def __init__(self):
        self._lines: weakref.WeakKeyDictionary[Any, _Line] = weakref.WeakKeyDictionary()
        self._order: deque[Any] = deque()  # Owners whose tasks wait, the next first.
        self._served: Callable[[], Any] = lambda: None  # Whose task was taken last.

    def __iter__(self) -> Iterator[Task]:
        return (task for owner in self._order for task in self._line(owner).waiting)

    def add(self, task: Task, *, first: bool = False) -> None:
        """Put a task behind those of its owner, or before them."""
        line = self._line(task.owner)
        (line.waiting.appendleft if first else line.waiting.append)(task)
        if task.owner not in self._order:
            # Who was served last and has more waits behind who comes now.
            after = len(self._order) and self._order[-1] is self._served()
            self._order.insert(0 if first else len(self._order) - bool(after), task.owner)

    def before(self, task: Task) -> int:
        """How many waiting tasks come first, if all owners' tasks take as long; 0 if it does not wait."""
        mine = self._line(task.owner).waiting
        if task not in mine:
            return 0
        place, found = mine.index(task), mine.index(task)
        earlier = 1
        for owner in self._order:
            if owner is task.owner:
                earlier = 0
            else:
                found += min(len(self._line(owner).waiting), place + earlier)
        return found

    def bind(self, task: Task, worker: Any) -> None:
        """Put a task that only this worker may run."""
        line = self._line(task.owner)
        line.home = line.kept[task.keep] = worker
        self.add(task, first=True)

    def remove(self, task: Task) -> bool:
        """Take a task out; returns whether it waited."""
        line = self._line(task.owner)
        if task not in line.waiting:
            return False
        line.waiting.remove(task)
        self._tidy(task.owner)
        return True

    def take(self, worker: Any, *, most: int) -> list[Task]:
        """The next tasks for a worker, all of one owner; empty if nothing waits that it may run."""
        mine = [owner for owner in self._order if self._line(owner).home in (None, worker)]
        for owner in (*mine, *(owner for owner in self._order if owner not in mine)):
            line = self._line(owner)
            count = line.count(worker, most)
            taken: list[Task] = []
            for task in line.waiting:
                if len(taken) < count and line.runs_on(task, worker):
                    taken.append(task)
                    if task.keep is not None:
                        line.kept[task.keep] = worker
            if taken:
                self._took(owner, line, taken, worker)
                return taken
        return []

    def measured(self, owner: Any, seconds: float) -> None:
        """A task of this owner took so long."""
        line = self._line(owner)
        line.seconds = seconds if line.seconds == math.inf else 0.7 * line.seconds + 0.3 * seconds

    def _took(self, owner, line, taken, worker):
        line.home = line.home or worker
        self._served = weakref.ref(owner)
        for task in taken:
            line.waiting.remove(task)
        self._tidy(owner)
        if line.waiting:  # To the end of the row.
            self._order.remove(owner)
            self._order.append(owner)

    def _tidy(self, owner):
        line = self._line(owner)
        if not line.waiting:
            line.kept = dict(list(line.kept.items())[-64:])
            self._order.remove(owner)

    def _line(self, owner):
        return self._lines.setdefault(owner, _Line())

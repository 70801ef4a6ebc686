"""A call, its place among those of other owners, and what becomes of it."""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any


class Overdue(Exception):
    """A call took longer than its limit, and was ended."""


class WorkerDied(RuntimeError):
    """The process that computed a call ended, and ended again when the call was repeated."""


class Signal(threading.Event):
    """Tells a running call that it is cancelled."""


@dataclass(frozen=True)
class Call:
    """What a worker computes.

    Attributes
    ----------
    function : callable
        Called with the arguments and a `Signal`, which is set once the call is cancelled. Function, arguments and
        result must pickle to reach a worker process.
    arguments : tuple
    key : hashable or None
        Says of what the result is; it stays here.
    chain : hashable or None
        Calls of one owner with equal chains run in the same worker, in their order, and may continue what is kept there.
        If the worker is replaced, that is lost, and is computed again.
    """

    function: Callable[..., Any]
    arguments: tuple = ()
    key: Hashable = None
    chain: Hashable = None

    def __call__(self, signal: Any) -> Any:
        return self.function(*self.arguments, signal)


@dataclass(eq=False)
class Task:
    """A call that was submitted.

    Attributes
    ----------
    call : Call
    owner : object
        Owners take turns.
    limit : float
        Seconds that the call may take; longer ones end with `Overdue`. Of one owner's, the shorter come first.
    signal : Signal
    future : Future
    deaths : int
        Processes that ended while they ran it.
    """

    call: Call
    owner: Any
    limit: float = math.inf
    signal: Signal = field(default_factory=Signal)
    future: Future = field(default_factory=Future)
    deaths: int = 0

    def end(self, good: bool, value: Any) -> None:
        """Set the result, or the exception, unless the task was cancelled."""
        if not self.future.done():
            (self.future.set_result if good else self.future.set_exception)(value)


class _Line:
    """The waiting tasks of one owner, and which workers know what they need."""

    def __init__(self):
        self.waiting: deque[Task] = deque()
        self.home: Any = None  # The worker that knows the owner's problem.
        self.kept: dict[Hashable, Any] = {}  # By the chain.

    def next_for(self, worker):
        """The first task that this worker may run."""
        return next((t for t in self.waiting if self.kept.get(t.call.chain, worker) is worker), None)


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
        """Put a task behind those of its owner that may not take longer, or before all of them."""
        line = self._line(task.owner)
        longer = (place for place, other in enumerate(line.waiting) if first or other.limit > task.limit)
        line.waiting.insert(next(longer, len(line.waiting)), task)
        if task.owner not in self._order:
            # Who was served last and has more waits behind who comes now.
            after = len(self._order) and self._order[-1] is self._served()
            self._order.insert(0 if first else len(self._order) - bool(after), task.owner)

    def before(self, task: Task) -> int:
        """How many waiting tasks come first, if all owners' tasks take as long; 0 if it does not wait."""
        mine = self._line(task.owner).waiting
        if task not in mine:
            return 0
        place = result = mine.index(task)
        earlier = 1
        for owner in self._order:
            if owner is task.owner:
                earlier = 0
            else:
                result += min(len(self._line(owner).waiting), place + earlier)
        return result

    def remove(self, task: Task) -> None:
        """Take a task out, if it waits."""
        line = self._line(task.owner)
        if task in line.waiting:
            line.waiting.remove(task)
            self._tidy(task.owner)

    def unbind(self) -> None:
        """Let other workers run what only one of before could."""
        for line in self._lines.values():
            line.home, line.kept = None, {}

    def take(self, worker: Any) -> Task | None:
        """The next task for a worker; None if nothing waits that it may run."""
        mine = [owner for owner in self._order if self._line(owner).home in (None, worker)]
        for owner in (*mine, *(owner for owner in self._order if owner not in mine)):
            task = self._line(owner).next_for(worker)
            if task is not None:
                self._took(task, worker)
                return task
        return None

    def _took(self, task, worker):
        owner, line = task.owner, self._line(task.owner)
        line.home = line.home or worker
        if task.call.chain is not None:
            line.kept[task.call.chain] = worker
        self._served = weakref.ref(owner)
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

"""How the runs of a page share their results with other sessions: found, waited for together, or computed.

A call that several sessions wait for is computed once, and ends with the last of them: who stops takes their own name
off. A page has a `Sharing` only for public records and a seed that is shown, see `dashboard.page.model.Model.public`.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from concurrent.futures import InvalidStateError
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from core import sweep
from core.sweep.workers import Call, Signal, Task, Workers
from dashboard.runs.fit import Fit
from dashboard.runs.known import KNOWN, Known


@dataclass(frozen=True)
class Sharing:
    """What calls of a page are made of, and where their results are.

    A run of a sweep is known by itself (problem, settings, scheme, repeat, seed) on every page; all else by its key on
    its page. A call without a key is shared with nobody.

    Attributes
    ----------
    page : str
    visitor : str
        The session.
    several : bool
        Whether a call's key lists parts, and its result lists theirs.
    known : Known
    edition : int
    """

    page: str
    visitor: str
    several: bool = False
    known: Known = KNOWN
    edition: int = field(default_factory=lambda: KNOWN.edition)

    def keys(self, call: Call, *, runs: bool = False) -> tuple[Hashable, ...]:
        """Where the parts of a call's result are, with `runs` also those that a fit makes; () if it is not shared."""
        parts = () if call.key is None else call.key if self.several else (call.key,)
        made = (job for part in parts if runs and isinstance(part, Fit) for job in part.runs)
        return (*map(self._key, parts), *made)

    def find(self, call: Call) -> Any:
        """A call's result; None if a part of it is not known."""
        keys = self.keys(call)
        return self._result(self.known.get(keys)) if keys else None

    def _result(self, parts):
        whole = all(one is not None for one in parts)
        return None if not whole else parts if self.several else parts[0]

    def put(self, call: Call, value: Any) -> Any:
        """Take a call's result, complete or not; returns it as all sessions have it."""
        if call.key is None or value is None:
            return value
        if not self.several:
            return self._put(call.key, value)
        return [self._put(part, one) for part, one in zip(call.key, value, strict=False)]

    def compute(self, call: Call, signal: Any) -> Any:
        """A call's result, computed here if it is not known."""
        found = self.find(call)
        if found is None:
            found = call(signal)
            if not signal.is_set():
                found = self.put(call, found)
        return found

    def parted(self, calls: Sequence[Call]) -> tuple[list[tuple[Hashable, Any]], list[Call]]:
        """The results of calls that are known, by their keys, and the calls that are not."""
        found = [(call, self.find(call)) for call in calls]
        known = [(call.key, value) for call, value in found if value is not None]
        return known, [call for call, value in found if value is None]

    def ahead(self, calls: Iterable[Call]) -> list[tuple[Hashable, Any]]:
        """The results of calls of which each follows from the results before, as far as they are known."""
        steps: Generator = iter(calls)  # type: ignore[assignment]
        known: list = []
        result = None
        with contextlib.suppress(StopIteration):
            while (result := self.find(call := steps.send(result))) is not None:
                known.append((call.key, result))
        return known

    def over(self, workers: Workers) -> Shared:
        """These workers, for calls whose results are shared."""
        return Shared(workers, self)

    def _key(self, part):
        return (
            part if isinstance(part, sweep.Job) else (self.page, part.key if isinstance(part, Fit) else part)
        )

    def _put(self, part, value):
        options = {"visitor": self.visitor, "edition": self.edition}
        if isinstance(part, Fit) and value is not None:
            for job, row in part.rows(value).items():
                self.known.put(job, row, **options)
        return self.known.put(self._key(part), value, **options)


class Opening:
    """What a page opens with: its results stay in memory, whoever computes them.

    Attributes
    ----------
    sharing : Sharing
    calls : list of Call
        Those that are still to be computed.
    lasting : bool
        Whether one of them takes seconds.
    """

    def __init__(self, sharing: Sharing, calls: Sequence[Call], *, lasting: bool = False):
        self.sharing, self.calls, self.lasting = sharing, list(calls), lasting
        for call in calls:
            sharing.known.stay(sharing.keys(call, runs=True))

    def compute(self, which: Callable[[Call], bool]) -> None:
        """Compute some of the calls here."""
        soon = [call for call in self.calls if which(call)]
        self.calls = [call for call in self.calls if not which(call)]
        for call in soon:
            self.sharing.compute(call, Signal())


@dataclass(eq=False)
class _UnderWay:
    """A call that is computed, and all who wait for it."""

    place: Hashable
    workers: Workers
    task: Task
    waiting: list[Task] = field(default_factory=list)


@dataclass(eq=False)
class _Waiting(Task):
    """One who waits for a call; None for a result that is known."""

    joined: _UnderWay | None = None


_LOCK = threading.RLock()
_UNDER_WAY: dict[Hashable, _UnderWay] = {}


class Shared:
    """Workers, as a run sees them: what is known is there at once, and what is under way is waited for together.

    Parameters
    ----------
    workers : Workers
    sharing : Sharing
    """

    def __init__(self, workers: Workers, sharing: Sharing):
        self._workers, self._sharing = workers, sharing

    def submit(
        self, call: Call, *, owner: Any, limit: float = math.inf, signal: Signal | None = None
    ) -> Task:
        """Queue a call, unless its result is known or on its way."""
        task, keys = _Waiting(call, owner, limit, signal or Signal()), self._sharing.keys(call)
        with _LOCK:
            found = self._sharing.find(call)
            if found is not None:
                task.future.set_result(found)
                return task
            place = (self._sharing.edition, keys) if keys else task
            one = _UNDER_WAY.get(place)
            if fresh := one is None or one.workers is not self._workers:
                # A signal of its own: who stops does not stop the others' call.
                inner = self._workers.submit(call, owner=owner, limit=limit)
                one = _UNDER_WAY[place] = _UnderWay(place, self._workers, inner)
            one.waiting.append(task)
            task.joined = one
        if fresh:
            one.task.future.add_done_callback(partial(_done, self._sharing, one))
        return task

    def cancel(self, task: _Waiting) -> None:
        """Wait no longer; the call ends if nobody else waits for it."""
        with _LOCK:
            one = task.joined
            alone = one is not None and one.waiting == [task]
            if alone:
                _leave(one)
            elif one is not None and task in one.waiting:
                one.waiting.remove(task)
        task.future.cancel()
        if alone:
            self._workers.cancel(one.task)

    def before(self, task: _Waiting) -> int:
        """How many tasks come before one that waits; 0 once it runs."""
        return 0 if task.joined is None else self._workers.before(task.joined.task)


def _leave(one):
    """Nobody joins a call any more; returns who waits for it."""
    if _UNDER_WAY.get(one.place) is one:
        del _UNDER_WAY[one.place]
    waiting, one.waiting = one.waiting, []
    return waiting


def _done(sharing, one, future):
    """A call has ended: its result is known, and all who wait for it have it."""
    good = not future.cancelled() and future.exception() is None
    value = sharing.put(one.task.call, future.result()) if good and not one.task.signal.is_set() else None
    with _LOCK:
        waiting = _leave(one)
    for task in waiting:
        with contextlib.suppress(InvalidStateError):  # It was cancelled in between.
            if future.cancelled():
                task.future.cancel()
            else:
                task.end(good, value if good else future.exception())

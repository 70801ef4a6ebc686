"""Background computation of a page: one run at a time, with streamed results, cancellation and error messages.

A run is a sequence of calls. The workers of this process (`core.sweep.workers`: processes or a thread) compute them. The
sessions take turns there. A new run cancels the old one, and a result is painted only if its run is still the page's
current run. Results are painted in the order of their calls, whichever worker is first.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import panel as pn
import param

from core.sweep import workers
from core.sweep.workers import Call, Overdue, Signal, Task, Workers
from dashboard.state import session_end

PAINT_EVERY = 0.1  # Seconds: results that arrive faster are painted together.
LOOK_EVERY = 0.5  # Seconds between two looks at how many calls come first.
AHEAD = 32  # Calls of one run that wait in the workers' queue, at most.


def warm(modules: Sequence[str] = ()) -> None:
    """Start the workers of this process, and have worker processes import modules, before a visitor comes."""
    workers.default(modules=modules).warm()


class Sharing(Protocol):
    """How the calls of a run share results with those of others, see `dashboard.runs.sharing.Sharing`."""

    def compute(self, call: Call, signal: Signal) -> Any:
        """A call's result, computed here if it is not known."""

    def over(self, workers: Workers) -> Any:
        """Workers that compute what is not known, with `submit`, `cancel` and `before`."""


@dataclass(eq=False)
class _Run:
    """The calls of a run one by one; a generator gets each call's result before it makes the next."""

    calls: Collection[Call]
    paint: Callable[[list], None]
    doc: Any
    sharing: Sharing | None = None
    workers: Any = None  # Those of this process, or `Shared` ones.
    cancelled: Signal = field(default_factory=Signal)
    task: asyncio.Task | None = None
    waiting: deque[Task] = field(default_factory=deque)
    found: list = field(default_factory=list)  # Results that are not painted yet.
    over: bool = False

    def __post_init__(self):
        self._iterator = iter(self.calls)
        self._send = getattr(self._iterator, "send", None)
        self.ahead = AHEAD if self._send is None else 1
        self._last: Any = None

    def next(self) -> Call | None:
        """The next call, if there is one, after the result of the one before."""
        try:
            return next(self._iterator) if self._send is None else self._send(self._last)
        except StopIteration:
            self.over = True
            return None

    def computed(self, call: Call) -> Any:
        """The result of a call, computed in this thread."""
        return call(self.cancelled) if self.sharing is None else self.sharing.compute(call, self.cancelled)

    def took(self, call: Call, result: Any) -> None:
        """Keep a result until it is painted."""
        self._last = result
        self.found.append((call.key, result))


class Runs(param.Parameterized):
    """The background runs of one page.

    Every call gets a signal (`core.sweep.workers.Signal`), which is set when the run is cancelled; long ones check it.
    Without a running event loop (scripts, tests) the caller's thread computes the run immediately.

    Parameters
    ----------
    worker : Workers, optional
        Where the jobs run; default: the workers that all pages share.
    owner : object, optional
        Runs of the same owner have one turn together; default: each has its own.

    Attributes
    ----------
    sharing : callable
        Asked at every start how the calls share results with other sessions; None if they do not.
    """

    state: Any = param.Selector(default="idle", objects=["idle", "running", "finished", "stopped", "failed"])
    done = param.Integer(0, doc="Jobs finished.")
    total = param.Integer(0, doc="Jobs of the current run.")
    message = param.String("", doc="Error message of a failed run.")
    unit = param.String("run", doc="Noun for one job.")
    units = param.String("runs", doc="Noun for several jobs.")
    limit = param.Number(60.0, doc="Seconds that one job may take before it is cancelled.")
    before = param.Integer(0, doc="Jobs, of whomever, that workers of its own do before the present one.")

    def __init__(self, *, worker: Workers | None = None, owner: Any = None, **params):
        super().__init__(**params)
        self._worker, self._owner = worker, owner or self
        self.sharing: Callable[[], Sharing | None] = lambda: None
        self._run: _Run | None = None
        session_end.at_end(self._cancel)

    def start(self, calls: Collection[Call], *, paint: Callable[[list], None]) -> None:
        """Cancel the current run, run `calls` in order, and call `paint` with the results since its last call.

        A result is a pair: the key of its call, and what this returned. Calls that depend on earlier results come from
        a collection that iterates as a generator: `found = yield call`. Its length may be an estimate.
        """
        self._cancel()
        run = self._run = _Run(calls, paint, pn.state.curdoc, self.sharing())
        self.param.update(state="running", done=0, total=len(calls), message="", before=0)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            if _live(run.doc):  # In a worker thread of the server.
                self._hand_over(run)
            else:
                self._run_here(run)
        else:
            if _live(run.doc) and not pn.state.loaded:
                # Updates between the rendering of a page and its opening in the browser would be lost.
                pn.state.onload(partial(self._hand_over, run))
            else:
                self._launch(run, loop)

    def again(self) -> None:
        """Run the calls of the last run again, after a failure or a stop."""
        if self._run is not None:
            self.start(self._run.calls, paint=self._run.paint)

    def wait(self, seconds: float = math.inf) -> bool:
        """Finish the current run before returning, or compute it for so many seconds; it then goes on by itself.

        For programs and notebooks, in which a caller asks for numbers and no event loop turns until it has them.

        Returns
        -------
        bool
            Whether no run is under way any more.
        """
        run = self._run
        if run is None or self.state != "running" or (run.workers is None and run.task is None):
            return self.state != "running"
        if run.task is not None:
            # The task that waits on the event loop leaves the run to this caller.
            task, run.task = run.task, None
            task.cancel()
        try:
            self._block(run, time.monotonic() + seconds)
        except BaseException:
            self.stop()
            raise
        if self.state == "running":
            self._launch(run, asyncio.get_running_loop())
        return self.state != "running"

    def stop(self) -> None:
        """Stop the current run; its painted results stay."""
        if self.state == "running":
            self._cancel()
            self.state = "stopped"

    def clear(self) -> None:
        """Stop the current run and release it with everything that its calls reference."""
        self.stop()
        self._run = None
        self.param.update(state="idle", done=0, total=0, message="")

    def _cancel(self):
        if self._run is not None:
            self._run.cancelled.set()
            self._withdraw(self._run)
            if self._run.task is not None:
                self._run.task.get_loop().call_soon_threadsafe(self._run.task.cancel)

    def _hand_over(self, run):
        run.doc.add_next_tick_callback(lambda: self._launch(run, asyncio.get_running_loop()))

    def _launch(self, run, loop):
        if run is self._run:
            run.task = loop.create_task(self._drive(run))

    def _withdraw(self, run):
        while run.waiting:
            run.workers.cancel(run.waiting.popleft())

    def _run_here(self, run):
        try:
            try:
                while (call := run.next()) is not None:
                    run.took(call, run.computed(call))
            finally:  # The browser gets no update before this returns, so one painting is enough.
                self._paint_found(run)
            self._finish(run)
        except Exception as error:
            self._fail(run, _words(error))

    async def _drive(self, run):
        mine = asyncio.current_task()
        try:
            painted = float("-inf")
            while self._go_on(run):
                future = asyncio.wrap_future(run.waiting[0].future)
                if self._worker is not None:
                    await self._wait_in_line(run, future)
                found = await asyncio.shield(future)  # A caller that takes the run over still needs it.
                if run.cancelled.is_set():
                    return
                run.took(run.waiting.popleft().call, found)
                if time.monotonic() - painted >= PAINT_EVERY:
                    await _on_page(run, partial(self._paint_found, run))
                    painted = time.monotonic()
            await _on_page(run, partial(self._end, run))
        except asyncio.CancelledError:
            if run.task is mine:
                run.cancelled.set()
        except Exception as error:
            if isinstance(error, Overdue):
                run.cancelled.set()
            await _on_page(run, partial(self._fail, run, self._words_of(error)))
        finally:
            if run.task is mine:
                self._withdraw(run)

    async def _wait_in_line(self, run, future):
        """Say how many calls come first, until this one begins."""
        while not future.done() and run.waiting:
            before = run.workers.before(run.waiting[0])
            if before != self.before:
                await _on_page(run, partial(self.param.update, before=before))
            if not before:
                return
            await asyncio.wait([future], timeout=LOOK_EVERY)

    def _block(self, run, end):
        """Compute a run in the caller's thread until the time `end`, and paint the results."""
        try:
            while time.monotonic() < end and self._go_on(run):
                found = run.waiting[0].future.result(min(end - time.monotonic(), threading.TIMEOUT_MAX))
                run.took(run.waiting.popleft().call, found)
            over = not self._go_on(run)
        except TimeoutError:
            over = False
        except Exception as error:
            self._paint_found(run)
            self._withdraw(run)
            self._fail(run, self._words_of(error))
            return
        self._paint_found(run)
        if over:
            self._finish(run)

    def _go_on(self, run):
        """Hand calls to the workers, some ahead of the results; whether a result is still to come.

        The results come in the order of the calls; several calls may run at the same time.
        """
        if run.workers is None:
            found = self._worker or workers.default()
            run.workers = found if run.sharing is None else run.sharing.over(found)
        while len(run.waiting) < run.ahead and not run.over and (call := run.next()) is not None:
            task = run.workers.submit(call, owner=self._owner, limit=self.limit, signal=run.cancelled)
            run.waiting.append(task)
        return bool(run.waiting)

    def _paint(self, run, results):
        if run is self._run and not run.cancelled.is_set():
            with pn.io.hold(run.doc):
                done = self.done + len(results)
                self.param.update(done=done, total=max(done, len(run.calls)))
                run.paint(results)

    def _paint_found(self, run):
        found, run.found = run.found, []
        if found:
            self._paint(run, found)

    def _end(self, run):
        # In one message: while a large one is on its way, Panel writes what is held after what is not.
        with pn.io.hold(run.doc):
            self._paint_found(run)
            self._finish(run)

    def _finish(self, run):
        if run is self._run and not run.cancelled.is_set():
            self.param.update(state="finished", total=self.done)

    def _words_of(self, error):
        if isinstance(error, Overdue):
            return f"One step took more than {self.limit:g} seconds and was cancelled."
        return _words(error)

    def _fail(self, run, words):
        if run is self._run:
            with pn.io.hold(run.doc):
                self.param.update(state="failed", message=words)


def _live(doc) -> bool:
    return doc is not None and doc.session_context is not None


async def _on_page(run, action):
    """Call `action` under the lock of the page's document and wait for it; its error is raised here."""
    if not _live(run.doc):
        action()
        return
    answer = asyncio.get_running_loop().create_future()

    def act():
        try:
            action()
        except Exception as error:
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(None)

    run.doc.add_next_tick_callback(act)
    await answer


def _words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "Out of memory: choose fewer components, sites or records."
    return str(error) if isinstance(error, ValueError) and str(error) else f"{type(error).__name__}: {error}"

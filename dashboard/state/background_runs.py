"""Background computation of a page: one run at a time, with streamed results, cancellation and error messages.

A run is a sequence of jobs. A job starts when the one before it is done. All sessions of a process share one worker
thread. Each session submits one job at a time, so the thread serves the sessions in turn. A new run cancels
the old one, and a result is painted only if its run is still the page's current run.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import panel as pn
import param

Job = Callable[[threading.Event], Any]
PAINT_EVERY = 0.1  # Seconds: results that arrive faster are painted together.


class Worker:
    """The single worker thread that computes for all sessions of this process."""

    def __init__(self):
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="run")

    def submit(self, job: Callable[[], Any]) -> Future:
        """Queue a job."""
        return self._pool.submit(job)

    def abandon(self) -> None:
        """Abandon a thread that hangs; the jobs queued behind it are cancelled, and their runs submit them again."""
        hung, self._pool = self._pool, ThreadPoolExecutor(1, thread_name_prefix="run")
        hung.shutdown(wait=False, cancel_futures=True)


WORKER = Worker()


class _TimedOut(Exception):
    """A job took longer than its limit."""


@dataclass(eq=False)
class _Run:
    jobs: Collection[Job]
    paint: Callable[[list], None]
    doc: Any
    cancelled: threading.Event = field(default_factory=threading.Event)
    task: asyncio.Task | None = None


class Runs(param.Parameterized):
    """The background runs of one page.

    Every job is called with a `threading.Event`, which is set when the run is cancelled; long jobs check it.
    Without a running event loop (scripts, tests) the caller's thread computes the run immediately.

    Parameters
    ----------
    worker : Worker, optional
        Owns the thread that runs the jobs; default: the worker that all pages share.
    """

    state: Any = param.Selector(default="idle", objects=["idle", "running", "finished", "stopped", "failed"])
    done = param.Integer(0, doc="Jobs finished.")
    total = param.Integer(0, doc="Jobs of the current run.")
    message = param.String("", doc="Error message of a failed run.")
    unit = param.String("run", doc="Noun for one job.")
    units = param.String("runs", doc="Noun for several jobs.")
    limit = param.Number(60.0, doc="Seconds that one job may take before it is cancelled.")

    def __init__(self, *, worker: Worker | None = None, **params):
        super().__init__(**params)
        self._worker = worker or WORKER
        self._run: _Run | None = None
        if _live(pn.state.curdoc):
            pn.state.on_session_destroyed(lambda context: self._cancel())

    def start(self, jobs: Collection[Job], *, paint: Callable[[list], None]) -> None:
        """Cancel the current run, run `jobs` in order, and call `paint` with the results since its last call.

        Jobs that depend on earlier results come from a collection that generates them one by one; its length may
        be an estimate.
        """
        self._cancel()
        run = self._run = _Run(jobs, paint, pn.state.curdoc)
        self.param.update(state="running", done=0, total=len(run.jobs), message="")
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
        """Run the jobs of the last run again, after a failure or a stop."""
        if self._run is not None:
            self.start(self._run.jobs, paint=self._run.paint)

    def stop(self) -> None:
        """Stop the current run; its painted results stay."""
        if self.state == "running":
            self._cancel()
            self.state = "stopped"

    def clear(self) -> None:
        """Stop the current run and release it with everything that its jobs reference."""
        self.stop()
        self._run = None
        self.param.update(state="idle", done=0, total=0, message="")

    def _cancel(self):
        if self._run is not None:
            self._run.cancelled.set()
            if self._run.task is not None:
                self._run.task.get_loop().call_soon_threadsafe(self._run.task.cancel)

    def _hand_over(self, run):
        run.doc.add_next_tick_callback(lambda: self._launch(run, asyncio.get_running_loop()))

    def _launch(self, run, loop):
        if run is self._run:
            run.task = loop.create_task(self._drive(run))

    def _run_here(self, run):
        results = []
        try:
            try:
                results.extend(job(run.cancelled) for job in run.jobs)
            finally:
                if results:  # The browser gets no update before this returns, so one painting is enough.
                    self._paint(run, results)
            self._finish(run)
        except Exception as error:
            self._fail(run, _words(error))

    async def _drive(self, run):
        try:
            waiting, painted = [], float("-inf")
            for job in run.jobs:
                waiting.append(await self._compute(run, job))
                if time.monotonic() - painted >= PAINT_EVERY:
                    await _on_page(run, partial(self._paint, run, waiting))
                    waiting, painted = [], time.monotonic()
            if waiting:
                await _on_page(run, partial(self._paint, run, waiting))
            await _on_page(run, partial(self._finish, run))
        except asyncio.CancelledError:
            run.cancelled.set()
        except _TimedOut:
            self._worker.abandon()
            run.cancelled.set()
            words = f"One step took more than {self.limit:g} seconds and was cancelled."
            await _on_page(run, partial(self._fail, run, words))
        except Exception as error:
            await _on_page(run, partial(self._fail, run, _words(error)))

    async def _compute(self, run, job):
        """Run one job in the worker; its time limit counts from the moment at which the worker starts it."""
        while True:
            begun = []

            def work(begun=begun):
                begun.append(time.monotonic())
                return None if run.cancelled.is_set() else _alive(job, run.cancelled)

            future = self._worker.submit(work)
            waiter = asyncio.wrap_future(future)
            try:
                while not waiter.done():
                    await asyncio.wait({waiter}, timeout=1.0)
                    if not waiter.done() and begun and time.monotonic() - begun[0] > self.limit:
                        raise _TimedOut
            except (asyncio.CancelledError, _TimedOut):
                waiter.cancel()  # An error that the job raises after it was stopped is of no interest.
                raise
            if (
                not waiter.cancelled()
            ):  # Otherwise another session's job hung before this one: submit it again.
                return waiter.result()

    def _paint(self, run, results):
        if run is self._run and not run.cancelled.is_set():
            with pn.io.hold(run.doc):
                done = self.done + len(results)
                self.param.update(done=done, total=max(done, len(run.jobs)))
                run.paint(results)

    def _finish(self, run):
        if run is self._run and not run.cancelled.is_set():
            self.param.update(state="finished", total=self.done)

    def _fail(self, run, words):
        if run is self._run:
            self.param.update(state="failed", message=words)


def _alive(job, cancelled):
    """Return a job's result; exceptions that would end the process (SystemExit) become RuntimeError."""
    try:
        return job(cancelled)
    except (SystemExit, KeyboardInterrupt) as error:
        raise RuntimeError(f"a job tried to end the program ({type(error).__name__})") from error


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

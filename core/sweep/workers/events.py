"""A worker that needs neither threads nor processes: it computes between the events of the running event loop."""

from __future__ import annotations

import asyncio
import time

from core.sweep.workers.tasks import Task
from core.sweep.workers.worker import Done, Outcome, Worker, call, drop


class EventWorker(Worker):
    """Runs one task at a time on the event loop, which serves other events between two tasks.

    Without a running loop a task is computed where it is submitted. A task cannot be ended while it runs, but one
    that has not begun can be cancelled.
    """

    interruptible = False
    on_loop = True

    def __init__(self):
        self._ended = False

    def start(self, tasks: list[Task], done: Done) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._run(tasks, done)
        else:
            # Later than what has come until now, so that every job leaves room for the events before the next.
            loop.call_later(0, self._run, tasks, done)

    def end(self) -> None:
        self._ended = True

    def forget(self, problem) -> None:
        drop(problem)

    def _run(self, tasks, done):
        if self._ended:
            return
        results, seconds = [], []
        for task in tasks:
            begun = time.monotonic()
            results.append(call(task))
            seconds.append(time.monotonic() - begun)
        done(Outcome(results, seconds))

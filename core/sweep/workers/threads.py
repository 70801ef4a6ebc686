"""A worker that is a thread of this process."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from core.sweep.workers.tasks import Task
from core.sweep.workers.worker import Done, Outcome, Worker, call, drop


class ThreadWorker(Worker):
    """One thread. A task that hangs keeps its thread; another thread then takes its place."""

    def __init__(self):
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="run")
        self._task: Task | None = None
        self._begun = 0.0

    def start(self, tasks: list[Task], done: Done) -> None:
        self._pool.submit(self._run, self._pool, tasks, done)

    def end(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def replace(self) -> None:
        self.end()
        self._pool, self._task = ThreadPoolExecutor(1, thread_name_prefix="run"), None

    def overdue(self) -> Task | None:
        task = self._task
        return task if task is not None and time.monotonic() - self._begun > task.limit else None

    def forget(self, problem: Any) -> None:
        drop(problem)

    def _run(self, pool, tasks, done):
        results, seconds = [], []
        for task in tasks:
            self._begun, self._task = time.monotonic(), task
            results.append(call(task))
            seconds.append(time.monotonic() - self._begun)
            if pool is not self._pool:  # It was given up meanwhile, and another thread works here.
                return
            self._task = None
        done(Outcome(results, seconds))

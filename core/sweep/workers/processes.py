"""A worker that is a process, kept by loky's executor: it starts it, feeds it, and notices when it ends."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
import weakref
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from joblib.externals.loky.process_executor import ProcessPoolExecutor

from core.sweep.workers import remote
from core.sweep.workers.segments import Board
from core.sweep.workers.shipping import Shipper
from core.sweep.workers.tasks import Task
from core.sweep.workers.worker import VARIABLE, CannotStart, Died, Done, Outcome, Worker

# A worker has one core, and starts no workers of its own.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    VARIABLE: "threads",
}
STARTS = 3  # Processes that may end before they ran anything; then there are none to be had.


class ProcessWorker(Worker):
    """One process with an executor of its own, so that its death concerns nobody else's tasks.

    Parameters
    ----------
    shipper : Shipper
        Common to all workers.
    modules : sequence of str
        Modules that a process imports before the first job needs them.
    """

    most: ClassVar[int] = 16
    apart: ClassVar[bool] = True

    def __init__(self, shipper: Shipper, modules: Sequence[str] = ()):
        self._shipper, self._modules = shipper, tuple(modules)
        self._lock = threading.RLock()
        # Problems are pickled here, for they may be large, and the caller may be an event loop.
        self._hand = ThreadPoolExecutor(1, thread_name_prefix="to worker")
        self._executor: ProcessPoolExecutor | None = None
        self._board: Board | None = None
        self._known: set[str] = set()
        self._forgotten: list[str] = []
        self._number, self._starts, self._turn = 0, 0, 0
        self._tasks: dict[int, Task] = {}
        self._sent = 0.0  # When they were sent to the process.
        self._registered: ProcessPoolExecutor | None = None

    @property
    def owes(self) -> bool:
        return bool(self._forgotten)

    @property
    def pid(self) -> int | None:
        executor = self._executor
        return next(iter(executor._processes or ()), None) if executor is not None else None

    def start(self, tasks: list[Task], done: Done) -> None:
        with self._lock:
            turn = self._turn
        self._hand.submit(self._send, tasks, done, turn)

    def stop(self, task: Task) -> None:
        with self._lock:
            numbers = [number for number, found in self._tasks.items() if found is task]
            if self._board is not None and numbers:
                self._board.cancelled = max(self._board.cancelled, *numbers)

    def overdue(self) -> Task | None:
        with self._lock:
            if self._board is None:
                return None
            number, begun = self._board.running
            task = self._tasks.get(number)
            # No task began before it was sent, whatever the other process has written so far.
            late = task is not None and time.monotonic() - max(begun, self._sent) > task.limit
            return task if late else None

    def forget(self, problem: Any) -> None:
        self._shipper.forget(problem)

    def drop(self, digest: str) -> None:
        """Have the process remove the problem of this hash."""
        with self._lock:
            if digest in self._known:
                self._known.discard(digest)
                self._forgotten.append(digest)

    def replace(self) -> None:
        with self._lock:
            self._turn += 1
            self._kill()

    def end(self) -> None:
        with self._lock:
            self._turn += 1
            self._kill()
        self._hand.shutdown(wait=False, cancel_futures=True)

    def _send(self, tasks, done, turn):
        """Pickle tasks and hand them to the process."""
        try:
            sent, packed, needed = self._pickled(tasks)
            with self._lock:
                if turn != self._turn:
                    return
                executor = self._started()
                orders = self._orders(sent, packed, needed)
                future = executor.submit(remote.perform, orders)
                self._end_first()
            future.add_done_callback(lambda future: self._received(future, tasks, sent, done, turn))
        except Exception as error:
            self._lost(error, done, turn)

    def _pickled(self, tasks):
        sent, packed, needed = [], [], set()
        for task in tasks:
            if task.signal.is_set():
                continue
            try:
                content, digests = self._shipper.pack(task.job)
            except Exception as error:
                task.fail(TypeError(f"a job must pickle to run in a worker process: {error}"))
                continue
            sent.append(task)
            packed.append(content)
            needed |= digests
        return sent, packed, needed

    def _orders(self, sent, packed, needed):
        numbers = range(self._number + 1, self._number + 1 + len(sent))
        self._number += len(sent)
        self._tasks, self._sent = dict(zip(numbers, sent, strict=True)), time.monotonic()
        for number, task in self._tasks.items():
            if task.signal.is_set():
                self._board.cancelled = max(self._board.cancelled, number)
        fresh = needed - self._known
        self._known |= needed
        forgotten, self._forgotten = self._forgotten, []
        return remote.Orders(tuple(numbers), tuple(packed), self._shipper.contents(fresh), tuple(forgotten))

    def _received(self, future: Future, tasks, sent, done, turn):
        with self._lock:
            if turn != self._turn:
                return
        try:
            report = future.result()
        except BaseException as error:
            self._lost(error, done, turn)
            return
        with self._lock:
            self._tasks, self._starts = {}, 0
        if report.unknown:
            with self._lock:  # It dropped what was not used for long: send it once more.
                self._known.clear()
            self.start(tasks, done)
            return
        found = dict(zip(sent, map(self._opened, report.results), strict=True))
        seconds = dict(zip(sent, report.seconds, strict=True))
        # A task that was not sent has failed already, or was cancelled.
        results = [found.get(task, (True, None)) for task in tasks]
        done(Outcome(results, [seconds.get(task, 0.0) for task in tasks]))

    def _opened(self, pair):
        good, content = pair
        try:
            return good, self._shipper.unpack(content)
        except Exception as error:
            return False, RuntimeError(f"the result of a run could not be read: {error!r}")

    def _lost(self, error, done, turn):
        """The process ended, or could not be started."""
        with self._lock:
            if turn != self._turn:
                return
            task = self._running()
            self._starts += task is None
            hopeless = self._starts >= STARTS or isinstance(error, OSError | ImportError)
            self._turn += 1
            self._kill()
        died = Died(str(error))
        died.task = task
        done(CannotStart(str(error)) if hopeless else died)

    def _running(self):
        return None if self._board is None else self._tasks.get(self._board.running[0])

    def _started(self):
        if self._executor is None:
            self._board = Board()
            self._known, self._forgotten = set(), []
            self._executor = ProcessPoolExecutor(
                1,
                timeout=None,
                initializer=remote.begin,
                initargs=(self._board.address, os.getpid(), self._modules),
                env=ENVIRONMENT,
            )
        return self._executor

    def _end_first(self):
        """Have the process end before Python waits for the threads of its executor, and so for a running task.

        Each executor registers such a wait; what was registered last is called first.
        """
        if self._registered is not self._executor:
            self._registered = self._executor
            method = weakref.WeakMethod(self.end)
            register = getattr(threading, "_register_atexit", atexit.register)
            with contextlib.suppress(RuntimeError):  # The program ends already.
                register(lambda: (end := method()) is not None and end())

    def _kill(self):
        executor, self._executor = self._executor, None
        self._tasks, board, self._board = {}, self._board, None
        if executor is not None:
            with contextlib.suppress(Exception):
                executor.shutdown(wait=False, kill_workers=True)
        if board is not None:
            board.close()

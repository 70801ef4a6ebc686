"""A worker that is a process, kept by loky's executor: it starts it, feeds it, and notices when it ends."""

from __future__ import annotations

import atexit
import contextlib
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import Future
from multiprocessing import Pipe
from typing import Any, ClassVar

from joblib.externals.loky.process_executor import ProcessPoolExecutor

from core.sweep.workers import remote
from core.sweep.workers.shipping import Shipper
from core.sweep.workers.tasks import Task
from core.sweep.workers.worker import VARIABLE, Worker

# A worker has one core, and starts no workers of its own.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    VARIABLE: "threads",
}


class ProcessWorker(Worker):
    """One process with an executor of its own, so that its death concerns nobody else's calls.

    Parameters
    ----------
    shipper : Shipper
        Common to all workers.
    modules : sequence of str
        Modules that a process imports before the first call needs them.
    """

    apart: ClassVar[bool] = True

    def __init__(self, shipper: Shipper, modules: Sequence[str] = ()):
        self._shipper, self._modules = shipper, modules
        self._lock = threading.RLock()
        self._executor: Any = None
        self._links: tuple = ()  # The ends of a pipe, the process's last.
        self._known: set[str] = set()
        self._number = 0  # Of the present task.
        self._since: float | None = None
        self._registered = False

    @property
    def pid(self) -> int | None:  # type: ignore[override]
        executor = self._executor
        return next(iter(executor._processes or ()), None) if executor is not None else None

    @property
    def begun(self) -> float | None:  # type: ignore[override]
        with self._lock:
            while self._links and self._links[0].poll():
                number, since = self._links[0].recv()
                if number == self._number:
                    self._since = since
            return self._since

    def expect(self) -> None:
        with self._lock:
            self._number, self._since = self._number + 1, None

    def warm(self) -> None:
        self._submit(remote.forget, "")

    def start(self, task: Task) -> Future:
        nothing: Future = Future()
        if task.signal.is_set():
            nothing.set_result((True, None))
            return nothing
        try:
            content, needed = self._shipper.pack((task.call.function, task.call.arguments))
        except Exception as error:
            nothing.set_result((False, TypeError(f"a job must pickle to run in a worker process: {error}")))
            return nothing
        self._started()
        fresh = self._shipper.contents(needed - self._known)
        self._known |= needed
        _ = self.begun  # What the process wrote of earlier tasks: unread, it would fill the pipe.
        future = self._submit(remote.perform, self._number, content, fresh)
        if task.signal.is_set():
            self.stop()
        return future

    def opened(self, good: bool, value: Any) -> tuple[bool, Any]:
        if not isinstance(value, bytes):  # It never left.
            return good, value
        try:
            return good, self._shipper.unpack(value)
        except Exception as error:
            return False, RuntimeError(f"the result of a run could not be read: {error!r}")

    def stop(self) -> None:
        with self._lock, contextlib.suppress(OSError):  # Else the process is gone.
            if self._links:
                self._links[0].send(self._number)

    def end(self) -> None:
        self.ended = True
        self.replace()

    def replace(self) -> None:
        with self._lock:
            executor, self._executor = self._executor, None
            links, self._links = self._links, ()
            self._known = set()
        if executor is not None:
            with contextlib.suppress(Exception):
                executor.shutdown(wait=False, kill_workers=True)
        for link in links:
            link.close()

    def forget(self, problem: Any) -> None:
        self._shipper.forget(problem)

    def drop(self, digest: str) -> None:
        """Have the process remove the problem of this hash, after its present call."""
        if digest in self._known and self._executor is not None:
            self._known.discard(digest)
            with contextlib.suppress(RuntimeError):  # It ends.
                self._executor.submit(remote.forget, digest)

    def _started(self):
        with self._lock:
            if self.ended:
                raise RuntimeError("the worker has ended")
            if self._executor is None:
                self._links = Pipe()
                self._executor = ProcessPoolExecutor(
                    1,
                    timeout=None,
                    initializer=remote.begin,
                    initargs=(self._links[1], tuple(self._modules)),
                    env=ENVIRONMENT,
                )
                self._registered = False
            return self._executor

    def _submit(self, *order):
        future = self._started().submit(*order)
        if not self._registered:
            self._registered = True
            self._end_first()
        return future

    def _end_first(self):
        """Have the process end before Python waits for the threads of its executor, and so for a running call.

        Each executor registers such a wait when it is first used; what was registered last is called first.
        """
        method = weakref.WeakMethod(self.end)
        register = getattr(threading, "_register_atexit", atexit.register)
        with contextlib.suppress(RuntimeError):  # The program ends already.
            register(lambda: (end := method()) is not None and end())

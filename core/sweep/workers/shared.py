"""The workers that everything in this process shares, chosen by an environment variable."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Iterator, Sequence

from core.sweep.workers.pool import Workers
from core.sweep.workers.worker import VARIABLE, Worker

THREADS = "threads"
_LOCK = threading.RLock()
_SHARED: list[Workers] = []
_MODULES: list[str] = []


def parse(text: str | None) -> int | str:
    """What a text of `CAPE_LAB_WORKERS` asks for: a number of processes, or "threads".

    Without a text there is one process for every core but one, and at least one.

    Raises
    ------
    ValueError
        For any other text.
    """
    if text is None or not text.strip():
        return max(1, (os.cpu_count() or 1) - 1)
    result = text.strip().lower()
    if result == THREADS:
        return result
    if result.isascii() and result.isdigit() and 1 <= int(result[:4]) <= 256:
        return int(result[:4])
    raise ValueError(f"workers must be a whole number from 1 to 256, or {THREADS!r}, got {text[:40]!r}")


def make(kind: int | str, *, modules: Sequence[str] = ()) -> Workers:
    """New workers: so many processes, or one thread ("threads").

    Where processes cannot be had, a thread takes their place.
    """
    if kind == THREADS or not isinstance(kind, int):
        return Workers([Worker()])
    try:
        from core.sweep.workers.processes import ProcessWorker
        from core.sweep.workers.shipping import Shipper
    except (ImportError, OSError) as error:
        logging.getLogger(__name__).warning("no worker processes (%s): runs are computed in a thread", error)
        return Workers([Worker()])
    made: list[ProcessWorker] = []

    def drop(digest):
        for worker in made:
            worker.drop(digest)

    shipper = Shipper(drop)
    made += [ProcessWorker(shipper, modules) for _ in range(kind)]
    return Workers(made, instead=Worker)


def default(*, modules: Sequence[str] = ()) -> Workers:
    """The workers of this process; made when they are first asked for, and ended with it.

    Parameters
    ----------
    modules : sequence of str
        Names of modules that worker processes started later import at once.
    """
    with _LOCK:
        _MODULES.extend(name for name in modules if name not in _MODULES)
        if not _SHARED:
            _SHARED.append(make(parse(os.environ.get(VARIABLE)), modules=_MODULES))
        return _SHARED[0]


def existing() -> Workers | None:
    """The workers of this process, if there are any yet."""
    return _SHARED[0] if _SHARED else None


def use(workers: Workers) -> None:
    """Have `default` return these workers; those of before are closed."""
    with _LOCK:
        close()
        _SHARED.append(workers)


def close() -> None:
    """End the workers of this process; the next call of `default` makes new ones."""
    with _LOCK:
        while _SHARED:
            _SHARED.pop().close()


@contextlib.contextmanager
def replaced(workers: Workers) -> Iterator[Workers]:
    """Within a `with`, let `default` return other workers."""
    with _LOCK:
        before, _SHARED[:] = list(_SHARED), [workers]
    try:
        yield workers
    finally:
        with _LOCK:
            _SHARED[:] = before


if hasattr(os, "register_at_fork"):
    # Threads and pipes do not survive a fork: the child makes workers of its own.
    os.register_at_fork(after_in_child=_SHARED.clear)

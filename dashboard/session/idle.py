"""Opening curves, computed in worker processes while nobody waits for anything: the first visitor finds them complete."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from operator import attrgetter

from core.sweep import workers
from core.sweep.workers import Call, Workers
from dashboard.runs.sharing import Opening, Shared

LOOK_EVERY = 0.05  # Seconds between two looks at whether anybody waits.


def begin(openings: Sequence[Opening]) -> threading.Thread | None:
    """Compute what is left of these, one call at a time, in a thread that gives way to every visitor; long calls last.

    None if this process computes in threads, which would take the time of its visitors.
    """
    pool = workers.existing()
    if pool is None or not pool.apart:
        return None
    work = threading.Thread(
        target=_work, args=(pool, sorted(openings, key=attrgetter("lasting"))), name="idle work", daemon=True
    )
    work.start()
    return work


def _work(pool, openings):
    for opening in openings:
        for call in opening.calls:
            try:
                _compute(pool, opening, call)
            except RuntimeError:  # The workers are closed.
                return


def _compute(pool: Workers, opening: Opening, call: Call) -> None:
    """Have a call computed; it begins anew whenever a visitor's call had to wait for it."""
    shared = opening.sharing.over(pool)
    while opening.sharing.find(call) is None:
        while not pool.idle:
            time.sleep(LOOK_EVERY)
        if _ended(pool, shared, opening, call):
            return


def _ended(pool: Workers, shared: Shared, owner: Opening, call: Call) -> bool:
    task = shared.submit(call, owner=owner)
    while not task.future.done():
        with contextlib.suppress(TimeoutError, CancelledError, Exception):
            task.future.result(LOOK_EVERY)
        if pool.crowded and not task.future.done():
            shared.cancel(task)
            return False
    return True  # An error is shown to who opens the page.

"""Results with which pages open, computed by the server before a visitor comes: the first picture then has them.

They are of the settings that a bare link opens a page with, and of records that the program draws itself. Noise of a
secret seed is drawn for one session alone, so a server with secret seeds prepares nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from core.sweep import workers
from dashboard.runs.fit import Fit
from dashboard.state import seeds

_FOUND: dict[Hashable, Any] = {}


def prepare_fits(fits: Sequence[Fit]) -> None:
    """Compute these fits, which need a moment only."""
    if seeds.secret():
        return
    never = threading.Event()
    for fit in fits:
        _FOUND[fit.key] = fit.make(never)


def prepare_fits_later(fits: Iterable[Fit]) -> None:
    """Have worker processes compute these fits; see `later`."""
    for fit in fits:
        later(fit.make, partial(_FOUND.__setitem__, fit.key))


def known(fits: Sequence[Fit]) -> list[tuple[tuple[Fit], list]]:
    """The results of these fits that were prepared, as `Store.add` takes them."""
    return [((fit,), [_FOUND[fit.key]]) for fit in fits if fit.key in _FOUND]


def later(make: Callable[[Any], Any], take: Callable[[Any], None]) -> None:
    """Have a worker process compute what takes seconds, while the server goes on; it is missing until then.

    Parameters
    ----------
    make : callable
        Called in the worker with a signal; it and its result must pickle.
    take : callable
        Called here with the result.
    """
    pool = workers.existing()
    if seeds.secret() or pool is None or not pool.apart:
        return
    pool.submit(workers.Call(make)).future.add_done_callback(partial(_done, take))


def keep(key: Hashable, make: Callable[[], Any]) -> None:
    """Compute what a page without a `Sweep` opens with; the key has all settings that it depends on."""
    if not seeds.secret():
        _FOUND[key] = make()


def kept(key: Hashable) -> Any:
    """What was computed under this key; None if nothing was."""
    return _FOUND.get(key)


def forget() -> None:
    """Delete all results."""
    _FOUND.clear()


def _done(take, future):
    if not future.cancelled() and future.exception() is None:
        take(future.result())

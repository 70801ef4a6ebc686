"""Results with which pages open, computed by the server before a visitor comes: the first picture then has them.

They are of the settings that a bare link opens a page with, and of records that the program draws itself. Noise of a
secret seed is drawn for one session alone, so a server with secret seeds prepares nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dashboard.page.fit import Fit
from dashboard.page.sweep_jobs import Spot
from dashboard.state import seeds
from dashboard.state.controls import Controls

_FOUND: dict[Hashable, Any] = {}


def prepare(kind: Any) -> None:
    """Compute what a page with a `Sweep` opens with, for pages that need a moment only."""
    if seeds.secret():
        return
    page, never = kind(Controls(**kind.opens)), threading.Event()
    for fit in page.sweep.fits(page.compute()):
        _FOUND[_key(fit)] = fit.make(never)


def known(fits: Sequence[Fit]) -> list[Spot]:
    """These fits with their results, as far as they were prepared."""
    return [Spot(fit, _FOUND[_key(fit)]) for fit in fits if _key(fit) in _FOUND]


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


def _key(fit):
    return fit.name, fit.runs, fit.same

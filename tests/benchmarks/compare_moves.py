"""Processor time of a move of a setting on *Compare*: of the formula panels, the first result and the first point.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.compare_moves [algorithm ...]

At the settings with which an algorithm opens, every setting in sight is moved by a step. Noise, privacy and the sentence are
computed in that update; runs follow one by one, here in the same process, while a server has several. Prints the seconds of
the setting that takes longest, and its name: of the formula panels, then from the move until the first run is painted, until
all schemes' results stand, until the curve has its first point, which may be that without noise, and until it has one of a
private scheme. Each is found for itself: a point may stand before all results do. The aims are 0.1 s for the formula panels,
and 0.5 s for what is painted first.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from typing import Any

import param
from compared import compares

from core.schemes import is_private
from core.sweep.workers import Signal
from dashboard.pages import PAGES
from dashboard.state.controls import Controls

KINDS = {kind.name: kind for kind in PAGES if compares(kind)}
LONGEST = 20.0  # Seconds after which a point is given up.
STOOD: dict[str, Callable[..., bool]] = {
    "formula panels": lambda page, *, ran: True,
    "first run": lambda page, *, ran: ran,
    "all results": lambda page, *, ran: page.results.ready,
    "first point": lambda page, *, ran: page.results.means is not None,
    "private point": lambda page, *, ran: any(
        page.results.points_of(m)["x"] for m in page.plan.shown if is_private(m)
    ),
}


def opened(name: str) -> tuple[Any, list]:
    """A page whose runs are kept for the caller, and the list in which they are."""
    page, calls = KINDS[name](Controls()), []
    page.content()
    page.runs.start = lambda found, paint: calls.append(list(found))
    page.set(dict(page.opens))
    page.opened()
    return page, calls


def stepped(page: Any, name: str) -> Any:
    """Another value of a setting, next to the present one."""
    owner = page.controls if name in page.shared else page.model
    value, about = getattr(owner, name), owner.param[name]
    low, high = getattr(about, "bounds", None) or (None, None)
    if isinstance(about, param.Integer):
        return value - 1 if low is None or value > low else value + 1
    return 0.8 * value if low is None or 0.8 * value >= low else min(1.25 * value, high)


def moved(name: str, setting: str) -> list[float]:
    """Seconds until each of `STOOD` holds after a move; those that never do have the seconds of all runs."""
    page, calls = opened(name)
    value, never = stepped(page, setting), Signal()
    gc.collect()  # Else a collection of what earlier pages left falls into one move by chance.
    begun = time.process_time()
    page.set({setting: value})
    found: dict[str, float] = {}
    for call in [*calls[-1], None]:
        now = time.process_time() - begun
        over = call is None or now > LONGEST
        for head, stands in STOOD.items():
            if over or stands(page, ran=call is not calls[-1][0]):
                found.setdefault(head, now)
        if len(found) == len(STOOD):
            break
        page.paint([(call.key, call(never))])
    return [found[head] for head in STOOD]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[*KINDS], help=f"default: {' '.join(KINDS)}")
    print(f"{'algorithm':12s}" + "".join(f"{head:>22s}" for head in STOOD))
    for name in parser.parse_args().names:
        page, _ = opened(name)
        settings = [*page.spec.sliders]
        settings = [s for s in settings if s in (*page.shared, *page.own) and s not in page.state.absent]
        found = {setting: moved(name, setting) for setting in settings}
        worst = [max((times[i], setting) for setting, times in found.items()) for i in range(len(STOOD))]
        print(f"{name:12s}" + "".join(f"{at:11.3f} {setting:>10s}" for at, setting in worst), flush=True)


if __name__ == "__main__":
    main()

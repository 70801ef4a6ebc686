"""Processor time of the whole default picture of every page with a sweep, in one thread.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.default_pictures [page ...] [--profile]

Prints the seconds of all jobs that the page hands to its worker, and their ratio to a fixed computation of the same run:
`YARDSTICK` products of 1,000 × 50 and 50 × 16 numbers with a rectified sum. The aims on the machine that set them are
15 s for network, 5 s for topics and 3 s for power and components.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time

import numpy as np

from core.sweep.workers import Signal
from dashboard.pages import PAGES
from dashboard.state.controls import Controls

NAMES = ("network", "topics", "power", "components", "pca", "regression")
YARDSTICK = 2000


def jobs_of(name: str) -> list:
    """The jobs of the picture that a page opens with, in the order in which the page asks for them."""
    kind = next(kind for kind in PAGES if kind.name == name)
    page = kind(Controls())
    page.set(dict(page.opens))
    page.content()
    page.set(dict(page.opens))
    plan = page.compute()
    page.plan = plan
    return list(page.begin(plan))


def seconds(jobs: list) -> tuple[float, float]:
    """Processor time of all jobs, and of those up to and including the first row."""
    never = Signal()
    begun, first = time.process_time(), None
    for job in jobs:
        found = job(never)
        if first is None and found and isinstance(found[0], dict):
            first = time.process_time() - begun
    return time.process_time() - begun, first or 0.0


def yardstick() -> float:
    """Processor time of the fixed computation, best of three: before and after each page, whose machine may be busy."""
    rng = np.random.default_rng(0)
    records, weights = rng.standard_normal((1000, 50)), rng.standard_normal((50, 16))

    def once():
        begun = time.process_time()
        for _ in range(YARDSTICK):
            np.maximum(records @ weights, 0).sum()
        return time.process_time() - begun

    return min(once() for _ in range(3))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", default=NAMES, help=f"default: {' '.join(NAMES)}")
    parser.add_argument("--profile", action="store_true", help="also print where the time is spent")
    chosen = parser.parse_args()
    print(f"{'page':12s} {'jobs':>5s} {'whole, s':>9s} {'first row, s':>13s} {'whole ÷ yardstick':>18s}")
    for name in chosen.pages:
        jobs, profile, before = jobs_of(name), cProfile.Profile(), yardstick()
        if chosen.profile:
            profile.enable()
        whole, first = seconds(jobs)
        profile.disable()
        unit = (before + yardstick()) / 2
        print(f"{name:12s} {len(jobs):5d} {whole:9.2f} {first:13.3f} {whole / unit:18.2f}", flush=True)
        if chosen.profile:
            pstats.Stats(profile).sort_stats("tottime").print_stats(28)


if __name__ == "__main__":
    main()

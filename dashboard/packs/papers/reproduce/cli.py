"""Run figures without a browser, in parallel, and write their results: `python -m dashboard.reproduce --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from dashboard.packs.papers.reproduce.experiments import CONVENTIONS, plan
from dashboard.packs.papers.reproduce.pictures import sketches
from dashboard.packs.papers.reproduce.report import report, table, write
from dashboard.packs.papers.reproduce.runner import run
from dashboard.state import safe_csv
from data.published import experiments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.jobs < 1:
            raise ValueError(f"--jobs must be a whole number of at least 1, got {options.jobs}")
        names = _chosen(options.figures)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.list:
        for name in names:
            print(f"{name:12} {experiments.load(name).caption}")
        return 0
    began = time.perf_counter()
    conventions = CONVENTIONS if options.convention == "both" else (options.convention,)
    effort = "quick" if options.quick else "full"
    plans = [plan(experiments.load(name), how, effort) for name in names for how in conventions]
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"--out must be a folder that can be written, got {options.out!r}: {error}", file=sys.stderr)
        return 2
    results = []
    with _executor(options.jobs) as executor:
        bar = _Bar(began)
        try:
            for result in run(plans, executor=executor, fresh=options.fresh, tell=bar.tell):
                if not result.failure:
                    write(result, folder)
                results.append(result)
                bar.complete(result, len(results), len(plans))
        except KeyboardInterrupt:
            if executor is not None:
                executor.shutdown(wait=False, cancel_futures=True)
            print(
                "\nStopped. The cache keeps the complete figures; they need not run again.", file=sys.stderr
            )
            return 130
        bar.close()
    if options.sketches:
        sketches.write(results)
    counts = table(results)
    (folder / "summary.csv").write_text(safe_csv.written(counts), encoding="utf-8")
    print(report(results, counts))
    pictures = sum(not r.failure for r in results)
    print(
        f"{pictures} pictures in {folder}/, {sum(r.cached for r in results)} from the cache; "
        f"wall time {_clock(time.perf_counter() - began)}, processor time {_clock(_processor())}, "
        f"{options.jobs} at a time"
    )
    return int(any(result.failure for result in results))


def _chosen(wanted):
    known = experiments.names()
    if not wanted:
        return known
    found = [name for name in known if any(name.casefold().startswith(w.casefold()) for w in wanted)]
    for w in wanted:
        if not any(name.casefold().startswith(w.casefold()) for name in known):
            raise ValueError(
                f"figures must be names, or starts of names, among {', '.join(known)}, got {w!r}"
            )
    return found


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m dashboard.reproduce",
        description="Run the figures of the four papers, write CSV and SVG, and count reproduced points.",
    )
    parser.add_argument(
        "figures", nargs="*", help="names such as Fact-Fig2a, or starts of names; default: all"
    )
    parser.add_argument(
        "--as",
        dest="convention",
        choices=(*CONVENTIONS, "both"),
        default="both",
        help="as published; corrected: with the errors corrected and methods improved; or both (default)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer draws of the records, every other point, no slow method"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--out", default="reproduced", help="folder for CSV and SVG (default: reproduced)")
    parser.add_argument("--fresh", action="store_true", help="ignore cached results")
    parser.add_argument(
        "--sketches", action="store_true", help="also write the small drawings of the app's gallery anew"
    )
    parser.add_argument("--list", action="store_true", help="list the figures and exit")
    return parser


class _Here:
    """Context manager in place of a pool: computation in this process."""

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return None


def _executor(jobs):
    if jobs <= 1:
        return _Here()
    # One thread per process: otherwise the threads of several processes would compete for the cores.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


class _Bar:
    """Progress: one updated line on a terminal; otherwise one line per figure."""

    def __init__(self, began):
        self._began, self._shown = began, sys.stderr.isatty()

    def tell(self, done, total, name):
        if self._shown:
            filled = round(30 * done / total)
            clock = _clock(time.perf_counter() - self._began)
            line = f"{'█' * filled}{'·' * (30 - filled)} {done} of {total} draws, {clock}, {name}"
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    def complete(self, result, number, total):
        if not self._shown:
            name = f"{result.plan.experiment.name} {result.plan.convention}"
            print(f"{number} of {total}: {name}", file=sys.stderr, flush=True)

    def close(self):
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _processor():
    return sum(os.times()[:4])  # Of this process and of its finished children.


def _clock(seconds):
    if seconds < 60:
        return f"{seconds:.1f} s"
    return "{} min {} s".format(*divmod(round(seconds), 60))

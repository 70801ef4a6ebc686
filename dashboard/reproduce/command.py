"""Run figures headless, in parallel, and write what they show: `python -m dashboard.reproduce --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pandas as pd

from dashboard.reproduce import judging, store
from dashboard.reproduce.drawing import Line, svg
from dashboard.reproduce.plans import CONVENTIONS, Plan, plan
from data.published import experiments
from data.published.experiments import LINEAR


@dataclass(frozen=True)
class Result:
    """A figure that was run, or taken from the cache.

    Attributes
    ----------
    plan : Plan
    rows : DataFrame
        As `Plan.rows` gives them.
    points : tuple of Point
        Published points beside ours; only as published.
    cached : bool
    failure : str
        What went wrong, if anything did; then there are no rows.
    """

    plan: Plan
    rows: pd.DataFrame
    points: tuple[judging.Point, ...]
    cached: bool
    failure: str = ""


def run(plans: Sequence[Plan], *, executor: Executor | None = None, fresh: bool = False, tell=None):
    """Run figures, each set of runs once, and yield a `Result` as each is complete.

    Parameters
    ----------
    executor : concurrent.futures.Executor, optional
        Where the draws take place; default here.
    fresh : bool
        Do not look into the cache.
    tell : callable, optional
        Called with (done, total, name of a figure) after every draw.
    """
    waiting: dict[str, list[Plan]] = {}
    for one in plans:
        rows = None if fresh else store.read(one)
        if rows is not None:
            yield _result(one, rows, cached=True)
        else:
            waiting.setdefault(one.key(store.version()), []).append(one)
    total = sum(len(group[0].batches) for group in waiting.values())
    parts: dict[str, list] = {key: [] for key in waiting}
    for done, (key, found) in enumerate(_batches(waiting, executor), start=1):
        group = waiting[key]
        parts[key].append(found)
        if tell is not None:
            tell(done, total, group[0].experiment.name)
        if len(parts[key]) == len(group[0].batches):
            yield from _complete(group, parts.pop(key))


def write(result: Result, folder: Path) -> None:
    """Write one figure's points as CSV and its picture as SVG."""
    e, convention = result.plan.experiment, result.plan.convention
    means = judging.summary(e, result.rows)
    if result.points and e.judged == "value":
        theirs = pd.DataFrame(
            [(p.method, p.x, p.published, p.published_error, p.reproduced) for p in result.points]
        )
        theirs.columns = ["method", "x", "published", "published_error", "reproduced"]
        means = means.merge(theirs, how="left", on=["method", "x"])
    means.insert(0, "convention", convention)
    means.rename(columns={"x": e.axis}).to_csv(folder / f"{e.name}-{convention}.csv", index=False)
    (folder / f"{e.name}-{convention}.svg").write_text(picture(result), encoding="utf-8")


def picture(result: Result) -> str:
    """The figure as SVG."""
    e = result.plan.experiment
    means = judging.summary(e, result.rows)
    lines = []
    for method in result.plan.methods:
        part = means[means.method == method]
        points = [(p.x, p.published, p.reproduced) for p in result.points if p.method == method]
        drawn = list(part.x), list(part["mean"]), list(part.error)
        lines.append(Line(method, *drawn, points, outside=method in e.outside))
    how = "as published" if result.plan.published else "corrected"
    note = ", ".join(filter(None, [how, records(e), judging.tally(e, result.points)]))
    axis = experiments.AXES[e.axis]
    return svg(
        lines,
        title=f"[{e.paper}] {e.label}",
        note=note,
        x_label=axis,
        y_label=e.y_label,
        x_log=e.axis not in LINEAR,
        y_log=e.y_log,
    )


def records(experiment: experiments.Experiment) -> str:
    """Which records a figure runs on here, in words."""
    if experiment.available:
        return experiment.data_title
    return f"stand-in for {experiment.data_title}: {experiment.stand_in.title}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The program."""
    options = _parser().parse_args(arguments)
    try:
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
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    with _executor(options.jobs) as executor:
        bar = _Bar(began)
        for result in run(plans, executor=executor, fresh=options.fresh, tell=bar.tell):
            if not result.failure:
                write(result, folder)
            results.append(result)
        bar.close()
    table = _table(results)
    table.to_csv(folder / "summary.csv", index=False)
    print(_report(results, table))
    pictures = sum(not r.failure for r in results)
    print(
        f"{pictures} pictures in {folder}/, {sum(r.cached for r in results)} from the cache; "
        f"wall time {_clock(time.perf_counter() - began)}, processor time {_clock(_processor())}, "
        f"{options.jobs} at a time"
    )
    return int(any(result.failure for result in results))


def _batches(waiting, executor):
    work = [(key, batch) for key, group in waiting.items() for batch in group[0].batches]
    if executor is None:
        for key, batch in work:
            yield key, _attempt(batch.run)
        return
    futures = {executor.submit(batch.run): key for key, batch in work}
    for future in as_completed(futures):
        yield futures[future], _attempt(future.result)


def _attempt(work):
    """What it returns, or the error that it ends in: one figure must not end the others."""
    try:
        return work()
    except Exception as error:
        return error


def _complete(group, parts):
    """The results of figures that share these runs."""
    errors = [part for part in parts if isinstance(part, Exception)]
    if errors:
        for one in group:
            yield Result(one, pd.DataFrame(), (), False, f"{type(errors[0]).__name__}: {errors[0]}")
        return
    rows = _ordered(pd.concat([group[0].rows(part) for part in parts], ignore_index=True))
    store.write(group[0], rows)
    for one in group:
        yield _result(one, rows, cached=False)


def _result(one, rows, *, cached):
    points = judging.compare(one.experiment, rows) if one.published else ()
    return Result(one, rows, points, cached)


def _ordered(rows):
    """Rows in one order, whichever draw was finished first."""
    return rows.sort_values(["draw", "repeat", "method", "x"], kind="stable", ignore_index=True)


def _chosen(wanted):
    known = experiments.names()
    if not wanted:
        return known
    found = [name for name in known if any(name.casefold().startswith(w.casefold()) for w in wanted)]
    for w in wanted:
        if not any(name.casefold().startswith(w.casefold()) for name in known):
            raise ValueError(f"figures must be of {', '.join(known)}, or how some of them begin, got {w!r}")
    return found


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m dashboard.reproduce",
        description="Run the figures of the four papers, write CSV and SVG, and count reproduced points.",
    )
    parser.add_argument(
        "figures", nargs="*", help="names such as Fact-Fig2a, or how names begin; default all"
    )
    parser.add_argument(
        "--as",
        dest="convention",
        choices=(*CONVENTIONS, "both"),
        default="both",
        help="as the papers ran them, with their slips mended, or both (default)",
    )
    parser.add_argument("--quick", action="store_true", help="fewer draws, every other point, no slow method")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument("--out", default="reproduced", help="folder for CSV and SVG (default: reproduced)")
    parser.add_argument("--fresh", action="store_true", help="run again what the cache holds")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    return parser


class _Here:
    """Stands for no pool at all."""

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return None


def _executor(jobs):
    if jobs <= 1:
        return _Here()
    # One thread each: several processes that all thread would get in each other's way.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


class _Bar:
    """One line that grows; on a terminal alone."""

    def __init__(self, began):
        self._began, self._shown = began, sys.stderr.isatty()

    def tell(self, done, total, name):
        if self._shown:
            filled = round(30 * done / total)
            clock = _clock(time.perf_counter() - self._began)
            line = f"{'█' * filled}{'·' * (30 - filled)} {done} of {total} draws, {clock}, {name}"
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    def close(self):
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _table(results: Iterable[Result]) -> pd.DataFrame:
    rows = []
    for result in sorted(results, key=_place):
        e, (good, total) = result.plan.experiment, judging.counted(result.points)
        rows.append((e.name, result.plan.convention, e.judged, good, total, records(e), result.cached))
    return pd.DataFrame(
        rows, columns=["figure", "convention", "judged", "reproduced", "points", "records", "cached"]
    )


def _place(result):
    return experiments.names().index(result.plan.experiment.name), result.plan.convention != "published"


def _report(results, table):
    lines = []
    for result in sorted(results, key=_place):
        e = result.plan.experiment
        if result.failure:
            lines.append(f"{e.name:12} {result.plan.convention} failed: {result.failure}")
            continue
        if not result.plan.published:
            continue
        lines.append(f"{e.name:12} {judging.tally(e, result.points) or records(e)}")
        lines += _misses(e, result.points)
    sums = table.groupby("judged")[["reproduced", "points"]].sum()
    for judged, words in (("value", "points reproduced"), ("order", "orders of methods kept")):
        if judged in sums.index and sums.points[judged]:
            lines.append(f"Total: {sums.reproduced[judged]} of {sums.points[judged]} {words}")
    return "\n".join(lines)


def _misses(experiment, points):
    """One line for every method with points that are not reproduced, and why, where that is known."""
    for method in dict.fromkeys(p.method for p in points):
        missed = [p for p in points if p.method == method and not p.reproduced]
        if missed:
            at = ", ".join(f"{p.x:g}" for p in missed)
            worst = max(missed, key=lambda p: abs(p.ours - p.published))
            why = experiment.misses.get(method, "")
            yield (
                f"{'':13}{method} at {experiment.axis} {at}; at {worst.x:g} published {worst.published:.4g} ± "
                f"{worst.published_error:.2g}, ours {worst.ours:.4g} ± {worst.error:.2g}. {why}".rstrip()
            )


def _processor():
    return sum(os.times()[:4])  # Of this process and of its finished children.


def _clock(seconds):
    return f"{int(seconds // 60)} min {seconds % 60:.0f} s" if seconds >= 60 else f"{seconds:.1f} s"

"""Run figures on any executor: every set of runs once, with a cache; a failure does not affect other figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass

import pandas as pd

from dashboard.packs.papers.reproduce import cache, comparison
from dashboard.packs.papers.reproduce.experiments import SLOW, Plan


@dataclass(frozen=True)
class Result:
    """A figure that was run, or taken from the cache.

    Attributes
    ----------
    plan : Plan
    rows : DataFrame
        As `Plan.rows` gives them.
    points : tuple of Point
        Published points and ours; only for the convention "published".
    cached : bool
    failure : str
        Error message of a failed figure, which has no rows; "" otherwise.
    """

    plan: Plan
    rows: pd.DataFrame
    points: tuple[comparison.Point, ...]
    cached: bool
    failure: str = ""


def run(
    plans: Sequence[Plan],
    *,
    executor: Executor | None = None,
    fresh: bool = False,
    tell: Callable[[int, int, str], None] | None = None,
) -> Iterator[Result]:
    """Run figures, each set of runs once, and yield each `Result` when it is complete.

    Parameters
    ----------
    executor : concurrent.futures.Executor, optional
        Computes the batches; default: this process.
    fresh : bool
        Ignore the cache.
    tell : callable, optional
        Called with (done, total, name of a figure) after every draw.
    """
    waiting: dict[str, list[Plan]] = {}
    for one in plans:
        rows = None if fresh else cache.read(one)
        if rows is not None:
            yield _result(one, rows, cached=True)
        else:
            waiting.setdefault(one.key(cache.version()), []).append(one)
    total = sum(len(group[0].batches) for group in waiting.values())
    parts: dict[str, list] = {key: [] for key in waiting}
    for done, (key, found) in enumerate(_batches(waiting, executor), start=1):
        group = waiting[key]
        parts[key].append(found)
        if tell is not None:
            tell(done, total, group[0].experiment.name)
        if len(parts[key]) == len(group[0].batches):
            yield from _complete(group, parts.pop(key))


def _batches(waiting, executor):
    # Long runs first, so that the processes finish at about the same time.
    order = sorted(waiting.items(), key=lambda item: item[1][0].kind not in SLOW)
    work = [(key, batch) for key, group in order for batch in group[0].batches]
    if executor is None:
        for key, batch in work:
            yield key, _attempt(batch.alone)
        return
    futures = {executor.submit(batch.alone): key for key, batch in work}
    for future in as_completed(futures):
        yield futures[future], _attempt(future.result)


def _attempt(work):
    """The result of `work`, or its exception: one figure must not end the others."""
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
    cache.write(group[0], rows)
    for one in group:
        yield _result(one, rows, cached=False)


def _result(one, rows, *, cached):
    points = comparison.compare(one.experiment, rows) if one.published else ()
    return Result(one, rows, points, cached)


def _ordered(rows):
    """Rows in an order that does not depend on which draw finished first."""
    return rows.sort_values(["draw", "repeat", "method", "x"], kind="stable", ignore_index=True)

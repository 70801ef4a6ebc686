"""Experiments: repeated runs of a problem on a grid of settings under several schemes.

A **problem** is frozen, hashable and picklable and has

* ``data_settings``: names of the settings its statistics depend on (moving ε recomputes none),
* ``methods``: the schemes and methods it knows,
* ``statistics(settings)``: what the sites compute from their records,
* ``estimate(statistics, scheme, privacy, rng, settings) -> dict[str, float]``: one run's figures.

Settings are mappings of names to hashable values; ``epsilon`` and ``delta`` make the privacy target.
"""

from __future__ import annotations

import itertools
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core import check
from core.hashed import hashed
from core.privacy import Privacy
from core.schemes import is_private
from core.sweep import workers
from core.sweep.memory import Memory
from core.sweep.warm import Warm

MOST_STATISTICS = (
    8  # Problems and data settings whose statistics a process keeps; they are large (S d² numbers for PCA).
)


@hashed
@check.arguments(seed=check.seed)
@dataclass(frozen=True)
class Job:
    """One run: a problem at settings, under a scheme, in one repeat. Picklable; `run` needs nothing else.

    With `common`, a scheme draws from the same random numbers at all settings: runs at two settings then differ by the
    settings alone. Never use it for records that are not public: two releases from the same numbers reveal more than
    their privacy costs say. For the same reason give each version of such records, and each problem about them, a seed
    of its own that nobody knows, such as `secrets.randbits(128)`.
    """

    problem: Any
    settings: tuple[tuple[str, Any], ...]
    scheme: str
    repeat: int
    seed: int
    common: bool = False

    def run(self) -> dict[str, Any]:
        """Return settings, scheme, repeat and the problem's figures as one row."""
        figures = (
            self._private() if is_private(self.scheme) else _plain(self.problem, self.scheme, self._public)
        )
        return self.row(figures)

    def row(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        """Settings, scheme and repeat of the run together with its figures."""
        return {**dict(self.settings), "scheme": self.scheme, "repeat": self.repeat, **figures}

    def _private(self):
        settings = dict(self.settings)
        privacy = Privacy(check.setting(settings, "epsilon"), check.setting(settings, "delta"))
        return self.problem.estimate(
            statistics(self.problem, settings), self.scheme, privacy, self.rng, settings
        )

    @property
    def _public(self):
        return tuple((name, value) for name, value in self.settings if name not in ("epsilon", "delta"))

    @property
    def rng(self) -> np.random.Generator:
        """The run's own stream: depends on seed, settings (unless `common`), scheme and repeat, not on the rest of the grid.

        That of a scheme without noise is always the same, because its answer is computed once for all ε and repeats.
        """
        if not is_private(self.scheme):
            return np.random.default_rng(0)
        words = (() if self.common else repr(self.settings), self.scheme, self.repeat)
        return np.random.default_rng([self.seed, *(zlib.crc32(str(w).encode()) for w in words)])


def grid(**axes) -> list[dict[str, Any]]:
    """All combinations of the given values; a single value (or string) stands for itself.

    Examples
    --------
    >>> grid(sites=[5, 10], epsilon=1.0)
    [{'sites': 5, 'epsilon': 1.0}, {'sites': 10, 'epsilon': 1.0}]
    """
    values = [v if isinstance(v, list | tuple | np.ndarray | range) else [v] for v in axes.values()]
    return [
        {name: v.item() if isinstance(v, np.generic) else v for name, v in zip(axes, row, strict=True)}
        for row in itertools.product(*values)
    ]


@check.arguments(problem=check.problem, seed=check.seed)
def jobs(
    problem,
    cells: Iterable[Mapping],
    *,
    schemes: Iterable[str],
    repeats: int,
    seed: int,
    common: bool = False,
) -> list[Job]:
    """Every run of a sweep, the first repeat of everything before the second of anything.

    The non-private answer has no noise: it is listed once per cell, as repeat 0. For `common` see `Job`.
    """
    repeats = check.integer("repeats", repeats, low=1)
    schemes = [check.choice("schemes", s, problem.methods) for s in schemes]
    cells = list(cells)
    for cell in cells:
        if not isinstance(cell, Mapping):
            raise ValueError(f"cells must be mappings of settings to values, got {check.shown(cell)}")
    settings = [tuple(sorted(cell.items())) for cell in cells]
    return [
        _job(problem, cell, scheme, repeat, seed, common)
        for repeat in range(repeats)
        for cell in settings
        for scheme in schemes
        if repeat == 0 or is_private(scheme)
    ]


def _job(*values):
    """A run of what `jobs` has checked: a curve has hundreds."""
    made = object.__new__(Job)
    Job.__init__.trusted(made, *values)
    return made


@check.arguments(problem=check.problem, seed=check.seed)
def run(
    problem,
    cells: Iterable[Mapping],
    *,
    schemes: Iterable[str],
    repeats: int,
    seed: int,
    common: bool = False,
    executor: Executor | None = None,
    on_result: Callable[[dict], None] | None = None,
    cancelled: threading.Event | None = None,
) -> pd.DataFrame:
    """Run a sweep and return one row per run: settings, scheme, repeat and figures.

    Parameters
    ----------
    cells : iterable of mappings
        Settings of each cell; see `grid`.
    common : bool
        Draw from the same random numbers at all settings, see `Job`.
    executor : concurrent.futures.Executor, optional
        Where runs take place: threads, processes, `warm` ones, or a Dask cluster
        (`distributed.Client.get_executor()`). Default: here, one after another, or in warm processes if the
        variable `CAPE_LAB_WORKERS` says how many. Rows and numbers are the same whatever it is.
    on_result : callable, optional
        Called in this thread with each row as it comes.
    cancelled : threading.Event, optional
        Once set, no further run starts; the rows so far are returned.

    Raises
    ------
    ValueError
        If there is no cell or no scheme.
    """
    runs = jobs(problem, cells, schemes=schemes, repeats=repeats, seed=seed, common=common)
    if not runs:
        raise ValueError("cells and schemes must hold at least one each, got no jobs")
    rows = {}
    for i, row in _rows(runs, executor or Warm.asked_for(), cancelled or threading.Event()):
        rows[i] = row
        if on_result is not None:
            on_result(row)
    return pd.DataFrame([rows[i] for i in sorted(rows)])


@check.arguments(problem=check.problem)
def statistics(problem, settings: Mapping):
    """The problem's statistics at these settings, computed once per process and data settings."""
    try:
        key = tuple([(name, settings[name]) for name in problem.data_settings])
    except KeyError:
        key = tuple([(name, check.setting(settings, name)) for name in problem.data_settings])
    return _STATISTICS.recall((problem, key), lambda: problem.statistics(dict(key)))


@check.arguments(problem=check.problem)
def forget(problem) -> None:
    """Remove a problem and its cached statistics, e.g. when the session that owns its records ends.

    They leave this process at once, and each worker process when it is done with what it computes at present.
    """
    _forget_here(problem)
    shared = workers.existing()
    if shared is not None:
        shared.forget(problem)


def _forget_here(problem):
    _STATISTICS.forget(problem)
    _PLAIN.forget(problem)


workers.when_dropped(_forget_here)


_STATISTICS, _PLAIN = Memory(size=MOST_STATISTICS), Memory(size=512)


def _rows(runs, executor, cancelled):
    if executor is None:
        for i, job in enumerate(runs):
            if cancelled.is_set():
                return
            yield i, job.run()
        return
    futures = {executor.submit(job.run): i for i, job in enumerate(runs)}
    for future in as_completed(futures):
        if cancelled.is_set():
            for other in futures:
                other.cancel()
            return
        try:
            yield futures[future], future.result()
        except BaseException:  # The rest is of no use, and warm workers would go on with it.
            for other in futures:
                other.cancel()
            raise


def _plain(problem, scheme, key):
    def compute():
        settings, rng = dict(key), np.random.default_rng(0)
        return problem.estimate(statistics(problem, settings), scheme, None, rng, settings)

    return _PLAIN.recall((problem, scheme, key), compute)

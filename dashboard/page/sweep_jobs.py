"""The jobs of a sweep: what a worker computes, and what becomes of its result here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from core import sweep
from dashboard.page.fit import Fit
from dashboard.state.background_runs import Work


@dataclass(frozen=True)
class Spot:
    """A fit with its result."""

    fit: Fit
    found: Any

    @property
    def rows(self) -> dict[sweep.Job, dict]:
        """The rows of its runs, as far as the result has their figures."""
        each = self.found.each if self.fit.each else ()
        return {job: job.row(figures) for job, figures in zip(self.fit.runs, each, strict=False)}


def of_fit(fit: Fit) -> Work:
    """The job that computes one fit; its result is a `Spot`, or None if it was cancelled."""
    return Work(fit.make, partial(_spot, fit))


def of_fits(fits: Sequence[Fit]) -> Work:
    """One job that computes several fits; its result is a list of `Spot`."""
    return Work(partial(_all, [fit.make for fit in fits]), partial(_spots, fits))


def of_batch(run: Callable[[sweep.Job, Any], dict | None], batch: Sequence[sweep.Job]) -> Work:
    """The job that makes the runs of a batch; its result is a dict of `sweep.Job` to row."""
    return Work(partial(_rows, run, batch), partial(_by_job, batch))


def row(job: sweep.Job, cancelled: Any) -> dict:
    """The row of one run, as its problem computes it."""
    return job.run()


def _spot(fit, found):
    return None if found is None else Spot(fit, found)


def _all(makes, cancelled):
    """The results of several fits, up to where they were cancelled."""
    return [make(cancelled) for make in makes if not cancelled.is_set()]


def _spots(fits, results):
    return [spot for pair in zip(fits, results or (), strict=False) if (spot := _spot(*pair)) is not None]


def _rows(run, batch, cancelled):
    """The rows of a batch, up to where it was cancelled."""
    return [run(job, cancelled) for job in batch if not cancelled.is_set()]


def _by_job(batch, rows):
    return {job: row for job, row in zip(batch, rows or (), strict=False) if row is not None}

"""The results of a comparison, each under the key of what it was computed from; and a frozen view of those of a plan."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from core import sweep
from core.schemes import is_private
from dashboard.page import sweep_jobs
from dashboard.page.fit import Fit
from dashboard.page.sweep_jobs import Spot
from dashboard.page.sweep_plan import SweepPlan, beyond_least
from dashboard.state.background_runs import Work
from dashboard.state.number_text import LEAST_REPEATS, count_text, spread_text

_CURVES, _FITS = 6, 60  # Curves and fits that are kept: whoever moves a slider back finds them again.


@dataclass(frozen=True)
class Results:
    """What is known of a plan.

    Attributes
    ----------
    plan : SweepPlan
    spots : mapping of str to object
        Results at the plan's settings, by method.
    rows : mapping of sweep.Job to row
        Runs of its curve.
    awaited : frozenset of str
        The fits that the result panel needs.
    """

    plan: SweepPlan
    spots: Mapping[str, Any]
    rows: Mapping[sweep.Job, dict] = field(default_factory=dict)
    awaited: frozenset[str] = frozenset()
    summary: Callable[[Iterable[dict], Any], pd.DataFrame] | None = None

    @property
    def complete(self) -> bool:
        """Whether everything at the plan's settings is known."""
        return self.awaited <= self.spots.keys()

    @cached_property
    def whole(self) -> bool:
        """Whether every run of the curve is known."""
        return all(job in self.rows for batch in self.plan.batches for job in batch)

    @cached_property
    def _known(self) -> Counter:
        """The runs of every point of the curve that is known: one run or two may put the worse scheme above the better."""
        planned = Counter((job.scheme, job.settings) for batch in self.plan.batches for job in batch)
        done = Counter((job.scheme, job.settings) for job in self.rows)
        # Fits bring runs of settings, too, at which the curve has no point.
        return Counter(
            {at: n for at, n in done.items() if at in planned and n >= min(LEAST_REPEATS, planned[at])}
        )

    @cached_property
    def means(self) -> pd.DataFrame | None:
        """Summary of the points that are known so far, or of a formula, which needs no runs; None without any."""
        rows = [row for job, row in self.rows.items() if (job.scheme, job.settings) in self._known]
        return self.summary(rows, self.plan) if self.summary and (rows or not self.plan.batches) else None

    def shown(self) -> list:
        """The results of the drawn methods, in their order."""
        return [self.spots[method] for method in self.plan.shown if method in self.spots]

    def spread(self) -> str:
        """A sentence on the repeats: what the bands are, or how many there are so far."""
        repeats = self.plan.settings.repeats
        if not self.plan.batches:
            return ""
        if self.whole:
            return spread_text(repeats, common=self.plan.common)
        private = [n for (method, _), n in self._known.items() if is_private(method)]
        if not private:
            return ""
        counted = f"The curves so far: {min(private)} of {count_text(repeats, 'repeat')}."
        return f"{counted} Where bands overlap, a difference may be chance."


class Store:
    """Keeps rows by the curve that they are of, and fits by what they were computed from.

    Parameters
    ----------
    summary : callable
        Maps rows and plan to the summary of a curve.
    """

    def __init__(self, summary: Callable[[Iterable[dict], Any], pd.DataFrame]):
        self._summary = summary
        self._curves: OrderedDict[Hashable, dict[sweep.Job, dict]] = OrderedDict()
        self._fits: OrderedDict[Hashable, Any] = OrderedDict()

    def clear(self) -> None:
        """Forget everything: the records that it was computed from are deleted."""
        self._curves.clear()
        self._fits.clear()

    def of(self, plan: SweepPlan, fits: Sequence[Fit], awaited: Iterable[str]) -> Results:
        """What is known of a plan, frozen."""
        spots = {fit.name: self._fits[_key(fit)] for fit in fits if _key(fit) in self._fits}
        rows = dict(self._curves.get(plan.key, {}))
        return Results(plan, spots, rows, frozenset(awaited), self._summary)

    def missing(self, plan: SweepPlan, fits: Sequence[Fit], together: Sequence[str]) -> list[Work]:
        """The jobs that compute what is not known: the fits first, those of `together` as one job."""
        rows = self._rows(plan)
        unknown = [fit for fit in fits if _key(fit) not in self._fits]
        one = [fit for fit in unknown if fit.name in together]
        here = {job for fit in unknown if fit.each for job in fit.runs} | rows.keys()
        batches = [batch for batch in _nearest_first(plan) if not here.issuperset(batch)]
        return [
            *([sweep_jobs.of_fits(one)] if one else []),
            *(sweep_jobs.of_fit(fit) for fit in unknown if fit not in one),
            *(sweep_jobs.of_batch(sweep_jobs.row, batch) for batch in batches),
        ]

    def add(self, plan: SweepPlan, results: Iterable[Any]) -> list[sweep.Job]:
        """Take results of jobs that were started for a plan; returns the runs that they made."""
        made: list[sweep.Job] = []
        for result in results:
            if isinstance(result, dict):
                self._rows(plan).update(result)
                made += result
            for spot in result if isinstance(result, list) else [result]:
                if isinstance(spot, Spot):
                    self.know(spot)
                    self._rows(plan).update(spot.rows)
                    made += spot.fit.runs
        return made

    def know(self, spot: Spot) -> None:
        """Keep the result of a fit."""
        self._fits[_key(spot.fit)] = spot.found
        while len(self._fits) > _FITS:
            self._fits.popitem(last=False)

    def _rows(self, plan):
        rows = self._curves.setdefault(plan.key, {})
        self._curves.move_to_end(plan.key)
        while len(self._curves) > _CURVES:
            self._curves.popitem(last=False)
        return rows


def _nearest_first(plan):
    """The batches of a curve: it begins beside the present setting, and a point comes with its first three repeats."""
    here = plan.here[plan.axis]
    scale = math.log if plan.logarithmic else float

    def far(batch):
        at = dict(batch[0].settings)[plan.axis]
        return beyond_least(batch[0]), abs(scale(at) - scale(here)) if np.ndim(at) == 0 else 0.0

    return sorted(plan.batches, key=far)


def _key(fit):
    return fit.name, fit.runs, fit.same

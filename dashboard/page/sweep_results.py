"""The results of a sweep so far, and what is known of its curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import pandas as pd

from core import sweep
from core.schemes import is_private
from dashboard.page.fit import Fit
from dashboard.page.sweep_jobs import Spot
from dashboard.page.sweep_plan import SweepPlan
from dashboard.state.number_text import LEAST_REPEATS, count_text, spread_text


class Results:
    """Rows of the curve, and spots: results at the current settings.

    Rows are kept while the plan's `key` stays the same, spots while the plan needs the same fits.

    Parameters
    ----------
    means : callable
        Maps rows and plan to the columns scheme, the plan's axis, mean, low, high, repeats; see `summary`.

    Attributes
    ----------
    plan : SweepPlan or None
        The latest plan.
    rows : dict of sweep.Job to row
    spots : dict of str to object
        Results at the current settings.
    """

    def __init__(self, means: Callable[[Iterable[dict], Any], pd.DataFrame]):
        self._means = means
        self.clear()

    def clear(self) -> None:
        """Delete all results."""
        self.plan: SweepPlan | None = None
        self.key: Hashable = None
        self._jobs: set[sweep.Job] = set()
        self._planned: Counter = Counter()
        self.rows: dict[sweep.Job, dict] = {}
        self.spots: dict[str, Any] = {}
        self._made: dict[str, Fit] = {}

    def ask(self, plan: SweepPlan) -> list[list[sweep.Job]]:
        """Take a plan and forget rows of another curve; returns the batches of its runs that are not known."""
        self.plan = plan
        if plan.key != self.key:
            self.key, self.rows = plan.key, {}
        batches = plan.batches
        self._jobs = {job for batch in batches for job in batch}
        self._planned = _points(self._jobs)
        return [batch for batch in batches if batch[0] not in self.rows]

    def add(self, rows: dict[sweep.Job, dict], spots: Iterable[Spot]) -> None:
        """Take rows of the curve and spots as they arrive."""
        self.rows |= {job: row for job, row in rows.items() if job in self._jobs}
        for spot in spots:
            self.spots[spot.fit.name], self._made[spot.fit.name] = spot.found, spot.fit

    def missing(self, fits: Sequence[Fit]) -> list[Fit]:
        """The fits that have no result yet; results that are no longer needed are deleted."""
        asked = {(fit.name, fit.runs, fit.same) for fit in fits}
        kept = {name for name, fit in self._made.items() if (name, fit.runs, fit.same) in asked}
        self.spots = {name: found for name, found in self.spots.items() if name in kept}
        self._made = {name: fit for name, fit in self._made.items() if name in kept}
        return [fit for fit in fits if fit.name not in kept]

    def covers(self, method: str) -> bool:
        """Whether every point of a method's curve is known: only then its shape is."""
        planned = {point for point in self._planned if point[0] == method}
        return bool(planned) and planned <= self._known.keys()

    @property
    def whole(self) -> bool:
        """Whether every run of the curve is known."""
        return self.rows.keys() >= self._jobs

    def spread(self) -> str:
        """A sentence on the repeats: what the bands are, or how many there are so far."""
        repeats = self.plan.settings.repeats
        if self.whole:
            return spread_text(repeats, common=self.plan.common)
        private = [m for m in self.plan.methods if is_private(m)]
        if not private or not all(map(self.covers, private)):
            return ""
        done = min(count for (method, _), count in self._known.items() if is_private(method))
        counted = f"The curves so far: {done} of {count_text(repeats, 'repeat')}."
        return f"{counted} Where bands overlap, a difference may be chance."

    @property
    def _known(self) -> Counter:
        """The runs of every point that is known: one run or two may put the worse scheme above the better."""
        done, planned = _points(self.rows), self._planned
        return Counter({at: n for at, n in done.items() if n >= min(LEAST_REPEATS, planned[at])})

    def shown(self) -> list:
        """The spots of the drawn methods, in their order."""
        return [self.spots[method] for method in self.plan.shown if method in self.spots]

    @property
    def means(self) -> pd.DataFrame | None:
        """Summary of the points that are known so far, as drawn; None without any."""
        known = self._known
        rows = [row for job, row in self.rows.items() if (job.scheme, job.settings) in known]
        return self._means(rows, self.plan) if rows else None

    def table(self) -> pd.DataFrame:
        """The numbers of the curve."""
        means = self.means
        return pd.DataFrame({"scheme": [], "mean": []}) if means is None else means


def _points(jobs: Iterable[sweep.Job]) -> Counter:
    """The number of runs of every method at every point."""
    return Counter((job.scheme, job.settings) for job in jobs)

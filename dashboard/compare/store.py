"""The results of a comparison: fits and the runs of its curve, in the store of a page; and a frozen view of a plan's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from core import sweep
from core.schemes import is_private
from core.sweep.workers import Call
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, beyond_least
from dashboard.sheet.store import Store
from dashboard.state.number_text import LEAST_REPEATS, count_text, spread_text

_OF_A_POINT = ("mean", "low", "high")
_OF_ROWS = ("whole", "_known", "means", "_points")  # What follows from the rows of a curve alone.


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
    summary : callable, optional
        Maps rows and plan to the summary of a curve.
    before : Results or None
        The latest complete results, which stand until these are complete.
    """

    plan: SweepPlan
    spots: Mapping[str, Any]
    rows: Mapping[sweep.Job, dict] = field(default_factory=dict)
    awaited: frozenset[str] = frozenset()
    summary: Callable[[Any, Any], pd.DataFrame] | None = None
    before: Results | None = field(default=None, compare=False, repr=False)

    @property
    def ready(self) -> bool:
        """Whether everything at the plan's settings is known."""
        return self.awaited <= self.spots.keys()

    @property
    def standing(self) -> Results:
        """What the picture shows: the earlier results until these are ready."""
        return self if self.ready or self.before is None else self.before

    @property
    def stale(self) -> bool:
        """Whether what stands is of another plan."""
        return self.standing is not self

    @cached_property
    def whole(self) -> bool:
        """Whether every run of the curve is known."""
        return all(job in self.rows for batch in self.plan.batches for job in batch)

    @cached_property
    def _known(self) -> Counter:
        """The runs of every point of the curve that is known: one run or two may put the worse scheme above the better."""
        planned = Counter([(job.scheme, job.settings) for batch in self.plan.batches for job in batch])
        done = Counter([(job.scheme, job.settings) for job in self.rows])
        # Fits bring runs of settings, too, at which the curve has no point.
        return Counter(
            {at: n for at, n in done.items() if at in planned and n >= min(LEAST_REPEATS, planned[at])}
        )

    @cached_property
    def means(self) -> pd.DataFrame | None:
        """Summary of the points that are known so far; of a formula, which needs no runs, from the spots."""
        if self.plan.exact:
            return self.summary(self.spots, self.plan) if self.summary else None
        rows = [row for job, row in self.rows.items() if (job.scheme, job.settings) in self._known]
        return self.summary(rows, self.plan) if self.summary and (rows or not self.plan.batches) else None

    @cached_property
    def _points(self) -> dict[str, dict[str, list]]:
        if self.means is None:
            return {}
        ordered = self.means.sort_values(self.plan.axis, kind="stable")
        columns = {"x": ordered[self.plan.axis].tolist(), **{n: ordered[n].tolist() for n in _OF_A_POINT}}
        found: dict[str, dict[str, list]] = {}
        for place, method in enumerate(ordered["scheme"].tolist()):
            of_method = found.setdefault(method, {name: [] for name in columns})
            for name, column in columns.items():
                of_method[name].append(column[place])
        return found

    def points_of(self, method: str) -> Mapping[str, list]:
        """A method's points of the curve, ascending: "x", "mean", "low" and "high"."""
        return self._points.get(method) or {name: [] for name in ("x", *_OF_A_POINT)}

    def after(self, before: Results) -> Results:
        """The same, which the results before stand in for until these are ready."""
        earlier = before.standing
        if self.ready or not earlier.ready:
            return self
        new = replace(self, before=earlier)
        vars(new).update({name: vars(self)[name] for name in _OF_ROWS if name in vars(self)})
        return new

    def follow(self, before: Results) -> None:
        """Take what was worked out of the rows of a plan that differs in its place on the axis alone."""
        if not self.plan.exact and len(self.rows) == len(before.rows) and self.plan.key == before.plan.key:
            known = vars(before)
            vars(self).update({name: known[name] for name in _OF_ROWS if name in known})

    def same(self, other: Results) -> bool:
        """Whether these are no others: of one plan rows are only added."""
        spots = self.spots
        return (
            self.plan is other.plan
            and len(self.rows) == len(other.rows)
            and spots.keys() == other.spots.keys()
            and all(found is spots[name] for name, found in other.spots.items())
        )

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


def known(
    store: Store,
    plan: SweepPlan,
    fits: Sequence[Fit],
    summary: Callable[[Any, Any], pd.DataFrame] | None = None,
) -> Results:
    """What is known of a plan, frozen; `summary` maps rows and plan to the summary of a curve."""
    *spots, rows = store.known([*[fit.key for fit in fits], plan.key])
    by_name = {fit.name: spot for fit, spot in zip(fits, spots, strict=True) if spot is not None}
    return Results(plan, by_name, rows or {}, frozenset([fit.name for fit in fits]), summary)


def missing(store: Store, plan: SweepPlan, fits: Sequence[Fit]) -> list[Call]:
    """The calls that compute what is not known: the first fit, a point of the curve beside it, the other fits, the curve."""
    now = known(store, plan, fits)
    unknown = [fit for fit in fits if fit.name not in now.spots]
    one = tuple(fit for fit in unknown if fit.together)
    parts = [part for part in (one, *((fit,) for fit in unknown if fit not in one)) if part]
    here = {job for fit in unknown if fit.each for job in fit.runs}
    here.update(now.rows)  # A mapping's keys bring their hashes along.
    batches = _nearest_first(plan)
    left = [batch for batch in batches if not here.issuperset(batch)]
    # Where a fit brings the nearest point, nothing of it is left.
    early = _of_first_point(batches, unknown)
    return [
        *(_fitted(part) for part in parts[:1]),
        *(_run(batch) for batch in left if early(batch)),
        *(_fitted(part) for part in parts[1:]),
        *(_run(batch) for batch in left if not early(batch)),
    ]


def add(
    store: Store, plan: SweepPlan, results: Iterable[tuple[Sequence[Any], Sequence[Any] | None]]
) -> list[sweep.Job]:
    """Take results of calls that were started for a plan, by their keys; returns the runs that they made."""
    made: list[sweep.Job] = []
    rows = dict(store.get(plan.key) or {})
    for key, found in results:
        for one, value in zip(key, found or (), strict=False):  # A call that is cancelled returns fewer.
            if value is None:
                continue
            if isinstance(one, sweep.Job):
                rows[one] = value
                made.append(one)
            else:
                store.add([(one.key, value)])
                rows |= one.rows(value)
                made += one.runs
    store.add([(plan.key, rows)])
    return made


def _nearest_first(plan):
    """Batches of a curve: it begins beside the present setting, and a point comes with its first three repeats."""
    here = plan.here[plan.axis]
    scale = math.log if plan.logarithmic else float

    def far(batch):
        at = dict(batch[0].settings)[plan.axis]
        return beyond_least(batch[0]), abs(scale(at) - scale(here)) if np.ndim(at) == 0 else 0.0

    return sorted(plan.batches, key=far)


def _of_first_point(batches, fits):
    """Whether a batch is of the nearest point, as far as it is drawn early: without noise, and of the first scheme fitted.

    All schemes there would hold up the results for which the reader waits.
    """
    nearest = batches[0][0].settings if batches else None
    first = next((job.scheme for fit in fits for job in fit.runs if is_private(job.scheme)), None)

    def early(batch):
        job = batch[0]
        soon = job.scheme == first or not is_private(job.scheme)
        return soon and job.settings == nearest and not beyond_least(job)

    return early


def _fitted(fits):
    return Call(_results_of, ([fit.make for fit in fits],), key=fits)


def _run(batch):
    return Call(_runs_of, (batch,), key=tuple(batch))


def _results_of(makes, cancelled):
    return [make(cancelled) for make in makes if not cancelled.is_set()]


def _runs_of(batch, cancelled):
    return [job.run() for job in batch if not cancelled.is_set()]

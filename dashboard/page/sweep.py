"""The curve of a page: a repeated sweep along one setting, and single computations at the current settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from core import sweep
from core.schemes import is_private
from dashboard.components.layout import LiveText
from dashboard.page.sweep_plan import SweepPlan
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import rule
from dashboard.plotting.guess import Measured, Question
from dashboard.plotting.printed_points import PrintedPoints
from dashboard.state.background_runs import Job, Work
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, number_text, spread_text
from dashboard.theme import css
from dashboard.theme.scheme_style import label


@dataclass(frozen=True)
class Fit:
    """A computation at the current settings, in addition to the curve.

    Attributes
    ----------
    name : str
        Its key in `Sweep.spots`, usually the method.
    make : callable
        Called in a worker with a signal that is set on cancellation; returns the result, or None for none. It must
        pickle: a function of a module, or a `partial` of one.
    runs : tuple of sweep.Job
        The runs that it makes, for the ledger; an existing result stays valid as long as they are the same.
    same : hashable
        Further values on which the result depends.
    keep : hashable or None
        Fits with equal keys run in the same worker, see `Work`.
    """

    name: str
    make: Callable[[Any], Any]
    runs: tuple[sweep.Job, ...] = ()
    same: Hashable = None
    keep: Hashable = None


def fit_of(job: sweep.Job, compute: Callable[[sweep.Job], Any]) -> Fit:
    """A fit that consists of one run."""
    return Fit(job.scheme, partial(_one_run, compute, job), (job,))


def _one_run(compute, job, cancelled):
    return compute(job)


def _row(job, cancelled):
    return job.run()


@dataclass(frozen=True)
class _Spot:
    fit: Fit
    found: Any


class Sweep:
    """Runs a page's sweep and draws it.

    Rows of the curve are kept while the plan's `key` stays the same, spots while the plan needs the same fits.

    Parameters
    ----------
    page : Page
        The page that shows the curve.
    means : callable
        Maps rows and plan to the columns scheme, the plan's axis, mean, low, high, repeats; see `summary`.
    cost : callable
        Maps plan and run to the run's privacy cost, for the ledger; None for a run without private noise.
    fits : callable
        Maps a plan to the fits at the current settings.
    run : callable
        Computes one run of the curve from its job and the signal; None if it was cancelled. A function of a module.
    marks : callable
        Called with the means after they were drawn.
    measured : callable, optional
        Maps a plan to what its curve shows, as a question.
    printed : callable, optional
        Maps a plan to its measure, as figures of papers name it: the page's model then chooses with `printed` whose
        points are drawn.
    relative : bool
        Whether the curve shows per cent of the non-private value.
    together : callable
        Maps a plan to the names of the fits that one job computes, before all others: they are shown at once.
    waits : bool
        Whether the page's main picture is old until the first run; False for one that no run is needed for.
    arrived : callable
        Called with the name and the result of every fit, before the page is shown: of several that have one name and
        come together only the last is among the `spots`.

    Attributes
    ----------
    curve : Curve
    printed : LiveText
        Says below the figure which printed points are drawn; empty if none are.
    plan : SweepPlan
        The latest plan.
    rows : dict of sweep.Job to row
    spots : dict of str to object
        Results at the current settings.
    """

    def __init__(
        self,
        page: Any,
        *,
        means: Callable[[Iterable[dict], Any], pd.DataFrame],
        cost: Callable[[Any, sweep.Job], Drawn | None],
        fits: Callable[[Any], Sequence[Fit]] = lambda plan: (),
        run: Callable[[sweep.Job, Any], dict | None] = _row,
        marks: Callable[[pd.DataFrame], None] = lambda means: None,
        measured: Callable[[Any], Measured] | None = None,
        printed: Callable[[Any], str] | None = None,
        relative: bool = False,
        together: Callable[[Any], Sequence[str]] = lambda plan: (),
        waits: bool = True,
        arrived: Callable[[str, Any], None] = lambda name, found: None,
    ):
        self._page, self._waits = page, waits
        self._means, self._fits, self._run, self._marks = means, fits, run, marks
        self._together, self._arrived = together, arrived
        self._measured = measured
        self._printed_measure, self._relative = printed, relative
        self._printed: PrintedPoints | None = None
        self.printed = LiveText(css.FINE)
        self.cost = cost
        self.curve: Curve | None = None
        self.clear()

    def clear(self) -> None:
        """Delete all results."""
        self.plan: SweepPlan | None = None
        self.key: Hashable = None
        self._jobs: set[sweep.Job] = set()
        self.rows: dict[sweep.Job, dict] = {}
        self.spots: dict[str, Any] = {}
        self._made: dict[str, Fit] = {}
        self._awaited: set[str] = set()
        self._stands = False

    def build(self, x_label: str, y_label: str, *, schemes, height: int = 420, **options) -> Curve:
        """Build the curve, with a dotted line at the current settings and pinnable copies."""
        self.curve = Curve(x_label, y_label, x_log=True, height=height, schemes=schemes, **options)
        self._here = rule(self.curve.figure, "height")
        self._page.pins = self.curve.pins
        if self._printed_measure is not None:
            self._printed = PrintedPoints(self.curve, relative=self._relative)
        return self.curve

    def begin(self, plan: SweepPlan) -> list[Job]:
        """Take a plan, show its existing results, and return the runs that are still needed."""
        others = plan.key != self.key or self.plan is None or plan.shown != self.plan.shown
        page = self._page
        # What stands until the results come: the picture and its words, if only the slider above it moved.
        near = self.plan is not None and plan.differs_in(self.plan, page.primary)
        self._stands = page.picture is not None and (near or not others)
        self.plan = plan
        if others:
            if plan.key != self.key:
                self.key, self.rows = plan.key, {}
            grid = [cell[plan.axis] for cell in plan.cells]
            here = [plan.here[plan.axis]]
            scale = () if self._measured is None else (self._measured(plan).low, self._measured(plan).high)
            self.curve.start(plan.shown, plan.label, grid=grid, also=here, log=plan.logarithmic, scale=scale)
        if self._printed is not None:
            name, measure = self._page.model.printed, self._printed_measure(plan)
            self.printed.show(self._printed.show(name, axis=plan.axis, measure=measure))
        batches = plan.batches
        self._jobs = {job for batch in batches for job in batch}
        if self.rows:
            self._draw()
        fits = self._wanted(plan)
        # Dropouts change nothing under a target for one message.
        unplanned = ["dropouts"] if plan.settings.adversary == "message" else []
        absent = [*page.absent(plan), *unplanned]
        page.said.param.update(problem="", absent=absent, most=page.most(plan))
        names = {fit.name for fit in self._fits(plan)}
        self._awaited = names & {*self._together(plan)} or names
        if fits and not self._stands:  # The first of them shows the picture.
            promise = page.promise(plan)
            page.said.param.update(words=page.words(plan), guarantee=promise, old=others and self._waits)
        elif not fits:
            page.show(plan)
        rest = [batch for batch in batches if batch[0] not in self.rows]
        one = [fit for fit in fits if fit.name in self._together(plan)]
        first = [Work(partial(_all, [fit.make for fit in one]), partial(_spots, one))] if one else []
        spots = (Work(fit.make, partial(_spot, fit), fit.keep) for fit in fits if fit not in one)
        return [
            *first,
            *spots,
            *(Work(partial(_rows, self._run, batch), partial(_by_job, batch)) for batch in rest),
        ]

    def paint(self, results: list) -> None:
        """Take rows and spots as they arrive, record their privacy cost in the ledger, and update the page."""
        rows = {job: row for found in results if isinstance(found, dict) for job, row in found.items()}
        found = [one for result in results for one in (result if isinstance(result, list) else [result])]
        spots = [one for one in found if isinstance(one, _Spot)]
        for spot in spots:
            self.spots[spot.fit.name], self._made[spot.fit.name] = spot.found, spot.fit
            self._arrived(spot.fit.name, spot.found)
        if rows:
            self.rows |= rows
            self._draw()
        page = self._page
        drawn = [*rows, *(job for spot in spots for job in spot.fit.runs)]
        page.spend(cost for job in drawn if (cost := self.cost(self.plan, job)) is not None)
        if spots:
            page.show(self.plan)
        elif not page.said.late:
            page.said.words = page.words(self.plan)

    def meanwhile(self, plan: SweepPlan, words: str) -> str:
        """What the text says before the first result: of a picture that stays what it said last, otherwise these words."""
        return self._page.said.words if self._stands and self._page.said.words else words

    @property
    def settled(self) -> bool:
        """Whether the results that the main picture shows at once, or all if it shows each, are known."""
        return not self._waits or self._awaited <= self.spots.keys()

    def covers(self, method: str) -> bool:
        """Whether every point of a method's curve was run at least once: only then its shape is known."""
        planned, known = self._points(method, self._jobs), self._points(method, self.rows)
        return bool(planned) and planned <= known

    @property
    def whole(self) -> bool:
        """Whether every run of the curve is known."""
        return self.rows.keys() >= self._jobs

    def spread(self) -> str:
        """A sentence on the repeats: what the bands are, or how many there are so far."""
        repeats = self.plan.settings.repeats
        if self.whole:
            return spread_text(repeats)
        private = [m for m in self.plan.methods if is_private(m)]
        if not private or not all(map(self.covers, private)):
            return ""
        done = min(
            Counter((job.scheme, job.settings) for job in self.rows if is_private(job.scheme)).values()
        )
        return f"The curves so far: {done} of {count_text(repeats, 'repeat')}."

    def _points(self, method, jobs):
        return {job.settings for job in jobs if job.scheme == method}

    def mark_here(self, label: str) -> None:
        """Move the dotted line to the current settings of the latest plan, and label the axis."""
        self._here.location = self.plan.here[self.plan.axis]
        self.curve.figure.xaxis[0].axis_label = label

    def shown(self) -> list:
        """The spots of the drawn methods, in their order."""
        return [self.spots[method] for method in self.plan.shown if method in self.spots]

    @property
    def means(self) -> pd.DataFrame | None:
        """Summary of all rows so far, as drawn; None without rows."""
        return self._means(self.rows.values(), self.plan) if self.rows else None

    def table(self) -> pd.DataFrame:
        """The numbers of the curve."""
        means = self.means
        return pd.DataFrame({"scheme": [], "mean": []}) if means is None else means

    def question(self) -> Question | None:
        """The height of the curve of CAPE, or of another private method if CAPE is not shown, at the present settings."""
        plan, method = self.plan, self._asked_for
        if method is None or self._measured is None:
            return None
        here, axis = plan.here[plan.axis], self.curve.figure.xaxis[0].axis_label
        shown = self._measured(plan)
        return Question(
            f"At {axis} = {number_text(here)}, {shown.words.format(label(method))}",
            shown.low,
            shown.high,
            shown.log,
            shown.unit,
            at=here,
        )

    def answer(self) -> float | None:
        """The height of that curve; None before each of its points was run."""
        method = self._asked_for
        if method is None or self.curve.stale or not self.covers(method):
            return None
        x, y = map(np.array, self.curve.points(method))
        at = self.plan.here[self.plan.axis]
        if self.plan.logarithmic:
            x, at = np.log(x), np.log(at)
        return float(np.interp(at, x, y)) if len(x) else None

    @property
    def _asked_for(self):
        shown = [] if self.plan is None else [m for m in self.plan.shown if is_private(m) and m != "random"]
        return None if not shown else "cape" if "cape" in shown else shown[0]

    def _wanted(self, plan):
        """The fits that have no result yet; results that are no longer needed are deleted."""
        fits = list(self._fits(plan))
        asked = {(fit.name, fit.runs, fit.same) for fit in fits}
        kept = {name for name, fit in self._made.items() if (name, fit.runs, fit.same) in asked}
        self.spots = {name: found for name, found in self.spots.items() if name in kept}
        self._made = {name: fit for name, fit in self._made.items() if name in kept}
        return [fit for fit in fits if fit.name not in kept]

    def _draw(self):
        means, axis = self.means, self.plan.axis
        for method in self.plan.shown:
            points = means[means.scheme == method]
            self.curve.update(method, points[axis], points["mean"], points.low, points.high)
        self._marks(means)


def _spot(fit, found):
    return None if found is None else _Spot(fit, found)


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

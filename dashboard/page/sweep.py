"""The curve of a page: a repeated sweep along one setting, and single computations at the current settings.

`dashboard.page.sweep_results` keeps what was computed, `dashboard.page.sweep_jobs` has the jobs of the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from core import sweep
from dashboard.components.layout import LiveText
from dashboard.page import openings, sweep_jobs
from dashboard.page.fit import Fit
from dashboard.page.sweep_jobs import Spot
from dashboard.page.sweep_plan import SweepPlan
from dashboard.page.sweep_results import Results
from dashboard.plotting.comparison_curve import Curve
from dashboard.plotting.figure import rule
from dashboard.plotting.printed_points import PrintedPoints
from dashboard.state.background_runs import Job
from dashboard.state.ledger import Drawn
from dashboard.theme import css


class Sweep(Results):
    """Runs a page's sweep and draws it.

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
    scale : callable, optional
        Maps a plan to the ends of its measure: where the vertical axis begins before anything is drawn.
    printed : callable, optional
        Maps a plan to its measure, as figures of papers name it: the page's model then chooses with `printed` whose
        points are drawn.
    relative : bool
        Whether the curve shows per cent of the non-private value.
    together : callable
        Maps a plan to the names of the fits that one job computes, before all others: they are shown at once.
    waits : bool
        Whether the page's main picture is old until the first run; False for one that no run is needed for.

    Attributes
    ----------
    curve : Curve
    printed : LiveText
        Says below the figure which printed points are drawn; empty if none are.
    """

    def __init__(
        self,
        page: Any,
        *,
        means: Callable[[Iterable[dict], Any], pd.DataFrame],
        cost: Callable[[Any, sweep.Job], Drawn | None],
        fits: Callable[[Any], Sequence[Fit]] = lambda plan: (),
        run: Callable[[sweep.Job, Any], dict | None] = sweep_jobs.row,
        marks: Callable[[pd.DataFrame], None] = lambda means: None,
        scale: Callable[[Any], tuple[float, ...]] = lambda plan: (),
        printed: Callable[[Any], str] | None = None,
        relative: bool = False,
        together: Callable[[Any], Sequence[str]] = lambda plan: (),
        waits: bool = True,
    ):
        self._page, self._waits = page, waits
        self.fits, self._run, self._marks = fits, run, marks
        self._together = together
        self._scale = scale
        self._printed_measure, self._relative = printed, relative
        self._printed: PrintedPoints | None = None
        self.printed = LiveText(css.FINE)
        self.cost = cost
        self.curve: Curve | None = None
        super().__init__(means)

    def clear(self) -> None:
        """Delete all results."""
        super().clear()
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
        opens = self.plan is None
        others = plan.key != self.key or opens or plan.shown != self.plan.shown
        page = self._page
        # What stands until the results come: the picture and its words, if only the slider above it moved.
        near = self.plan is not None and plan.differs_in(self.plan, page.primary)
        self._stands = page.picture is not None and (near or not others)
        unknown = self.ask(plan)
        if others:
            self._start(plan)
        if self._printed is not None:
            name, measure = self._page.model.printed, self._printed_measure(plan)
            self.printed.show(self._printed.show(name, axis=plan.axis, measure=measure))
        every = list(self.fits(plan))
        if opens:
            self._take(openings.known(every))
        if self.rows:
            self._draw()
        fits = self.missing(every)
        here = {job for fit in fits if fit.each for job in fit.runs} | self.rows.keys()
        unknown = [batch for batch in unknown if not here.issuperset(batch)]
        # Dropouts change nothing under a target for one message.
        unplanned = ["dropouts"] if plan.settings.adversary == "message" else []
        absent = [*page.absent(plan), *unplanned]
        page.said.param.update(problem="", absent=absent, most=page.most(plan))
        names = {fit.name for fit in every}
        self._awaited = names & {*self._together(plan)} or names
        ready = opens and self._waits and self.settled  # Prepared, but for what the picture does not show.
        if fits and not self._stands and not ready:  # The first of them shows the picture.
            promise = page.promise(plan)
            old = others and self._waits and page.picture is not None
            page.said.param.update(words=page.words(plan), guarantee=promise, old=old)
        elif ready or not fits:
            page.show(plan)
        one = [fit for fit in fits if fit.name in self._together(plan)]
        return [
            *([sweep_jobs.of_fits(one)] if one else []),
            *(sweep_jobs.of_fit(fit) for fit in fits if fit not in one),
            *(sweep_jobs.of_batch(self._run, batch) for batch in unknown),
        ]

    def _start(self, plan):
        """Begin another curve."""
        grid = [cell[plan.axis] for cell in plan.cells]
        here = [plan.here[plan.axis]]
        log, scale = plan.logarithmic, self._scale(plan)
        self.curve.start(plan.shown, plan.label, grid=grid, also=here, log=log, scale=scale)

    def paint(self, results: list) -> None:
        """Take rows and spots as they arrive, record their privacy cost in the ledger, and update the page."""
        rows = {job: row for found in results if isinstance(found, dict) for job, row in found.items()}
        found = [one for result in results for one in (result if isinstance(result, list) else [result])]
        spots = [one for one in found if isinstance(one, Spot)]
        self._take(spots)
        if rows or any(spot.fit.each for spot in spots):
            self.add(rows, ())
            self._draw()
        self._spend(rows)
        page = self._page
        if spots:
            page.show(self.plan)
        elif not page.said.pale:
            page.retell()

    def _take(self, spots):
        """Keep fits with their results, and record their privacy cost."""
        for spot in spots:
            self.add(spot.rows, [spot])
        self._spend(job for spot in spots for job in spot.fit.runs)

    def _spend(self, jobs):
        self._page.spend(cost for job in jobs if (cost := self.cost(self.plan, job)) is not None)

    def meanwhile(self, plan: SweepPlan, words: str) -> str:
        """What the text says before the first result: of a picture that stays what it said last, otherwise these words."""
        return self._page.said.words if self._stands and self._page.said.words else words

    @property
    def settled(self) -> bool:
        """Whether the results that the main picture shows at once, or all if it shows each, are known."""
        return not self._waits or self._awaited <= self.spots.keys()

    def mark_here(self, label: str) -> None:
        """Move the dotted line to the current settings of the latest plan, and label the axis."""
        self._here.location = self.plan.here[self.plan.axis]
        self.curve.figure.xaxis[0].axis_label = label

    def _draw(self):
        means, axis = self.means, self.plan.axis
        if means is None:
            return
        for method in self.plan.shown:
            points = means[means.scheme == method]
            self.curve.update(method, points[axis], points["mean"], points.low, points.high)
        self._marks(means)

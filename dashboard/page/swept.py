"""Pages around one comparison curve: a sweep along a setting, and fits at the present settings, the spots."""

from __future__ import annotations

import abc
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from core import sweep
from dashboard.page.streamed import StreamedPage
from dashboard.plotting.comparison_curve import Curve, band
from dashboard.plotting.figure import rule
from dashboard.plotting.guess import Answer
from dashboard.state.background_runs import Job
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import label

_SHARED = ("epsilon", "delta", "sites", "samples", "k", "schemes", "colluding", "calibration", "repeats")


def compared(*absent: str) -> tuple[str, ...]:
    """The shared controls of a comparison, but for those that mean nothing in it."""
    return tuple(name for name in (*_SHARED, "data_seed", "noise_seed") if name not in absent)


class SweptPlan:
    """What plans have in common; a frozen dataclass with `settings`, `problem`, `shown`, `cells` and `here`.

    `here` are the settings of the present point, `cells` those of the curve, `shown` the methods to draw.
    """

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods to compute."""
        return self.shown

    @property
    def sweep_key(self):
        """What the curve depends on; settings that differ otherwise share it."""
        cells = tuple(tuple(sorted(cell.items())) for cell in self.cells)
        return self.problem, cells, self.methods, self.settings.repeats, self.settings.noise_seed

    @property
    def jobs(self) -> list[sweep.Job]:
        """Every run of the curve."""
        s = self.settings
        return sweep.jobs(
            self.problem, self.cells, schemes=self.methods, repeats=s.repeats, seed=s.noise_seed
        )

    @property
    def batches(self) -> list[list[sweep.Job]]:
        """Every run of the curve, those that are handed to the worker together."""
        return [[job] for job in self.jobs]

    def spot_job(self, method: str, repeat: int = 0) -> sweep.Job:
        """A run at the present settings."""
        here = tuple(sorted(self.here.items()))
        return sweep.Job(self.problem, here, method, repeat, self.settings.noise_seed)


def by_point(jobs: Sequence[sweep.Job]) -> list[list[sweep.Job]]:
    """Jobs in batches: those of one point and repeat together."""
    together: dict[tuple, list] = {}
    for job in jobs:
        together.setdefault((job.repeat, job.settings), []).append(job)
    return list(together.values())


def summary(rows: pd.DataFrame, axis: str, measure: str, *, factor: float = 1.0) -> pd.DataFrame:
    """Mean and 95 % band of a measure, times `factor`, by method and value of the axis."""
    table = [
        (scheme, x, *(factor * value for value in band(list(group[measure]))), len(group))
        for (scheme, x), group in rows.groupby(["scheme", axis], sort=True)
    ]
    return pd.DataFrame(table, columns=["scheme", axis, "mean", "low", "high", "repeats"])


class SweptPage(StreamedPage):
    """A curve whose rows are kept as long as the plan's `sweep_key` stays; spots are fitted anew.

    A job returns a dict of the sweep's jobs and their rows, or a spot. A subclass builds the curve in `body`
    with `build_curve`, and says in `means` what is drawn of the rows.
    """

    primary = "epsilon"

    def __init__(self, controls):
        super().__init__(controls)
        self._key: Any = None
        self._rows: dict[sweep.Job, Any] = {}
        self._spots: dict = {}

    @abc.abstractmethod
    def means(self) -> pd.DataFrame | None:
        """Columns scheme, the plan's axis, mean, low, high, repeats of all rows so far; None without any."""

    @abc.abstractmethod
    def cost(self, job: sweep.Job) -> Drawn | None:
        """What one run costs, for the ledger; None for one without private noise."""

    def spot_draws(self, found) -> Sequence[sweep.Job]:
        """The runs behind a spot."""
        return (self._plan.spot_job(found.method),)

    def spot_jobs(self, plan) -> list[Job]:
        """Forget the spots of earlier settings, and return the runs of the new ones."""
        self._spots = {}
        return []

    def run_row(self, job: sweep.Job, cancelled: threading.Event) -> dict | None:
        """One run of the curve."""
        return job.run()

    def absent(self, plan) -> list[str]:
        """Controls that mean nothing under this plan."""
        return []

    def build_curve(self, x_label: str, y_label: str, *, height: int = 420, schemes, **options):
        """Build `curve` with a dotted line at the present settings; returns its figure."""
        self.curve = Curve(x_label, y_label, x_log=True, height=height, schemes=schemes, **options)
        self._here = rule(self.curve.figure, "height")
        self.pins = self.curve.pins
        return self.curve.figure

    @property
    def along(self) -> str:
        return getattr(self.model, "axis", "epsilon")

    def answer(self) -> Answer | None:
        """The curve of CAPE, or of another private method that is shown."""
        plan = self._plan
        shown = [] if plan is None else [m for m in plan.shown if m not in ("nonprivate", "random")]
        if not shown:
            return None
        method = "cape" if "cape" in shown else shown[0]
        here, axis = plan.here[plan.axis], self.curve.figure.xaxis[0].axis_label
        known = ((), ()) if self.curve.stale else self.curve.points(method)
        return Answer(f"the curve of {label(method)}", here, f"{axis} = {number_text(here)}", *known)

    def begin(self, plan) -> list[Job]:
        if plan.sweep_key != self._key:
            self._key = plan.sweep_key
            self.restart(plan)
        elif self._rows:
            self.paint_curve()
        spots = self.spot_jobs(plan)
        self.said.param.update(problem="", guarantee=self.promise(plan), absent=self.absent(plan))
        rest = [batch for batch in plan.batches if batch[0] not in self._rows]
        return [*spots, *(partial(_rows, self.run_row, batch) for batch in rest)]

    def restart(self, plan) -> None:
        """The curve is another one: forget its rows."""
        self._rows = {}
        self.curve.start(plan.shown, plan.label)

    def paint(self, results: list) -> None:
        rows = {job: row for found in results if isinstance(found, dict) for job, row in found.items()}
        spots = [found for found in results if not isinstance(found, dict)]
        for found in spots:
            self.take_spot(found)
        if rows:
            self.take_rows(rows)
            self.paint_curve()
        drawn = [*rows, *(job for found in spots for job in self.spot_draws(found))]
        self.spend(cost for cost in map(self.cost, drawn) if cost is not None)
        if spots:
            self.show(self._plan)
        else:
            self.said.words = self.words(self._plan)

    def take_spot(self, found) -> None:
        """Keep a spot."""
        self._spots[found.method] = found

    def take_rows(self, rows: dict) -> None:
        """Keep rows of the curve."""
        self._rows |= rows

    def paint_curve(self) -> None:
        """Draw the means of all rows so far."""
        means, axis = self.means(), self._plan.axis
        for method in self._plan.shown:
            points = means[means.scheme == method]
            self.curve.update(method, points[axis], points["mean"], points.low, points.high)

    def table(self) -> pd.DataFrame:
        means = self.means() if self._rows else None
        return pd.DataFrame({"scheme": [], "mean": []}) if means is None else means

    def let_go(self) -> None:
        super().let_go()
        self._key, self._rows, self._spots = None, {}, {}


def _rows(run, batch, cancelled):
    return {job: run(job, cancelled) for job in batch if not cancelled.is_set()}

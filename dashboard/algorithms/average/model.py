"""What the tab Average computes: a hundred releases under every scheme, and the standard error along one setting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pandas as pd
import param

from core import Privacy, release, sweep
from core.schemes import is_private, planned
from dashboard.page.axes import axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.page.fit import Fit
from dashboard.page.model import Model
from dashboard.page.sweep_plan import SweepPlan
from dashboard.problems.average import Problem, standard_error
from dashboard.state.controls import Settings
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import tables

RELEASES = 100
AXES = axes(
    shared_axis("epsilon", (float(f"{e:.3g}") for e in np.geomspace(1e-2, 10, 13))),
    shared_axis("samples", (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)),
    shared_axis("sites", (2, 3, 5, 8, 12, 20, 30, 50)),
    shared_axis("delta", (10.0**-e for e in range(12, 0, -1))),
)
TITLES = {"alike": "Numbers in [0, 1]", "differ": "Numbers in [0, 1], sites differ"}
_SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ"}


@dataclass(frozen=True)
class Spot:
    """Releases under one scheme.

    Attributes
    ----------
    std : float
        Standard deviation of the noise of the average, by design.
    errors : ndarray of shape (RELEASES,)
        Released minus true average.
    """

    method: str
    std: float
    errors: np.ndarray


@dataclass(frozen=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen; its curve is a formula."""

    settings: Settings
    source: tables.Source
    problem: Problem
    axis: str
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    label: str

    @property
    def common(self) -> bool:
        """The numbers are drawn: a scheme draws the same noise at all settings."""
        return True

    @property
    def batches(self) -> list[list[sweep.Job]]:
        """No runs."""
        return []


class AverageModel(Model):
    """The numbers, and the setting along which the curve runs."""

    axes = AXES

    data = param.Selector(
        default="alike",
        objects={title: name for name, title in TITLES.items()},
        label="Records",
        doc="Made-up numbers between 0 and 1. The means of the sites are equal, or differ by about 0.05: one site alone "
        "then misses the average of all, however little noise it adds.",
    )
    axis = axis_selector(AXES)

    def plan(self) -> Plan:
        """Freeze the present settings."""
        settings, problem = self.controls.snapshot(), Problem()
        here = self._cell(settings, {})
        line = settings_line(here, _SYMBOLS, without=self.axis)
        return Plan(
            settings,
            tables.Source(self.data, TITLES[self.data], 1, tables.MOST_RECORDS, "one number", synthetic=True),
            problem,
            self.axis,
            tuple(m for m in LOOKS if m in settings.schemes),
            cells_along(AXES[self.axis], partial(self._cell, settings)),
            here,
            f"{TITLES[self.data]}: {line}",
        )

    def _cell(self, settings, change):
        values = {name: getattr(settings, name) for name in (*_SYMBOLS, "data_seed")}
        values |= {"data": self.data, "published": settings.calibration == "published"} | change
        return values | settings.run_terms(values["sites"])


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """The standard error under every scheme at every point of the curve."""
    return _curve(plan.axis, plan.shown, tuple(tuple(cell.items()) for cell in plan.cells))


@lru_cache(maxsize=64)
def _curve(axis, schemes, cells):
    found = [
        (scheme, dict(cell)[axis], *(standard_error(scheme, dict(cell)),) * 3)
        for scheme in schemes
        for cell in cells
    ]
    return pd.DataFrame(found, columns=["scheme", axis, "mean", "low", "high"])


def fits(plan: Plan) -> list[Fit]:
    """The releases under every scheme at the present settings."""
    return [Fit(m, partial(_fit, plan.job_here(m)), (plan.job_here(m),)) for m in plan.shown]


def _fit(job, cancelled):
    return spot(job)


def spot(job: sweep.Job) -> Spot:
    """Release the average; noise is independent over the entries of a statistic, so columns are independent releases."""
    here = dict(job.settings)
    values = job.problem.statistics(here)
    found = release(
        np.repeat(values[:, None], RELEASES, axis=1),
        1 / here["samples"],
        Privacy(here["epsilon"], here["delta"]) if is_private(job.scheme) else None,
        scheme=job.scheme,
        rng=job.rng,
        calibration="published" if here["published"] else "exact",
        keep="value",
        **planned(here, here["sites"]),
    )
    return Spot(job.scheme, standard_error(job.scheme, here), found.value - values.mean())

"""What the PCA page computes: a sweep along one setting, and one fit of every method at the present settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import param

from core import Privacy, pca, sweep
from core.schemes import PLAIN, is_private
from dashboard.page.own_table import OwnTableModel
from dashboard.plotting.figure import drawable
from dashboard.plotting.printed_points import printed_choice
from dashboard.problems import pca as problems
from dashboard.problems.setup import axis_for, refuse_given
from dashboard.runs.axes import axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, summary, typical
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import tables

AXES = axes(
    shared_axis("epsilon", (float(f"{e:.3g}") for e in np.geomspace(1e-3, 10, 13))),
    shared_axis("samples", (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)),
    shared_axis("sites", (2, 3, 5, 8, 12, 20, 30, 50)),
    shared_axis("delta", (10.0**-e for e in range(12, 0, -1))),
)
EXAMPLES = "examples"  # The fit that brings images to rebuild.
SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ"}


@dataclass(frozen=True)
class Spot:
    """Repeated fits of one method at the present settings, and their errors against the best subspace.

    `energy` is the mean share of the non-private energy or variance; all else is of the drawn fit, see `typical`.
    `components` has shape (k, d), `values` (k,).
    """

    method: str
    components: np.ndarray
    values: np.ndarray
    energy: float
    rank_error: float


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen: settings, source, the sweep along an axis.

    `shown` are the methods to draw. `methods` are those to compute; they include the non-private answer,
    since energies are shares of its energy.
    """

    @property
    def measure(self) -> str:
        """What the curve counts: captured energy or explained variance."""
        return self.problem.measure

    @property
    def common(self) -> bool:
        """Whether a scheme draws the same noise at all settings: never of a user's own records."""
        return self.source.name != "own"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods to compute."""
        return (PLAIN, *(m for m in self.shown if m != PLAIN))


def spot(jobs: Sequence[sweep.Job], *, own: bool = False) -> Spot:
    """Fit once a job, and compare the results with the best subspace of the same data, a user's own or not."""
    job, settings = jobs[0], dict(jobs[0].settings)
    statistics = sweep.statistics(job.problem, settings)
    k = settings["k"]
    if job.problem.measure == "variance":
        mean = statistics.covariance
    else:
        mean = np.tensordot(statistics.samples / statistics.samples.sum(), statistics.second, axes=1)
    best, values = pca.top_eigenvectors(mean, k)
    if not is_private(job.scheme):
        results = [(best, values)]
    else:
        privacy = Privacy(settings["epsilon"], settings["delta"])
        fits = [job.problem.fit(statistics, job.scheme, privacy, one.rng, settings) for one in jobs]
        results = [(fit.components, fit.values) for fit in fits]
    kept = [job.problem.judged(statistics, components) for components, _ in results]
    components, found = results[typical(kept, own=own)]
    return Spot(
        job.scheme,
        components,
        found,
        float(np.mean(kept)) / job.problem.judged(statistics, best),
        pca.low_rank_error(components, found, mean) / values[0],
    )


class PcaModel(OwnTableModel):
    """The records, and the setting that the curve varies."""

    axes = AXES
    renames: ClassVar = {"k": "Components k"}

    data = param.Selector(
        default="digits",
        objects={source.title: name for name, source in tables.known().items()},
        label="Records",
        doc="The records follow the synthetic distribution of [Fact] Figure 2(a), or are bundled images, or data "
        "sets that the app downloads and keeps.",
    )
    axis = axis_selector(AXES)
    judged = param.Selector(
        default="suited",
        objects={
            "as suits the records": "suited",
            "captured energy": "energy",
            "explained variance": "variance",
        },
        label="Measure",
        doc="Captured energy, tr(V̂ᵀAV̂), counts from a public centre, as in the papers: the mean of the records "
        "belongs to it. Explained variance counts from their mean. That mean is then released with the second"
        " moment. Your own table is judged by variance unless you choose.",
    )
    share = param.Selector(**problems.SHARE)
    dpdispca = param.Boolean(
        False,
        label="DPdisPCA",
        doc="In this earlier method every site sends a partial square root of its noisy second moment.",
    )
    printed = param.Selector(**printed_choice("pca"))

    def suited(self, table: tables.OwnTable) -> dict:
        """Fewer components than columns, and an axis that the table allows."""
        width = table.source.width
        changes = {"k": max(1, width // 2)} if self.controls.k >= width else {}
        return changes | axis_for(table.source, self.axis)

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records: k above their width, fewer records than sites, too many sites for
            records so wide, or a curve along a setting that the table fixes.
        """
        settings = self.controls.snapshot()
        judged = self._measure(settings)
        about: dict = {"measure": judged}
        if judged == "variance":
            about |= {"centre": "mean", "share": self.share}
        about["imbalance"] = settings.imbalance
        setup = problems.setup(settings, data=self.data, table=self.table, **about)
        source, square_roots = setup.source, self.dpdispca and judged != "variance"
        refuse_given(source, self.axis, others="ε or δ")
        return Plan(
            settings=self.with_noise(settings, setup.problem),
            source=source,
            problem=setup.problem,
            axis=self.axis,
            shown=tuple(m for m in LOOKS if m in settings.schemes or (m == "dpdispca" and square_roots)),
            cells=self._cells(setup),
            here=setup.here,
            label=self._label(setup.here, source),
        )

    def _measure(self, settings):
        """What the components are judged by; the papers' settings know only energy."""
        if settings.calibration == "published":
            return "energy"
        if self.judged != "suited":
            return self.judged
        return "energy" if self.table is None else "variance"

    def _cells(self, setup):
        axis, source = AXES[self.axis], setup.source
        if self.axis == "sites":
            values = tuple(n for n in axis.values if n <= source.records and problems.fits(n, source))
            axis = replace(axis, values=values)
        return cells_along(axis, setup.cell)

    def _label(self, here, source):
        line = settings_line(here, SYMBOLS, without=self.axis)
        return f"{drawable(source.title)}: {line}, k = {here['k']}"


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """What is kept, in per cent of the non-private measure, where that is known, by method and axis value."""
    return summary(rows, plan.axis, plan.problem.measure, factor=100.0, relative_to=PLAIN)


def fits(plan: Plan) -> list[Fit]:
    """Fits of every method at the present settings, as many as there are repeats; the slowest method comes last."""
    order = sorted(plan.methods, key=lambda m: (m == "dpdispca", is_private(m)))
    runs = {m: plan.jobs_here(m) for m in order}
    own = plan.source.name == "own"
    found = [Fit(m, partial(_fit, jobs, own), jobs, together=True) for m, jobs in runs.items()]
    if plan.source.image_shape:
        which = plan.source.name, plan.settings.calibration == "published"
        found.insert(0, Fit(EXAMPLES, partial(_examples, *which), same=which, together=True))
    return found


def _fit(jobs, own, cancelled):
    return spot(jobs, own=own)


def _examples(name, published, cancelled):
    return tables.examples(name, published=published)

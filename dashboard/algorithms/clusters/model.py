"""What the tab Clusters computes: a sweep along one setting, and fits of every method at the present settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import param

from core import Privacy, metrics, sweep
from core.decomposition import problem as recovery
from core.schemes import is_private
from dashboard.algorithms.clusters import plane
from dashboard.page.own_table import OwnTableModel
from dashboard.plotting.figure import drawable
from dashboard.plotting.printed_points import printed_choice
from dashboard.problems import components as problems
from dashboard.problems.own_mixture import OwnMixture
from dashboard.problems.setup import axis_for, refuse_given
from dashboard.runs.axes import Axis, axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, by_point, summary
from dashboard.theme.scheme_style import LOOKS
from data.catalogue.tables import OwnTable

AXES = axes(
    shared_axis("epsilon", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)),
    Axis(
        "share",
        "share",
        "Budget share of the second moment",
        (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
        log=False,
        menu="budget share",
    ),
    shared_axis("samples", (200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)),
    shared_axis("sites", (2, 3, 5, 8, 12, 20, 30), log=False),
    shared_axis("delta", (10.0**-e for e in range(10, 0, -1))),
)
SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ", "share": "M₂’s share of the budget"}
WIDTHS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(frozen=True)
class Spot:
    """Repeated fits of one method at the present settings, of which one is drawn, see `typical`.

    Attributes
    ----------
    true, components : ndarray of shape (k, d)
        The true components, and those of the drawn fit in their order.
    values : ndarray of shape (k,)
        Eigenvalues of the released M2; empty for "random".
    each : tuple of dict
        Figures of every fit, see `core.decomposition.problem.figures`.
    finds : ndarray of shape (k,)
        Share of the fits that find each centre; the first belongs to the smallest cluster.
    sorted : Sorted or None
        What becomes of records that are sorted to the components; None for a user's own.
    """

    method: str
    true: np.ndarray
    components: np.ndarray
    values: np.ndarray
    edge: float
    above_noise: int
    each: tuple[dict[str, float], ...]
    finds: np.ndarray
    sorted: plane.Sorted | None = None

    @property
    def figures(self) -> dict[str, float]:
        """Means over all fits."""
        return {name: float(np.mean([one[name] for one in self.each])) for name in self.each[0]}


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen.

    Attributes
    ----------
    own : OwnMixture or None
        What makes a mixture of the user's own table.
    synthetic : bool
        Whether there is none; `own` does not travel to workers.
    variance : float or None
        σ² of the records of a mixture of Gaussians, after their scaling.
    """

    measure: str
    own: OwnMixture | None = None
    synthetic: bool = True
    variance: float | None = None

    @property
    def logarithmic(self) -> bool:
        return AXES[self.axis].log

    @property
    def common(self) -> bool:
        """Whether a scheme draws the same noise at all settings: never of a user's own records."""
        return self.synthetic

    @property
    def published(self) -> bool:
        """Whether all conventions of the papers are chosen."""
        return self.settings.calibration == "published"

    @property
    def batches(self) -> list[list[sweep.Job]]:
        """Every run of the curve, grouped by point and repetition."""
        return by_point(self.jobs)


def spot(plan: Plan, method: str) -> Spot:
    """Fit as many times as the settings ask for, and put the components in the order of the true ones."""
    truth, s = sweep.statistics(plan.problem, plan.here), plan.settings
    privacy = Privacy(s.epsilon, s.delta) if is_private(method) and method != "random" else None
    fits = [plan.problem.fit(truth, method, privacy, job.rng, plan.here) for job in plan.jobs_here(method)]
    matched = [fit.components[metrics.matching(truth.components, fit.components)] for fit in fits]
    each = tuple(recovery.figures(truth, fit) for fit in fits)
    shown = plane.sort(truth, matched, [one["found"] for one in each]) if plan.synthetic else None
    drawn = shown.drawn if shown else 0  # Of a user's own table the first, see `typical`.
    found = fits[drawn]
    return Spot(
        method,
        truth.components,
        matched[drawn],
        np.zeros(0) if found.whitening is None else found.whitening.values,
        found.noise_edge,
        found.above_noise,
        each,
        np.mean([metrics.components_found(truth.components, one) for one in matched], axis=0),
        shown,
    )


class ClustersModel(OwnTableModel):
    """The mixture, the split of its budget, and the setting that the curve varies."""

    axes = AXES
    renames: ClassVar = {"k": "Clusters k"}

    model = param.Selector(
        default="gaussians",
        objects={title: name for name, title in problems.TITLES.items()},
        label="Records",
        doc="The records are points around unknown centres ([Fact] Figure 3) or short documents of one topic each"
        " (Figure 4). As there, the most common component has 10·k times the records of the rarest: 30 times "
        "at k = 3.",
    )
    dimension = param.Selector(
        default=20,
        objects={f"{d} (seconds a fit)" if d >= 2000 else str(d): d for d in WIDTHS},
        label="Dimensions d (coordinates or words)",
        doc="The vocabulary has so many words, or a point so many coordinates. A larger d increases the noise of "
        "the second moment.",
    )
    length = param.Selector(
        default=3,
        objects=[3, 5, 10, 30],
        label="Words a document",
        doc="All ordered triples of a document's words are averaged. More words give a smaller sampling error at "
        "the same noise.",
    )
    share = param.Number(
        default=0.5,
        bounds=(0.02, 0.98),
        step=0.01,
        label="Budget share of the second moment",
        doc="The subspace takes this part of μ². The components within it take the rest.",
    )
    axis = axis_selector(AXES)
    measure = param.Selector(
        default="matched",
        objects={"recovery error": "matched", "q_comp, as published": "error", "weights": "weights"},
        label="Error",
        doc="The error is the distance of components that are matched one to one, the published distance to the "
        "nearest one, or the error of the weights.",
    )
    avn = param.Boolean(
        True,
        label="also AVN (vector noise)",
        doc="AVN is a method for one curator. It adds pure-ε noise of random direction and length to the third "
        "moment.",
    )
    random = param.Boolean(
        True,
        label="also random vectors",
        doc="Random vectors show the error without any knowledge of the records.",
    )
    deviation = param.Number(0.0, **problems.DEVIATION)
    printed = param.Selector(**printed_choice("decomposition"))

    def suited(self, table: OwnTable) -> dict:
        """Fewer centres than columns, and an axis that the table allows."""
        width = table.source.width
        changes = {"k": max(1, width // 2)} if self.controls.k >= width else {}
        return changes | axis_for(table.source, self.axis)

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If k exceeds d, the records would not fit into memory, or the curve varies a setting that a table fixes.
        """
        settings, own = self.controls.snapshot(), self.table
        setup = problems.setup(
            settings,
            model=self.model,
            dimension=self.dimension,
            length=self.length,
            share=self.share,
            deviation=self.deviation,
            table=own,
            boxed=self.boxed,
            imbalance=settings.imbalance,
        )
        refuse_given(setup.source, self.axis, others="ε, δ or the share")
        extra = {"avn": self.avn, "random": self.random}
        return Plan(
            settings=self.with_noise(settings, setup.problem),
            source=setup.source,
            problem=setup.problem,
            axis=self.axis,
            measure=self.measure,
            shown=tuple(m for m in LOOKS if m in settings.schemes or extra.get(m)),
            cells=self._cells(setup, own),
            here=setup.here,
            label=self._label(setup.here, own),
            own=setup.problem.load if own else None,
            synthetic=own is None,
            variance=problems.variance(setup),
        )

    def _cells(self, setup, own):
        axis = AXES[self.axis]
        if own and self.axis == "sites":
            axis = replace(axis, values=tuple(n for n in axis.values if n <= len(own.records)))
        return cells_along(
            axis, setup.cell, fits=lambda cell: problems.numbers(cell) <= problems.MOST_NUMBERS
        )

    def _label(self, here, own):
        kind = "documents" if here["model"] == "topics" else "Gaussians"
        line = settings_line(here, SYMBOLS, without=self.axis)
        return f"{drawable(own.name) if own else kind}: d = {here['dimension']}, k = {here['k']}, {line}"


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """The chosen error, averaged, by method and value of the axis."""
    return summary(rows, plan.axis, plan.measure)


def fits(plan: Plan) -> list[Fit]:
    """Fits of every method at the present settings, as many as there are repeats."""
    lean = replace(plan, own=None)  # Its problem holds the table, and travels once.
    return [Fit(m, partial(_fit, lean, m), plan.jobs_here(m), each=True) for m in plan.shown]


def _fit(plan, method, cancelled):
    return spot(plan, method)

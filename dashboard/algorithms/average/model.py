"""What the tab Average computes: a hundred releases under every scheme, and the standard error along one setting.

Numbers are made up, or a summary of a column of the user's own table.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
import param

from core import Privacy, release, sweep
from core.schemes import is_private, named
from core.schemes.terms import OPTIONS
from core.summaries import Kind
from dashboard.page.own_columns import OwnColumnModel
from dashboard.plotting.figure import drawable
from dashboard.problems import columns
from dashboard.problems.average import (
    DATA_SETTINGS,
    EQUAL,
    Problem,
    Worst,
    depends,
    distance,
    noise_std,
    one_size,
    sizes_of,
    standard_error,
    terms_of,
    weights_of,
    worst,
)
from dashboard.problems.columns import Columns, Released
from dashboard.problems.setup import axis_for, depends_on, refuse_given, sizes
from dashboard.problems.site_sizes import divided, unequal
from dashboard.runs.axes import axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import tables
from data.catalogue.tables import OwnTable

RELEASES = 100
APART = "apart"  # The result that says how far the average of those that send is from that of all.
WORST = "worst"  # The result that says whose silence is the worst for these records.
AXES = axes(
    shared_axis("epsilon", (float(f"{e:.3g}") for e in np.geomspace(1e-2, 10, 13))),
    shared_axis("samples", (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)),
    shared_axis("sites", (2, 3, 5, 8, 12, 20, 30, 50)),
    shared_axis("delta", (10.0**-e for e in range(12, 0, -1))),
)
# CAPE in the order that has noise of every law: the others agree on noise before, which has to be Gaussian.
PURELY = {"cape": "cape-after", "cape-best": "cape-after", "graph": "cape-after"}
TITLES = {"alike": "Numbers in [0, 1]", "differ": "Numbers in [0, 1], sites differ"}
_SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ"}


@dataclass(frozen=True)
class Spot:
    """Releases under one scheme.

    Attributes
    ----------
    std : float
        Standard deviation of the noise of the average, by design.
    errors : ndarray of shape (RELEASES · cells,)
        Released minus true average; of every category or bin. Of alike sites every one works alone in turn.
    """

    method: str
    std: float
    errors: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen; its curve is a formula.

    Attributes
    ----------
    released : Released or None
        The summary of a column of the user's own table.
    unused : tuple of str
        Parameters that choose something of a column, and do not matter here.
    """

    released: Released | None = None
    unused: tuple[str, ...] = ()

    @property
    def common(self) -> bool:
        """Whether a scheme draws the same noise at all settings: never of a user's own records."""
        return self.released is None

    @property
    def measure(self) -> str:
        """What the curve counts."""
        if self.released is None:
            return "error"
        return "unit" if self.released.first.summary.kind == "mean" else "share"

    exact = True
    batches = ()

    def records(self, cell: Mapping[str, Any]) -> Hashable:
        """What the sites' averages depend on at a point."""
        return tuple((name, cell[name]) for name in self.problem.data_settings)


class AverageModel(OwnColumnModel):
    """The numbers or the column, and the setting along which the curve runs."""

    axes = AXES

    data = param.Selector(
        default="alike",
        objects={title: name for name, title in TITLES.items()},
        label="Records",
        doc="The numbers are made up, between 0 and 1. The means of the sites are equal, or differ by about 0.05."
        " One site alone then misses the average of all, however little noise it adds.",
    )
    axis = axis_selector(AXES)
    weights = param.Selector(
        default="records",
        objects={"records": "records", "equal": EQUAL},
        label="Weights of the sites",
        doc="A site counts by its share of all records, or all sites count alike. With equal weights the noise of"
        " the smallest sites counts most, as G(n) says.",
    )
    law = param.Selector(
        default="gaussian",
        objects={"Gaussian: ε and δ": "gaussian", "geometric: ε, δ = 0": "pure"},
        label="Noise",
        doc="Gaussian noise meets (ε, δ). Two-sided geometric noise, in whole numbers, meets ε with δ = 0; sites draw it in "
        "parts that add up to it. CAPE then reveals the sum of its noise after the messages.",
    )
    statistic = param.Selector(
        default="mean",
        objects={"mean": "mean", "proportion": "proportion", "counts by category": "counts"}
        | {"histogram": "histogram"},
        label="To release",
        doc="This statistic of a column of your own table is released.",
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self.param.watch(self._agree, ["statistic", "own_records"])

    def _agree(self, *events):
        self.param.update(**self.suited_column(self.table))

    @property
    def kind(self) -> Kind:
        """What is released of a column of the own table."""
        return self.statistic

    @property
    def released(self) -> Released | None:
        """The summary of a column; None of made-up numbers."""
        return None if self.table is None else super().released

    def suited(self, table: OwnTable) -> dict:
        """The columns of the table, and an axis that it allows."""
        return self.suited_response(table) | axis_for(table.source, self.axis)

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If the chosen column has no such summary, or the table fixes what the curve runs along.
        """
        settings, released, source = self.controls.snapshot(), self.released, self._source()
        if self.law == "pure":  # The papers have no formula of it.
            settings = replace(settings, calibration="exact")
        names = depends_on(DATA_SETTINGS, source, settings.imbalance)
        problem = Problem(names) if released is None else Columns(self.counted, released, names)
        refuse_given(source, self.axis, others="ε or δ")
        cell = partial(self._cell, settings, source, released)
        here = cell({})
        line = settings_line(here, _SYMBOLS, without=self.axis)
        axis = AXES[self.axis]
        if self.axis == "sites":
            axis = replace(axis, values=tuple(n for n in axis.values if n <= source.records))
        return Plan(
            settings=self.with_noise(settings, problem),
            source=source,
            problem=problem,
            axis=self.axis,
            shown=self._shown(settings.schemes),
            cells=cells_along(axis, cell),
            here=here,
            label=f"{drawable(source.title)}: {line}",
            released=released,
            unused=tuple(self.unused_columns()),
        )

    def _shown(self, schemes):
        """The chosen schemes, in the order of legends; those that have no pure form in the form that has."""
        if self.law == "pure":
            schemes = [PURELY.get(m, m) for m in schemes]
        return tuple(m for m in LOOKS if m in schemes)

    def suited_response(self, table: OwnTable) -> dict:
        """Also another statistic, where the table has no column for the chosen one."""
        kinds = [kind for kind in (self.statistic, *columns.FITS) if columns.suited(table, kind)]
        found = super().suited_response(table)
        if not kinds or kinds[0] == self.statistic:
            return found
        return found | {"statistic": kinds[0], "column": columns.suited(table, kinds[0])[0] + 1}

    def _source(self):
        if self.table is not None:
            return self.counted.source
        most = tables.MOST_RECORDS
        return tables.Source(self.data, TITLES[self.data], 1, most, "one number", synthetic=True)

    def _cell(self, settings, source, released, change):
        values = {name: getattr(settings, name) for name in (*_SYMBOLS, "data_seed")}
        values |= {"data": source.name, "published": settings.calibration == "published"} | change
        imbalance = settings.imbalance
        if released is not None:
            values |= sizes(source, values, imbalance=imbalance)
            change = released.l1_change if self.law == "pure" else released.change
            values |= {"change": change, "span": released.first.summary.span}
        else:
            values |= divided(values["samples"], values["sites"], imbalance)
        if self.weights == EQUAL and unequal(values):
            values["weights"] = EQUAL
        terms = settings.run_terms(values["sites"])
        if self.law == "pure":
            terms |= {"pure": True}
        if "dropped" in terms and self.table is not None and self.table.site_names:
            terms |= {"names": self.table.site_names}  # They decide who falls silent of sites of one size.
        return values | terms


def means(found: Mapping[str, Any], plan: Plan) -> pd.DataFrame:
    """The standard error under every scheme at every point of the curve, as far as what it needs of the records is known."""
    apart = found.get(APART, {})
    cells = tuple((tuple(cell.items()), apart.get(plan.records(cell))) for cell in plan.cells)
    return _curve(plan.axis, plan.shown, cells)


@lru_cache(maxsize=64)
def _curve(axis, schemes, cells):
    found = [
        (scheme, dict(cell)[axis], *(error,) * 3)
        for scheme in schemes
        for cell, apart in cells
        if (error := _error(scheme, dict(cell), apart)) is not None
    ]
    return pd.DataFrame(found, columns=["scheme", axis, "mean", "low", "high"])


def errors(plan: Plan, found: Mapping[str, Any]) -> dict[str, float]:
    """The standard error of every scheme at the present settings, as far as it is known."""
    apart = found.get(APART, {}).get(plan.records(plan.here))
    known = {m: _error(m, plan.here, apart) for m in plan.shown}
    return {m: error for m, error in known.items() if error is not None}


def _error(scheme, cell, apart):
    """The standard error; None while the distance that it holds is not known."""
    if not depends(scheme, cell):
        return standard_error(scheme, cell)
    return None if apart is None else standard_error(scheme, cell, dict(apart)[scheme])


def fits(plan: Plan) -> list[Fit]:
    """The releases under every scheme at the present settings, how far those that send are from all, and the worst."""
    found = [Fit(m, partial(_fit, plan.job_here(m)), (plan.job_here(m),), together=True) for m in plan.shown]
    if cells := asked(plan):
        same = plan.problem, cells, plan.shown
        found.append(Fit(APART, partial(distances, *same), same=same, together=True))
    if "dropped" in plan.here:
        here = plan.problem, tuple(plan.here.items()), plan.shown
        found.append(Fit(WORST, partial(worsts, *here), same=here, together=True))
    return found


def asked(plan: Plan) -> tuple:
    """The points at which the average of those that send is not that of all: on what it depends, and who sends."""
    found = {
        plan.records(cell): _terms(cell)
        for cell in (plan.here, *plan.cells)
        if any(depends(m, cell) for m in plan.shown)
    }
    return tuple(found.items())


def _terms(cell):
    """What decides who sends, at a point."""
    return tuple(
        (name, cell[name])
        for name in ("sites", "samples", "sizes", "weights", "names", "dropped", *OPTIONS)
        if name in cell
    )


def distances(
    problem: Problem | Columns, cells: Sequence[tuple[Any, Any]], schemes: Sequence[str], cancelled=None
):
    """How far those that send are from all records, by what the averages depend on, and by scheme; see `distance`."""
    found = {}
    for records, terms in cells:
        averages, cell = problem.statistics(dict(records)), dict(terms)
        found[records] = tuple((m, distance(m, averages, cell)) for m in schemes if depends(m, cell))
    return found


def worsts(
    problem: Problem | Columns, here: tuple, schemes: Sequence[str], cancelled=None
) -> dict[str, Worst]:
    """The worst silence for the records, by scheme."""
    cell = dict(here)
    averages = problem.statistics(cell)
    found = {m: worst(m, averages, cell) for m in schemes}
    return {m: one for m, one in found.items() if one is not None}


def _fit(job, cancelled):
    return spot(job)


def spot(job: sweep.Job) -> Spot:
    """Release the average; noise is independent over the entries of a statistic, so columns are independent releases."""
    here = dict(job.settings)
    values = job.problem.statistics(here)
    samples, weights = sizes_of(here), weights_of(here)
    found = release(
        np.repeat(values.reshape(len(values), -1), RELEASES, axis=1),
        here.get("change", 1.0) / samples,
        Privacy(here["epsilon"], here["delta"]) if is_private(job.scheme) else None,
        scheme=job.scheme,
        rng=job.rng,
        weights=weights,
        calibration="published" if here["published"] else "exact",
        keep="value",
        **terms_of(job.scheme, here),
    )
    errors = found.value - np.repeat(np.ravel(weights @ values), RELEASES)
    if named(job.scheme).one_site and one_size(here):
        # The first one's noise around the average of every site in turn; a site that has a name stays the one alone.
        away = values - weights @ values
        errors = errors + np.resize(away - away[0], (RELEASES, *away.shape[1:])).T.ravel()
    return Spot(job.scheme, noise_std(job.scheme, here), here.get("span", 1.0) * errors)

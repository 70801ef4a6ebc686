"""What the PCA page computes: a sweep along one setting, and one fit of every method at the present ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import param

from core import Privacy, pca, sweep
from core.schemes import PLAIN, is_private
from dashboard.page.own_table import OwnTableModel
from dashboard.page.swept import SweptPlan
from dashboard.plotting.comparison_curve import band
from dashboard.plotting.figure import drawable
from dashboard.state.controls import Settings
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS
from data.catalogue import tables

AXES = {
    "epsilon": ("Privacy ε", tuple(float(f"{e:.3g}") for e in np.geomspace(1e-3, 10, 13))),
    "samples": ("Records a site Nₛ", (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)),
    "sites": ("Sites S", (2, 3, 5, 8, 12, 20, 30, 50)),
    "delta": ("Failure probability δ", tuple(10.0**-e for e in range(12, 0, -1))),
}
PUBLISHED = pca.PUBLISHED
MOST_NUMBERS = 31_000_000  # S d² of second moments: 50 sites of 784 pixels.
DATA_SETTINGS = ("data", "sites", "samples", "data_seed", "published")


def problem(load, published: bool) -> pca.Problem:
    """The sweep's problem: ours, or with all conventions of the papers."""
    return pca.Problem(load, data_settings=DATA_SETTINGS, **(PUBLISHED if published else {}))


@dataclass(frozen=True)
class Spot:
    """One fit of one method at the present settings, and its errors against the best subspace.

    `energy` is a share of the non-private energy; `components` has shape (k, d), `values` (k,).
    """

    method: str
    components: np.ndarray
    values: np.ndarray
    energy: float
    distance: float
    rank_error: float


@dataclass(frozen=True)
class Plan(SweptPlan):
    """What a picture is computed from, frozen: settings, source, the sweep along an axis.

    `shown` are the methods to draw; `methods` those to compute, the non-private answer always among them,
    since energies are shares of its energy.
    """

    settings: Settings
    source: tables.Source
    problem: pca.Problem
    axis: str
    shown: tuple[str, ...]
    cells: tuple[dict, ...]
    here: dict
    label: str

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods to compute."""
        return (PLAIN, *(m for m in self.shown if m != PLAIN))

    @property
    def sweep_key(self):
        """What the curve depends on; settings that differ otherwise share it."""
        fixed = tuple((n, v) for n, v in self.here.items() if n != self.axis)
        if self.axis in ("samples", "sites"):
            fixed = tuple((n, v) for n, v in fixed if n not in ("samples", "sites"))
            fixed += tuple(tuple(sorted(cell.items())) for cell in self.cells)
        return self.problem, fixed, self.methods, self.axis, self.settings.repeats, self.settings.noise_seed


def spot(job: sweep.Job) -> Spot:
    """Fit once and compare with the best subspace of the same data."""
    settings = dict(job.settings)
    statistics = sweep.statistics(job.problem, settings)
    k = settings["k"]
    mean = np.tensordot(statistics.samples / statistics.samples.sum(), statistics.second, axes=1)
    best, values = pca.top_eigenvectors(mean, k)
    if not is_private(job.scheme):
        components, found = best, values
    else:
        privacy = Privacy(settings["epsilon"], settings["delta"])
        result = job.problem.fit(statistics, job.scheme, privacy, job.rng, settings)
        components, found = result.components, result.values
    return Spot(
        job.scheme,
        components,
        found,
        pca.captured_energy(components, statistics.truth) / pca.captured_energy(best, statistics.truth),
        pca.subspace_distance(components, best),
        pca.low_rank_error(components, found, mean) / values[0],
    )


class PcaModel(OwnTableModel):
    """Which records, and along which setting the curve runs."""

    data = param.Selector(
        default="digits",
        objects={source.title: name for name, source in tables.known().items()},
        label="Records",
        doc="The synthetic law of [Fact] Figure 2(a), bundled images, or sets that are fetched and kept.",
    )
    axis = param.Selector(
        default="epsilon",
        objects={"ε": "epsilon", "Nₛ": "samples", "S": "sites", "δ": "delta"},
        label="Curve along",
        doc="The setting that the curve runs along; all others stay as they are set.",
    )
    dpdispca = param.Boolean(
        True,
        label="also DPdisPCA",
        doc="The earlier method: every site sends a partial square root of its noisy second moment.",
    )

    def plan(self) -> Plan:
        """Freeze the present settings.

        Raises
        ------
        ValueError
            If they do not fit the records: k above their width, fewer records than sites, too many sites for
            records so wide, or a curve along what the table itself fixes.
        """
        settings = self.controls.snapshot()
        own = self.table
        source = own.source if own else tables.known()[self.data]
        if source.sizes and self.axis in ("samples", "sites"):
            raise ValueError(
                f"the sites of {source.title} and their records are given; let the curve run along ε or δ"
            )
        if settings.k > source.width:
            raise ValueError(
                f"k must be at most {source.width}, the width of {source.title}, got {settings.k}"
            )
        published = settings.calibration == "published"
        here = self._cell(settings, source, published, {})
        if not _fits(here["sites"], source):
            most = MOST_NUMBERS // source.width**2
            raise ValueError(
                f"sites must be at most {most} for records of {source.width} numbers, got {here['sites']}: "
                f"choose fewer columns or sites"
            )
        cells = {
            tuple(cell.items()): cell
            for value in AXES[self.axis][1]
            if self.axis != "sites" or (value <= source.records and _fits(value, source))
            for cell in [self._cell(settings, source, published, {self.axis: value})]
        }
        shown = tuple(m for m in LOOKS if m in settings.schemes or (m == "dpdispca" and self.dpdispca))
        return Plan(
            settings,
            source,
            problem(own or tables.load, published),
            self.axis,
            shown,
            tuple(cells.values()),
            here,
            self._label(here, source),
        )

    def _cell(self, settings, source, published, change):
        values = {
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "samples": settings.samples,
            "k": settings.k,
            "data": source.name,
            "data_seed": settings.data_seed,
            "published": published,
        } | change
        return values | self.sizes(source, values)

    def _label(self, here, source):
        names = {"epsilon": "ε", "delta": "δ", "sites": "S", "samples": "Nₛ"}
        shown = {n: here[n] for n in names if n != self.axis}
        texts = {n: number_text(v) for n, v in shown.items() if not isinstance(v, tuple)}
        if source.sizes:
            texts["samples"] = f"{number_text(min(source.sizes))} to {number_text(max(source.sizes))}"
        text = ", ".join(f"{names[n]} = {t}" for n, t in texts.items())
        return f"{drawable(source.title)}: {text}, k = {here['k']}"


def _fits(sites, source):
    """Whether so many second moments fit into the memory that one page may take."""
    return sites * source.width**2 <= MOST_NUMBERS


class Energies:
    """Captured energies as they come in, by method and value of the axis; shares of the non-private energy."""

    def __init__(self, axis: str):
        self.axis = axis
        self._found: dict[str, dict[float, list[float]]] = {}

    def add(self, row) -> None:
        """Take one row of a sweep."""
        self._found.setdefault(row["scheme"], {}).setdefault(row[self.axis], []).append(row["energy"])

    def points(self, method: str) -> dict[str, list[float]]:
        """Mean and 95 % band of the mean in per cent, along the axis; where the plain answer is known."""
        found, best = self._found.get(method, {}), self._found.get(PLAIN, {})
        columns = {"x": [], "mean": [], "low": [], "high": [], "repeats": []}
        for x in sorted(found.keys() & best.keys()):
            mean, low, high = (100 * value / best[x][0] for value in band(found[x]))
            for name, value in zip(columns, (x, mean, low, high, len(found[x])), strict=True):
                columns[name].append(value)
        return columns

    def table(self) -> pd.DataFrame:
        """All points of all methods."""
        parts = [pd.DataFrame({"scheme": method, **self.points(method)}) for method in self._found]
        whole = pd.concat(parts) if parts else pd.DataFrame({"scheme": [], **self.points(PLAIN)})
        return whole.rename(columns={"x": self.axis})


def crossing(x, y, level: float) -> float:
    """Where a curve given by points on a log axis last rises through `level`; NaN if it ends below it."""
    x, y = np.log(np.asarray(x, dtype=float)), np.asarray(y, dtype=float)
    below = np.flatnonzero(y < level)
    if len(y) == 0 or y[-1] < level:
        return math.nan
    if len(below) == 0:
        return float(np.exp(x[0]))
    i = below[-1]
    return float(np.exp(x[i] + (level - y[i]) / (y[i + 1] - y[i]) * (x[i + 1] - x[i])))

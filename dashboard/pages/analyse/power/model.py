"""What the page of the power method computes: a sweep along one setting, and the accountings of Algorithm 3."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
import pandas as pd
import param

from core import Privacy, power, sweep
from core.power.problem import CALIBRATION, figures
from dashboard.page.axes import Axis, axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.page.fit import Fit
from dashboard.page.model import Model
from dashboard.page.sweep_plan import SweepPlan, coarse_first, summary, typical
from dashboard.problems.patterns import Search
from dashboard.state.controls import LogInteger, LogNumber, Settings
from data.synthetic.tensors import TensorComponents, tensor_components

ONCE = power.SUMMED  # Schemes whose sites add noise once, to every count.
METHODS = (*ONCE, "alg3_exact", "alg3_published")
AXES = axes(
    # Values of the slider, close where patterns appear: at most of them a mean needs no interpolation.
    shared_axis("epsilon", (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.8, 1, 2, 5, 10)),
    Axis(
        "strength",
        "λ₁",
        "Weight of the first pattern λ₁",
        tuple(map(float, (30, 100, 200, 300, 500, 700, 1000, 2000, 5000, 10_000, 100_000))),
        menu="λ",
    ),
    shared_axis("sites", (2, 3, 5, 8, 12, 20, 30, 50)),
    Axis("d", "d", "Numbers in a pattern d", (10, 20, 30, 50, 80, 120, 200, 300, 500, 1000, 2000, 5000)),
)
SYMBOLS = {"epsilon": "ε", "delta": "δ", "sites": "S", "d": "d", "strength": "λ₁", "components": "k"}
DATA_SETTINGS = ("components", "d", "strength", "share", "data_seed")
# Noise once is on d³ numbers, all of which are read in every step: beyond the first width it is run at the present
# settings only, beyond the second not at all.
WIDE, WIDEST = 128, 320


def load(settings) -> TensorComponents:
    """The components of these data settings."""
    return tensor_components(
        settings["components"],
        dimension=settings["d"],
        strength=settings["strength"],
        share=settings["share"],
        rng=np.random.default_rng(settings["data_seed"]),
    )


@dataclass(frozen=True)
class Spot:
    """Repeated runs of a method at the present settings, of which one is drawn, see `typical`.

    `search` is the drawn one, `true` (k, d) what it was for; `each` has the figures of every run.
    """

    method: str
    search: Search
    true: np.ndarray
    each: tuple[dict[str, float], ...]

    @property
    def found(self) -> float:
        """How many components were found, as a mean over the runs."""
        return float(np.mean([one["found"] for one in self.each]))


@dataclass(frozen=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen."""

    shown: ClassVar[tuple[str, ...]] = METHODS
    settings: Settings
    problem: power.Problem
    axis: str
    cells: tuple[dict, ...]
    here: dict
    label: str

    @property
    def common(self) -> bool:
        """Whether a method draws the same noise at all settings: the records are synthetic."""
        return True

    @property
    def jobs(self) -> list[sweep.Job]:
        """Runs of the curve and at the present settings, the slowest last."""
        s, everything = (
            self.settings,
            {tuple(sorted(c.items())): c for c in (*coarse_first(self.cells), self.here)},
        )
        found = []
        for method in METHODS:
            cells = [c for c in everything.values() if method not in ONCE or self._affordable(c)]
            found += sweep.jobs(self.problem, cells, schemes=[method], repeats=s.repeats, **self.noise)
        # First what the averages at the present settings are of.
        near = {self.here[self.axis], *self.around}
        found = [j for j in found if j.scheme not in ONCE or j.repeat == 0 or dict(j.settings)["d"] <= WIDE]
        return sorted(found, key=lambda j: (_dear(j), dict(j.settings)[self.axis] not in near, j.repeat))

    @property
    def repeats_here(self) -> int:
        """How often every method runs at the present settings: once where noise on every count is slow."""
        return 1 if WIDE < self.here["d"] <= WIDEST else self.settings.repeats

    def _affordable(self, cell):
        return cell["d"] <= WIDE or (cell == self.here and cell["d"] <= WIDEST)


def spot(jobs: Sequence[sweep.Job], cancelled) -> Spot | None:
    """Make all runs of a method at one point, and put each estimate of the typical one beside its true component."""
    job = jobs[0]
    settings = dict(job.settings)
    statistics = sweep.statistics(job.problem, settings)
    privacy, true, runs = Privacy(settings["epsilon"], settings["delta"]), statistics.vectors, []
    for one in jobs:
        if cancelled.is_set():
            return None
        found = job.problem.fit(statistics, job.scheme, privacy, one.rng, sites=settings["sites"])
        runs.append(found)
    each = tuple(figures(true, found.vectors) for found in runs)
    found = runs[typical([one["found"] for one in each])]
    return Spot(job.scheme, Search.of(found, true), true, each)


def fits(plan: Plan) -> list[Fit]:
    """Runs of every method at the present settings; none of noise on a cube that is too large for it."""
    methods = [m for m in METHODS if m not in ONCE or plan.here["d"] <= WIDEST]
    jobs = {m: plan.jobs_here(m)[: plan.repeats_here] for m in methods}
    return [Fit(m, partial(spot, own), own, each=True) for m, own in jobs.items()]


def _dear(job):
    d = dict(job.settings)["d"]
    return job.scheme in ONCE and d > WIDE


class PowerModel(Model):
    """A tensor with known components, and the settings of the power method."""

    axis = axis_selector(AXES)
    d = LogInteger(
        64,
        bounds=(10, 5000),
        label="Numbers in a pattern d",
        doc="The cube has d³ counts; noise each step never forms them. Noise on every count is left out above "
        f"d = {WIDEST}.",
    )
    strength = LogNumber(
        1000.0,
        bounds=(10, 1e6),
        label="Weight of the first pattern λ₁",
        doc="The others fall evenly to 0.6 of it. A count may change by 1, so a larger λ₁ means less relative noise.",
    )
    components = param.Integer(
        3,
        bounds=(1, 8),
        label="Hidden patterns k",
        doc="Noise each step needs L(R + 1) releases for each of them: more patterns, more noise.",
    )
    share = LogNumber(
        1.0,
        bounds=(0.01, 1.0),
        label="Share of coordinates in use",
        doc="Patterns on few coordinates have large numbers (incoherence μ₀ grows), and need more noise in each step.",
    )
    neighbours = param.Selector(
        default="entry",
        objects={"one entry": "entry", "six-term sum": "published"},
        label="Neighbours differ in",
        doc="One symmetrised entry by at most 1, or Definition 4.2 as printed, where a diagonal entry changes by 6. The "
        "printed constants are made for the latter and stay the same; only their ε changes.",
    )
    restarts = param.Integer(
        3,
        bounds=(1, 20),
        label="Random starts L",
        doc="The best start is kept. More starts find better ones, but divide the budget further.",
    )
    iterations = param.Integer(
        6,
        bounds=(1, 20),
        label="Steps from each start R",
        doc="More steps come closer, but divide the budget further.",
    )

    def plan(self) -> Plan:
        """Freeze the present settings."""
        settings = self.controls.snapshot()
        problem = power.Problem(load, DATA_SETTINGS, self.neighbours, self.restarts, self.iterations)
        here = {
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "components": self.components,
            "d": self.d,
            "strength": self.strength,
            "share": self.share,
            "data_seed": settings.data_seed,
        }
        cells = cells_along(AXES[self.axis], lambda change: here | change)
        line = settings_line(here, SYMBOLS, without=self.axis)
        label = f"{line}, L = {self.restarts}, {self.iterations} iterations"
        return Plan(settings, problem, self.axis, cells, here, label)


@dataclass(frozen=True)
class Account:
    """One accounting of the present run: its noise over the noise that the target needs, and the exact ε."""

    calibration: str
    ratio: float
    epsilon: float


def accounts(plan: Plan) -> tuple[Account, ...]:
    """All accountings of Algorithm 3 side by side, for the chosen neighbours."""
    s = plan.settings
    found = {c: _accounting(plan.problem, plan.here, c) for c in power.CALIBRATIONS}
    exact = found["exact"].mu
    return tuple(Account(c, exact / a.mu, a.epsilon(s.delta)) for c, a in found.items())


def _accounting(problem, here, calibration):
    values = here["components"] * problem.restarts
    return power.accounting(
        Privacy(here["epsilon"], here["delta"]),
        values * (problem.iterations + 1),
        neighbours=problem.neighbours,
        calibration=calibration,
        values=values,
    )


def mu_of(problem: power.Problem, job: sweep.Job) -> float:
    """μ of one run of Algorithm 3, all its steps composed."""
    here = dict(job.settings)
    return _accounting(problem, here, CALIBRATION[job.scheme]).mu


@lru_cache(maxsize=32)
def flatness(data: tuple[tuple[str, object], ...], delta: float) -> tuple[float, float]:
    """Incoherence μ0 of the components, and the order of ε that Theorem 4.2 requires."""
    truth = load(dict(data))
    return power.incoherence(truth.vectors), power.recovery_epsilon(truth.values, truth.vectors, delta)


def means(rows: Iterable[dict], plan: Plan) -> pd.DataFrame:
    """Mean cosine with its 95 % band, clipped to [0, 1], and the mean of each component, by method and axis."""
    found = summary(rows, plan.axis, "cosine")
    table = pd.DataFrame(rows)
    each = table.groupby(["scheme", plan.axis])[[n for n in table.columns if n.startswith("cosine_")]].mean()
    return found.assign(low=found.low.clip(lower=0), high=found.high.clip(upper=1)).join(
        each, on=["scheme", plan.axis]
    )


def needed(means: pd.DataFrame | None, plan: Plan) -> dict[str, float]:
    """The ε at which the curve of each method passes the cosine of a component found for the last time; ∞ if never.

    As the line is drawn, straight in log ε. Empty along another axis, or while runs are missing; without noise once on
    cubes for which it is not run.
    """
    if means is None or plan.axis != "epsilon":
        return {}
    least = {}
    for method in [m for m in METHODS if m not in ONCE or plan.here["d"] <= WIDE]:
        points = means[means.scheme == method].sort_values("epsilon")
        whole = set(AXES["epsilon"].values) <= set(points.epsilon)
        if not whole or (points.repeats < plan.settings.repeats).any():
            return {}
        x, y = np.log(points.epsilon.to_numpy()), points["mean"].to_numpy()
        passed = (
            int(np.flatnonzero(y < power.FOUND).max(initial=-1)) + 1
        )  # The first point of those that stay above.
        if passed in (0, len(x)):
            least[method] = math.exp(x[0]) if passed == 0 else math.inf
        else:
            around = slice(passed - 1, passed + 1)
            least[method] = math.exp(np.interp(power.FOUND, y[around], x[around]))
    return least

"""What private tensor components compute: a sweep along one setting, and the accountings of Algorithm 3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np
import pandas as pd
import param

from core import Privacy, power, sweep
from core.power.problem import CALIBRATION, figures
from core.schemes import PRIVATE
from dashboard.page.model import Model
from dashboard.problems.patterns import Search
from dashboard.runs.axes import Axis, axes, axis_selector, cells_along, settings_line, shared_axis
from dashboard.runs.fit import Fit
from dashboard.runs.sweep_plan import SweepPlan, summary, typical
from dashboard.state.controls import LogInteger, LogNumber
from dashboard.state.number_text import count_text
from dashboard.theme.scheme_style import LOOKS, label
from data.check import grouped
from data.synthetic.tensors import TensorComponents, tensor_components

STEPS = ("alg3_exact", "alg3_published")  # Algorithm 3: noise in every step, with two accountings.
AXES = axes(
    # Values of the slider, close where components appear: at most of them a mean needs no interpolation.
    shared_axis("epsilon", (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.8, 1, 2, 5, 10)),
    Axis(
        "strength",
        "λ₁",
        "Largest weight λ₁",
        tuple(map(float, (30, 100, 200, 300, 500, 700, 1000, 2000, 5000, 10_000, 100_000))),
        menu="λ",
    ),
    shared_axis("sites", (2, 3, 5, 8, 12, 20, 30, 50)),
    Axis("d", "d", "Width d", (10, 20, 30, 50, 80, 120, 200, 300, 500, 1000, 2000, 5000)),
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

    def mean(self, figure: str) -> float:
        """The mean of a figure over the runs: "found", or "cosine"."""
        return float(np.mean([one[figure] for one in self.each]))


@dataclass(frozen=True)
class Cube:
    """What is searched, as the headline names it."""

    title: str


@dataclass(frozen=True, kw_only=True)
class Plan(SweepPlan):
    """Settings of one picture, frozen."""

    measure = "cosine"

    @property
    def common(self) -> bool:
        """Whether a method draws the same noise at all settings: the records are synthetic."""
        return True

    @cached_property
    def jobs(self) -> list[sweep.Job]:
        """Runs of the curve, without noise on cubes that are too large for it."""
        return [j for j in super().jobs if j.scheme not in PRIVATE or dict(j.settings)["d"] <= WIDE]

    @property
    def releases(self) -> int:
        """How many noisy results the search with noise in each step has."""
        return self.here["components"] * self.problem.restarts * (self.problem.iterations + 1)

    def fits(self, method: str) -> bool:
        """Whether a method can be run at the present settings."""
        return method not in PRIVATE or self.here["d"] <= WIDEST

    def jobs_here(self, method: str) -> tuple[sweep.Job, ...]:
        """The repeats at the present settings: one where noise on every count is slow."""
        return super().jobs_here(method)[: 1 if WIDE < self.here["d"] <= WIDEST else None]


def spot(jobs: Sequence[sweep.Job], cancelled) -> Spot | None:
    """Make all runs of a method at one point, and put each estimate of the typical one beside its true component."""
    job = jobs[0]
    settings = dict(job.settings)
    statistics = sweep.statistics(job.problem, settings)
    privacy, true, runs = Privacy(settings["epsilon"], settings["delta"]), statistics.vectors, []
    for one in jobs:
        if cancelled.is_set():
            return None
        runs.append(job.problem.fit(statistics, job.scheme, privacy, one.rng, sites=settings["sites"]))
    each = tuple(figures(true, found.vectors) for found in runs)
    found = runs[typical([one["found"] for one in each])]
    return Spot(job.scheme, Search.of(found, true), true, each)


def fits(plan: Plan) -> list[Fit]:
    """Runs of every method at the present settings; none of noise on a cube that is too large for it."""
    jobs = {m: plan.jobs_here(m) for m in plan.methods if plan.fits(m)}
    # Noise once on a wide cube takes longer than noise each step.
    together = plan.here["d"] <= WIDE
    return [Fit(m, partial(spot, own), own, each=True, together=together) for m, own in jobs.items()]


class PowerModel(Model):
    """A tensor with known components, and the settings of the power method."""

    axes = AXES
    protects = "one count – not one person's records –"

    axis = axis_selector(AXES)
    methods = param.ListSelector(
        default=list(STEPS),
        objects={label(name): name for name in STEPS},
        label="Methods of a curator",
        doc="In [Power] Algorithm 3 one trusted curator adds noise to the result of every step.",
    )
    d = LogInteger(
        64,
        bounds=(10, 5000),
        label="Width d",
        doc="A component has so many numbers. The tensor has d³ counts; noise in each step never forms them. Noise on "
        f"every count is left out above d = {WIDEST}.",
    )
    strength = LogNumber(
        1000.0,
        bounds=(10, 1e6),
        label="Largest weight λ₁",
        doc="The largest component has this weight; the others fall evenly to 0.6 of it. A count may change by 1,"
        " so a larger λ₁ means less relative noise.",
    )
    components = param.Integer(
        3,
        bounds=(1, 8),
        label="Components k",
        doc="Noise in each step needs L(R + 1) releases for each component. So more components need more noise.",
    )
    share = LogNumber(
        1.0,
        bounds=(0.01, 1.0),
        label="Share of coordinates in use",
        doc="Components use this share of the coordinates. On few coordinates they have large numbers (the "
        "incoherence μ₀ grows) and need more noise in each step.",
    )
    neighbours = param.Selector(
        default="entry",
        objects={"one entry": "entry", "six-term sum": "published"},
        label="Neighbours differ in",
        doc="Neighbours differ in one symmetrised entry by at most 1, or as Definition 4.2 is printed: a diagonal"
        " entry changes by 6. The printed constants are made for the latter. They stay the same; only their ε"
        " changes.",
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
        """Freeze the present settings; what applies to other algorithms alone has its plain value."""
        settings = replace(self.controls.snapshot(), calibration="exact", adversary="message", colluding=0)
        problem = power.Problem(load, DATA_SETTINGS, self.neighbours, self.restarts, self.iterations)
        here = {n: getattr(settings, n) for n in ("epsilon", "delta", "sites", "data_seed")}
        here |= {n: getattr(self, n) for n in ("components", "d", "strength", "share")}
        cells = cells_along(AXES[self.axis], lambda change: here | change)
        line = settings_line(here, SYMBOLS, without=self.axis)
        words = f"{line}, L = {self.restarts}, {self.iterations} iterations"
        shown = tuple(m for m in LOOKS if m in settings.schemes or m in self.methods)
        return Plan(
            settings=settings,
            source=Cube(f"{count_text(here['components'], 'component')} in {grouped(here['d'])}³ counts"),
            problem=problem,
            axis=self.axis,
            shown=shown,
            cells=cells,
            here=here,
            label=words,
        )


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
    """Mean cosine with its 95 % band, clipped to [0, 1], by method and axis."""
    found = summary(rows, plan.axis, "cosine")
    return found.assign(low=found.low.clip(lower=0), high=found.high.clip(upper=1))

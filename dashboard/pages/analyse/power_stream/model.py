"""What the page of the online power method computes: both forms of Algorithm 2 on one stream."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import param

from core import power
from dashboard.page.model import Model
from dashboard.state.controls import LogInteger, LogNumber, Settings
from dashboard.state.kept import KEPT
from dashboard.state.number_text import number_text
from data.synthetic.tensors import TensorComponents, skewed_stream, tensor_components

BATCH = 1_000_000  # Numbers in a batch; memory holds one batch and the state.
LOST = math.sqrt(2 - 2 * 0.9)  # Distance from which a component counts as lost: where |cos| = 0.9.


@dataclass(frozen=True)
class Plan:
    """Settings of one run, frozen."""

    settings: Settings
    d: int
    components: int
    scale: float
    per_step: int
    restarts: int
    iterations: int
    spread: float

    @property
    def truth(self) -> TensorComponents:
        """The components behind the stream."""
        rng = np.random.default_rng(self.settings.data_seed)
        return tensor_components(self.components, dimension=self.d, strength=self.scale, rng=rng)

    @property
    def batch(self) -> int:
        """Number of records in a batch, at most those of one step."""
        return max(1, min(self.per_step, BATCH // self.d))

    @property
    def label(self) -> str:
        """The settings as text."""
        return (
            f"d = {self.d}, k = {self.components}, λ₁ = {number_text(self.scale)}, n = {number_text(self.per_step)} "
            f"a step, L = {self.restarts}, R = {self.iterations}"
        )


@dataclass(frozen=True)
class Point:
    """State of a run after a power step.

    `component` is the one sought in that step, `error` the distance of its leading vector from the nearest
    true component that is not found yet, and that search may be `finished` with it. Bytes are `held` by the
    state and one batch, and `read` so far.
    """

    deflation: str
    component: int
    seen: int
    error: float
    finished: bool
    held: int
    read: int


@dataclass
class Race:
    """Both forms of Algorithm 2 on one stream, step by step; step 0 starts again."""

    plan: Plan
    _runs: dict = field(default_factory=dict)

    def step(self, deflation: str, index: int, cancelled) -> Point | None:
        """Read on until the next power step is complete."""
        if index == 0:
            self._runs[deflation] = self._begin(deflation)
        state, stream, truth, taken = self._runs[deflation]
        component = state.found
        done = 0
        while not done and not cancelled.is_set():
            done = state.add(next(stream))
        finished = state.found > component
        vector = state.pairs.vectors[-1] if finished else state.leader
        gaps = np.minimum(
            np.linalg.norm(truth.vectors - vector, axis=1), np.linalg.norm(truth.vectors + vector, axis=1)
        )
        gaps[sorted(taken)] = np.inf
        nearest, error = int(gaps.argmin()), float(gaps.min())
        if finished:
            taken.add(nearest)
        held = state.nbytes + 8 * self.plan.batch * self.plan.d
        return Point(deflation, component, state.seen, error, finished, held, 8 * state.seen * self.plan.d)

    def _begin(self, deflation):
        plan, seeds = self.plan, self.plan.settings
        truth = plan.truth
        state = power.OnlinePower(
            plan.components,
            samples=plan.per_step,
            restarts=plan.restarts,
            iterations=plan.iterations,
            deflation=deflation,
            rng=np.random.default_rng([seeds.noise_seed, 1]),
        )
        rng = np.random.default_rng([seeds.data_seed, seeds.noise_seed])
        return state, skewed_stream(truth, batch=plan.batch, spread=plan.spread, rng=rng), truth, set()


def step(plan: Plan, name: str, deflation: str, index: int, cancelled) -> Point | None:
    """Step `index` of the run that this worker keeps under a name; what it has not kept it runs again."""
    race, done = KEPT.take((name, deflation)) or (Race(plan), 0)
    for i in range(done, index):
        race.step(deflation, i, cancelled)
    point = race.step(deflation, index, cancelled)
    if not cancelled.is_set():
        KEPT.put((name, deflation), (race, index + 1), bytes=point.held)
    return point


class StreamModel(Model):
    """The stream, and the settings of Algorithm 2."""

    per_step = LogInteger(
        1000,
        bounds=(50, 100_000),
        label="Records a step n",
        doc="Number of records that one power step averages. A larger n gives a smaller error and needs more records.",
    )
    d = LogInteger(
        50,
        bounds=(10, 20_000),
        label="Numbers in a direction d",
        doc="Memory grows with d; that of a stored tensor would grow with d³.",
    )
    components = param.Integer(
        3,
        bounds=(1, 6),
        label="Hidden directions k",
        doc="They are found one after the other.",
    )
    scale = LogNumber(
        10.0,
        bounds=(0.1, 100.0),
        label="Weight of the first direction λ₁",
        doc="The others fall evenly to 0.6 of it. Deflation as printed works only near 1, by coincidence.",
    )
    spread = LogNumber(
        0.05,
        bounds=(0.01, 2.0),
        label="Noise of a record",
        doc="Standard deviation of symmetric noise on each coordinate; third moments average it out.",
    )
    restarts = param.Integer(
        10, bounds=(1, 30), label="Random starts L", doc="Number of vectors that iterate in parallel."
    )
    iterations = param.Integer(
        10, bounds=(2, 30), label="Steps for each direction R", doc="Each step reads new records."
    )

    def plan(self) -> Plan:
        """Freeze the present settings."""
        own = {name: getattr(self, name) for name in self.own()}
        return Plan(self.controls.snapshot(), **own)

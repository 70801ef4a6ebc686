"""What the page of the online power method computes: both forms of Algorithm 2 on one stream."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, ClassVar
from uuid import uuid4

import numpy as np
import param

from core import power
from core.sweep.workers import Call
from dashboard.page.model import Model
from dashboard.runs.kept import KEPT
from dashboard.state.controls import LogInteger, LogNumber, Settings
from data.synthetic.tensors import TensorComponents, skewed_stream, tensor_components

BATCH = 1_000_000  # Numbers in a batch; memory holds one batch and the state.
DRAWN = 5000  # Wider components are not kept for pictures.
AGAIN = 10  # Runs, the one that is drawn among them, that say how often a search finds all patterns.
MOST = 186  # Batches that the largest settings take.
FEW = 4_000_000  # Numbers of a stream that is read so often.
FORMS = ("corrected", "published")
LOST = math.sqrt(2 - 2 * power.FOUND)  # Distance from which a component counts as lost.


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
    read: int

    @property
    def stream(self) -> Plan:
        """The plan of the whole stream: what of it was read so far is no part of it."""
        return replace(self, read=MOST)

    @property
    def whole(self) -> int:
        """Number of batches of the whole stream."""
        return self.components * (self.iterations + 1)

    @property
    def often(self) -> Hashable:
        """The key of how often each form finds all."""
        return "often", self.stream

    @property
    def counted(self) -> bool:
        """Whether the stream is short enough to be read so often."""
        return self.whole * self.per_step * self.d <= FEW

    @property
    def batches(self) -> int:
        """Number of batches read so far."""
        return min(self.read, self.whole)

    @property
    def truth(self) -> TensorComponents:
        """The components behind the stream."""
        rng = np.random.default_rng(self.settings.data_seed)
        return tensor_components(self.components, dimension=self.d, strength=self.scale, rng=rng)

    @property
    def batch(self) -> int:
        """Number of records in a batch, at most those of one step."""
        return max(1, min(self.per_step, BATCH // self.d))


@dataclass(frozen=True)
class Batch:
    """The key of a batch of a stream."""

    stream: Plan
    index: int


@dataclass(frozen=True)
class Point:
    """State of a run after a power step.

    `component` is the one sought in that step, `error` the distance of its leading vector from the nearest
    true component that is not found yet, and that search may be `finished` with it. Bytes are `held` by the
    state and one batch, and `read` so far. `nearest` is the place of that component, `vector` (d,) the leading
    vector, and `record` (d,) the last record read; both None where d is above `DRAWN`.
    """

    deflation: str
    component: int
    seen: int
    error: float
    finished: bool
    held: int
    read: int
    nearest: int = 0
    vector: np.ndarray | None = None
    record: np.ndarray | None = None


@dataclass
class Race:
    """Both forms of Algorithm 2 on one stream, step by step; step 0 starts again."""

    plan: Plan
    _runs: dict = field(default_factory=dict)

    def step(self, index: int, cancelled) -> list[Point]:
        """Let each form read on until its next power step is complete; as printed it needs one fewer a component."""
        forms = {"corrected": self.plan.iterations + 1, "published": self.plan.iterations}
        return [
            self._step(f, index, cancelled)
            for f, steps in forms.items()
            if index < self.plan.components * steps
        ]

    def _step(self, deflation, index, cancelled):
        if index == 0:
            self._runs[deflation] = self._begin(deflation)
        state, stream, truth, taken = self._runs[deflation]
        component = state.found
        done = 0
        while not done and not cancelled.is_set():
            batch = next(stream)
            done = state.add(batch)
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
        read = 8 * state.seen * self.plan.d
        kept = [v.astype(np.float32) if self.plan.d <= DRAWN else None for v in (vector, batch[-1])]
        return Point(deflation, component, state.seen, error, finished, held, read, nearest, *kept)

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


def step(plan: Plan, name: str, index: int, cancelled) -> list[Point] | None:
    """Batch `index` of the run that this worker keeps under a name; what it has not kept it runs again."""
    race, done = KEPT.take(name) or (Race(plan), 0)
    for i in range(done, index):
        race.step(i, cancelled)
    points = race.step(index, cancelled)
    if cancelled.is_set():
        return None
    KEPT.put(name, (race, index + 1), bytes=sum(p.held for p in points))
    return points


def whole(plan: Plan) -> list[Point]:
    """All batches of the stream, one after the other."""
    race, never = Race(plan), Event()
    return [point for index in range(plan.whole) for point in race.step(index, never)]


def finds_all(plan: Plan, cancelled) -> dict[str, int] | None:
    """In how many of `AGAIN` runs, with other records and starts, each form finds all patterns."""
    counts = dict.fromkeys(FORMS, 0)
    for more in range(AGAIN):
        if cancelled.is_set():
            return None
        settings = replace(plan.settings, noise_seed=plan.settings.noise_seed + more)
        points = whole(replace(plan, settings=settings))
        for form in counts:
            ends = [p.error for p in points if p.deflation == form and p.finished]
            counts[form] += sum(error < LOST for error in ends) == plan.components
    return counts


def awaited(plan: Plan) -> list[Batch]:
    """The batches read so far."""
    stream = plan.stream
    return [Batch(stream, index) for index in range(plan.batches)]


def calls(plan: Plan) -> list[Call]:
    """All batches of the stream, whatever of it was read; then, of a short one, how often all patterns are found."""
    stream, name = plan.stream, uuid4().hex
    steps = [Call(step, (stream, name, i), key=Batch(stream, i), chain=name) for i in range(plan.whole)]
    return [*steps, *([Call(finds_all, (stream,), key=plan.often)] if plan.counted else [])]


def points_of(
    plan: Plan, results: Mapping[Hashable, Any], *, form: str | None = None, read: bool = False
) -> list[Point]:
    """The points that are known, in their order: of one form, or of both; of all batches, or of those `read` so far."""
    stream, count = plan.stream, plan.batches if read else plan.whole
    steps = (results.get(Batch(stream, index), ()) for index in range(count))
    return [point for one in steps for point in one if form in (None, point.deflation)]


class StreamModel(Model):
    """The stream, and the settings of Algorithm 2."""

    run_settings: ClassVar = {
        "unit": "step",
        "units": "steps",
    }  # All batches are counted, not those up to the slider.

    read = param.Integer(
        MOST,
        bounds=(0, MOST),
        label="Batches read",
        doc="The records of the stream come in batches, and each is read once. The pictures show what is found so"
        " far.",
    )
    d = LogInteger(
        64,
        bounds=(10, 20_000),
        label="Numbers in a pattern d",
        doc="A pattern has so many numbers. Memory grows with d; that of a stored tensor would grow with d³.",
    )
    per_step = LogInteger(
        500,
        bounds=(50, 100_000),
        label="Records in a batch n",
        doc="One step averages the records of a batch. A larger n gives a smaller error and needs more records.",
    )
    components = param.Integer(
        3,
        bounds=(1, 6),
        label="Hidden patterns k",
        doc="The method finds the patterns one after the other.",
    )
    scale = LogNumber(
        10.0,
        bounds=(0.1, 100.0),
        label="Weight of the first pattern λ₁",
        doc="The first pattern has this weight; the others fall evenly to 0.6 of it. Deflation as printed works "
        "only near 1, by coincidence.",
    )
    spread = LogNumber(
        0.7,
        bounds=(0.01, 2.0),
        label="Noise of a record",
        doc="Each coordinate has symmetric noise of this standard deviation. Third moments average it out.",
    )
    restarts = param.Integer(
        2, bounds=(1, 30), label="Random starts L", doc="So many vectors iterate in parallel."
    )
    iterations = param.Integer(
        10,
        bounds=(2, 30),
        label="Steps for each pattern R",
        doc="A pattern takes so many steps. Each step reads a new batch.",
    )

    def plan(self) -> Plan:
        """Freeze the present settings."""
        own = {name: getattr(self, name) for name in self.own()}
        return Plan(self.controls.snapshot(), **own)

"""What the page of disturbed power iterations computes: runs on disturbed tensors, and their thresholds."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import param

from core import power, tensors
from core.sweep.workers import Call
from dashboard.page.model import Model
from dashboard.problems.patterns import Search, found
from dashboard.runs.sweep_plan import typical
from dashboard.state.controls import LogInteger, LogNumber, Settings
from dashboard.state.number_text import number_text
from data.synthetic.tensors import TensorComponents, tensor_components

SIZES = tuple(float(f"{s:.3g}") for s in np.geomspace(0.05, 3.0, 11))
WIDTHS = (10, 20, 40, 80, 160, 320, 640)
PICTURED: tuple[power.Kind, ...] = (
    "round",
    "quiet",
)  # As privacy adds it, and what hides more at equal strength.
AVERAGED, NARROW = (
    10,
    64,
)  # Runs that the pictures are means of, at most, and the width up to which they are several.
DENSE = 160  # Gaussian disturbances hold d³ numbers; wider ones are not drawn.


@dataclass(frozen=True)
class Trial:
    """One run of Algorithm 1 on a disturbed tensor."""

    kind: str
    d: int
    size: float
    repeat: int


@dataclass(frozen=True)
class Plan:
    """Settings of one picture, frozen."""

    settings: Settings
    axis: str
    d: int
    size: float
    components: int
    restarts: int
    iterations: int

    @property
    def trials(self) -> list[Trial]:
        """Every run; all first repetitions come before the second ones."""
        along = self.axis == "d"
        points = [(d, self.size) for d in WIDTHS] if along else [(self.d, size) for size in SIZES]
        return [
            Trial(kind, d, size, repeat)
            for repeat in range(self.settings.repeats)
            for d, size in points
            for kind in power.KINDS
            if d <= DENSE or kind in ("adversarial", "quiet")
        ]

    def key(self, trial: Trial) -> Hashable:
        """Everything on which a run depends."""
        seeds = self.settings.data_seed, self.settings.noise_seed
        return trial, self.components, self.restarts, self.iterations, *seeds

    @property
    def pictured(self) -> Plan:
        """The plan of the pictures, whose runs of each kind are few enough to follow the slider."""
        repeats = min(self.settings.repeats, AVERAGED) if self.d <= NARROW else 1
        return replace(self, axis="size", settings=replace(self.settings, repeats=repeats))

    def truth(self, d: int) -> TensorComponents:
        """The hidden directions, of eigenvalue 1; the same at every size."""
        rng = np.random.default_rng(self.settings.data_seed)
        return tensor_components(self.components, dimension=d, strength=1.0, least=1.0, rng=rng)

    def rng(self, kind: power.Kind, repeat: int) -> np.random.Generator:
        """For the disturbance and the starts of a run: the same disturbance, scaled, at every size."""
        return np.random.default_rng([self.settings.noise_seed, power.KINDS.index(kind), repeat])

    def run(self, trial: Trial) -> bool:
        """Whether all components, of eigenvalue 1, are found."""
        truth = self.truth(trial.d)
        cosines = power.recovered(
            power.ComponentTensor(truth.values, truth.vectors),
            trial.kind,
            trial.size,
            rng=self.rng(trial.kind, trial.repeat),
            restarts=self.restarts,
            iterations=self.iterations,
        )
        return bool(cosines.min() > power.FOUND)


@dataclass(frozen=True, eq=False)
class Spot:
    """Runs of a kind at the present size.

    The `search` of the typical one, which is drawn, and its |cos| with the nearest fake for each pattern, `fake`, (k,),
    0 without fakes; how many patterns were `found`, as a mean over the runs; the share of runs that found `all` of them.
    """

    search: Search
    fake: np.ndarray
    found: float
    all: float


def spots(plan: Plan, cancelled) -> dict[str, Spot] | None:
    """Run every pictured kind as `Plan.run` does, and keep what is found; None if it was cancelled."""
    kinds = {kind: spot for kind in PICTURED if (spot := _spot(plan, kind, cancelled))}
    return kinds if len(kinds) == len(PICTURED) else None


def _spot(plan, kind, cancelled):
    runs = []
    for repeat in range(plan.settings.repeats):
        if cancelled.is_set():
            return None
        runs.append(_searched(plan, kind, repeat))
    counts = [found(search.cosines) for search, _ in runs]
    search, fake = runs[typical(counts)]
    whole = np.equal(counts, plan.components)
    return Spot(search, fake, float(np.mean(counts)), float(np.mean(whole)))


def _searched(plan, kind, repeat):
    """One run, and the |cos| of what it found with the nearest fake."""
    truth, rng = plan.truth(plan.d), plan.rng(kind, repeat)
    tensor = power.ComponentTensor(truth.values, truth.vectors)
    noise = power.disturbance(kind, tensor.vectors, plan.size, rng=rng)
    noisy = power.Sum((tensor, noise))
    pairs = tensors.robust(
        noisy, plan.components, restarts=plan.restarts, iterations=plan.iterations, rng=rng
    )
    search = Search.of(pairs, truth.vectors)
    fakes = noise.vectors if kind == "quiet" else np.zeros((1, plan.d))
    return search, power.alignment(search.vectors, fakes)


def tried(plan: Plan, trial: Trial, cancelled) -> bool:
    """Whether a trial succeeded."""
    return plan.run(trial)


def calls(plan: Plan) -> list[Call]:
    """The runs of the pictures, then those of the curve."""
    first = Call(spots, (plan.pictured,), key=plan.pictured)
    return [first, *(Call(tried, (plan, trial), key=plan.key(trial)) for trial in plan.trials)]


def successes(plan: Plan, results: Mapping[Hashable, Any]) -> dict[tuple[str, int, float], list[bool]]:
    """Which runs succeeded, by kind, width and size, as far as they are known."""
    found: dict[tuple[str, int, float], list[bool]] = {}
    for trial in plan.trials:
        if (key := plan.key(trial)) in results:
            found.setdefault((trial.kind, trial.d, trial.size), []).append(results[key])
    return dict(sorted(found.items()))


class NoiseModel(Model):
    """A tensor of equal eigenvalues, its disturbance, and the settings of the power method."""

    size = LogNumber(
        0.9,
        bounds=(0.05, 3.0),
        label="Noise (pattern = 1)",
        doc="At 1, the noise adds at most as much along any direction as a pattern weighs. The number is ‖E‖ / λ:"
        " its operator norm over the weight of each hidden pattern.",
    )
    d = LogInteger(
        40,
        bounds=(16, 100),
        label="Numbers in a pattern d",
        doc="A random start has (v·u)² near 1/d. So on wider tensors less noise suffices to fail.",
    )
    axis = param.Selector(
        default="size",
        objects={"‖E‖": "size", "d": "d"},
        label="Curve along",
        doc="The curve goes along the size of the noise at the width d, or along the width at one size.",
    )
    components = param.Integer(
        3,
        bounds=(1, 6),
        label="Hidden patterns k",
        doc="All patterns have the eigenvalue 1, and all must be found.",
    )
    restarts = param.Integer(
        4,
        bounds=(1, 20),
        label="Random starts L",
        doc="The method tries so many random starts and keeps the best.",
    )
    iterations = param.Integer(
        12, bounds=(2, 40), label="Steps from each start R", doc="Each start takes so many power steps."
    )

    def plan(self) -> Plan:
        """Freeze the present settings."""
        own = {name: getattr(self, name) for name in self.own()}
        return Plan(self.controls.snapshot(), **own)


def share(found: list[bool]) -> tuple[float, float, float]:
    """Share of successes and its 95 % interval (Wilson's, which never leaves [0, 1])."""
    n, p, z = len(found), sum(found) / len(found), 1.96
    middle, half = (p + z**2 / (2 * n)) / (1 + z**2 / n), z / (1 + z**2 / n)
    half *= math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return p, max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def threshold(rates) -> float:
    """Size up to which half of the runs succeed: the area under the rates, in steps of log size.

    −inf and inf where the rates never rise above, or never fall below, one half.
    """
    if max(rates) < 0.5 or min(rates) > 0.5:
        return math.inf if min(rates) > 0.5 else -math.inf
    step = math.log(SIZES[-1] / SIZES[0]) / (len(SIZES) - 1)
    return SIZES[0] * math.exp((sum(rates) - 0.5) * step)


def thresholds(found: Mapping[tuple[str, int, float], list[bool]]) -> dict[str, float]:
    """The threshold of every kind whose runs along all sizes have begun."""
    complete = {}
    for kind in power.KINDS:
        rates = [np.mean(successes) for (k, *_), successes in sorted(found.items()) if k == kind]
        if len(rates) == len(SIZES):
            complete[kind] = threshold(rates)
    return complete


def threshold_text(value: float | None) -> str:
    """Text of a threshold; None means that it is not known yet."""
    if value is None:
        return "…"
    if math.isinf(value):
        return f"more than {number_text(SIZES[-1])}" if value > 0 else f"less than {number_text(SIZES[0])}"
    return number_text(value, digits=2)

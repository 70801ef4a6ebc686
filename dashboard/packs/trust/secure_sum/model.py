"""What the page Secure sum computes: one run of the protocol, with sites that drop out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import param

from core.secure_sum import AGGREGATOR, ROUNDS, SecureSum, SecureSumFailed, secure_sum
from dashboard.page.model import Model
from dashboard.state.controls import LogInteger

CLIP = 4.0
MAJORITY = 1  # A threshold that nobody has chosen: more than half of the sites.
STEPS = {"1 keys": 1, "2 shares": 2, "3 inputs": 3, "4 unmask": 4}


@dataclass(frozen=True)
class Plan:
    """Settings of one run."""

    sites: int
    entries: int
    threshold: int
    lost: int
    round: str
    seed: int
    step: int

    @property
    def values(self) -> np.ndarray:
        """Contributions to zero-sum noise, standard normal, shape (S, d)."""
        return np.random.default_rng([self.seed, 0]).standard_normal((self.sites, self.entries))

    @property
    def whole(self) -> Plan:
        """The plan with all rounds shown: what a run depends on."""
        return replace(self, step=len(ROUNDS))

    @property
    def reach(self) -> float:
        """Largest value or sum, whichever of the last sites drop out: bars of equal values stay equally long."""
        values = self.values[:, 0]
        return float(max(np.abs(values).max(), np.abs(values.cumsum()).max(), 1e-9))

    @property
    def silent(self) -> dict[str, list[int]]:
        """The sites that drop out: the last ones."""
        return {self.round: list(range(self.sites - self.lost, self.sites))} if self.lost else {}


@dataclass(frozen=True)
class Done:
    """A plan, as `Plan.whole`, and its run."""

    plan: Plan
    run: SecureSum

    @cached_property
    def inputs(self) -> dict[int, int]:
        """First entry of the masked input of each site that sent one."""
        return _inputs(self.run.aggregator_view)

    @property
    def partners(self) -> tuple[int, ...]:
        """Sites that agreed on masks with each other: whoever has sent shares, also if its input never came."""
        return _partners(self.run.aggregator_view)

    @property
    def safe(self) -> int:
        """Fewer colluding sites than this learn no more than the sum of the others."""
        # Whoever knows all inputs but one subtracts them from the sum.
        return min(self.plan.threshold, len(self.run.included) - 1)


@dataclass(frozen=True)
class Stopped:
    """A run that too few sites answered: why it stopped, and what had arrived until then."""

    plan: Plan
    why: str
    inputs: dict[int, int]  # First entry of the masked input of each site that sent one.
    partners: tuple[int, ...]


class SecureSumModel(Model):
    """Length of a value, the sites that drop out, the round they miss, and the threshold."""

    step = param.Selector(
        default=4,
        objects=STEPS,
        label="Show up to",
        doc="The page shows the rounds of the protocol up to this one.",
    )
    entries = LogInteger(
        1,
        bounds=(1, 10_000),
        label="Numbers in each value d",
        doc="A scalar has 1 number, a vector d, a matrix d². Only the masked input grows with d.",
    )
    lost = param.Integer(
        0,
        bounds=(0, 20),
        label="Sites that drop out",
        doc="So many sites stop answering. The sum over the others is recovered if at least t sites remain.",
    )
    round = param.Selector(
        default="input",
        objects={name: name for name in ROUNDS},
        label="First round they miss",
        doc="The sites that drop out send nothing from this round on.",
    )
    threshold = param.Integer(
        MAJORITY,
        bounds=(MAJORITY, 50),
        label="Sites that must answer, t",
        doc="So many sites must answer in the last round: more than half, until you choose. Fewer than t "
        "colluding sites learn only the sum.",
    )

    def __init__(self, controls, **values):
        super().__init__(controls, **values)
        self._half = MAJORITY  # The threshold that follows the sites.
        for source, name in ((controls, "sites"), (self, "threshold")):
            source.param.watch(self.follow, name)

    def attached(self) -> None:
        self.follow()

    def follow(self, *events) -> None:
        """Let more than half of the sites answer, unless a user or a link has chosen how many."""
        followed, self._half = self._half, self.controls.sites // 2 + 1
        if self.threshold in (MAJORITY, followed):
            self.threshold = self._half

    def plan(self) -> Plan:
        """The plan of these settings; sliders end where there are no more sites."""
        sites = self.controls.sites
        most = limits(sites)
        threshold, lost = min(self.threshold, most["threshold"]), min(self.lost, most["lost"])
        return Plan(sites, self.entries, threshold, lost, self.round, self.controls.noise_seed, self.step)


def limits(sites: int) -> dict[str, int]:
    """The largest values that the number of sites allows: one site remains."""
    return {"threshold": sites, "lost": sites - 1}


def run_protocol(plan: Plan, cancelled) -> Done | Stopped:
    """One run in the worker: done, or what had arrived when the protocol stopped."""
    try:
        run = secure_sum(
            plan.values,
            clip=CLIP,
            threshold=plan.threshold,
            silent=plan.silent,
            rng=np.random.default_rng([plan.seed, 1]),
        )
    except SecureSumFailed as failed:
        arrived = [m for m in failed.messages if m.receiver is AGGREGATOR]
        return Stopped(plan, str(failed), _inputs(arrived), _partners(arrived))
    return Done(plan, run)


def _inputs(arrived):
    return {m.sender: int(m.content[m.sender][0]) for m in arrived if m.round == "input"}


def _partners(arrived):
    return tuple(m.sender for m in arrived if m.round == "shares")

"""What the page Secure sum computes: one run of the protocol, with sites that fall silent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import param

from core.secure_sum import ROUNDS, SecureSum, SecureSumFailed, secure_sum
from dashboard.page.model import Model
from dashboard.pages.trust.secure_sum.figures import STEPS
from dashboard.state.controls import LogInteger

CLIP = 4.0


@dataclass(frozen=True)
class Plan:
    """What one run is asked to do."""

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
    def silent(self) -> dict[str, list[int]]:
        """The last sites fall silent."""
        return {self.round: list(range(self.sites - self.lost, self.sites))} if self.lost else {}


@dataclass(frozen=True)
class SecureSumPicture:
    """A plan and its run; arrays of shape (S,), NaN where a site sent nothing."""

    plan: Plan
    run: SecureSum
    values: np.ndarray  # First entry of each site's value.
    received: np.ndarray  # First entry of each input as it arrived, as a share of 2⁶⁴.

    @property
    def bytes_sent(self) -> list[int]:
        """Bytes that each site sent and received."""
        return [self.run.traffic(s)[1] for s in range(self.plan.sites)]


class SecureSumModel(Model):
    """Size of the sum, and who falls silent when."""

    step = param.Selector(default=4, objects=STEPS, label="Show up to", doc="The protocol, round by round.")
    entries = LogInteger(
        100,
        bounds=(1, 10_000),
        label="Numbers in each value d",
        doc="1 for a scalar, d for a vector, d² for a matrix. More: a longer input, nothing else.",
    )
    lost = param.Integer(
        2,
        bounds=(0, 20),
        label="Sites that fall silent",
        doc="How many of the sites stop answering. The sum over the others is recovered while enough are left.",
    )
    round = param.Selector(
        default="input",
        objects={name: name for name in ROUNDS},
        label="They miss the round",
        doc="From which round on the lost sites send nothing.",
    )
    threshold = param.Integer(
        7,
        bounds=(2, 50),
        label="Threshold t",
        doc="How many sites must answer in the end. Fewer than t colluding sites learn nothing but the sum.",
    )

    def plan(self) -> Plan:
        """What the settings ask for; ValueError in words where that is nothing sensible."""
        sites = self.controls.sites
        if self.threshold > sites:
            raise ValueError(f"The threshold t = {self.threshold} is above the number of sites, {sites}.")
        if self.lost >= sites:
            raise ValueError(f"All {sites} sites fall silent: at least one must be left.")
        return Plan(
            sites, self.entries, self.threshold, self.lost, self.round, self.controls.noise_seed, self.step
        )


def run_protocol(plan, cancelled):
    """One run in the worker: a picture, or the words of a failure that the protocol foresees."""
    values = plan.values
    try:
        run = secure_sum(
            values,
            clip=CLIP,
            threshold=plan.threshold,
            silent=plan.silent,
            rng=np.random.default_rng([plan.seed, 1]),
        )
    except SecureSumFailed as failed:
        return str(failed)
    received = np.full(plan.sites, np.nan)
    for message in run.aggregator_view:
        if message.round == "input":
            received[message.sender] = float(message.content[message.sender][0]) / 2.0**64
    return SecureSumPicture(plan, run, values[:, 0], received)

"""What `core` says of one round of a class: how loud the noise is, how wide the averages are, who learns what.

All values are in the unit of the question ("hours"). A phone holds one number, so its statistic is that number and
its sensitivity the distance of the public bounds.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from core import Privacy, audit, cape
from core.privacy import attack_risk, gaussian_std
from core.schemes import average_std

Form = Literal["masks", "generator"]
FORMS: tuple[Form, ...] = get_args(Form)
STEPS = 1 << 20  # Steps of the public grid in τ: messages are whole numbers of steps.
FARTHEST = (
    6  # Standard deviations within which noise must be: an honest draw is farther off twice in 10⁹ times.
)
AUDIT_RUNS = 20_000
AUDIT_NUMBERS = 1_000_000  # Numbers that an audit draws at once, on each of the two data sets: 8 MB.


@dataclass(frozen=True)
class Round:
    """The noise of one round, fixed when it begins.

    Parameters
    ----------
    phones : int
        S ≥ 2, how many take part.
    low, high : float
        Public bounds of every number.
    privacy : Privacy
        The target for one message alone.
    form : {"masks", "generator"}
        Whether masks hide each phone's ê from the laptop, or the laptop sees it.
    """

    phones: int
    low: float
    high: float
    privacy: Privacy
    form: Form

    @property
    def change(self) -> float:
        """Δ, by how much one number can change."""
        return self.high - self.low

    @cached_property
    def std(self) -> float:
        """τ, the standard deviation of the noise of one message."""
        return gaussian_std(self.change, self.privacy)

    @cached_property
    def design(self) -> cape.NoiseDesign:
        """CAPE's noise design of S equal sites."""
        return cape.design(np.full(self.phones, self.std))

    @property
    def step(self) -> float:
        """Width of the public grid on which ê, T and messages are."""
        return self.std / STEPS

    @property
    def seed_std(self) -> float:
        """Standard deviation of ê."""
        return float(self.design.seed_std[0])

    @property
    def local_std(self) -> float:
        """Standard deviation of g."""
        return float(self.design.local_std[0])

    def average_std(self, silent: int = 0) -> float:
        """Standard deviation of CAPE's average if so many phones send nothing after the noise was agreed."""
        return self.design.average_std(range(silent))

    def result_std(self, silent: int = 0) -> float:
        """Standard deviation of the average that a round ends with.

        A laptop that knows every e_s takes those that came off again if some did not, and adds what Δ over so many
        phones needs for the target: τ ÷ their number. Behind masks the zero-sum noise of silent phones stays.
        """
        if self.form == "generator" and silent:
            return self.std / (self.phones - silent)
        return self.average_std(silent)

    def added_std(self, silent: int) -> float:
        """Standard deviation of the noise that such a laptop adds to the average of numbers and g."""
        return math.sqrt(max(self.result_std(silent) ** 2 - self.local_std**2 / (self.phones - silent), 0.0))

    def conventional_std(self, silent: int = 0) -> float:
        """The same for independent noise of the same size in every message."""
        return average_std("conventional", np.full(self.phones, self.std), dropped=range(silent))

    def equal_std(self, known: Iterable[int] = ()) -> float:
        """Standard deviation of the average of all messages with independent noise that has CAPE's μ for the laptop.

        `average_std` and `conventional_std` compare at the same μ of one message; this is the other comparison.
        """
        return self.change / self.mu_laptop(known) / math.sqrt(self.phones)

    def uncancelled_std(self, silent: int) -> float:
        """Standard deviation of the zero-sum noise in the sum of the messages that came; 0 when all came."""
        came = self.phones - silent
        if not came:
            return 0.0
        part = self.average_std(silent) ** 2 - self.local_std**2 / came
        return came * math.sqrt(max(part, 0.0)) if silent else 0.0

    def largest_total(self) -> float:
        """Largest |T| in steps of the grid: T has standard deviation √S times that of ê."""
        return FARTHEST * math.sqrt(self.phones) * self.seed_std / self.step

    def message_bounds(self, zero_sum: int | None = None) -> tuple[float, float]:
        """Least and largest message in steps above `low`; an honest one is outside twice in 10⁹ times.

        Parameters
        ----------
        zero_sum : int, optional
            e_s in steps if the laptop knows it: what is left is a number and g. Otherwise e_s + g has standard deviation
            τ.
        """
        noise, middle = (self.std, 0) if zero_sum is None else (self.local_std, zero_sum)
        spread = FARTHEST * noise / self.step + 1  # One step for rounding.
        return middle - spread, middle + self.change / self.step + spread

    def reach(self) -> float:
        """How far one phone that lies can move the average of all messages from where its number alone would put it.

        Its message less its own e_s counts. If the laptop knows e_s, that is within Δ and the largest g. Behind masks a
        message is within Δ and the largest e_s + g, and e_s is what T allows: e_s = T(1 − 1/S) − Σ ê of the others, each
        at most 6τ√S.
        """
        masked = FARTHEST * self.std * (1 + 2 * math.sqrt(self.phones))
        noise = masked if self.form == "masks" else FARTHEST * self.local_std
        return (self.change + noise + 2 * self.step) / self.phones  # Two steps for rounding.

    def silent_reach(self) -> float:
        """How far one phone that sends a false ê and then no message can move the average of the others.

        Not at all where the laptop knows e_s and takes it off. Behind masks their zero-sum noise adds up to −e_s.
        """
        if self.form == "generator":
            return 0.0
        return 2 * FARTHEST * self.std * math.sqrt(self.phones) / (self.phones - 1)

    def total_far(self, total: int) -> float:
        """How many of its standard deviations the sum T lies from 0; `total` in steps of the grid."""
        return FARTHEST * abs(total) / self.largest_total()

    def outside(self, average: float, std: float) -> float:
        """By how many standard deviations of its noise an average lies outside the bounds of all numbers; 0 inside."""
        return max(self.low - average, average - self.high, 0.0) / std

    def mu_message(self) -> float:
        """μ of one message for somebody who sees nothing else."""
        return self.change / self.std

    def mu_laptop(self, known: Iterable[int] = (), silent: Iterable[int] = ()) -> float:
        """Largest μ of a phone that keeps its ê, for the laptop: it sees all messages, T, and the ê of `known`.

        In the form "generator" it sees every ê: as if all other phones colluded, μ² = SΔ²/τ².
        """
        known = set(known)
        if self.form == "generator" or self.phones - len(known) <= 1:
            return self.mu_alone()
        return math.sqrt(
            float(np.nanmax(self.design.leakage(self.change, known, dropped=set(silent) - known)))
        )

    def mu_alone(self) -> float:
        """μ of a phone whose ê the laptop knows: its own noise g alone protects it, μ² = SΔ²/τ²."""
        return math.sqrt(float(self.design.leakage(self.change, self.phones - 1)[0]))


def chance(mu: float) -> int:
    """How many times in a hundred the best test is right that tells two numbers apart; 50 is a coin.

    Rounded up: it is a statement about risk.
    """
    return min(100, math.ceil(100 * (1 + float(attack_risk.advantage(mu))) / 2 - 1e-9))


def conventional_average(average: float, std: float, conventional_std: float) -> float:
    """An average with independent noise, drawn from CAPE's.

    Both are the true average plus Gaussian noise, and the conventional noise is the larger one. So the missing noise
    is added: the result has exactly the conventional distribution, and costs no privacy, since it is computed from
    what is public. A second message of every phone would cost as much as the first.
    """
    more = math.sqrt(max(conventional_std**2 - std**2, 0.0))
    return average + secrets.SystemRandom().gauss(0.0, 1.0) * more


@dataclass(frozen=True)
class Checked:
    """What a check of the stated μ found.

    Attributes
    ----------
    stated, exact : float
        μ by the formula, and by inverting the covariance of everything that the laptop knows.
    shown : float
        Lower bound on μ that an audit proves, at 99.9 % confidence.
    runs : int
        How many rounds the audit simulated.
    """

    stated: float
    exact: float
    shown: float
    runs: int


def checked(plan: Round, known: Iterable[int], silent: Iterable[int] = ()) -> Checked | None:
    """Check the μ of a quiet phone in two ways; None if the laptop knows all ê but one, or every one.

    Takes up to a third of a second: call it in a thread.
    """
    known, silent = set(known), set(silent) - set(known)
    quiet = [s for s in range(plan.phones) if s not in known]
    sent = [place for place, s in enumerate(quiet) if s not in silent]
    if plan.form == "generator" or len(quiet) < 2 or not sent:
        return None
    rows = [*sent, *range(len(quiet), plan.phones)]
    runs = min(AUDIT_RUNS, AUDIT_NUMBERS // plan.phones)
    covariance = audit.view_covariance(plan.design, known)[np.ix_(rows, rows)]
    change = np.zeros(len(rows))
    change[0] = plan.change
    stated = plan.mu_laptop(known, silent)
    score = audit.likelihood_ratio(change, covariance)

    def mechanism(shift, count, rng):
        zero_sum, local = plan.design.sample((count,), rng=rng)
        messages = zero_sum + local
        messages[quiet[sent[0]]] += shift
        return audit.adversary_view(messages, zero_sum, known)[rows].T

    # The operating system's entropy: nobody can choose rounds that pass.
    rng = np.random.default_rng()
    options = {"promise": stated, "score": score, "gaussian": True}
    found = audit.audit(mechanism, 0.0, plan.change, runs=runs, rng=rng, **options)
    exact = math.sqrt(float(change @ np.linalg.pinv(covariance, hermitian=True) @ change))
    return Checked(stated, exact, found.mu, runs)

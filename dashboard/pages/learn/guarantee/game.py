"""The game of one guess: runs with or without Ada's record, and the guesses of the visitor and of the best observer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from core import audit, cape
from core.privacy import attack_risk

HUNDRED = 100  # Runs that are drawn at once.
_STREAM, _OF_VISITOR, _OF_OBSERVER = 7, 0, 1
_MOST = 50  # Hundreds that the best observer plays.
_TURNS = 400  # Rounds that a browser's message tells apart.


@dataclass(frozen=True)
class Setting:
    """What a game is played with; each other one is a new game."""

    noise: float
    sites: int
    colluding: int
    seed: int

    @property
    def mu(self) -> float:
        """The distance of both distributions of what is seen, in standard deviations."""
        return math.sqrt(cape.leakage(self.sites, self.colluding)) / self.noise


@dataclass(frozen=True)
class Rounds:
    """Runs of the protocol: whether Ada's record was `used`, and what was `seen`, both of shape (n,)."""

    used: np.ndarray
    seen: np.ndarray


def best_percent(mu: float) -> float:
    """In how many per cent of runs the best observer is right if a coin decides: 50 (1 + advantage), rounded up."""
    exact = 50 * (1 + float(attack_risk.advantage(mu)))
    digits = 1 if exact >= 50.1 else min(6, 1 - math.floor(math.log10(max(exact - 50, 1e-9))))
    return min(100.0, math.ceil(exact * 10**digits - 1e-9) / 10**digits)


@lru_cache(maxsize=32)
def rounds(setting: Setting, who: int, block: int) -> Rounds:
    """Run the protocol: a coin decides whether the first site has Ada's record, which moves its statistic by Δ = 1.

    What is seen is the best statistic of the view of the aggregator and the last sites, which collude: it has variance
    one, and mean 0 without the record and μ with it. All other records are known.
    """
    rng = np.random.default_rng([setting.seed, _STREAM, who, block])
    used = rng.integers(2, size=HUNDRED).astype(bool)
    plan = cape.design(np.full(setting.sites, setting.noise))
    zero_sum, local = plan.sample((HUNDRED,), rng=rng)
    messages = zero_sum + local
    messages[0] += used
    known = range(setting.sites - setting.colluding, setting.sites)
    change = np.zeros(setting.sites)
    change[0] = 1.0
    score = audit.likelihood_ratio(change, audit.view_covariance(plan, known))
    view = audit.adversary_view(messages, zero_sum, known).T
    return Rounds(used, score(view) / setting.mu)


@dataclass
class Game:
    """One game.

    Attributes
    ----------
    setting : Setting
    guesses : list of bool
        The visitor's, of the runs so far.
    hundreds : int
        How often the best observer guessed a hundred further runs.
    watched : bool
        Whether the best observer guessed last.
    again : bool
        Whether guesses of the visitor were left behind with other settings, and none has come since.
    noises : int
        How often the noise became new; unlike the seed, anybody may know it.
    """

    setting: Setting
    guesses: list[bool] = field(default_factory=list)
    hundreds: int = 0
    watched: bool = False
    again: bool = False
    noises: int = 0

    def follow(self, setting: Setting) -> None:
        """Take other settings: the visitor begins again. The best observer guesses as many runs of them at once."""
        if setting != self.setting:
            same = setting.seed == self.setting.seed
            self.hundreds, self.noises = (
                (min(self.hundreds, 1), self.noises) if same else (0, self.noises + 1)
            )
            self.again = self.again or bool(self.guesses)
            self.setting, self.guesses, self.watched = setting, [], self.hundreds > 0

    def guess(self, number: int) -> None:
        """Take a visitor's guess, `ticket` for one without the record and one more for one with it."""
        if number // 2 == self.ticket // 2:  # One for an earlier run came too late.
            self.guesses.append(bool(number % 2))
            self.watched, self.again = False, False

    @property
    def ticket(self) -> int:
        """Names the present run in messages of a browser."""
        return 2 * (len(self.guesses) % _TURNS)

    def watch(self) -> None:
        """Let the best observer guess a hundred runs."""
        self.hundreds, self.watched = min(self.hundreds + 1, _MOST), True

    def run(self, number: int) -> tuple[bool, float]:
        """Whether Ada's record was used in the visitor's run of this number, from 0, and what was seen."""
        block = rounds(self.setting, _OF_VISITOR, number // HUNDRED)
        return bool(block.used[number % HUNDRED]), float(block.seen[number % HUNDRED])

    @property
    def score(self) -> int:
        """How many guesses of the visitor were right."""
        return sum(guess == self.run(number)[0] for number, guess in enumerate(self.guesses))

    def hundred(self, block: int) -> Rounds:
        """A hundred runs that the best observer guesses, from 0."""
        return rounds(self.setting, _OF_OBSERVER, block)

    @property
    def best_score(self) -> int:
        """How many guesses of the best observer were right."""
        blocks = (self.hundred(block) for block in range(self.hundreds))
        return sum(int(np.sum((one.seen > self.setting.mu / 2) == one.used)) for one in blocks)

"""A trusted party beside the aggregator: it draws zero-sum noise for the sites, or adds up what they draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.parties.messages.letter import AGGREGATOR, TRUSTED
from core.parties.messages.refusals import Malformed, TooFewSites
from core.parties.party import FROM_AGGREGATOR, Party
from core.parties.plan import Plan
from core.schemes.messages import average


class TrustedParty(Party):
    """The trusted party of a plan with zero_sum="generator" or "broadcast".

    It must not tell the aggregator more than its messages. As a generator it draws all zero-sum noise, and gives each
    site its own. As an adder it learns what the sites contribute, and passes on the sum alone.

    Parameters
    ----------
    plan : Plan
    rng : numpy.random.Generator or Source, optional
        Source of the noise that it draws as a generator.
    """

    kind = TRUSTED

    def __init__(self, plan: Plan, *, rng: Any = None, random: Callable[[int], bytes] | None = None):
        super().__init__(plan, TRUSTED, rng, random)
        if not plan.needs_trusted:
            raise ValueError(f"plan must need a trusted party, got one whose form is {plan.form!r}")
        self._held |= {"phase": "collecting", "arrived": {}}

    @property
    def waits_for(self) -> tuple[int, ...]:
        """Sites that have not sent what it adds up; empty before the first has."""
        if self.phase != "collecting" or "roster" not in self._held:
            return ()
        awaited = self._held.get("named", self._held["roster"])
        return tuple(s for s in awaited if s not in self._held["arrived"])

    def close(self) -> tuple[bytes, ...]:
        """End the round without the sites that have not answered, and return the messages that follow.

        Raises
        ------
        TooFewSites
            If too few have answered: fewer than must take part, or, where messages are added up, fewer than a secure
            sum of them would need, since the sum has the noise of those alone.
        """
        if self.phase != "collecting" or self.plan.form == "generator":
            return ()
        if self.plan.parts().after is not None:
            raise TooFewSites(
                "the aggregator must name those whose messages came, and all of them must have sent noise"
            )
        arrived, sum_only = self._held["arrived"], self.plan.parts().sum_only
        least = self._threshold() if sum_only and arrived else max(2, self.plan.least)
        if len(arrived) < least:
            raise TooFewSites(f"at least {least} sites must answer, got {len(arrived)}")
        return self._whole(self._sum)

    @classmethod
    def _again(cls, plan, own, random):
        return cls(plan, random=random)

    def _awaits(self):
        found = {"message" if self.plan.parts().sum_only else "seed": self.plan.numbers}
        if self.plan.parts().after is not None and "roster" in self._held and "named" not in self._held:
            found["included"] = FROM_AGGREGATOR
        return found

    def _admit(self, letter):
        # Sites that agree again begin a new attempt.
        if self.phase == "closed" and letter.attempt == self.attempt + 1:
            kept = {name: self._held[name] for name in ("seen", "outbox")}
            self._held = {"phase": "collecting", "attempt": letter.attempt, "arrived": {}} | kept
        super()._admit(letter)

    def _handle(self, letter):
        if letter.round == "included":
            return self._on_included(letter)
        roster = self._named(letter, self.plan.numbers)
        if letter.sender not in roster or list(roster) != self._held.setdefault("roster", list(roster)):
            raise Malformed(f"sites must be those that the other sites named, in round {letter.round!r}")
        shape, parts = self.plan.statistic.shape, self._parts()
        if self.plan.form == "generator":
            if "noise" not in self._held:
                seeds = np.stack([self._source.draw(t) for t in parts.contributions.seed_std])
                self._held["noise"] = parts.contributions.cancel(seeds)
            own = np.asarray(self._held["noise"][roster.index(letter.sender)])
            return [self._letter("zero-sum", letter.sender, {"noise": own})]
        whole = parts.grid is not None
        value = letter.array("message" if parts.sum_only else "seed", shape, "i" if whole else "f")
        self._held["arrived"] = {**self._held["arrived"], letter.sender: value}
        if self.plan.parts().after is not None and "named" not in self._held:
            return []
        return [] if self.waits_for else self._sum()

    def _on_included(self, letter):
        """Once a run: over those whose messages came, of whom there must be enough."""
        named = self._named(letter, self._held["roster"])
        if len(named) < self._threshold():
            raise Malformed(
                f"sites must be at least {self._threshold()} in round 'included', got {len(named)}"
            )
        self._held["named"] = list(named)
        return [] if self.waits_for else self._sum()

    def _sum(self):
        """T = Σ w_s ê_s, or the average of the messages, of the sites that answered."""
        here = self._held.get("named", sorted(self._held["arrived"]))
        arrays = [self._held["arrived"][s] for s in here]
        absent, parts = self._absent(), self._parts()
        self._held["phase"] = "closed"
        if parts.after is not None:
            weights = np.ones(len(here)) if parts.grid is not None else parts.weights[self._places(here)]
            total = sum(w * a for w, a in zip(weights.astype(arrays[0].dtype), arrays, strict=True))
            return [self._letter("total", AGGREGATOR, {"sites": here, "total": np.asarray(total)})]
        if not parts.sum_only:
            there = self._places(here)
            total = np.tensordot(parts.contributions.weights[there], np.stack(arrays), axes=1)
            return [self._letter("total", AGGREGATOR, {"sites": here, "total": np.asarray(total)})]
        if parts.grid is not None:
            total = sum(arrays)
        else:
            dropped = tuple(s for s in self._held["roster"] if s not in here)
            request = self.plan.repeated(absent, dropped).request
            total = average(arrays, request.sites.only(~request.lost).weights)
        return [self._letter("sum", AGGREGATOR, {"sites": here, "sum": np.asarray(total)})]

    def _parts(self):
        try:
            return self.plan.parts(self._absent())
        except ValueError as error:  # So few sites that no noise meets the plan.
            raise Malformed(f"sites must be able to meet the plan: {error}") from None

    def _places(self, here):
        return [self._held["roster"].index(s) for s in here]

"""What all parties have in common: a message is checked, then handled completely or not at all; a state is kept."""

from __future__ import annotations

import abc
import os
from collections.abc import Callable, Collection
from typing import Any, ClassVar

import numpy as np

from core import check
from core.discrete import OperatingSystem
from core.parties.messages import codec
from core.parties.messages.letter import AGGREGATOR, Address, Letter, called, read
from core.parties.messages.refusals import ForeignPlan, Malformed, OutOfOrder, Replayed, WrongParty
from core.parties.plan import Plan
from core.parties.source import Source


class Party(abc.ABC):
    """A state machine that takes and gives bytes.

    `_held` is the whole state besides statistic and noise. Its values are replaced and never changed, so that a shallow
    copy of it restores what was before.
    """

    kind: ClassVar[str]

    def __init__(self, plan: Plan, address: Address, rng: Any, random: Callable[[int], bytes] | None):
        if not isinstance(plan, Plan):
            raise ValueError(f"plan must be a Plan, got {check.shown(plan)}")
        if plan.correlated and plan.months.month is None:
            raise ValueError(
                "plan must be that of a month where a series correlates months: see Plan.of_month"
            )
        if random is not None and not callable(random):
            raise ValueError(f"random must be a function, got {check.shown(random)}")
        self.plan, self.address = plan, address
        self._source = rng if isinstance(rng, Source) else Source(plan, rng)
        self._random = os.urandom if random is None else random
        self._held: dict[str, Any] = {"phase": "new", "attempt": 1, "seen": {}, "outbox": []}

    @property
    def phase(self) -> str:
        """The name of what the party waits for, "new" or "done"."""
        return self._held["phase"]

    @property
    def attempt(self) -> int:
        """1, or more if sites had to agree again because one fell silent."""
        return self._held["attempt"]

    @property
    def outbox(self) -> tuple[bytes, ...]:
        """What the party sent last; it may be sent again, if it was lost on the way."""
        return tuple(self._held["outbox"])

    def receive(self, data: bytes) -> tuple[bytes, ...]:
        """Take a message and return the messages that answer it.

        Raises
        ------
        Refused
            One of the errors of `core.parties.messages.refusals`, or ValueError for a statistic that cannot be released. The
            party is as it was before.
        """
        letter = read(data)

        def step():
            self._admit(letter)
            return self._handle(letter)

        return self._whole(step, (letter.sender, letter.round, letter.attempt))

    def heard(self, letter: Letter) -> bool:
        """Whether it has taken a letter of this sender, round and attempt."""
        return _key(letter.sender, letter.round, letter.attempt) in self._held["seen"]

    def state(self) -> bytes:
        """The whole state, from which `restore` makes the party again. It contains secrets: keep it at the party."""
        about = {"state": self.kind, "plan": self.plan.id}
        own = self._own() | {"held": self._held, "source": self._source.state()}
        return codec.encode(about, own)

    @classmethod
    def restore(
        cls,
        plan: Plan,
        state: bytes,
        *,
        rng: OperatingSystem | None = None,
        random: Callable[[int], bytes] | None = None,
    ):
        """The party whose `state` this is.

        Parameters
        ----------
        plan : Plan
        state : bytes
        rng : OperatingSystem, optional
            Takes the operating system's place where its noise comes from there.
        random : callable, optional
            As of the party itself.

        Raises
        ------
        Malformed, ForeignPlan
            If it is no state of such a party, or belongs to another plan.
        """
        header, own = codec.decode(state, "state")
        if header.get("state") != cls.kind:
            raise Malformed(f"state must be of the kind {cls.kind!r}, got {header.get('state')!r}")
        if header.get("plan") != plan.id:
            raise ForeignPlan(f"state must belong to plan {plan.id[:8]}, got {str(header.get('plan'))[:8]}")
        party = cls._again(plan, own, random)
        party._source = Source.restored(plan, own["source"], rng)
        party._held = own["held"]
        return party

    def _own(self) -> dict[str, Any]:
        return {}

    @classmethod
    @abc.abstractmethod
    def _again(cls, plan: Plan, own: dict[str, Any], random):
        """A new party of what a state says besides its source and `_held`."""

    @abc.abstractmethod
    def _awaits(self) -> dict[str, Collection[Address]]:
        """The rounds of which messages are accepted now, and from whom."""

    @abc.abstractmethod
    def _handle(self, letter: Letter) -> list[Letter]:
        """Take a message that was admitted, and return those that answer it."""

    def _whole(self, step: Callable[[], list[Letter]], seen=None) -> tuple[bytes, ...]:
        """Do a step completely, or leave everything as it was."""
        held, source = dict(self._held), self._source.state()
        try:
            sent = tuple(letter.data() for letter in step())
        except BaseException:
            self._held = held
            self._source.go(source)
            raise
        if seen is not None:
            self._held["seen"] = {**self._held["seen"], _key(*seen): True}
        self._held["outbox"] = list(sent)
        return sent

    def _admit(self, letter: Letter) -> None:
        if letter.plan != self.plan.id:
            raise ForeignPlan(
                f"data must belong to plan {self.plan.id[:8]}, got one of plan {letter.plan[:8]!r}"
            )
        if letter.receiver != self.address:
            raise WrongParty(
                f"data must be for {called(self.address)}, got a message for {called(letter.receiver)}"
            )
        if self.heard(letter):
            raise Replayed(
                f"data must be new, got a second message of {called(letter.sender)} in round {letter.round!r}"
            )
        rounds = self._awaits()
        if letter.round not in rounds or letter.attempt != self.attempt:
            got = f"got round {letter.round!r}, attempt {letter.attempt}"
            if not rounds:
                why = f"{called(self.address)} must join first" if self.phase == "new" else "all is done"
                raise OutOfOrder(f"no message is expected, for {why}; {got}")
            raise OutOfOrder(
                f"data must be of round {' or '.join(map(repr, rounds))}, attempt {self.attempt}, {got}"
            )
        if letter.sender not in rounds[letter.round]:
            raise WrongParty(
                f"data of round {letter.round!r} must come from {', '.join(map(called, rounds[letter.round]))}, got a "
                f"message from {called(letter.sender)}"
            )

    def _letter(self, round_: str, to: Address, content: dict[str, Any]) -> Letter:
        return Letter(self.plan.id, round_, self.attempt, self.address, to, content)

    def _named(self, letter: Letter, among: Collection[int]) -> tuple[int, ...]:
        """The sites that a message names: as many as must take part, or more."""
        found = letter.sites("sites", tuple(among))
        if len(found) < self.plan.least:
            raise Malformed(
                f"sites must be at least {self.plan.least} in round {letter.round!r}, got {len(found)}"
            )
        return found

    def _absent(self) -> tuple[int, ...]:
        """Sites that are not in the roster."""
        roster = set(self._held["roster"])
        return tuple(n for n in self.plan.numbers if n not in roster)

    def _threshold(self) -> int:
        """How many sites must answer in a secure sum among the roster."""
        return self.plan.answers(len(self._held["roster"]))


def _key(sender, round_, attempt) -> str:
    return f"{sender}/{round_}/{attempt}"


def flat(levels: np.ndarray) -> np.ndarray:
    """Whole numbers in Z_{2^64}, in a row."""
    return levels.reshape(-1).astype(np.int64).view(np.uint64)


FROM_AGGREGATOR = (AGGREGATOR,)

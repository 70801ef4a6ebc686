"""What a room holds: its question, a seat for each phone, what arrived, and the result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from core import Privacy
from dashboard.packs.classroom.facts import Form

MOST_LETTERS = 120
SHARE = 3 / 4  # Of all places, that one address holds at most.

Tell = Callable[[dict[str, Any]], None]


class Refused(ValueError):
    """A phone or a lecturer asked for something that cannot be; the text says why."""


class Held(Protocol):
    """Something of which a server has a limited number."""

    @property
    def origin(self) -> str:
        """The network address for which it is held, "" if unknown."""

    @property
    def idle(self) -> bool:
        """Whether its end disturbs nobody."""


H = TypeVar("H", bound=Held)


def gives_way(held: Sequence[H], origin: str, most: int) -> H | None:
    """Which one makes room for a newcomer; None if there is room.

    Only idle ones do, the oldest of the address that holds most first. An address that holds its share gives up one of
    its own: the rest of the places is for others.

    Parameters
    ----------
    held : sequence
        All that there are, the oldest first.
    origin : str
        The newcomer's address; "", unknown, has no share.
    most : int
        Places that there are.

    Raises
    ------
    Refused
        If none is idle.
    """
    count = Counter(one.origin for one in held)
    has_share = bool(origin) and count[origin] >= SHARE * most
    if len(held) < most and not has_share:
        return None
    idle = [one for one in held if one.idle and (not has_share or one.origin == origin)]
    if not idle:
        raise Refused("This address has its share of the places." if has_share else "All places are taken.")
    return max(idle, key=lambda one: count[one.origin])


@dataclass(frozen=True)
class Question:
    """What a class is asked. All of it is public.

    Parameters
    ----------
    text : str
        Plain text of at most 120 characters; foreign.
    low, high : float
        Bounds of the numbers; a phone clips to them.
    privacy : Privacy
        The target for one message alone.
    form : {"masks", "generator"}
        See `dashboard.packs.classroom.facts.Round`.

    Raises
    ------
    Refused
        If the text is empty or too long, or a bound is missing, huge, or in the wrong order.
    """

    text: str
    low: float
    high: float
    privacy: Privacy
    form: Form

    def __post_init__(self):
        if not 0 < len(self.text.strip()) <= MOST_LETTERS:
            raise Refused(
                f"The question must have 1 to {MOST_LETTERS} characters, got {len(self.text.strip())}."
            )
        if not all(math.isfinite(bound) and abs(bound) <= 1e9 for bound in (self.low, self.high)):
            raise Refused(
                f"The bounds must be numbers of at most 10⁹ in size, got {self.low:g} and {self.high:g}."
            )
        if not self.high - self.low >= 1e-6:
            raise Refused(
                f"The largest number must be above the smallest, got {self.low:g} to {self.high:g}."
            )


@dataclass
class Seat:
    """A phone's place in the room.

    Attributes
    ----------
    number : int
        Its place on the screen.
    tell : callable or None
        Sends it a message; None while it is not connected.
    simulated : bool
        It runs on the laptop, which knows all of it.
    key : bytes or None
        Its public key in the form "masks".
    ready : bool
        It has a number.
    place : int
        Its place among the phones of the round, -1 for none.
    origin : str
        The network address that it joined from.
    """

    number: int
    token: str
    tell: Tell | None
    simulated: bool
    key: bytes | None
    ready: bool = False
    place: int = -1
    revealed: float | None = None
    origin: str = ""

    @property
    def idle(self) -> bool:
        """It has no number yet."""
        return not self.ready and not self.simulated


@dataclass(frozen=True)
class Result:
    """The averages of a round, in the unit of the question.

    `average` and `std` are CAPE's; `conventional` is what independent noise of the same size would have given.
    """

    average: float
    std: float
    conventional: float
    conventional_std: float


@dataclass
class Arrived:
    """What came in a round, in order: (masked) contributions and messages, in steps of the public grid.

    Keys are places of the round; a dictionary keeps the order of arrival.
    """

    noise: dict[int, int] = field(default_factory=dict)
    messages: dict[int, int] = field(default_factory=dict)
    shouted: dict[int, int] = field(default_factory=dict)


def whole(value: Any, most: float) -> int:
    """Return `value` if it is a whole number within ±most; otherwise raise Refused."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > most:
        raise Refused("A number outside of its bounds was refused.")
    return value

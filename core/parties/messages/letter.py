"""A message between two parties, and checks of what it contains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.parties.messages import codec
from core.parties.messages.refusals import Malformed

AGGREGATOR, TRUSTED = "aggregator", "trusted"
Address = int | str
"""A site's number, "aggregator" or "trusted"."""

ROUNDS = (
    "join",
    "roster",
    "seed",
    "zero-sum",
    "shares",
    "relay",
    "input",
    "included",
    "unmask",
    "total",
    "again",
    "message",
    "sum",
    "average",
    "signed",
)
"""Names of the rounds; core/README.md, "Parties", says who sends what in each."""


@dataclass(frozen=True)
class Letter:
    """A message.

    Attributes
    ----------
    plan : str
        Identifier of the plan.
    round : str
        One of `ROUNDS`.
    attempt : int
        1, or more if sites had to agree again because one fell silent.
    sender, receiver : int or str
    content : dict
        What is said, by name.
    """

    plan: str
    round: str
    attempt: int
    sender: Address
    receiver: Address
    content: dict[str, Any] = field(default_factory=dict, repr=False)

    def data(self) -> bytes:
        """The message as it is sent."""
        about = {
            "plan": self.plan,
            "round": self.round,
            "attempt": self.attempt,
            "from": self.sender,
            "to": self.receiver,
        }
        return codec.encode(about, self.content)

    def array(self, name: str, shape: tuple[int, ...], kind: str = "f") -> np.ndarray:
        """An array of the content, of this shape and kind of numbers, all of them finite."""
        found = self._get(name)
        if not isinstance(found, np.ndarray) or found.shape != shape or found.dtype.kind != kind:
            raise Malformed(
                f"{name} must be an array of shape {shape} and kind {kind!r} in round {self.round!r}"
            )
        if not np.isfinite(found).all():
            raise Malformed(f"{name} must have finite numbers in round {self.round!r}")
        return found

    def sites(self, name: str, among: tuple[int, ...]) -> tuple[int, ...]:
        """Numbers of sites, rising, all of them among those given."""
        found = self._get(name)
        if (
            not isinstance(found, list)
            or not found
            or not all(type(s) is int for s in found)
            or found != sorted(set(found))
            or not set(found) <= set(among)
        ):
            raise Malformed(f"{name} must be numbers of sites that take part in round {self.round!r}")
        return tuple(found)

    def mapping(self, name: str, keys, rule) -> dict[int, Any]:
        """A mapping with exactly these keys, whose values `rule` accepts."""
        found = self._get(name)
        if not isinstance(found, dict) or set(found) != set(keys) or not all(map(rule, found.values())):
            raise Malformed(f"{name} must be given for sites {sorted(keys)} in round {self.round!r}")
        return found

    def blobs(self, name: str, count: int, size: int) -> tuple[bytes, ...]:
        """So many byte strings of this size."""
        found = self._get(name)
        if not isinstance(found, list) or len(found) != count or not all(is_blob(size)(b) for b in found):
            raise Malformed(f"{name} must be {count} strings of {size} bytes in round {self.round!r}")
        return tuple(found)

    def _get(self, name):
        if name not in self.content:
            raise Malformed(f"{name} must be in a message of round {self.round!r}")
        return self.content[name]


def is_blob(size: int):
    """A test for byte strings of this size."""
    return lambda value: isinstance(value, bytes) and len(value) == size


def read(data: bytes) -> Letter:
    """The message that came as these bytes.

    Raises
    ------
    Malformed, OtherVersion
    """
    header, content = codec.decode(data)
    try:
        letter = Letter(
            header["plan"], header["round"], header["attempt"], header["from"], header["to"], content
        )
    except KeyError as error:
        raise Malformed(f"data must say {error} in their header") from None
    known = letter.round in ROUNDS and isinstance(letter.plan, str) and isinstance(content, dict)
    if not known or type(letter.attempt) is not int or not 1 <= letter.attempt < 1000:
        raise Malformed("data must name their plan, round and attempt in their header")
    for end in (letter.sender, letter.receiver):
        if not (end in (AGGREGATOR, TRUSTED) if isinstance(end, str) else type(end) is int and end >= 0):
            raise Malformed("data must be from and to a site's number, 'aggregator' or 'trusted'")
    return letter


def receiver(data: bytes) -> Address:
    """Whom a message is for: a site's number, "aggregator" or "trusted"."""
    return read(data).receiver


def called(party: Address) -> str:
    """A party in an error message: "site 3", "the aggregator", "the trusted party"."""
    return (
        f"site {party}"
        if isinstance(party, int)
        else {TRUSTED: "the trusted party"}.get(party, f"the {party}")
    )

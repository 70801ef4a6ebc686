"""Signed letters: what leaves a party says who wrote it, and is refused if a byte was changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from core.desk.keys import Key, verifies
from core.desk.records import UNFORESEEN as UNFORESEEN
from core.parties.messages.letter import Letter, read
from core.parties.messages.refusals import Malformed, WrongParty

MAGIC = b"CAPS\x01"
_PREFIX = b"cape-lab letter\x00"
_SIGNATURE = 64
MOST_BYTES = 64_000_000  # Of one letter.
_MOST_SITES = 10_000


def sealed(letter: bytes, key: Key) -> bytes:
    """A letter with its writer's signature in front."""
    return MAGIC + key.sign(_PREFIX + letter) + letter


def opened(data: bytes, keys: Mapping[Any, str]) -> Letter:
    """The letter of signed bytes, which has what letters of its round have. Nothing is parsed before its signature is right.

    Parameters
    ----------
    data : bytes
        At most `MOST_BYTES`.
    keys : mapping of a party's address to its public key
        As the plan has them.

    Raises
    ------
    Malformed
        For what is no signed letter, or has another shape than its round.
    WrongParty
        If the signature is not that of the party that the letter names.
    """
    letter, key = _read(data, set(keys.values()))
    if keys.get(letter.sender) != key:
        raise WrongParty(
            f"data must be signed by the key that the plan has for its sender, {letter.sender!r}"
        )
    _refuse_other_shape(letter)
    return letter


def plan_named(data: bytes, keys: Collection[str]) -> str:
    """The identifier of the plan that a letter names which one of these keys has signed; errors as of `opened`."""
    return _read(data, keys)[0].plan


def _read(data, keys):
    """A letter, and which of the keys has signed it: a plan has none twice."""
    start = len(MAGIC) + _SIGNATURE
    if not isinstance(data, bytes) or not data.startswith(MAGIC) or not start < len(data) <= MOST_BYTES:
        raise Malformed(f"data must be a signed letter of at most {MOST_BYTES // 1_000_000} MB")
    said = _PREFIX + data[start:]
    by = next((key for key in keys if verifies(key, data[len(MAGIC) : start], said)), None)
    if by is None:
        raise WrongParty("data must be signed by a key that the plan has for its sender, and is by none")
    return read(data[start:]), by


def bare(data: bytes) -> bytes:
    """The letter without its signature, which `opened` has verified."""
    return data[len(MAGIC) + _SIGNATURE :]


def _refuse_other_shape(letter):
    """What a desk or centre reads before the party of `core.parties` has checked the rest."""
    numbers = tuple(range(_MOST_SITES))
    if letter.round == "roster":
        sites = letter.sites("sites", numbers)
        letter.mapping("keys", sites, lambda value: isinstance(value, list))
        letter.mapping("joins", sites, lambda value: isinstance(value, bytes))
    elif letter.round == "included":
        letter.mapping("heads", letter.sites("sites", numbers), lambda value: isinstance(value, bytes))
    elif letter.round in ("average", "relay", "again", "total"):
        letter.sites("sites", numbers)
    for name in {"input": ("head",), "signed": ("signature", "head")}.get(letter.round, ()):
        if not isinstance(letter.content.get(name), bytes):
            raise Malformed(f"{name} must be bytes in round {letter.round!r}")
    if letter.round == "join" and not isinstance(letter.content.get("keys"), list):
        raise Malformed("keys must be a list in round 'join'")

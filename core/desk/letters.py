"""Signed letters: what leaves a party says who wrote it, and is refused if a byte was changed."""

from __future__ import annotations

from core.desk.keys import Key, verifies
from core.parties.messages.letter import Letter, read
from core.parties.messages.refusals import Malformed, WrongParty

MAGIC = b"CAPS\x01"
_PREFIX = b"cape-lab letter\x00"
_SIGNATURE = 64


def sealed(letter: bytes, key: Key) -> bytes:
    """A letter with its writer's signature in front."""
    return MAGIC + key.sign(_PREFIX + letter) + letter


def opened(data: bytes, keys) -> Letter:
    """The letter of signed bytes.

    Parameters
    ----------
    data : bytes
    keys : mapping of a party's address to its public key
        As the plan has them.

    Raises
    ------
    Malformed
        For what is no signed letter.
    WrongParty
        If the signature is not that of the party that the letter names.
    """
    start = len(MAGIC) + _SIGNATURE
    if not isinstance(data, bytes) or not data.startswith(MAGIC) or len(data) <= start:
        raise Malformed("data must be a signed letter")
    letter = read(data[start:])
    if not verifies(keys.get(letter.sender, ""), data[len(MAGIC) : start], _PREFIX + data[start:]):
        raise WrongParty(
            f"data must be signed by the key that the plan has for its sender, {letter.sender!r}"
        )
    return letter


def bare(data: bytes) -> bytes:
    """The letter without its signature, which `opened` has verified."""
    return data[len(MAGIC) + _SIGNATURE :]

"""A party's key: Ed25519, in a file that its owner alone reads; and words by which people compare public keys."""

from __future__ import annotations

import hashlib
from pathlib import Path

from core import check
from core.desk import records
from core.desk.receipt import verifies
from core.desk.records import Damaged

__all__ = ["Key", "fingerprint", "public_key", "verifies"]

NAME = "key"
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"
_WORDS = 8


class Key:
    """The secret key of a party.

    Parameters
    ----------
    secret : bytes
        32 bytes, from the operating system.
    """

    def __init__(self, secret: bytes):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if not isinstance(secret, bytes) or len(secret) != 32:
            raise ValueError("secret must be 32 bytes")
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        raw = self._key.public_key().public_bytes_raw()
        self.public: str = raw.hex()

    def sign(self, data: bytes) -> bytes:
        """The signature of some bytes, 64 bytes."""
        return self._key.sign(data)

    def __repr__(self):
        return f"Key({self.public[:8]}…)"

    @classmethod
    def made(cls, folder: Path, random) -> Key:
        """A new key, kept in a file that only its owner may read.

        Raises
        ------
        ValueError
            If there is one already, or others may open the folder.
        """
        records.refuse_open(folder)
        secret = random(32)
        records.new(folder / NAME, secret)
        return cls(secret)

    @classmethod
    def kept(cls, folder: Path) -> Key:
        """The key of a folder.

        Raises
        ------
        ValueError
            If there is none, or others may open it or its folder.
        """
        path = folder / NAME
        with records.named(path):
            try:
                secret = records.read(path, most=32, links=True)
            except FileNotFoundError:
                raise Damaged("folder must have a key; make one with 'site init'") from None
            found = cls(secret)
        records.refuse_open(path)
        records.refuse_open(folder)
        return found


def public_key(name: str, value) -> str:
    """Return a public key of 64 lower-case hexadecimal digits, else raise ValueError."""
    if not isinstance(value, str) or len(value) != 64 or value != value.lower() or not _is_hex(value):
        raise ValueError(f"{name} must be a public key of 64 hexadecimal digits, got {check.shown(value)}")
    return value


def fingerprint(public: str) -> str:
    """Eight words that two people read to each other to compare a public key: 128 bits of its hash.

    Each word says 16 bits as consonant, vowel, consonant, vowel, consonant (Wilkerson, *A Proposal for Proquints*, 2009).

    Examples
    --------
    >>> fingerprint("00" * 32)
    'vurih guvuf borad malok vizig vurak fadof fuvit'
    """
    found = hashlib.sha256(b"cape-lab key\x00" + bytes.fromhex(public_key("public", public))).digest()
    words = []
    for place in range(0, 2 * _WORDS, 2):
        bits = int.from_bytes(found[place : place + 2], "big")
        letters = (bits >> 12) & 15, (bits >> 10) & 3, (bits >> 6) & 15, (bits >> 4) & 3, bits & 15
        tables = (_CONSONANTS, _VOWELS, _CONSONANTS, _VOWELS, _CONSONANTS)
        words.append("".join(table[n] for table, n in zip(tables, letters, strict=True)))
    return " ".join(words)


def _is_hex(value):
    try:
        bytes.fromhex(value)
    except ValueError:
        return False
    return True

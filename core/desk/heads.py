"""Heads of other ledgers, kept in a file: a ledger goes on from the line that is held of it, with a new key, too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.desk import records
from core.desk.keys import public_key
from core.desk.ledger import HASH_BYTES, NOTHING, Head, goes_on
from core.parties.messages.refusals import Forged, Malformed

NAME = "heads.json"
_MOST_KEYS = 100  # That one desk has had.


class Heads:
    """The last head of each public key that a folder has seen, with the hashes of the lines before it.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path):
        self.path = folder / NAME

    def of(self, key: str) -> Head:
        """The head that is held of a key."""
        return Head(*self._held().get(key, Head().to_list())[:2])

    def compare(
        self, number: int, key: str, head: Head, chain: bytes, earlier: Iterable[str] | None = None
    ) -> None:
        """Hold a head that goes on from those that are held of its key and of the desk's earlier keys.

        Parameters
        ----------
        number : int
            The site's.
        key : str
        head : Head
        chain : bytes
            Hashes of the last lines up to the head, as the site's desk has signed them.
        earlier : iterable of str, optional
            Public keys that the desk had before a join. None: the head is of an entry that was made, and is let pass if the
            head that is held has it before itself; of two runs at once letters come in any order.

        Raises
        ------
        Forged
            If the line that is held is not among these: the ledger was put back, or is another one.
        """
        if earlier is None and self._passed(key, head):
            return
        for one in (key, *(earlier or ())):
            before = self.of(one)
            if not goes_on(head, chain, before):
                raise Forged(
                    f"ledger of site {number} must have gone on from line {before.n}, which is held here, got "
                    + (f"{head.n}" if head.n < before.n else f"{head.n} without that line")
                )
        lines = self._lines(key)[: HASH_BYTES * (head.n - len(chain) // HASH_BYTES)] + chain
        records.whole(self.path, records.canonical(self._held() | {key: [*head.to_list(), lines.hex()]}))

    def _passed(self, key, head):
        """Whether a head is of a line that the held one has before itself."""
        lines = self._lines(key)
        return 0 < head.n <= self.of(key).n and goes_on(head, lines[: HASH_BYTES * head.n], Head())

    def _lines(self, key):
        """Hashes of all lines up to the head that is held; nothing where a file has none."""
        return bytes.fromhex("".join(self._held().get(key, [])[2:]))

    def _held(self):
        with records.named(self.path):
            found = records.kept(self.path) or {}
            for held in found.values():
                head_of(held[:2])
                bytes.fromhex("".join(held[2:]))
            return found


def head_of(value: Any) -> Head:
    """The head that a letter tells."""
    if (
        not isinstance(value, list)
        or len(value) != 2
        or type(value[0]) is not int
        or not isinstance(value[1], str)
        or len(value[1]) != len(NOTHING)
    ):
        raise Malformed("head must be the number and the hash of a ledger's last line")
    return Head(value[0], value[1])


def chain_of(value: Any) -> bytes:
    """The hashes of a ledger's lines that a letter tells."""
    if not isinstance(value, bytes) or len(value) % HASH_BYTES:
        raise Malformed(f"chain must be the hashes of a ledger's lines, {HASH_BYTES} bytes each")
    return value


def earlier_of(value: Any) -> tuple[str, ...]:
    """The public keys that a join tells of the desk's time before."""
    if not isinstance(value, list) or len(value) > _MOST_KEYS:
        raise Malformed(f"before must be a list of at most {_MOST_KEYS} public keys")
    try:
        return tuple(public_key("before", one) for one in value)
    except ValueError as error:
        raise Malformed(str(error)) from None

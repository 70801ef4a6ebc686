"""Letters in folders: what a shared drive, SFTP or any file synchroniser carries between a desk and the aggregator.

A letter is written aside and renamed; its name has its length and hash. What is incomplete, or a copy that a synchroniser
made of a conflict, is left alone: it may be whole later.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from core.desk import records

_NAME = re.compile(r"^([0-9a-f]{64})-(\d{1,12})\.letter$")
MOST_BYTES = 2**31  # Of one letter.
_TRIES = 50  # Times that a letter which came too early is tried again.


class Folders:
    """Two folders: letters come in one, and leave through the other.

    Parameters
    ----------
    inbox, outbox : Path
    """

    def __init__(self, inbox: Path | str, outbox: Path | str):
        self.inbox, self.outbox = Path(inbox), Path(outbox)
        for folder in (self.inbox, self.outbox):
            folder.mkdir(parents=True, exist_ok=True)
        self._tries: dict[str, int] = {}

    def waiting(self) -> list[tuple[str, bytes]]:
        """Names and bytes of whole letters that are not done with, by the time at which they came."""
        found = []
        for path in sorted(self.inbox.glob("*.letter"), key=_came):
            matched = _NAME.match(path.name)
            if matched is None or self._tries.get(path.name, 0) >= _TRIES:
                continue
            data = _whole(path, matched[1], int(matched[2]))
            if data is not None:
                found.append((path.name, data))
        return found

    def done(self, name: str) -> None:
        """A letter was taken: it is not looked at again."""
        self._tries[name] = _TRIES

    def early(self, name: str) -> None:
        """A letter was refused: it may have come too early, and is tried a few times more."""
        self._tries[name] = self._tries.get(name, 0) + 1

    def put(self, letters: Iterable[bytes], folder: Path | None = None) -> None:
        """Write letters; the same letter twice is one file."""
        place = self.outbox if folder is None else folder
        place.mkdir(parents=True, exist_ok=True)
        for data in letters:
            name = f"{hashlib.sha256(data).hexdigest()}-{len(data)}.letter"
            if not (place / name).exists():
                records.whole(place / name, data, mode=0o644)


def _whole(path, digest, length):
    try:
        if length > MOST_BYTES or path.stat().st_size != length:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == digest else None


def _came(path):
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name

"""Letters in folders: what a shared drive, SFTP or any file synchroniser carries between a desk and the aggregator.

A letter is written aside and renamed; its name has its length and hash. What is incomplete, or a copy that a synchroniser
made of a conflict, is left alone: it may be whole later.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.desk import records
from core.desk.letters import MOST_BYTES

_NAME = re.compile(r"^([0-9a-f]{64})-(\d{1,12})\.letter$")
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
        self._owed: dict[Path, bytes] = {}

    def waiting(self) -> Iterator[tuple[str, bytes]]:
        """Names and bytes of whole letters that are not done with, by the time at which they came."""
        for path in sorted(self.inbox.glob("*.letter"), key=_came):
            matched = _NAME.match(path.name)
            if matched is None or self._tries.get(path.name, 0) >= _TRIES:
                continue
            data = _whole(path, matched[1], int(matched[2]))
            if data is not None:
                yield path.name, data

    def done(self, name: str) -> None:
        """A letter was taken: it is not looked at again."""
        self._tries[name] = _TRIES

    def early(self, name: str) -> None:
        """A letter was refused: it may have come too early, and is tried a few times more."""
        self._tries[name] = self._tries.get(name, 0) + 1

    def put(self, letters: Iterable[bytes] = (), folder: Path | None = None) -> tuple[str, ...]:
        """Write letters, and those whose place was taken before; returns which places still are, and by what.

        The same letter twice is one file, and one that was changed is written again.
        """
        place = self.outbox if folder is None else folder
        for data in letters:
            self._owed[place / f"{hashlib.sha256(data).hexdigest()}-{len(data)}.letter"] = data
        refused = []
        for path, data in list(self._owed.items()):
            if (taken := _in_the_way(path)) is not None:
                kind = "folder" if taken.is_dir() else "file"
                refused.append(f"{taken} must be free for a letter, and is a {kind}: take it away")
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if _whole(path, path.name[:64], len(data)) is None:  # Not there, cut off or changed.
                records.whole(path, data, mode=0o644)
            del self._owed[path]
        return tuple(refused)


def _in_the_way(path):
    """What whoever owns the drive has put where a letter or its folder belongs; None if nothing."""
    if path.is_dir() and not path.is_symlink():
        return path
    return path.parent if os.path.lexists(path.parent) and not path.parent.is_dir() else None


def _whole(path, digest, length):
    """The letter; None for what is no regular file, has another length, or another hash."""
    try:
        data = records.read(path, most=length) if length <= MOST_BYTES else b""
    except OSError:
        return None
    return data if len(data) == length and hashlib.sha256(data).hexdigest() == digest else None


def _came(path):
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name

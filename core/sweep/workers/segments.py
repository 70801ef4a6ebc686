"""Memory that two processes share: a small board of numbers, and arrays of records.

Where the system has anonymous memory files (Linux), a segment has no name in any folder, and it vanishes with the
processes that use it, however they end. Elsewhere a board is a temporary file, and arrays are copied. Windows neither
opens a file of `tempfile` twice nor removes one that somebody uses: so the file is closed before another process hears
of it, and who made it removes it, later if the other process has not ended yet.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import mmap
import os
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ANONYMOUS = hasattr(os, "memfd_create") and Path("/proc/self/fd").exists()
LEAST_SHARED = 1 << 16  # Bytes; smaller arrays are copied.
_SIZE = 24  # Bytes: last cancelled order, order that runs, since when.
_closed: set[str] = set()  # Files of closed boards that are still there.


class Board:
    """What server and worker tell each other while a task runs. One writes each field, the other reads it.

    Attributes
    ----------
    address : str
        Where another process opens it.
    """

    def __init__(self, address: str = ""):
        self._file: int | None = None  # Of an anonymous file, which lasts as long as it is open.
        self._owned = not address
        self.address: str = address or self._create()
        with open(self.address, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SIZE)

    def _create(self):
        if ANONYMOUS:
            self._file = os.memfd_create("cape-lab-board")
            os.truncate(self._file, _SIZE)
            return f"/proc/{os.getpid()}/fd/{self._file}"
        number, path = tempfile.mkstemp(prefix="cape-lab-")
        with os.fdopen(number, "wb") as file:
            file.truncate(_SIZE)
        return path

    def _get(self, index):
        return struct.unpack_from("=Q" if index != 2 else "=d", self._map, 8 * index)[0]

    def _put(self, index, value):
        struct.pack_into("=Q" if index != 2 else "=d", self._map, 8 * index, value)

    @property
    def cancelled(self) -> int:
        """The greatest number of a cancelled order."""
        return self._get(0)

    @cancelled.setter
    def cancelled(self, number: int) -> None:
        self._put(0, number)

    @property
    def running(self) -> tuple[int, float]:
        """The number of the order that runs, 0 for none, and the monotonic time at which it began."""
        # The number first: if the order ends in between, what is read next belongs to it or to a later one.
        return self._get(1), self._get(2)

    def begin(self, number: int, now: float) -> None:
        """Note that an order begins; none must run."""
        self._put(2, now)
        self._put(1, number)

    def end(self) -> None:
        """Note that none runs. The time stays: one who has just read the number would take 0 for a long run."""
        self._put(1, 0)

    def close(self) -> None:
        """Give the memory back."""
        self._map.close()
        if self._file is not None:
            os.close(self._file)
            self._file = None
        elif self._owned:
            _closed.add(self.address)
            _remove_closed()


@atexit.register
def _remove_closed():
    """Remove the files of closed boards; one that another process still uses stays until the next time."""
    for path in list(_closed):
        with contextlib.suppress(PermissionError):
            Path(path).unlink(missing_ok=True)
            _closed.discard(path)


@dataclass(frozen=True)
class Place:
    """Where a shared array is."""

    path: str
    name: str
    dtype: str
    shape: tuple[int, ...]


class SharedArray:
    """A copy of an array in shared memory; it is released with this object."""

    def __init__(self, array: np.ndarray, name: str):
        self._fd = os.memfd_create(name)
        os.truncate(self._fd, array.nbytes)
        mapped = np.memmap(f"/proc/self/fd/{self._fd}", array.dtype, "r+", shape=array.shape)
        mapped[...] = array
        mapped.flush()
        path = f"/proc/{os.getpid()}/fd/{self._fd}"
        self.place = Place(path, name, array.dtype.str, array.shape)

    def __del__(self):
        os.close(self._fd)


def opened(place: Place) -> np.ndarray:
    """The array at a place of another process, read-only.

    Raises
    ------
    LookupError
        If it was released meanwhile.
    """
    try:
        with open(place.path, "rb") as file:
            # The number of a released segment may by now be that of another one.
            if place.name not in os.readlink(f"/proc/self/fd/{file.fileno()}"):
                raise LookupError("the shared array was released")
            return np.asarray(np.memmap(file, np.dtype(place.dtype), "r", shape=place.shape))
    except OSError as error:
        raise LookupError(f"the shared array was released ({error})") from None


def name_of(array: np.ndarray) -> str:
    """A name for the content of an array."""
    digest = hashlib.blake2b(np.ascontiguousarray(array).view(np.uint8).data, digest_size=16)
    digest.update(f"{array.dtype.str} {array.shape}".encode())
    return f"cape-lab-{digest.hexdigest()}"


def shareable(value: Any) -> bool:
    """Whether a value is an array worth sharing, and the system can."""
    return (
        ANONYMOUS
        and type(value) is np.ndarray
        and value.nbytes >= LEAST_SHARED
        and value.dtype.kind in "fiub"
        and value.ndim > 0
    )

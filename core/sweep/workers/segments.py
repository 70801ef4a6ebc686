"""Arrays of records that two processes share.

Where the system has anonymous memory files (Linux), a segment has no name in any folder, and it vanishes with the
processes that use it, however they end. Elsewhere arrays are copied.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ANONYMOUS = hasattr(os, "memfd_create") and Path("/proc/self/fd").exists()
LEAST_SHARED = 1 << 16  # Bytes; smaller arrays are copied.


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

"""Memory that records left: given back to the system, and overwritten where it cannot be.

What is freed keeps its content until something else stands there. glibc keeps whole free pages for later, and CPython
keeps a megabyte of small objects, such as the texts of cells, for as long as one of them is in use.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import sys
from typing import Any

import numpy as np

# CPython's allocator of small objects (Objects/obmalloc.c): sizes in steps of 16 bytes, each in pools of its own.
_POOL, _HEAD, _STEP, _LARGEST = 1 << 14, 48, 16, 512
_BYTES = sys.getsizeof(b"")  # What an object of bytes takes beside its content.
_ARENA = 45  # Of the 63 pools of an arena that is new, those that come in a row, at least.
_NEW = 2  # New arenas after which no old one has room.


def give_back() -> None:
    """Give whole pages that are free back to the system; elsewhere than with glibc this does nothing."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def overwrite() -> None:
    """Overwrite what small objects left that are freed, and give back the rest; another thread may call it.

    Objects of every size are made until all free places of that size, and then all free pools, are taken.
    """
    if sys.implementation.name == "cpython":
        for size in range(_LARGEST, _BYTES, -_STEP):
            _fill(size, until=len)
        _fill(3 * _STEP, until=_new_arenas)
    give_back()


def _fill(size, until):
    """Make objects of a size until the pools that were begun meanwhile say that it is enough; all go at the end."""
    count = (_POOL - _HEAD) // size
    kept: list[Any] = []
    pools: list[int] = []
    while not until(pools):
        kept.append([bytes(size - _BYTES) for _ in range(8 * count)])
        at = np.fromiter(map(id, kept[-1]), dtype=np.int64)
        first = np.flatnonzero(at % _POOL == _HEAD)
        first = first[first + count <= len(at)]
        # A pool whose places are handed out in their order had nothing else.
        pools += at[first[at[first + count - 1] - at[first] == (count - 1) * size]].tolist()


def _new_arenas(pools):
    """Whether enough arenas were begun: pools in a row."""
    steps = [0 < place - before <= 3 * _POOL for before, place in itertools.pairwise(pools)]
    rows = (sum(1 for _ in row) for near, row in itertools.groupby(steps) if near)
    return sum(length >= _ARENA for length in rows) >= _NEW

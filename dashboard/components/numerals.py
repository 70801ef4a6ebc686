"""Components that are no pictures, drawn as pixels: each is arranged so that the true one shows its number.

A component is a list of d numbers without an order of its own. The largest numbers of the first true component are
placed on the pixels of a "1", those of the second on a "2", and so on. An estimate is drawn in the same places: what it
has in common with the true component shows the numeral, and noise is grain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

MOST = 9  # Numerals of one digit.
LEAST = 30  # Pixels that a numeral needs.
_BRIGHT = 1.3  # So many times its root mean square, a number is black or white.
_FONT = (
    "01100 00100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111",
    "11110 00001 00001 01110 00001 00001 11110",
    "00010 00110 01010 10010 11111 00010 00010",
    "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110",
    "11111 00001 00010 00010 00100 00100 00100",
    "01110 10001 10001 01110 10001 10001 01110",
    "01110 10001 10001 01111 00001 00010 01100",
)


def shape_of(width: int) -> tuple[int, int]:
    """Rows and columns of the pixels for a component of so many numbers."""
    high, wide = _box(width)
    best = max(1, round(math.sqrt(wide / high * width)))
    # One column more or less, if fewer pixels are left over.
    columns = min((best, best + 1, max(1, best - 1)), key=lambda n: -width % n)
    return math.ceil(width / columns), columns


def _box(width):
    """Rows and columns of the numerals, with a margin where there are enough pixels for it."""
    return (9, 7) if width >= 9 * 7 else (7, 5)


def drawn(vectors: np.ndarray, true: np.ndarray, *, like: Sequence[int] | None = None) -> np.ndarray:
    """Estimates (rows) in the places of the true components of the same rank, with their signs.

    Parameters
    ----------
    vectors, true : ndarray of shape (k, d)
        k at most `MOST`.
    like : sequence of int
        The true component in whose places each estimate is drawn instead. Estimates then keep their own signs: one of
        the other sign is a negative.

    Returns
    -------
    ndarray of shape (k, pixels)
        Pixels of `shape_of(d)`, row by row, from 0 (a large negative number) to 1; those beyond d are 0.
    """
    k, width = vectors.shape
    rows, columns = shape_of(width)
    found = np.zeros((k, rows * columns))
    scale = _BRIGHT * np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True) / math.sqrt(width), 1e-300)
    signs = _signs(vectors, true, like)
    for i, rank in enumerate(range(k) if like is None else like):
        places = _by_darkness(rank + 1, rows, columns, width)
        numbers = signs[i] * vectors[i, np.argsort(-true[rank], kind="stable")]
        found[i, places] = np.clip(0.5 + 0.5 * numbers / scale[i], 0, 1)
    return found


def _signs(vectors, true, like):
    same = np.ones(len(vectors)) if like is not None else np.einsum("kd,kd->k", vectors, true[: len(vectors)])
    return np.where(same < 0, -1.0, 1.0)


@lru_cache(maxsize=64)
def _by_darkness(number, rows, columns, width):
    """The first `width` pixels, those on the numeral first, then by distance from it."""
    font = np.array([[int(dot) for dot in line] for line in _FONT[number - 1].split()])
    high, wide = _box(width)
    dots = np.argwhere(np.pad(font, (high - 7) // 2)) + 0.5
    at = np.stack(np.unravel_index(np.arange(width), (rows, columns)), axis=1) + 0.5
    at = at * (high / rows, wide / columns)
    return np.argsort(np.abs(at[:, None] - dots).max(axis=2).min(axis=1), kind="stable")


def pictured(vectors: np.ndarray, true: np.ndarray, *, like: Sequence[int] | None = None) -> np.ndarray:
    """Pixels of `drawn`, or, of components too short for a numeral, bars from −1 to 1 with the same signs."""
    if vectors.shape[1] >= LEAST:
        return drawn(vectors, true, like=like)
    largest = np.maximum(np.abs(vectors).max(axis=1), 1e-300)
    return (_signs(vectors, true, like) / largest)[:, None] * vectors

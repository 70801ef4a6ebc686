"""Symmetric tensors that are not stored as arrays, and the incoherence of their components.

The power method asks a tensor for T(I,u,u) alone. A tensor of few components answers in O(dk), a moment of n
records in O(nd) (`core.moments`); an array of d³ numbers is needed by neither.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np

from core import check, tensors
from core.noise import Symmetric

LARGEST = 512  # Widest tensor that is formed: d³ numbers of four bytes are half a gigabyte.


@check.arguments
@dataclass(frozen=True, eq=False)
class ComponentTensor:
    """T = Σ λ_i v_i⊗v_i⊗v_i, given by its components.

    Attributes
    ----------
    values : ndarray of shape (k,)
        λ_i > 0.
    vectors : ndarray of shape (k, d)
        v_i, rows; orthonormal where the theory of the power method is to hold.

    Raises
    ------
    ValueError
        If a λ_i is not positive, k > d, or an entry is not finite.
    """

    values: np.ndarray
    vectors: np.ndarray

    def __post_init__(self):
        vectors = check.finite("vectors", np.asarray(self.vectors, dtype=float))
        if vectors.ndim != 2 or not vectors.size:
            raise ValueError(f"vectors must be components in rows, shape (k, d), got shape {vectors.shape}")
        if len(vectors) > vectors.shape[1]:
            raise ValueError(f"k must be at most d = {vectors.shape[1]}, got {len(vectors)} vectors")
        object.__setattr__(self, "vectors", vectors)
        object.__setattr__(self, "values", check.positives("values", self.values, length=len(vectors)))

    @property
    def d(self) -> int:
        """Width."""
        return self.vectors.shape[1]

    def power(self, vectors: np.ndarray) -> np.ndarray:
        """T(I,u,u) for every row u."""
        return ((vectors @ self.vectors.T) ** 2 * self.values) @ self.vectors


@check.arguments
@dataclass(frozen=True, eq=False)
class Sum:
    """The sum of symmetric tensors of one width; `parts` are arrays or objects with `d` and `power`."""

    parts: tuple

    def __post_init__(self):
        for part in self.parts:
            if not (isinstance(part, np.ndarray) and part.ndim == 3) and not hasattr(part, "power"):
                raise ValueError(
                    f"parts must be arrays (d, d, d) or have d and power, got {check.shown(part)}"
                )

    @property
    def d(self) -> int:
        """Width."""
        return width(self.parts[0])

    def power(self, vectors: np.ndarray) -> np.ndarray:
        """T(I,u,u) for every row u."""
        return reduce(np.add, (np.asarray(_image(part, vectors), dtype=float) for part in self.parts))


@check.arguments(rows=check.matrix)
@dataclass(frozen=True, eq=False)
class SymmetricNoise:
    """Noise on a symmetric (d, d, d) array, as `symmetric_noise` draws it, in half the numbers.

    Attributes
    ----------
    rows : ndarray of shape (d, d (d + 1)/2)
        T_ijk of every i and j ≤ k, pairs (j, k) in the order of j, then k.
    """

    rows: np.ndarray

    def __post_init__(self):
        d = len(self.rows)
        if self.rows.shape[1] != d * (d + 1) // 2:
            raise ValueError(
                f"rows must be of {d * (d + 1) // 2} numbers, one for each pair of {d} indices, "
                f"got shape {self.rows.shape}"
            )

    @property
    def d(self) -> int:
        """Width."""
        return len(self.rows)

    def power(self, vectors: np.ndarray) -> np.ndarray:
        """T(I,u,u) for every row u: Σ_{j≤k} (2 − [j = k]) T_ijk u_j u_k."""
        first, second, count = _pairs(self.d)
        u = vectors.astype(self.rows.dtype, copy=False)
        products = u.take(first, axis=1)
        products *= u.take(second, axis=1)
        products *= count
        return products @ self.rows.T

    def array(self) -> np.ndarray:
        """The whole (d, d, d) array."""
        first, second, _ = _pairs(self.d)
        whole = np.empty((self.d,) * 3, dtype=self.rows.dtype)
        whole[:, first, second] = whole[:, second, first] = self.rows
        return whole


@lru_cache(maxsize=4)
def _pairs(d):
    """Indices of the pairs j ≤ k, and how often each stands in a symmetric matrix."""
    first, second = np.triu_indices(d)
    return first, second, np.where(first == second, 1, 2).astype(np.float32)


def width(tensor) -> int:
    """d of an array (d, d, d) or of an object that knows it."""
    return len(tensor) if isinstance(tensor, np.ndarray) else tensor.d


@check.arguments
def symmetric_noise(
    d: int,
    std: float = 1.0,
    *,
    distribution: Symmetric = "copied",
    rng: np.random.Generator,
    dtype=np.float32,
    packed: bool = False,
) -> np.ndarray | SymmetricNoise:
    """Noise on a symmetric (d, d, d) array, with the distributions of `core.noise`, drawn one slice at a time.

    `packed` keeps each pair of the last two indices once: half the memory and half the time of a power step. The
    numbers are the same. d = 300 takes 0.05 GB in single precision, the whole array twice as much.

    Raises
    ------
    ValueError
        If d > 512.
    """
    if check.integer("d", d, low=1) > LARGEST:
        raise ValueError(
            f"d must be at most {LARGEST} for noise on the whole tensor, got {d}: "
            f"{d**3:.1e} numbers, {4e-9 * d**3:,.0f} GB"
        )
    if not isinstance(dtype, type | np.dtype) or np.dtype(dtype).kind != "f":
        raise ValueError(f"dtype must be a floating point type, got {dtype!r}")
    if not 0 <= std < np.finfo(dtype).max / 1e6:
        raise ValueError(f"std must be at least 0 and within the range of {np.dtype(dtype)}, got {std}")
    rows = _drawn(d, std, distribution, rng, dtype)
    return SymmetricNoise(rows) if packed else SymmetricNoise(rows).array()


def _drawn(d, std, distribution, rng, dtype):
    """The rows of a `SymmetricNoise`."""
    rows = np.empty((d, d * (d + 1) // 2), dtype=dtype)
    upper = np.triu(np.ones((d, d), dtype=bool))
    start = 0
    for i in range(d):
        m = d - i
        # Entries i ≤ j ≤ k: each is drawn once and put in all its places.
        part = rng.standard_normal((m, m), dtype=dtype)
        np.copyto(part, part.T.copy(), where=~upper[:m, :m])
        if distribution == "symmetrised":
            part /= np.sqrt(_positions(m))
        part *= std
        rows[i, start:] = part[upper[:m, :m]]
        rows[i:, start : start + m] = part
        start += m
    return rows


@check.arguments(vectors=check.bounded)
def incoherence(vectors) -> float:
    """μ0 = (d/k) max_i ‖Vᵀe_i‖²: how far the components are from flat, between 1 and d/k ([Power] eq. 6)."""
    vectors = check.finite("vectors", np.atleast_2d(np.asarray(vectors, dtype=float)))
    k, d = vectors.shape
    return float(d / k * (vectors**2).sum(axis=0).max())


@check.arguments(vectors=check.bounded, values=check.sized, delta=check.sized)
def recovery_epsilon(values, vectors, delta: float) -> float:
    """μ0 k² ln(λ_max d/δ)/λ_min: ε must exceed a constant times this in [Power] Theorem 4.2 (equation 7).

    The constant is not known, so this orders problems by difficulty; it is no threshold. The theorem also asks
    for λ_1 − λ_2 ≥ c/√d, and speaks of the first pair alone.
    """
    values = check.positives("values", values)
    k, d = np.atleast_2d(vectors).shape
    log = math.log(values.max() * d / check.fraction("delta", delta))
    return incoherence(vectors) * k**2 * log / float(values.min())


def _positions(size):
    """In how many places the entries (i, i + a, i + b) of a symmetric tensor stand: 6, 3 or 1."""
    count = np.full((size, size), 6.0, dtype=np.float32)
    count[0, :] = count[:, 0] = 3
    np.fill_diagonal(count, 3)
    count[0, 0] = 1
    return count


def _image(part, vectors):
    if isinstance(part, np.ndarray):
        vectors = vectors.astype(part.dtype, copy=False)
    return tensors.power.trusted(part, vectors)

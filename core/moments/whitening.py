"""Whitening by a second moment, and the number of directions that exceed the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from core import check

Order = Literal["signed", "magnitude"]
ORDERS: tuple[Order, ...] = get_args(Order)
_LARGE = 600  # From this width on Lanczos beats the dense eigensolver for a few eigenpairs.


@dataclass(frozen=True)
class Whitening:
    """W of shape (d, r) with Wᵀ M2 W = I, and the way back.

    Attributes
    ----------
    matrix : ndarray of shape (d, r)
        W = U D^{-1/2}.
    inverse : ndarray of shape (d, r)
        U D^{1/2} = (Wᵀ)†: component = scale · inverse @ v for an eigenvector v of M3(W,W,W).
    values : ndarray of shape (k,)
        The k largest eigenvalues of M2, falling, identifiable or not.
    """

    matrix: np.ndarray
    inverse: np.ndarray
    values: np.ndarray

    @property
    def rank(self) -> int:
        """r, the number of identifiable components: r ≤ k."""
        return self.matrix.shape[1]


@check.arguments
def whiten(
    second_moment: np.ndarray, k: int, *, floor: float = 0.0, strict: bool = True, order: Order = "signed"
) -> Whitening:
    """Whiten by the k largest eigenvalues of a symmetric second moment.

    Parameters
    ----------
    second_moment : array of shape (d, d)
        M2, symmetric; after noise it may be indefinite.
    k : int
        Number of components sought, 1 ≤ k ≤ d.
    floor : float
        Eigenvalues up to this count as noise. Eigenvalues at or below zero (to rounding) always do.
    strict : bool
        Refuse if fewer than k are above the floor; else whiten with those that are (r may be 0).
    order : {"signed", "magnitude"}
        "magnitude" is published: M2's singular values and left singular vectors, so that a negative
        eigenvalue, which can only be noise, passes for a component. M2 need not be symmetric then.

    Raises
    ------
    ValueError
        If M2 is not square or finite, k > d, or (strict) fewer than k components are identifiable:
        dividing by the root of such an eigenvalue would only blow up noise.
    """
    m2 = check.finite("second_moment", np.asarray(second_moment, dtype=float))
    if m2.ndim != 2 or m2.shape[0] != m2.shape[1] or not m2.size:
        raise ValueError(f"second_moment must be square, got shape {m2.shape}")
    k = check.integer("k", k, low=1, high=len(m2))
    floor = check.nonnegative("floor", floor)
    if order == "signed":
        values, vectors = top_eigenpairs(m2, k)
    else:
        vectors, values, _ = np.linalg.svd(m2)
        values, vectors = values[:k], vectors[:, :k]
    least = max(floor, 1e-12 * abs(values[0]))
    rank = int((values > least).sum())
    if strict and rank < k:
        raise ValueError(
            f"k must be at most {rank}, the number of identifiable components (eigenvalues of the second "
            f"moment above the floor, {least:.3g}), got {k}: its largest eigenvalues are "
            + ", ".join(f"{v:.3g}" for v in values[:8])
        )
    root = np.sqrt(values[:rank])
    return Whitening(vectors[:, :rank] / root, vectors[:, :rank] * root, values)


@check.arguments
def noise_edge(d: int, std: float, *, distribution: str = "symmetrised") -> float:
    """Largest eigenvalue of pure noise on a symmetric d×d matrix, 2 s √d for large d (Wigner).

    s is the deviation off the diagonal: std/√2 for noise symmetrised by averaging, std for copied noise.
    An eigenvalue of the noisy matrix beyond it is a component; one below it cannot be distinguished from noise.
    """
    return 2 * std * math.sqrt(d / 2 if distribution == "symmetrised" else d)


@check.arguments(matrix=check.matrix)
def top_eigenpairs(matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest signed eigenvalues of a symmetric matrix, largest first, and their eigenvectors as columns (d, k)."""
    d = len(matrix)
    k = check.integer("k", k, low=1, high=d)
    if d < _LARGE or 5 * k > d:
        values, vectors = eigh(matrix, subset_by_index=[d - k, d - 1], check_finite=False)
        return values[::-1], vectors[:, ::-1]
    start = np.full(d, d**-0.5)
    try:
        values, vectors = eigsh(matrix, k, which="LA", v0=start, ncv=min(d, max(4 * k, 40)), tol=1e-10)
    except ArpackNoConvergence:  # Eigenvalues too close, as in pure noise.
        values, vectors = eigh(matrix, subset_by_index=[d - k, d - 1], check_finite=False)
    return values[::-1], vectors[:, ::-1]

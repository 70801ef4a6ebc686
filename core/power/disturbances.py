"""Kinds of disturbances of an orthogonal tensor, to test which ones random starts tolerate.

[Power] Section 2 tells three kinds apart by how the disturbance E looks along the components v_i, and promises
recovery up to ‖E‖_op = O(λ_min/d), O(λ_min/√d) and O(λ_min/√k). A start u is random: (v_i·u)² is about
1/d, so the first step moves it by λ/d along v_i and by ‖E(I,u,u)‖ elsewhere, and the search is lost where

    λ · λ/d < ‖E(I,u,u)‖ · ‖E(I,u',u')‖,      u' the image.

Any E that is loud at random u therefore wins from about λ/√d on, also one that is orthogonal to all v_i
(against the third promise); one that is quiet there is survived up to a size that falls no faster than 1/√ln d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from core import check, tensors
from core.power.implicit_tensors import ComponentTensor, Sum, symmetric_noise

Kind = Literal["adversarial", "round", "weak", "quiet"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Largest value of Σ z_ijk u_i u_j u_k on the unit sphere over √d, z i.i.d. N(0,1), as d grows: the
# ground state of the spherical 3-spin glass (Crisanti & Sommers 1992).
GROUND_STATE = 1.6569
FOUND = 0.9  # |cos| from which a component counts as found: the estimate is within 26° of it.


@check.arguments(vector=check.vector)
@dataclass(frozen=True, eq=False)
class Axis:
    """E(x,x,x) = size (w·x) ‖x‖² with a unit vector w: every start is drawn to w. Operator norm `size`."""

    vector: np.ndarray
    size: float

    @property
    def d(self) -> int:
        """Width."""
        return len(self.vector)

    def power(self, vectors: np.ndarray) -> np.ndarray:
        """E(I,u,u) = size (‖u‖² w + 2 (w·u) u)/3 for every row u."""
        squares = (vectors**2).sum(axis=1, keepdims=True)
        return self.size / 3 * (squares * self.vector + 2 * (vectors @ self.vector)[:, None] * vectors)


@check.arguments(tensor=check.tensor, rows=check.matrix)
@dataclass(frozen=True, eq=False)
class Apart:
    """A tensor seen through the projection off orthonormal rows: it vanishes along all of them."""

    tensor: object
    rows: np.ndarray

    @property
    def d(self) -> int:
        """Width."""
        return self.rows.shape[1]

    def power(self, vectors: np.ndarray) -> np.ndarray:
        """E(P,Pu,Pu) for every row u."""
        inside = Sum((self.tensor,)).power(self._project(vectors))
        return self._project(inside)

    def _project(self, vectors):
        return vectors - (vectors @ self.rows.T) @ self.rows


@check.arguments(vectors=check.matrix)
def disturbance(kind: Kind, vectors: np.ndarray, size: float, *, rng: np.random.Generator):
    """A tensor of operator norm `size` that disturbs Σ λ_i v_i⊗v_i⊗v_i.

    Parameters
    ----------
    kind : {"adversarial", "round", "weak", "quiet"}
        "adversarial": draws every start to one direction w orthogonal to the components. "round": i.i.d.
        Gaussian entries, symmetrised; the norm holds on average and for large d. "weak": the same, projected
        off the components, so that E(v_i,I,I) = 0. "quiet": d − k further components in the rest of the space.
    vectors : ndarray of shape (k, d)
        v_i, orthonormal; k < d.

    Returns
    -------
    object with `d` and `power`, or ndarray (d, d, d)
        Round and weak noise hold d³ numbers, d ≤ 512; the others O(d) or O(d²).
    """
    size = check.positive("size", size)
    k, d = vectors.shape
    if kind in ("round", "weak") and size > 1e30:
        raise ValueError(f"size must be at most 1e30, for noise in single precision, got {size}")
    if k >= d:
        raise ValueError(f"vectors must be fewer than their width d = {d}, got {k}")
    if kind in ("round", "weak"):
        std = size / (GROUND_STATE * math.sqrt(d))
        drawn = symmetric_noise(d, std, distribution="symmetrised", rng=rng)
        return drawn if kind == "round" else Apart(drawn, vectors)
    rest = rng.standard_normal((1 if kind == "adversarial" else d - k, d))
    frame = np.linalg.qr(np.concatenate([vectors, rest]).T)[0].T[k:]
    return Axis(frame[0], size) if kind == "adversarial" else ComponentTensor(np.full(d - k, size), frame)


@check.arguments(tensor=check.tensor, index=check.whole(0))
def layer(tensor, index: int = 0) -> np.ndarray:
    """The numbers T_ijk of one index i, shape (d, d), of an array or of an object that answers T(I,u,u) alone.

    By polarisation, T(I,e_i,e_j) = (T(I,e_i+e_j,e_i+e_j) − T(I,e_i−e_j,e_i−e_j))/4.
    """
    tensor = Sum((tensor,))
    if index >= tensor.d:
        raise ValueError(f"index must be below the width d = {tensor.d}, got {index}")
    units = np.eye(tensor.d)
    return (tensor.power(units[index] + units) - tensor.power(units[index] - units)) / 4


@check.arguments(d=check.whole(1), k=check.whole(1))
def promised(kind: Kind, d: int, k: int) -> float:
    """The order of ‖E‖_op/λ_min up to which [Power] Section 2 promises recovery; its constant is not known."""
    return {"adversarial": 1 / d, "round": 1 / math.sqrt(d)}.get(kind, 1 / math.sqrt(k))


@check.arguments
def recovered(
    tensor: ComponentTensor, kind: Kind, size: float, *, rng, restarts=10, iterations=30
) -> np.ndarray:
    """|cos| of each component of a tensor with what Algorithm 1 finds near it under a disturbance, shape (k,)."""
    noisy = Sum((tensor, disturbance(kind, tensor.vectors, size, rng=rng)))
    result = tensors.robust(noisy, len(tensor.values), restarts=restarts, iterations=iterations, rng=rng)
    return alignment(tensor.vectors, result.vectors)


@check.arguments(true=check.matrix, estimated=check.matrix)
def alignment(true: np.ndarray, estimated: np.ndarray) -> np.ndarray:
    """|cos| of each true unit row with the estimate that stands nearest to it, shape (k,)."""
    return np.abs(check.finite("true", true) @ check.finite("estimated", estimated).T).max(axis=1)

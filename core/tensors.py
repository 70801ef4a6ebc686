"""Symmetric third-order tensors: multilinear forms and orthogonal decomposition.

An orthogonally decomposable tensor is T = Σ λ_i v_i⊗v_i⊗v_i with orthonormal v_i. Its robust eigenvectors
are the v_i: the fixed points of u ← T(I,u,u)/‖T(I,u,u)‖. After private noise no such decomposition need
exist; the methods here then return the nearest they find.

A tensor is a (d, d, d) array, or any object with an integer `d` and a method `power(vectors)` that maps
rows u, shape (L, d), to rows T(I,u,u): the power method never asks for more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from scipy.linalg.lapack import dgesdd

from core import check, noise

_BLOCK = 2**21  # Numbers in a temporary array.
_PROBES = 20161  # Seed of the vectors that test symmetry; they depend on nothing but d.
_FIRST = 10  # Steps after which the simultaneous method chooses among its starts.


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenpairs of a symmetric tensor.

    Attributes
    ----------
    values : ndarray of shape (k,)
        λ_i, falling (in the order they were found, for deflation of a noisy tensor).
    vectors : ndarray of shape (k, d)
        Unit rows v_i, signed so that λ_i ≥ 0.
    paths : tuple of ndarray of shape (steps + 1, d)
        For each pair, the unit vectors of the search that found it, from its random start to v_i or −v_i; () where
        pairs are not searched for one after the other.
    """

    values: np.ndarray
    vectors: np.ndarray
    paths: tuple[np.ndarray, ...] = field(default=(), kw_only=True, repr=False)


@check.arguments(
    tensor=check.cube,
    first=check.matrix,
    second=check.optional(check.matrix),
    third=check.optional(check.matrix),
)
def contract(tensor: np.ndarray, first: np.ndarray, second=None, third=None) -> np.ndarray:
    """T(A, B, C)_abc = Σ_ijk T_ijk A_ia B_jb C_kc of matrices with d rows; B and C default to A.

    Shape (a, b, c), in O(d³a + d²ab + dabc).
    """
    second = first if second is None else second
    third = second if third is None else third
    for name, factor in (("first", first), ("second", second), ("third", third)):
        if set(tensor.shape) != {len(factor)}:
            raise ValueError(
                f"{name} must have as many rows as tensor has axes long, got shapes {factor.shape}, {tensor.shape}"
            )
    inner = np.matmul(second.T, tensor @ third)
    return (first.T @ inner.reshape(len(inner), -1)).reshape(-1, *inner.shape[1:])


@check.arguments(tensor=check.tensor, vectors=check.matrix)
def power(tensor, vectors: np.ndarray) -> np.ndarray:
    """T(I,u,u) for every row u of `vectors`, shape (L, d)."""
    d = len(tensor) if isinstance(tensor, np.ndarray) else tensor.d
    if vectors.shape[1] != d:
        raise ValueError(f"vectors must be rows of length {d}, as tensor is wide, got shape {vectors.shape}")
    if not isinstance(tensor, np.ndarray):
        return tensor.power(vectors)
    once = vectors @ tensor.reshape(d * d, d).T
    return np.matmul(once.reshape(-1, d, d), vectors[:, :, None])[:, :, 0]


@check.arguments(values=check.vector, vectors=check.matrix)
def compose(values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Σ λ_i v_i⊗v_i⊗v_i of rows v_i: shape (d, d, d).

    Examples
    --------
    The tensor 2 a ⊗ a ⊗ a has its only entry where all three indices are those of a:

    >>> tensor = compose(np.array([2.0]), np.array([[1.0, 0.0]]))
    >>> float(tensor[0, 0, 0]), float(np.abs(tensor).sum())
    (2.0, 2.0)
    """
    if len(values) != len(vectors):
        raise ValueError(f"values must be as many as vectors, {len(vectors)}, got {len(values)}")
    return np.einsum("k,ka,kb,kc->abc", values, vectors, vectors, vectors, optimize=True)


@check.arguments(first=check.matrix, second=check.matrix, third=check.matrix)
def outer(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
    """Σ_n a_n⊗b_n⊗c_n over the rows of three matrices (n, a), (n, b), (n, c): shape (a, b, c), in blocks."""
    if not len(first) == len(second) == len(third):
        raise ValueError(
            f"first, second and third must have as many rows, got {len(first)}, {len(second)}, {len(third)}"
        )
    total = np.zeros((first.shape[1], second.shape[1], third.shape[1]))
    rows = max(1, _BLOCK // (second.shape[1] * third.shape[1]))
    for start in range(0, len(first), rows):
        part = slice(start, start + rows)
        pairs = (second[part, :, None] * third[part, None, :]).reshape(-1, second.shape[1] * third.shape[1])
        total += (first[part].T @ pairs).reshape(total.shape)
    return total


@check.arguments
def symmetric(tensor, *, symmetrise: bool = False):
    """Return a tensor that is symmetric, or say that it is not.

    Parameters
    ----------
    tensor : array of shape (d, d, d), or object with `d` and `power`
        Objects are returned as they are. An array is tested in O(d³): T(·,·,w) and T(u,·,·) of random u, w
        are symmetric matrices for every u, w exactly if T is.
    symmetrise : bool
        Average over the six orders of the axes instead of refusing.

    Raises
    ------
    ValueError
        If the array is not cubic, not finite, or not symmetric to within 1e-8 of its size.
    """
    if not isinstance(tensor, np.ndarray | list | tuple):
        return check.tensor("tensor", tensor)
    tensor = check.finite("tensor", np.ascontiguousarray(check.numeric("tensor", tensor), dtype=float))
    if tensor.ndim != 3 or len(set(tensor.shape)) != 1 or not tensor.size:
        raise ValueError(f"tensor must have three equal axes, got shape {tensor.shape}")
    if symmetrise:
        return noise.symmetrise(tensor)
    d = len(tensor)
    u, w = np.random.default_rng(_PROBES).standard_normal((2, d))
    for matrix in (tensor @ w, (u @ tensor.reshape(d, -1)).reshape(d, d)):
        gap = np.abs(matrix - matrix.T).max()
        if gap > 1e-8 * np.abs(matrix).max():
            raise ValueError(
                "tensor must be symmetric (`core.tensors.symmetric` with symmetrise=True averages over its axes), "
                f"got one whose contraction with a random vector differs from its transpose by {gap:.3g}"
            )
    return tensor


@check.arguments(tensor=check.tensor)
def robust(
    tensor,
    k: int | None = None,
    *,
    restarts: int = 10,
    iterations: int = 30,
    rng: np.random.Generator,
) -> Eigenpairs:
    """Robust tensor power method with deflation, [Power] Algorithm 1.

    For each pair: `restarts` random unit vectors take `iterations` power steps together; the one with the
    largest T(u,u,u) takes as many again; its pair is subtracted from T.

    Parameters
    ----------
    tensor : ndarray of shape (d, d, d), or object with `d` and `power`
        Symmetric; never changed.
    k : int, optional
        Number of pairs, 1 ≤ k ≤ d; default d.
    restarts, iterations : int
        L and R. Steps end early once nothing moves by more than 1e-12.

    Raises
    ------
    ValueError
        If the tensor is not cubic, not finite or (an array) not symmetric, or k > d.
    """
    tensor, d, k = _checked(tensor, k)
    restarts = check.integer("restarts", restarts, low=1)
    iterations = check.integer("iterations", iterations, low=1)
    values, vectors, paths = np.zeros(k), np.zeros((k, d)), []
    for i in range(k):
        result = values[:i], vectors[:i]
        u = _unit(rng.standard_normal((restarts, d)))
        first, image = _iterate(tensor, result, u, iterations)
        best = int(np.einsum("ld,ld->l", first[-1], image).argmax())
        then, image = _iterate(tensor, result, first[-1][best : best + 1], iterations)
        vectors[i] = then[-1][0]
        values[i] = float(vectors[i] @ image[0])
        paths.append(np.stack([*(u[best] for u in first), *(u[0] for u in then[1:])]))
    return Eigenpairs(values, vectors, paths=tuple(paths))


@check.arguments(tensor=check.tensor)
def simultaneous(
    tensor,
    k: int | None = None,
    *,
    restarts: int = 10,
    iterations: int = 100,
    rng: np.random.Generator,
) -> Eigenpairs:
    """All pairs at once: power steps on an orthonormal frame, no deflation.

    Each step maps the rows u_i to λ_i T(I,u_i,u_i), λ_i = T(u_i,u_i,u_i), and takes the nearest orthonormal
    frame, which raises Σ λ_i². Of `restarts` random frames the one that is best after ten steps goes on.

    Parameters and errors as for `robust`.
    """
    tensor, d, k = _checked(tensor, k)
    restarts = check.integer("restarts", restarts, low=1)
    iterations = check.integer("iterations", iterations, low=1)
    frames = _nearest_frames(rng.standard_normal((restarts, k, d)))
    frames, values = _iterate_frames(tensor, frames, _FIRST)
    best = int((values**2).sum(axis=1).argmax())
    frames, values = _iterate_frames(tensor, frames[best : best + 1], iterations)
    return _ordered(values[0], frames[0])


@check.arguments(tensor=check.cube)
def jacobi(tensor: np.ndarray, k: int | None = None, *, sweeps: int = 50) -> Eigenpairs:
    """Compute all eigenpairs together: rotate pairs of axes so that the sum of squares Σ T_iii² of the diagonal grows.

    If a pair of axes turns by θ, this sum is a + b cos 4θ + c sin 4θ, so the best angle has a closed form. It does not
    depend on the angles of disjoint pairs, so d/2 pairs turn together. Deterministic; needs a dense array.

    Parameters
    ----------
    tensor : ndarray of shape (d, d, d)
    k : int, optional
        How many eigenpairs to return, those of largest λ; default d.
    sweeps : int
        Largest number of passes over all pairs of axes. It stops earlier if no angle of a pass exceeds 1e-10.
    """
    tensor, d, k = _checked(tensor, k, dense=True)
    sweeps = check.integer("sweeps", sweeps, low=1)
    turned, frame, still = tensor.copy(), np.eye(d), np.eye(d)
    for _ in range(sweeps):
        largest = 0.0
        for entries, turns in _places(d):
            # Few numbers: as Python's own they take half the time.
            angles = [_best_angle(*four) for four in turned.take(entries).tolist()]
            rotation = still.copy()
            rotation.put(turns, [_turn(angle) for angle in angles])
            inner = rotation @ (turned @ rotation.T)
            turned = (rotation @ inner.reshape(d, -1)).reshape(d, d, d)
            frame = rotation @ frame
            largest = max(largest, *map(abs, angles), 0.0)
        if largest < 1e-10:
            break
    pairs = _ordered(np.einsum("iii->i", turned), frame)
    return Eigenpairs(pairs.values[:k], pairs.vectors[:k])


Method = Literal["robust", "simultaneous", "jacobi"]
METHODS: tuple[Method, ...] = get_args(Method)


@check.arguments(tensor=check.tensor)
def decompose(tensor, k: int | None = None, *, method: Method = "robust", rng, **options) -> Eigenpairs:
    """Decompose by the method of that name; `options` are the method's own."""
    if method == "jacobi":
        return jacobi(tensor, k, **options)
    return (robust if method == "robust" else simultaneous)(tensor, k, rng=rng, **options)


def _checked(tensor, k, dense=False):
    tensor = symmetric(np.asarray(tensor, dtype=float) if dense else tensor)
    d = len(tensor) if isinstance(tensor, np.ndarray) else tensor.d
    return tensor, d, d if k is None else check.integer("k", k, low=1, high=d)


def _iterate(tensor, found, u, iterations):
    """Power steps on rows u of the tensor less the pairs found; returns the rows of all steps and the last images."""
    path = [u]
    image = _deflated(tensor, found, u)
    for _ in range(iterations):
        path.append(_unit(image))
        image = _deflated(tensor, found, path[-1])
        if np.abs(path[-1] - path[-2]).max() < 1e-12:
            break
    return path, image


def _iterate_frames(tensor, frames, iterations):
    """Simultaneous steps on frames (restarts, k, d); returns the frames and their values (restarts, k)."""
    change = np.inf
    for step in range(iterations + 1):
        image = power.trusted(tensor, frames.reshape(-1, frames.shape[-1])).reshape(frames.shape)
        # The reductions themselves: what NumPy's methods do around them takes a tenth of a step.
        values = np.add.reduce(frames * image, axis=-1)
        if step == iterations or change < 1e-10:
            break
        moved = _nearest_frames(values[:, :, None] * image)
        change, frames = np.maximum.reduce(np.abs(moved - frames), axis=None), moved
    return frames, values


def _deflated(tensor, found, u):
    """(T − Σ λ_j v_j⊗v_j⊗v_j)(I,u,u) by rows, never forming the difference."""
    values, vectors = found
    return power.trusted(tensor, u) - ((u @ vectors.T) ** 2 * values) @ vectors


def _unit(rows):
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _nearest_frames(rows):
    """Nearest matrices with orthonormal rows (polar factors) of matrices (..., k, d), k ≤ d."""
    if rows.ndim == 3 and len(rows) == 1:
        # One frame at a time: what NumPy does around LAPACK costs more than a small decomposition.
        left, _, right, failed = dgesdd(rows[0], full_matrices=0)
        if not failed:
            return (left @ right)[None]
    left, _, right = np.linalg.svd(rows, full_matrices=False)
    return left @ right


def _ordered(values, vectors):
    sign = np.where(values < 0, -1.0, 1.0)
    order = np.argsort(-np.abs(values), kind="stable")
    return Eigenpairs((sign * values)[order], (sign[:, None] * vectors)[order])


@lru_cache(maxsize=64)
def _rounds(d):
    """All pairs of d axes in rounds of disjoint pairs, as in a round-robin tournament."""
    players, rounds = np.arange(d + d % 2), []
    for _ in range(len(players) - 1):
        p, q = players[: len(players) // 2], players[: len(players) // 2 - 1 : -1]
        playing = (p < d) & (q < d)
        rounds.append((p[playing], q[playing]))
        players[1:] = np.roll(players[1:], 1)
    return tuple(rounds)


@lru_cache(maxsize=64)
def _places(d):
    """Of every round's m pairs (p, q), where T_ppp, T_ppq, T_pqq, T_qqq and R_pp, R_qq, R_pq, R_qp lie: (m, 4) each."""
    return tuple(
        (
            np.stack(
                [(p * d + p) * d + p, (p * d + p) * d + q, (p * d + q) * d + q, (q * d + q) * d + q], axis=1
            ),
            np.stack([p * d + p, q * d + q, p * d + q, q * d + p], axis=1),
        )
        for p, q in _rounds(d)
    )


def _best_angle(a, b, c, d):
    """Angle θ in (−π/4, π/4] that maximises T_ppp² + T_qqq² after turning axes p, q by θ; of T_ppp, T_ppq, T_pqq, T_qqq."""
    x, y = 3 * b + d, a + 3 * c
    now, eighth = a * a + d * d, (x * x + y * y) / 4
    return math.atan2(1.5 * (a * b - c * d), (now - eighth) / 2) / 4


def _turn(angle):
    """R_pp, R_qq, R_pq and R_qp of the rotation by an angle."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return cosine, cosine, sine, -sine

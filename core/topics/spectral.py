"""From whitened moments to topics: the part of spectral LDA that needs no data and costs no privacy."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from core import check, tensors
from core.moments import lda
from core.moments.whitening import Whitening, top_eigenpairs
from core.privacy import Privacy
from core.tensors import Method

_DENSE = 128  # Up to this vocabulary the dense eigensolver is the faster one.
_LEAST_SCALE = 1e-3
_MANY = 40  # Topics; at 100, Jacobi takes 14 times as long.


@dataclass(frozen=True)
class Guarantee:
    """Privacy guarantee of a fit for one document, and whether it is proved.

    Attributes
    ----------
    valid : bool
        Whether the nominal (ε, δ) is proved for the mechanism as run.
    reason : str
        Why, or why not.
    mu_public, mu_message, mu_aggregator : float
        Exact Gaussian-DP parameters of everything released, as in `core.schemes.Release`; ∞ means no
        privacy, NaN that none is known. Pure-ε mechanisms have NaN too: they are not Gaussian.
    """

    valid: bool
    reason: str
    mu_public: float = np.nan
    mu_message: float = np.nan
    mu_aggregator: float = np.nan


NO_PRIVACY = Guarantee(False, "No noise: no privacy.", *(np.inf,) * 3)


@dataclass(frozen=True)
class WhitenedMoments:
    """Raw moments projected to r directions. Topics for every α0 follow from them without new noise.

    Attributes
    ----------
    first, second, third : ndarray of shape (r,), (r, r), (r, r, r)
        E1(W), E2(W, W), E3(W, W, W).
    factors, inverse : ndarray of shape (d, r)
        W, and (Wᵀ)†, which maps a projected vector back to the d words.
    """

    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    factors: np.ndarray
    inverse: np.ndarray

    @check.arguments
    def whitened(self, alpha0: float) -> tuple[np.ndarray, np.ndarray]:
        """T = M3(W', W', W') and (W'ᵀ)† for this α0: W' = W A with A = (Wᵀ M2 W)^(-1/2).

        Directions in which M2 is not positive for this α0 are left out.
        """
        values, basis = np.linalg.eigh(lda.centred_second(self.second, self.first, alpha0))
        kept = values > 1e-9 * max(values.max(initial=0.0), 1e-300)
        root = np.sqrt(values[kept])
        turn, back = basis[:, kept] / root, basis[:, kept] * root
        t = lda.centred_third(
            tensors.contract(self.third, turn), turn.T @ self.second @ turn, turn.T @ self.first, alpha0
        )
        return t, self.inverse @ back


@dataclass(frozen=True)
class Topics:
    """Topics, and what they were made under.

    Attributes
    ----------
    words : ndarray of shape (m, d)
        Word probabilities of each topic, rows on the simplex, most prominent topic first. m ≤ k: directions
        that noise has drowned give no topic, and a mechanism that abstains gives none.
    alpha : ndarray of shape (m,)
        Dirichlet parameters α_i; they sum to α0.
    alpha0 : float
    configuration : str
    guarantee : Guarantee
    privacy : Privacy, float or None
        The privacy target; a float is pure ε.
    scheme : str
        How sites joined; "" for one curator.
    spectrum : ndarray of shape (k,)
        Largest eigenvalues of M2 as the mechanism saw it (released, except where it whitens without noise).
    noise : dict of str to float
        Standard deviation of the noise on each released array, by name.
    abstained : str
        Why the mechanism gave no answer; empty if it did.
    moments : WhitenedMoments or None
        For another α0 without new noise.
    diagnostics : dict of str to float
        Figures computed from the documents without protection: *not private*.
    """

    words: np.ndarray
    alpha: np.ndarray
    alpha0: float
    configuration: str
    guarantee: Guarantee
    privacy: Privacy | float | None = None
    scheme: str = ""
    spectrum: np.ndarray = field(default_factory=lambda: np.zeros(0))
    noise: dict[str, float] = field(default_factory=dict)
    abstained: str = ""
    moments: WhitenedMoments | None = field(default=None, repr=False)
    diagnostics: dict[str, float] = field(default_factory=dict)

    @check.arguments
    def top_words(self, count: int = 10) -> np.ndarray:
        """Indices of each topic's most probable words, falling: shape (m, count)."""
        return np.argsort(-self.words, axis=1, kind="stable")[:, :count]


@check.arguments
def at_alpha0(
    topics: Topics, alpha0: float, *, rng: np.random.Generator, method: Method | None = None
) -> Topics:
    """The same release read with another α0: post-processing, no new noise and no new privacy cost."""
    if topics.moments is None:
        raise ValueError(
            f"topics must keep raw moments, as E and nonprivate do, got {topics.configuration!r}"
        )
    words, alpha = recover(*topics.moments.whitened(alpha0), alpha0, rng=rng, method=method)
    return replace(topics, words=words, alpha=alpha, alpha0=alpha0)


@check.arguments(rows=check.matrix)
def simplex(rows: np.ndarray) -> np.ndarray:
    """Euclidean projection of each row onto the probability simplex; 30 % nearer than clip-and-normalise."""
    rows = np.asarray(rows, dtype=float)
    falling = -np.sort(-rows, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(rows - excess[np.arange(len(rows)), last][:, None], 0)


@check.arguments(tensor=check.numeric, inverse=check.numeric)
def recover(
    tensor: np.ndarray,
    inverse: np.ndarray,
    alpha0: float,
    *,
    rng: np.random.Generator,
    method: Method | None = None,
    scale: str = "sum",
) -> tuple[np.ndarray, np.ndarray]:
    """Topics from the whitened tensor: words (m, d) and alpha (m,), most prominent first.

    Parameters
    ----------
    tensor : array of shape (m, m, m)
        T = Σ λ_i v_i⊗v_i⊗v_i.
    inverse : array of shape (d, m)
        (Wᵀ)†. μ_i is along (Wᵀ)† v_i.
    method : {"jacobi", "simultaneous", "robust"}, optional
        Of `core.tensors`; see `decompose`.
    scale : {"sum", "eigenvalue"}
        What sets the length of μ_i. "sum": its entries sum to one, so λ_i, the noisiest number of all, is not
        needed: then Σ_j ((Wᵀ)†v_i)_j = √(α_i/(α0(α0+1))). "eigenvalue", published: μ_i = ((α0+2)/2) λ_i (Wᵀ)†v_i,
        α_i = 4α0(α0+1)/((α0+2)² λ_i²).
    """
    check.choice("scale", scale, ("sum", "eigenvalue"))
    if tensor.ndim != 3 or len(set(tensor.shape)) > 1:
        raise ValueError(f"tensor must have three equal axes, got shape {tensor.shape}")
    if inverse.ndim != 2 or inverse.shape[1] != len(tensor):
        raise ValueError(
            f"inverse must have {len(tensor)} columns, as tensor is wide, got shape {inverse.shape}"
        )
    if not len(tensor):
        return np.zeros((0, len(inverse))), np.zeros(0)
    pairs = decompose(tensor, method, rng=rng)
    along = pairs.vectors @ inverse.T
    if scale == "sum":
        words, alpha = _by_sum(along, alpha0)
    else:
        words, alpha = by_eigenvalue(pairs.values, along, alpha0)
    order = np.argsort(-alpha, kind="stable")
    return words[order], alpha[order]


def decompose(tensor: np.ndarray, method: Method | None, *, rng: np.random.Generator) -> tensors.Eigenpairs:
    """Eigenpairs of T; by Jacobi rotations by default, or simultaneous power steps for many topics."""
    method = method or ("jacobi" if len(tensor) <= _MANY else "simultaneous")
    return tensors.decompose(tensor, method=method, rng=rng)


def by_eigenvalue(values, along, alpha0):
    """Words and alpha from λ_i and (Wᵀ)†v_i (rows), as published, in the same order."""
    values = np.maximum(values, 1e-12)
    words = (alpha0 + 2) / 2 * values[:, None] * along
    return simplex(words), 4 * alpha0 * (alpha0 + 1) / ((alpha0 + 2) ** 2 * values**2)


def _by_sum(along, alpha0):
    sums = along.sum(axis=1)
    along, sums = np.where(sums[:, None] < 0, -along, along), np.abs(sums)
    # A vector of noise may sum to nothing; it must not be blown up.
    sums = np.maximum(sums, _LEAST_SCALE * np.maximum(np.abs(along).sum(axis=1), 1e-300))
    return simplex(along / sums[:, None]), alpha0 * sums**2 / (sums**2).sum()


def whitening(values: np.ndarray, vectors: np.ndarray) -> Whitening:
    """Whitening from eigenpairs (values falling, vectors as columns); those not above zero are left out."""
    rank = int((values > 1e-12 * max(abs(values[0]), 1e-300)).sum())
    root = np.sqrt(values[:rank])
    return Whitening(vectors[:, :rank] / root, vectors[:, :rank] * root, values)


def leading(second, k: int) -> Whitening:
    """Whiten by the k largest eigenvalues of M2, dense (d, d) or an operator; in single precision approximately."""
    d = second.shape[0]
    if isinstance(second, LinearOperator) and (d <= _DENSE or 5 * k > d):
        second = second @ np.eye(d, dtype=second.dtype)
    if not isinstance(second, LinearOperator):
        return whitening(*top_eigenpairs(second, k))
    if second.dtype == np.float32:
        return whitening(*_subspace(second, k))
    start = np.full(d, d**-0.5)
    values, vectors = eigsh(second, k, which="LA", v0=start, ncv=min(d, max(3 * k, 24)))
    order = np.argsort(-values)
    return whitening(values[order], vectors[:, order])


def _subspace(operator, k, *, iterations=8):
    """Leading eigenpairs by block power iteration: few passes over a large array, exact enough under noise.

    The block has room for as many negative eigenvalues, which noise brings and powers do not tell apart.
    """
    block = np.random.default_rng(0).standard_normal((operator.shape[0], 2 * k + 20), dtype=operator.dtype)
    for _ in range(iterations):
        block = np.linalg.qr(operator @ block)[0]
    values, turn = np.linalg.eigh((block.T @ (operator @ block)).astype(float))
    return values[: -k - 1 : -1], block.astype(float) @ turn[:, : -k - 1 : -1]


@check.arguments(most=check.whole(2))
def proposed_topics(counts, *, alpha0: float, most: int = 10) -> int:
    """The number of topics after which the eigenvalues of M2 fall by the largest factor, 2 to `most`: not private.

    Without sampling error M2 of k topics has exactly k eigenvalues above zero and none below ([Lda] section 3). So the
    lowest eigenvalue shows the size of the sampling error; smaller ones count as equal to it. Documents shorter than
    two words are left out.

    Parameters
    ----------
    counts : sparse array of shape (N, d)
    alpha0 : float
    most : int
        At most d − 1 topics are looked for.

    Raises
    ------
    ValueError
        If there are fewer than three words.
    """
    counts = lda.documents(counts)
    d = counts.shape[1]
    if d < 3:
        raise ValueError(f"counts must have at least 3 words to tell topics apart, got {d}")
    second = _centred_second(counts, alpha0)
    values = leading(second, min(most, d - 1) + 1).values
    start = np.full(d, d**-0.5)
    lowest = (
        np.linalg.eigvalsh(second @ np.eye(d))[0]
        if d <= _DENSE
        else eigsh(second, 1, which="SA", v0=start, return_eigenvectors=False)[0]
    )
    values = np.maximum(values, max(-lowest, 1e-12 * values[0]))
    return int(np.argmax(values[1:-1] / values[2:])) + 2


@check.arguments
def nonprivate(
    counts, k: int, *, alpha0: float, rng: np.random.Generator, method: Method | None = None
) -> Topics:
    """Spectral LDA without noise. [Lda] section 4; counts (N, d), no d×d array is formed.

    Documents shorter than r words are left out of E_r.
    """
    counts = corpus(counts, k)
    e1, e2 = lda.first(counts), lda.second_operator(counts)
    white = leading(_centred_second(counts, alpha0), k)
    w = white.matrix
    moments = WhitenedMoments(e1 @ w, w.T @ (e2 @ w), lda.third(counts, w), w, white.inverse)
    words, alpha = recover(*moments.whitened(alpha0), alpha0, rng=rng, method=method)
    return Topics(words, alpha, alpha0, "nonprivate", NO_PRIVACY, None, "", white.values, {}, moments=moments)


def _centred_second(counts, alpha0):
    """M2 as an operator."""
    e1, e2 = lda.first(counts), lda.second_operator(counts)
    a, d = lda.coefficients(alpha0).second, counts.shape[1]

    def product(x):
        return e2 @ x - a * np.multiply.outer(e1, e1 @ x)

    return LinearOperator((d, d), matvec=product, matmat=product, dtype=float)


def corpus(counts, k: int):
    """Checked counts that k topics can be sought in."""
    counts = lda.documents(counts)
    check.integer("k", k, low=1, high=counts.shape[1])
    if lda.lengths(counts).max() < 3:
        raise ValueError("counts must have a document of at least 3 words: topics come from word triples")
    return counts

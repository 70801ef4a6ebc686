"""Moments of latent Dirichlet allocation from sparse word counts, estimated without bias. [Lda] section 4.

A document with counts c and length l gives unbiased estimates of the word, word-pair and word-triple distribution:

    D1 = c/l,   D2 = (c⊗c − diag c)/(l(l−1)),
    D3 = (c⊗c⊗c + 2 Σ c_i e_i⊗e_i⊗e_i − Σ c_i c_j (e_i⊗e_i⊗e_j + its two other placements))/(l(l−1)(l−2)).

The raw moments E_r are their means over documents. The parameter α0 enters only afterwards:

    M2 = E2 − a E1⊗E1,                                             a = α0/(α0+1)
    M3 = E3 − b (E2⊗E1 + its two other placements) + c E1⊗E1⊗E1,   b = α0/(α0+2), c = 2α0²/((α0+1)(α0+2)).

No array is larger than d×d; third moments are only computed after projection to k directions, as k×k×k.
Counts are sparse arrays of shape (N, d), documents are rows. A document shorter than r words has no
information on E_r and weight zero in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from core import check, noise
from core.moments.few_directions import distinct_thirds, products
from core.tensors import outer

_BLOCK = 2**18  # Numbers in a temporary array: what the processor's cache holds.
_FEW = 12  # Up to so many directions the distinct entries of k³ are fewer than inner products.


def _counts(name, counts):
    """Counts that `documents` has checked, as they are; others are checked."""
    return counts if sp.issparse(counts) and counts.format == "csr" else documents(counts, name=name)


@dataclass(frozen=True)
class Coefficients:
    """a, b, c of the centred moments, functions of α0."""

    second: float
    third_cross: float
    third_cube: float


@check.arguments
def coefficients(alpha0: float) -> Coefficients:
    """a = α0/(α0+1), b = α0/(α0+2), c = 2α0²/((α0+1)(α0+2)); [Lda] Lemma 3 with b corrected from 1/(α0+2)."""
    alpha0 = check.positive("alpha0", alpha0)
    return Coefficients(
        alpha0 / (alpha0 + 1), alpha0 / (alpha0 + 2), 2 * alpha0**2 / ((alpha0 + 1) * (alpha0 + 2))
    )


@check.arguments
def documents(counts, *, name: str = "counts") -> sp.csr_array:
    """Word counts as a checked CSR array of floats, shape (N, d).

    Raises
    ------
    ValueError
        If there is no document or no word, or a count is negative, fractional or not finite.
    """
    if not sp.issparse(counts) and check.numeric(name, counts).ndim != 2:
        raise ValueError(f"{name} must be a sparse array (documents, words), got shape {np.shape(counts)}")
    counts = sp.csr_array(counts, dtype=float)
    if not counts.has_canonical_format:
        # The conversion shares index arrays with what came; putting them in order must not touch the caller's.
        counts = counts.copy()
        counts.sum_duplicates()
    if counts.shape[0] < 1 or counts.shape[1] < 1:
        raise ValueError(f"{name} must have at least one document and one word, got shape {counts.shape}")
    if (counts.data == 0).any():
        counts = counts.copy()
        counts.eliminate_zeros()
    bad = ~((counts.data >= 0) & (counts.data == np.floor(counts.data)) & np.isfinite(counts.data))
    if bad.any():
        raise ValueError(f"{name} must be whole numbers of at least 0, got {counts.data[bad][0]}")
    return counts


def lengths(counts) -> np.ndarray:
    """Number of words l of each document, shape (N,)."""
    return np.asarray(counts.sum(axis=1)).ravel()


@check.arguments
def cap_lengths(counts, longest: int, *, rng: np.random.Generator) -> sp.csr_array:
    """Replace each document of more than `longest` words by a uniformly random subset of so many of its words.

    What a document keeps depends on its row and on `rng`, not on the others: with one seed, neighbouring data
    sets still differ in one document.
    """
    counts, longest = documents(counts), check.integer("longest", longest, low=1)
    key = int(rng.integers(2**63))
    long = np.flatnonzero(lengths(counts) > longest)
    if not len(long):
        return counts
    counts = counts.copy()
    for p in long:
        row = slice(counts.indptr[p], counts.indptr[p + 1])
        own = np.random.default_rng([key, int(p)])
        counts.data[row] = own.multivariate_hypergeometric(counts.data[row].astype(int), longest)
    counts.eliminate_zeros()
    return counts


@check.arguments(counts=_counts, weights=check.optional(check.vector))
def first(counts, weights=None) -> np.ndarray:
    """E1, the weighted mean of D1, shape (d,). `weights` (N,) default to one for every document with a word."""
    w, total = _document_weights(counts, 1, weights)
    return counts.T @ w / total


@check.arguments(counts=_counts, weights=check.optional(check.vector), out=check.optional(check.numeric))
def second(counts, weights=None, *, out: np.ndarray | None = None, scale: float = 1.0) -> np.ndarray:
    """E2 times `scale`, the weighted mean of D2, dense of shape (d, d), in `out` if given. O(Σ l²) time.

    It is computed in double precision and rounded once, to the precision of `out`.
    """
    w, total = _document_weights(counts, 2, weights)
    d = counts.shape[1]
    if out is not None and out.shape != (d, d):
        raise ValueError(f"out must have shape {(d, d)}, got {out.shape}")
    result = np.empty((d, d)) if out is None else out
    w = w * (scale / total)
    scaled = sp.csr_array(sp.diags_array(w) @ counts)
    transposed, diagonal = counts.T.tocsr(), counts.T @ w
    step = max(1, _BLOCK // d)
    for start in range(0, d, step):
        rows = (transposed[start : start + step] @ scaled).toarray()
        place = np.arange(len(rows))
        rows[place, start + place] -= diagonal[start : start + step]
        result[start : start + step] = rows
    return result


@check.arguments(counts=_counts, weights=check.optional(check.vector))
def second_operator(counts, weights=None) -> LinearOperator:
    """E2 as an operator that never forms d×d: a product costs one pass over the counts."""
    w, total = _document_weights(counts, 2, weights)
    w = w / total
    diagonal, transposed = counts.T @ w, counts.T.tocsr()

    def product(x):
        scale = w if x.ndim == 1 else w[:, None]
        return transposed @ (scale * (counts @ x)) - (diagonal if x.ndim == 1 else diagonal[:, None]) * x

    d = counts.shape[1]
    return LinearOperator((d, d), matvec=product, rmatvec=product, matmat=product, dtype=float)


@check.arguments(counts=_counts, factors=check.matrix, weights=check.optional(check.vector))
def third(counts, factors, weights=None) -> np.ndarray:
    """E3(W, W, W), the weighted mean of D3 projected by the columns of W (d, k): shape (k, k, k).

    O(nnz·k + N k³ + d k³) time, never d³: with X = C W (N, k),
    Σ_p w_p x_p⊗x_p⊗x_p + 2 Σ_i h_i W_i⊗W_i⊗W_i − 3 sym Σ_i W_i⊗W_i⊗Y_i, h = Cᵀw, Y = Cᵀ(w X).
    """
    _directions(factors, counts)
    w, total = _document_weights(counts, 3, weights)
    projected, h = counts @ factors, counts.T @ w
    # 2 h_i W_i and 3 Y_i share one product with W_i⊗W_i.
    vectors = 2 * h[:, None] * factors - 3 * (counts.T @ (w[:, None] * projected))
    result = outer.trusted(projected, projected, w[:, None] * projected) + outer.trusted(
        factors, factors, vectors
    )
    return symmetric_third(result) / total


@check.arguments(counts=_counts)
def first_norms(counts) -> np.ndarray:
    """‖D1‖₂ of each document, shape (N,); 0 for empty ones."""
    return np.sqrt(_row_sums(counts, counts.data**2)) * _reciprocal(lengths(counts))


@check.arguments(counts=_counts)
def second_norms(counts) -> np.ndarray:
    """‖D2‖_F of each document, shape (N,); 0 for those of fewer than two words."""
    squares, cubes = _row_sums(counts, counts.data**2), _row_sums(counts, counts.data**3)
    length = lengths(counts)
    # (c c' − diag c): ‖c‖⁴ − 2 Σ c³ + Σ c².
    return np.sqrt(np.maximum(squares**2 - 2 * cubes + squares, 0)) * _pair_scale(length)


@check.arguments(counts=_counts, factors=check.matrix)
def third_norms(counts, factors) -> np.ndarray:
    """‖D3(W, W, W)‖_F of each document, shape (N,); 0 for those of fewer than three words.

    Through few directions from the C(k+2,3) distinct entries themselves; else from the inner products of a
    document's rows of W alone, O(u² k) for u distinct words, so that k³ numbers a document are never formed.
    """
    counts = sp.csr_array(counts)
    _directions(factors, counts)
    few = factors.shape[1] <= _FEW
    squares = _third_squares_few(counts, factors) if few else _third_squares_many(counts, factors)
    return np.sqrt(np.maximum(squares, 0)) * triple_scale(lengths(counts))


@check.arguments(tensor=check.cube)
def symmetric_third(tensor: np.ndarray) -> np.ndarray:
    """Average over the placements of a (k, k, k) array already symmetric in its first two indices."""
    return (tensor + tensor.transpose(2, 0, 1) + tensor.transpose(0, 2, 1)) / 3


@check.arguments(second=check.matrix, first=check.vector)
def centred_second(second, first, alpha0: float) -> np.ndarray:
    """M2 = E2 − a E1⊗E1, from (noisy) raw moments; also for E2(W, W), E1(W)."""
    _square("second", second, first)
    return second - coefficients(alpha0).second * np.outer(first, first)


@check.arguments(third=check.cube, second=check.matrix, first=check.vector)
def centred_third(third, second, first, alpha0: float) -> np.ndarray:
    """T = M3(W, W, W) from E3(W, W, W), E2(W, W) and E1(W): shape (k, k, k)."""
    _square("second", second, first)
    _square("third", third, first)
    c = coefficients(alpha0)
    cross = 3 * symmetric_third(np.multiply.outer(second, first))
    cube = np.multiply.outer(np.outer(first, first), first)
    return third - c.third_cross * cross + c.third_cube * cube


@check.arguments
def unbiased_second(counts, alpha0: float) -> LinearOperator:
    """M̂2 of [Lda] equation 6 as an operator: products of two documents only between different ones.

    Needs every document to have at least three words, and at least two documents.
    """
    counts, n, _, d1 = _long_documents(counts, 2)
    raw, mean, a = second_operator(counts), first(counts), coefficients(alpha0).second
    transposed = d1.T.tocsr()

    def product(x):
        own = transposed @ (d1 @ x) / n**2
        pairs = np.multiply.outer(mean, mean @ x) - own
        return raw @ x - a * n / (n - 1) * pairs

    d = counts.shape[1]
    return LinearOperator((d, d), matvec=product, rmatvec=product, matmat=product, dtype=float)


@check.arguments(factors=check.matrix)
def unbiased_third(counts, factors, alpha0: float) -> np.ndarray:
    """M̂3(W, W, W) of [Lda] equation 7 with its missing distinctness terms: no document meets itself.

    Needs every document to have at least three words, and at least three documents.
    """
    counts, n, length, d1 = _long_documents(counts, 3)
    _directions(factors, counts)
    c = coefficients(alpha0)
    x, pair = d1 @ factors, 1 / (length * (length - 1))
    mean, raw2 = x.mean(axis=0), factors.T @ (second_operator(counts) @ factors)
    own1 = x.T @ x / n
    own11 = outer.trusted(x, x, x) / n
    # Mean over documents of D2(W, W)⊗D1(W).
    projected = counts @ factors
    own2 = outer.trusted(projected, projected, pair[:, None] * x)
    own2 -= outer.trusted(factors, factors, counts.T @ (pair[:, None] * x))
    cross = (n * np.multiply.outer(raw2, mean) - own2 / n) / (n - 1)
    cube = n**2 * np.multiply.outer(np.outer(mean, mean), mean) + 2 * own11
    cube -= 3 * n * symmetric_third(np.multiply.outer(own1, mean))
    cube /= (n - 1) * (n - 2)
    return third(counts, factors) - c.third_cross * 3 * symmetric_third(cross) + c.third_cube * cube


LEAST_DOCUMENTS = 5
Form = Literal["exact", "published", "published-l1", "l1"]
FORMS: tuple[Form, ...] = get_args(Form)


@check.arguments
def second_sensitivity(alpha0: float, *, form: Form = "exact") -> float:
    """N times the sensitivity of M2 when one document is replaced.

    "exact": Frobenius, √(2+4a²), attained. "published": 2 ([Lda] Theorem 4). "published-l1" and "l1":
    2+4a ([Lda] appendix H.1), valid in the l1 norm.
    """
    a = coefficients(alpha0).second
    return {"exact": np.sqrt(2 + 4 * a**2), "published": 2.0}.get(form, 2 + 4 * a)


@check.arguments
def third_sensitivity(alpha0: float, *, form: Form = "exact", documents: float = math.inf) -> float:
    """N times the sensitivity of M3 when one document is replaced.

    "exact": Frobenius, √(2+6b²+6(c−b)²), attained; it holds from `LEAST_DOCUMENTS` documents on, with fewer
    the products of different documents can do more. "published": 2 ([Lda] Theorem 4). "published-l1":
    2+4b+6c (N−1)/(N−2) with N = `documents` ([Lda] appendix H.2; default: very many), which is no bound of the
    l1 norm; "l1": 2+12b+6c, which is. The other forms do not depend on N.
    """
    k = coefficients(alpha0)
    b, c = k.third_cross, k.third_cube
    if form == "exact":
        return float(np.sqrt(2 + 6 * b**2 + 6 * (c - b) ** 2))
    if form == "published-l1" and not documents > 2:
        raise ValueError(f"documents must be more than 2, got {documents}")
    # (N−1)/(N−2), also for N = ∞.
    published = 2 + 4 * b + 6 * c * (1 + 1 / (documents - 2))
    return {"published": 2.0, "published-l1": published, "l1": 2 + 12 * b + 6 * c}[form]


def _document_weights(counts, order, weights):
    """w_p/(l(l−1)…), shape (N,), and Σ w_p over the documents that have `order` words."""
    length = lengths(counts)
    if weights is not None and weights.shape != length.shape:
        raise ValueError(
            f"weights must be one for each of {len(length)} documents, got shape {weights.shape}"
        )
    weights = (length >= order).astype(float) if weights is None else np.where(length >= order, weights, 0.0)
    total = weights.sum()
    scale = (_reciprocal, _pair_scale, triple_scale)[order - 1](length)
    return weights * scale, total if total > 0 else 1.0


def _square(name, array, first):
    if set(array.shape) != {len(first)}:
        raise ValueError(f"{name} must have axes as long as first, {len(first)}, got shape {array.shape}")


def _directions(factors, counts):
    if factors.shape[0] != counts.shape[1]:
        raise ValueError(f"factors must have {counts.shape[1]} rows, one a word, got shape {factors.shape}")


def _reciprocal(x):
    return np.divide(1.0, x, out=np.zeros_like(x, dtype=float), where=x > 0)


def _pair_scale(length):
    return _reciprocal(np.maximum(length * (length - 1), 0))


def triple_scale(length):
    """1/(l(l − 1)(l − 2)) of documents of l words; 0 below three words."""
    return _reciprocal(np.where(length >= 3, length * (length - 1) * (length - 2), 0))


def _row_sums(counts, values):
    return np.bincount(np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), values, counts.shape[0])


def _third_squares_few(counts, factors):
    """‖x⊗x⊗x + 2R − 3 sym(Q⊗x)‖² of each document, entry by entry; names as in `_gram_squares`."""
    k = factors.shape[1]
    (_, places), through = noise.distinct(k, 3), products(factors)
    result, step = np.empty(counts.shape[0]), max(1, _BLOCK // len(places))
    for start in range(0, len(result), step):
        result[start : start + step] = places @ distinct_thirds(counts[start : start + step], through, k) ** 2
    return result


def _third_squares_many(counts, factors):
    """The same, from inner products."""
    distinct = np.diff(counts.indptr)
    result = np.zeros(counts.shape[0])
    # Documents in the order of their distinct words, the longest first, so that padding wastes little.
    order = np.argsort(-distinct, kind="stable")[: int((distinct > 0).sum())]
    position = 0
    while position < len(order):
        size = int(distinct[order[position]])
        rows = order[position : position + max(1, _BLOCK // (size * max(size, factors.shape[1])))]
        result[rows] = _gram_squares(counts, rows, factors)
        position += len(rows)
    return result


def _gram_squares(counts, rows, factors):
    """‖c⊗c⊗c + 2 Σ c_i e_i⊗³ − Σ c_i c_j (…)‖² seen through W, for some documents at once.

    With x = Σ c_i W_i, Q = Σ c_i W_i⊗W_i, R = Σ c_i W_i⊗W_i⊗W_i: the squared norm of x⊗x⊗x + 2R − 3 sym(Q⊗x).
    """
    size = int(np.diff(counts.indptr)[rows].max())
    place = counts.indptr[rows][:, None] + np.arange(size)
    inside = place < counts.indptr[rows + 1][:, None]
    place = np.where(inside, place, 0)
    c = np.where(inside, counts.data[place], 0.0)
    w = factors[counts.indices[place]]
    gram = w @ w.transpose(0, 2, 1)
    g = np.einsum("nij,nj->ni", gram, c)
    cg = c * g
    xx = cg.sum(axis=1)
    x_r, x_qx = (cg * g**2).sum(axis=1), (cg * g).sum(axis=1) * xx
    qx_qx = np.einsum("ni,nij,nj->n", cg, gram, cg, optimize=True)
    power = gram**2
    c_power = np.einsum("ni,nij->nj", c, power)
    q_q, r_qx = (c_power * c).sum(axis=1), (c_power * cg).sum(axis=1)
    power *= gram
    r_r = np.einsum("ni,nij,nj->n", c, power, c, optimize=True)
    return xx**3 + 4 * r_r + 3 * (q_q * xx + 2 * qx_qx) + 4 * x_r - 6 * x_qx - 12 * r_qx


def _long_documents(counts, least):
    counts = documents(counts)
    n, length = counts.shape[0], lengths(counts)
    if length.min() < 3:
        raise ValueError(
            f"counts must have at least 3 words in every document, got {int(length.min())} in document "
            f"{int(length.argmin())}"
        )
    if n < least:
        raise ValueError(f"counts must have at least {least} documents, got {n}")
    return counts, n, length, sp.csr_array(sp.diags_array(1 / length) @ counts)

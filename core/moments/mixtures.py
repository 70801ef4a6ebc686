"""Second and third moments whose factors are the components: single topics and mixtures of Gaussians.

Single topic model: the words t_1, t_2, t_3 of a document share one of k topics, so M2 = E[t_1⊗t_2] =
Σ w_i a_i⊗a_i and M3 = E[t_1⊗t_2⊗t_3] = Σ w_i a_i⊗a_i⊗a_i ([Fact] appendix D.1). Mixture of spherical
Gaussians of variance σ²: the same M2 = E[t⊗t] − σ²I and M3 = E[t⊗t⊗t] − σ² Σ_d (E[t]⊗e_d⊗e_d + its two
other placements) (appendix D.2).

Third moments are *operators*: M3(A,B,C), M3(I,u,u) and M3(u,v,w) come straight from the records, in
O(n) and never d³; `dense_third` forms the array on request.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from core import check
from core.moments import lda
from core.moments.whitening import Whitening, top_eigenpairs, whiten
from core.tensors import contract, outer

__all__ = [
    "CountMoments",
    "GaussianMoments",
    "Moments",
    "TripleMoments",
    "Whitening",
    "estimate_variance",
    "gaussian_mixture",
    "single_topic",
    "top_eigenpairs",
    "whiten",
]

_KEPT_WORDS, _KEPT_COORDINATES = 64, 24  # Up to these widths M3 itself is computed once and kept.
_LONGEST = 2**27  # Entries of the largest d³ that is formed on request: 1 GB.


class Moments(abc.ABC):
    """Moments of one site's records.

    Attributes
    ----------
    samples : int
        n_s, the number of records.
    d : int
        Width of the moments.
    """

    if TYPE_CHECKING:
        # A subclass has them as fields or as properties.
        @property
        def samples(self) -> int: ...

        @property
        def d(self) -> int: ...

    @abc.abstractmethod
    def second(self) -> np.ndarray:
        """M2, shape (d, d)."""

    def add_second(self, total: np.ndarray, weight: float) -> None:
        """Add weight · M2 to `total`, an array (d, d), in place."""
        total += weight * self.second()

    @cached_property
    def kept_second(self) -> np.ndarray:
        """M2, computed once."""
        return self.second()

    @abc.abstractmethod
    def third(self, first: np.ndarray, second=None, third=None) -> np.ndarray:
        """M3(A, B, C) of matrices with d rows, shape (a, b, c); B and C default to A."""

    @abc.abstractmethod
    def power(self, vectors: np.ndarray) -> np.ndarray:
        """M3(I,u,u) for every row u, shape (L, d); makes this a tensor of `core.tensors`."""

    def form(self, u: np.ndarray, v: np.ndarray, w: np.ndarray) -> float:
        """M3(u, v, w) of three vectors of length d."""
        return float(self.third(u[:, None], v[:, None], w[:, None])[0, 0, 0])

    def dense_third(self) -> np.ndarray:
        """M3 as an array (d, d, d), up to d = 512."""
        if self.d**3 > _LONGEST:
            raise ValueError(f"M3 of d = {self.d} would have {self.d**3:.1e} entries; use `third` or `power`")
        return self.third(np.eye(self.d))


@dataclass(frozen=True, eq=False)
class TripleMoments(Moments):
    """Moments of documents of three words, from `single_topic`.

    Attributes
    ----------
    words : ndarray of int (n, 3)
        Word indices.
    vocabulary : int
        d.
    symmetrised : bool
        Average over the orders of the three words (the default). Without it, M2 counts (t_1, t_2) alone and
        is not symmetric, as published. Symmetric noise then does *not* protect it: M2 − M2ᵀ leaves without
        any noise.
    """

    words: np.ndarray
    vocabulary: int
    symmetrised: bool = True

    @property
    def samples(self) -> int:
        return len(self.words)

    @property
    def d(self) -> int:
        return self.vocabulary

    def second(self) -> np.ndarray:
        m2 = np.zeros((self.d, self.d))
        self.add_second(m2, 1.0)
        return m2

    def add_second(self, total, weight):
        pairs = tuple(itertools.permutations(range(3), 2)) if self.symmetrised else ((0, 1),)
        for a, b in pairs:
            np.add.at(total, (self.words[:, a], self.words[:, b]), weight / (self.samples * len(pairs)))

    def third(self, first, second=None, third=None):
        if self.d <= _KEPT_WORDS:
            return contract.trusted(self._kept_third, first, second, third)
        same = second is None and third is None
        factors = _factors(first, second, third)
        orders = list(itertools.permutations(range(3))) if self.symmetrised and not same else [(0, 1, 2)]
        total = sum(
            outer(*(f[self.words[:, place]] for f, place in zip(factors, order, strict=True)))
            for order in orders
        )
        total /= self.samples * len(orders)
        return _symmetric(total) if self.symmetrised and same else total

    def power(self, vectors):
        orders = ((0, 1, 2), (1, 0, 2), (2, 0, 1)) if self.symmetrised else ((0, 1, 2),)
        seen = vectors.T[self.words]
        result = np.stack(
            [
                sum(
                    np.bincount(self.words[:, i], seen[:, j, u] * seen[:, k, u], minlength=self.d)
                    for i, j, k in orders
                )
                for u in range(len(vectors))
            ]
        )
        return result / (self.samples * len(orders))

    @cached_property
    def _kept_third(self):
        """M3 of a small vocabulary, counted once: seen through any W it is then independent of n."""
        a, b, c = self.words.T.astype(np.int64)
        counts = np.bincount((a * self.d + b) * self.d + c, minlength=self.d**3) / self.samples
        counts = counts.reshape((self.d,) * 3)
        return _symmetric(counts) if self.symmetrised else counts


@dataclass(frozen=True, eq=False)
class CountMoments(Moments):
    """Moments of documents of three or more words, each averaged over all ordered triples of its words.

    Attributes
    ----------
    counts : sparse array (n, d)
        Word counts.
    """

    counts: sp.csr_array

    @property
    def samples(self) -> int:
        return self.counts.shape[0]

    @property
    def d(self) -> int:
        return self.counts.shape[1]

    def second(self) -> np.ndarray:
        return lda.second(self.counts)

    def third(self, first, second=None, third=None):
        if second is None and third is None:
            return lda.third(self.counts, first)
        a, b, c = _factors(first, second, third)
        x, y, z = (self.counts @ f for f in (a, b, c))
        w = self._weights[:, None]
        back = self.counts.T
        total = outer(w * x, y, z) + outer(2 * (back @ w) * a, b, c)
        total -= outer(a, b, back @ (w * z)) + outer(a, back @ (w * y), c) + outer(back @ (w * x), b, c)
        return total

    def power(self, vectors):
        u = vectors.T
        s, q, w = self.counts @ u, self.counts @ u**2, self._weights[:, None]
        back = self.counts.T
        return (back @ (w * (s**2 - q)) + 2 * u * (u * (back @ w) - back @ (w * s))).T

    @property
    def _weights(self):
        """1/(n l (l−1)(l−2)) of each document."""
        length = lda.lengths(self.counts)
        return 1 / (self.samples * length * (length - 1) * (length - 2))


@dataclass(frozen=True, eq=False)
class GaussianMoments(Moments):
    """Moments of a mixture of spherical Gaussians, from `gaussian_mixture`.

    Attributes
    ----------
    records : ndarray (n, d)
        Rows t with ‖t‖ ≤ 1.
    variance : float
        σ² of the records as they stand here.
    clipped : int
        Rows that were shortened to norm 1. Taken from the data: not private.
    """

    records: np.ndarray
    variance: float
    clipped: int = 0

    @property
    def samples(self) -> int:
        return len(self.records)

    @property
    def d(self) -> int:
        return self.records.shape[1]

    @property
    def mean(self) -> np.ndarray:
        """E[t], shape (d,)."""
        return self.records.mean(axis=0, dtype=float)

    def second(self) -> np.ndarray:
        m2 = np.asarray(self.records.T @ self.records, dtype=float) / self.samples
        m2[np.diag_indices(self.d)] -= self.variance
        return m2

    def third(self, first, second=None, third=None):
        if self.d <= _KEPT_COORDINATES:
            return contract.trusted(self._kept_third, first, second, third)
        return self._third(first, second, third)

    @cached_property
    def _kept_third(self):
        return self._third(np.eye(self.d), None, None)

    def _third(self, first, second, third):
        a, b, c = _factors(first, second, third)
        total = outer(*(self.records @ f for f in (a, b, c))) / self.samples
        x, y, z = (self.mean @ f for f in (a, b, c))
        placements = (
            np.einsum("a,bc->abc", x, b.T @ c)
            + np.einsum("b,ac->abc", y, a.T @ c)
            + np.einsum("c,ab->abc", z, a.T @ b)
        )
        return total - self.variance * placements

    def power(self, vectors):
        seen = (self.records @ vectors.T) ** 2
        result = (self.records.T @ seen).T / self.samples
        mean = self.mean
        lengths = (vectors**2).sum(axis=1, keepdims=True)
        return result - self.variance * (lengths * mean + 2 * (vectors @ mean)[:, None] * vectors)


@check.arguments
def single_topic(
    documents, vocabulary: int | None = None, *, triples: str = "all", symmetrised: bool = True
) -> Moments:
    """Moments of one site's documents under the single topic model.

    Parameters
    ----------
    documents : int array (n, l), sequence of n sequences of word indices, or sparse counts (n, d)
        Each of at least three words.
    vocabulary : int
        d, public; with counts, their width.
    triples : {"all", "first"}
        Average over all ordered triples of distinct positions (and pairs for M2), or use the first three
        words alone, as published. Counts know no first words.
    symmetrised : bool
        False only with triples="first": the published M2 and M3, which leak; see `TripleMoments`.

    Raises
    ------
    ValueError
        If a document has fewer than three words, or a word is not an index of the vocabulary.
    """
    check.choice("triples", triples, ("all", "first"))
    if triples == "all" and not symmetrised:
        raise ValueError('symmetrised=False needs triples="first": averages over all triples are symmetric')
    if sp.issparse(documents):
        if triples == "first":
            raise ValueError('triples must be "all" for counts, which know no order of words, got "first"')
        counts = lda.documents(documents, name="documents")
        if vocabulary is not None and vocabulary != counts.shape[1]:
            raise ValueError(f"vocabulary must be the counts' width {counts.shape[1]}, got {vocabulary}")
        _long_enough(lda.lengths(counts))
        return CountMoments(counts)
    d = check.integer("vocabulary", vocabulary, low=1)
    lengths, words = _words(documents)
    _long_enough(lengths)
    outside = np.flatnonzero((words < 0) | (words >= d))
    if len(outside):
        document = int(np.searchsorted(np.cumsum(lengths), outside[0], side="right"))
        raise ValueError(
            f"documents must hold word indices from 0 to {d - 1}, got {words[outside[0]]} "
            f"in document {document}"
        )
    if triples == "first" or (lengths == 3).all():
        starts = np.cumsum(lengths) - lengths
        return TripleMoments(words[starts[:, None] + np.arange(3)], d, symmetrised)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    counts = sp.csr_array((np.ones(len(words)), (rows, words)), shape=(len(lengths), d))
    return CountMoments(lda.documents(counts))


@check.arguments(records=check.numeric, bound=check.sized)
def gaussian_mixture(records, variance: float, *, bound: float = 1.0) -> GaussianMoments:
    """Moments of one site's records under the mixture of spherical Gaussians.

    Parameters
    ----------
    records : array (n, d)
        Rows; divided by `bound` and, where that leaves them longer than 1, shortened to norm 1. How many
        were is counted: many means that the bound is too small and the moments are biased.
    variance : float
        σ² of the records as given. Public, or released privately; `estimate_variance` is neither.
    bound : float
        ζ, public, the same at all sites.
    """
    x = np.asarray(records)
    if x.ndim != 2 or not x.size or x.dtype.kind not in "fiu":
        raise ValueError(f"records must be a table of numbers with at least one row, got shape {x.shape}")
    x = x if x.dtype == np.float32 else x.astype(float)
    check.finite("records", x)
    if isinstance(variance, str):
        raise ValueError(f"variance must be a number of at least 0, got {variance!r}")
    variance = check.nonnegative("variance", variance)
    bound = check.positive("bound", bound)
    x = x / x.dtype.type(bound)
    norms = np.sqrt(np.einsum("nd,nd->n", x, x, dtype=float))
    # Rounded to single precision, a record on the bound may be a digit beyond it: shortened, but not counted.
    clipped = int((norms > 1 + 1e-6 * (x.dtype == np.float32)).sum())
    over = norms > 1
    x[over] /= norms[over, None] * (1 + np.finfo(x.dtype).eps)
    return GaussianMoments(x, variance / bound**2, clipped)


@check.arguments
def estimate_variance(sites: Sequence[np.ndarray], k: int) -> float:
    """σ² as the mean of the d − k smallest eigenvalues of the pooled covariance. **Not private.**"""
    x = np.concatenate(
        [check.matrix(f"records of site {i}", s) for i, s in enumerate(sites)] or [np.zeros((0, 0))]
    )
    if not x.size:
        raise ValueError("sites must be at least one, got none")
    values = np.linalg.eigvalsh(np.cov(x.T, bias=True).reshape(x.shape[1], x.shape[1]))
    return float(max(values[: max(len(values) - k, 1)].mean(), 0.0))


def _factors(first, second, third):
    second = first if second is None else second
    return first, second, second if third is None else third


def _symmetric(t):
    return sum(t.transpose(p) for p in itertools.permutations(range(3))) / 6


def _words(documents):
    """Lengths (n,) and all words in a row."""
    array = check.sequence("documents", documents) if isinstance(documents, np.ndarray) else None
    if array is None or array.ndim != 2:
        named = enumerate(check.sequence("documents", documents))
        rows = [np.atleast_1d(check.numeric(f"document {i}", row)).ravel() for i, row in named]
        if not rows:
            raise ValueError("documents must be at least one, got none")
        array = np.concatenate(rows)
        lengths = np.array([len(row) for row in rows])
    else:
        lengths = np.full(len(array), array.shape[1])
        array = array.ravel()
    if not len(lengths):
        raise ValueError("documents must be at least one, got none")
    if array.dtype.kind == "f":
        whole = np.isfinite(array) & (array == np.floor(array))
        if not whole.all():
            raise ValueError(f"documents must hold whole word indices, got {array[~whole][0]}")
    elif array.dtype.kind not in "iu":
        raise ValueError(f"documents must hold whole word indices, got an array of {array.dtype}")
    return lengths, array.astype(np.int64, copy=False)


def _long_enough(lengths):
    short = np.flatnonzero(lengths < 3)
    if len(short):
        raise ValueError(
            f"documents must have at least 3 words each, got {int(lengths[short[0]])} in document {short[0]} "
            f"({len(short)} of {len(lengths)} documents are too short)"
        )

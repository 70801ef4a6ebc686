"""Third moments of the documents of several sites through few directions: all sites in the same products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise

import numpy as np
import scipy.sparse as sp

from core import check, noise
from core.moments import lda

MOST = 10  # Directions; beyond, C(k+2,3) numbers a document are more than its inner products.


class SitesDocuments:
    """Word counts of S sites side by side; what does not depend on the directions is computed once.

    Parameters
    ----------
    sites : sequence of S sparse arrays (n_s, d)

    Attributes
    ----------
    ends : ndarray of shape (S + 1,)
        Site s has the documents from ends[s] to ends[s + 1].
    """

    def __init__(self, sites: Sequence):
        self.ends = np.cumsum([0, *(c.shape[0] for c in sites)])
        self._counts = sp.csr_array(sp.vstack([sp.csr_array(c) for c in sites]))
        length = lda.lengths(self._counts)
        self._long = length >= 3
        self._scale = lda.triple_scale(length)
        # Rows are the words of each site in turn: one product sums over the documents of every site.
        self._by_site = sp.csr_array(sp.block_diag([sp.csr_array(c).T for c in sites], format="csr"))

    @check.arguments(factors=check.matrix)
    def seen(self, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All documents through W of shape (d, k), k ≤ `MOST`.

        Returns
        -------
        projected : ndarray of shape (k, N)
            X = C W, transposed.
        norms : ndarray of shape (N,)
            ‖D3(W, W, W)‖_F of each document, as `core.moments.lda.third_norms`.
        """
        k = factors.shape[1]
        if k > MOST:
            raise ValueError(f"factors must have at most {MOST} columns, got {k}")
        pairs, triples = _indices(k)
        i, j = np.array(list(pairs)).T
        a, b, c = np.array(triples).T
        all_factors = [
            factors,
            factors[:, i] * factors[:, j],
            2 * factors[:, a] * factors[:, b] * factors[:, c],
        ]
        # One product for all; its columns become rows, which stay in a cache one by one.
        columns = np.ascontiguousarray((self._counts @ np.concatenate(all_factors, axis=1)).T)
        x, q, t = np.split(columns, [k, k + len(i)])
        rest = x[i] * x[j] - q
        squares = np.zeros(columns.shape[1])
        for entry, (a, b, c) in zip(t, triples, strict=True):
            entry += rest[pairs[a, b]] * x[c]
            entry -= q[pairs[a, c]] * x[b]
            entry -= q[pairs[b, c]] * x[a]
            entry *= entry
            squares += entry if a == b == c else (3 if a == b or b == c else 6) * entry
        return x, np.sqrt(squares) * self._scale

    @check.arguments(factors=check.matrix, projected=check.matrix, weights=check.vector)
    def thirds(self, factors: np.ndarray, projected: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Each site's weighted mean of D3 through W, as `core.moments.lda.third`: shape (S, k, k, k).

        `projected` is that of `seen`, `weights` of shape (N,).
        """
        d, k = factors.shape
        weights = np.where(self._long, weights, 0.0)
        w = weights * self._scale
        weighted = w * projected
        sums = (self._by_site @ np.vstack([w, weighted]).T).reshape(-1, d, k + 1)
        vectors = 2 * sums[..., :1] * factors - 3 * sums[..., 1:]
        twofold = (factors[:, :, None] * factors[:, None, :]).reshape(d, k * k)
        pairs = (projected[:, None] * projected[None]).reshape(k * k, -1)
        raw = twofold.T @ vectors
        totals = np.empty(len(raw))
        for s, (start, end) in enumerate(pairwise(self.ends)):
            raw[s] += pairs[:, start:end] @ weighted[:, start:end].T
            totals[s] = weights[start:end].sum()
        totals = np.where(totals > 0, totals, 1.0)
        return noise.symmetrise.trusted(raw.reshape(-1, k, k, k), 3) / totals[:, None, None, None]


@lru_cache(maxsize=MOST)
def _indices(k):
    """Places of the pairs i ≤ j of k directions, and the triples a ≤ b ≤ c."""
    pairs = {pair: place for place, pair in enumerate(combinations_with_replacement(range(k), 2))}
    return pairs, tuple(combinations_with_replacement(range(k), 3))

"""Distinct entries of documents' third moments through few directions."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np


def products(factors: np.ndarray) -> np.ndarray:
    """Columns W_i, W_i W_j for i ≤ j and 2 W_a W_b W_c for a ≤ b ≤ c of W, shape (d, k): what `distinct_thirds` takes."""
    (i, j), (a, b, c) = _places(factors.shape[1])
    twofold, threefold = factors[:, i] * factors[:, j], 2 * factors[:, a] * factors[:, b] * factors[:, c]
    return np.concatenate([factors, twofold, threefold], axis=1)


def distinct_thirds(counts, through: np.ndarray, k: int) -> np.ndarray:
    """The entries a ≤ b ≤ c of x⊗x⊗x + 2R − 3 sym(Q⊗x) of each document, shape (C(k+2,3), n).

    With W of shape (d, k), `products` of it, and a document's counts m: x = Σ m_i W_i, Q = Σ m_i W_i⊗W_i,
    R = Σ m_i W_i⊗W_i⊗W_i. Divided by l(l − 1)(l − 2), this is D3(W, W, W). It is fastest for as many documents at once
    as the result stays in a processor's cache.
    """
    (i, j), _ = _places(k)
    # One product for all; its columns become rows, so that what follows runs along the documents.
    rows = np.ascontiguousarray((counts @ through).T)
    x, q, t = rows[:k], rows[k : k + len(i)], rows[k + len(i) :]
    rest, entry = x[i] * x[j] - q, 0
    for ab, (a, b) in enumerate(zip(i, j, strict=True)):
        # (x_a x_b − Q_ab) x_c − Q_ac x_b for all c ≥ b, and before that − Q_bc x_a for all c ≥ b ≥ a.
        if a == b:
            t[entry : entry + len(q) - ab] -= q[ab:] * x[a]
        block = t[entry : entry + k - b]
        block += rest[ab] * x[b:]
        block -= q[ab : ab + k - b] * x[b]
        entry += k - b
    return t


@lru_cache(maxsize=64)
def _places(k):
    """Indices of the pairs i ≤ j and of the triples a ≤ b ≤ c of k directions, in rising order."""
    return tuple(np.array(list(combinations_with_replacement(range(k), n))).T for n in (2, 3))

"""Third moments of the documents of several sites through few directions, part by part of the documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from core import check, noise
from core.moments import lda
from core.moments.few_directions import distinct_thirds, products

MOST = 10  # Directions; beyond, C(k+2,3) numbers a document are more than its inner products.
_AT_ONCE = 1250  # Documents: what is computed of them stays in a processor's cache.


class SitesDocuments:
    """Word counts of S sites; what does not depend on the directions is computed once.

    Parameters
    ----------
    sites : sequence of S sparse arrays (n_s, d)
    """

    def __init__(self, sites: Sequence):
        self._parts = [list(_parts(sp.csr_array(counts))) for counts in sites]

    @check.arguments(factors=check.matrix)
    def thirds(self, factors: np.ndarray, clip: float) -> tuple[np.ndarray, int]:
        """Sums of the sites' documents' third moments through W of shape (d, k), k ≤ `MOST`, each of a bounded norm.

        Returns
        -------
        sums : ndarray of shape (S, k, k, k)
            Σ D3(W, W, W) over the documents of each site, those longer than `clip` in the Frobenius norm shortened to it.
        clipped : int
            How many documents these are.
        """
        k = factors.shape[1]
        if k > MOST:
            raise ValueError(f"factors must have at most {MOST} columns, got {k}")
        (place, multiplicity), through = noise.distinct(k, 3), products(factors)
        sums, clipped = np.zeros((len(self._parts), len(multiplicity))), 0
        for total, parts in zip(sums, self._parts, strict=True):
            for counts, scale in parts:
                thirds = distinct_thirds(counts, through, k)
                thirds *= scale
                size = np.sqrt(multiplicity @ (thirds * thirds))
                long = size > clip
                clipped += int(np.count_nonzero(long))
                total += thirds @ np.divide(clip, size, out=np.ones_like(size), where=long)
        return sums[:, place], clipped


def _parts(counts):
    """Documents of at least three words, few at once, and 1/(l(l − 1)(l − 2)) of each; shorter ones have no D3."""
    length = lda.lengths(counts)
    counts, scale = counts[length >= 3], lda.triple_scale(length[length >= 3])
    ends = np.linspace(0, len(scale), max(1, math.ceil(len(scale) / _AT_ONCE)) + 1).astype(int)
    for start, end in pairwise(ends):
        yield counts[start:end], scale[start:end]

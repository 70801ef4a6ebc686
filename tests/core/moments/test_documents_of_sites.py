"""Clipped third moments of all sites, part by part of their documents: those of one site after another."""

import numpy as np
import pytest
import scipy.sparse as sp

from core.moments import lda
from core.moments.documents_of_sites import MOST, SitesDocuments


def documents(sizes, *, d=12, seed=0):
    """Word counts of sites; the first document has no word, the second one, the third two."""
    rng = np.random.default_rng(seed)
    sites = [rng.poisson(0.6, (n, d)).astype(float) for n in sizes]
    sites[0][:3] = 0
    sites[0][1, 4] = sites[0][2, 5] = sites[0][2, 6] = 1
    return [sp.csr_array(counts) for counts in sites]


# Also so many documents at a site that several parts are needed.
@pytest.mark.parametrize("k", [1, MOST])
@pytest.mark.parametrize("sizes", [(20,), (20, 20, 20), (20, 1, 50), (3000, 30)])
@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_clipped_third_moments_are_those_of_every_site(k, sizes, level):
    sites, factors = documents(sizes), np.random.default_rng(1).standard_normal((12, k))
    norms = [lda.third_norms(counts, factors) for counts in sites]
    clip = float(np.quantile(np.concatenate(norms), level)) + 1e-9
    sums, clipped = SitesDocuments(sites).thirds(factors, clip)
    for found, counts, size in zip(sums, sites, norms, strict=True):
        weights = clip / np.maximum(size, clip) * (lda.lengths(counts) >= 3)
        expected = lda.third(counts, factors, weights) * weights.sum()
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * clip)
    assert clipped == sum(int((size > clip).sum()) for size in norms)


def test_more_directions_than_it_is_made_for_are_refused():
    with pytest.raises(ValueError, match=rf"factors.*{MOST}.*{MOST + 1}"):
        SitesDocuments(documents((20,))).thirds(np.ones((12, MOST + 1)), 1.0)

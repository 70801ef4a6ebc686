"""Documents of all sites in the same products: norms and third moments of one site after another."""

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


@pytest.mark.parametrize("k", [1, 2, 5, MOST])
@pytest.mark.parametrize("sizes", [(20,), (20, 20, 20), (20, 1, 50)])
def test_norms_and_third_moments_are_those_of_every_site(k, sizes):
    sites = documents(sizes)
    rng = np.random.default_rng(1)
    factors, weights = rng.standard_normal((12, k)), rng.random(sum(sizes))
    together = SitesDocuments(sites)
    projected, norms = together.seen(factors)
    np.testing.assert_allclose(
        norms, np.concatenate([lda.third_norms(c, factors) for c in sites]), rtol=1e-9, atol=1e-12
    )
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    expected = [lda.third(c, factors, w) for c, w in zip(sites, parts, strict=True)]
    np.testing.assert_allclose(together.thirds(factors, projected, weights), expected, rtol=1e-9, atol=1e-12)


def test_more_directions_than_it_is_made_for_are_refused():
    with pytest.raises(ValueError, match=f"factors must have at most {MOST} columns, got {MOST + 1}"):
        SitesDocuments(documents((20,))).seen(np.ones((12, MOST + 1)))

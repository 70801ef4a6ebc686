"""Documents of latent Dirichlet allocation, for the tests of topics."""

import numpy as np
import scipy.sparse as sp

SCHEMES = ("pooled", "local", "conventional", "cape")


def draw(samples, *, d, k, alpha0, length=50, seed=0, alpha=None):
    """Documents of latent Dirichlet allocation with Dirichlet(0.1) topics: counts and words."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(d, 0.1), k)
    theta = rng.dirichlet(np.full(k, alpha0 / k) if alpha is None else alpha, samples)
    law = theta @ words
    return sp.csr_array(rng.multinomial(length, law / law.sum(axis=1, keepdims=True))), words


def rng(seed=0):
    return np.random.default_rng(seed)

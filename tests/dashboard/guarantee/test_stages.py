"""What a page says of one site's messages is core's μ of them, for every problem, also where it has several stages."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from core import Privacy, decomposition, functional, network, pca
from core.privacy import gdp_delta
from core.topics import configuration_e
from core.topics import problem as topics
from dashboard.guarantee import guarantee

PRIVACY, SITES = Privacy(0.5, 1e-5), 5
SCHEMES = ("pooled", "local", "conventional", "cape", "cape-best", "graph", "secure")
RNG = np.random.default_rng(0)
RECORDS = [x / np.linalg.norm(x, axis=1, keepdims=True).clip(1) for x in RNG.normal(0, 0.4, (SITES, 60, 3))]
LABELLED = [(x, (x[:, 0] > 0).astype(float)) for x in RECORDS]
WORDS = [RNG.integers(0, 12, (40, 20)) for _ in range(SITES)]


def load(settings):
    return None


def of_components(scheme, model):
    options = {"scheme": scheme, "privacy": PRIVACY, "rng": np.random.default_rng(1), "model": model}
    if model == "gaussians":
        found = decomposition.fit(RECORDS, 2, share=0.3, variance=0.01, **options)
    else:
        triples = [words[:, :3] for words in WORDS]
        found = decomposition.fit(triples, 2, share=0.3, vocabulary=20, order="magnitude", **options)
    assert found.third is not None
    return found.mu_message, decomposition.Problem(load, model=model).earlier({"share": 0.3})


def of_topics(scheme):
    settings = {
        "third": 0.2,
        "length": 20,
        "longest": 200,
        "spread": 0,
        "clip": 0,
        "epsilon": 0.5,
        "delta": 1e-5,
    }
    problem = topics.Problem(load, ())
    counts = [sp.csr_array(np.stack([np.bincount(d, minlength=20) for d in w])) for w in WORDS]
    shares = problem.equalisation(PRIVACY, settings)
    data = configuration_e.statistics(counts, shares, rng=np.random.default_rng(2))
    found = configuration_e.fit(
        data,
        2,
        alpha0=1.0,
        sharing=configuration_e.Sharing(PRIVACY, scheme),
        rng=np.random.default_rng(1),
    )
    return found.guarantee.mu_message, problem.earlier(settings)


def of_network(scheme, steps):
    options = {"scheme": scheme, "privacy": PRIVACY, "rng": np.random.default_rng(1), "steps": steps}
    return network.train(LABELLED, **options).last.mu_message, network.Problem(load).earlier({"steps": steps})


def of_pca(scheme):
    options = {"scheme": scheme, "privacy": PRIVACY, "rng": np.random.default_rng(1)}
    return pca.fit(RECORDS, 1, **options).release.mu_message, 0.0


def of_regression(scheme):
    pairs = [(x, np.clip(x[:, 0], -1, 1)) for x in RECORDS]
    options = {"mechanism": scheme, "privacy": PRIVACY, "rng": np.random.default_rng(1)}
    return functional.fit(pairs, **options).release.mu_message, 0.0


PROBLEMS = {
    "clusters": lambda scheme: of_components(scheme, "gaussians"),
    "single topics": lambda scheme: of_components(scheme, "topics"),
    "topics": of_topics,
    "one step": lambda scheme: of_network(scheme, 1),
    "three steps": lambda scheme: of_network(scheme, 3),
    "pca": of_pca,
    "regression": of_regression,
}


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_message_of_a_page_is_that_of_core(problem, scheme):
    mu, earlier = PROBLEMS[problem](scheme)
    (row,) = guarantee.exposures(
        [scheme], PRIVACY, sites=SITES, colluding=0, calibration="exact", earlier=earlier
    )
    expected = 1.0 if math.isinf(mu) else float(gdp_delta(PRIVACY.epsilon, mu))
    assert row.message == pytest.approx(expected, rel=1e-6)


def test_the_right_values_of_clusters_and_of_topics_as_they_open():
    """0.142 and 1e-5 would be those of the messages as if they were independent."""
    options = {"scheme": "cape", "rng": np.random.default_rng(1)}
    found = decomposition.fit(RECORDS, 2, model="gaussians", variance=0.01, privacy=PRIVACY, **options)
    assert found.mu_message == pytest.approx(0.1642, abs=1e-4)
    opened = {"sites": 20, "colluding": 0, "calibration": "exact"}
    earlier = topics.Problem(load, ()).earlier({"third": 0.2})
    (row,) = guarantee.exposures(["cape"], Privacy(0.2, 1e-5), earlier=earlier, **opened)
    assert row.message == pytest.approx(1.9e-4, abs=5e-6) and row.alone == pytest.approx(1e-5, rel=1e-6)

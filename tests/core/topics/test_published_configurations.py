"""The published configurations of spectral topics: recovery, coverage and what they really guarantee."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from lda_documents import draw, rng

from core import Privacy, topics
from core.moments import lda
from core.privacy import gdp_delta, gdp_mu
from core.tensors import contract
from core.topics import configurations, scaled_noise
from core.topics.metrics import topic_error


@pytest.mark.parametrize("configuration", ["1", "1-pure", "2"])
def test_published_configurations_without_noise_find_the_topics(small, configuration):
    counts, words = small
    privacy = 1e9 if configuration == "1-pure" else Privacy(1e9, 1e-6)
    options = {"alpha0": 0.3, "rng": rng()}
    plain = topics.fit(counts, 3, configuration="nonprivate", privacy=None, **options)
    for calibration in ("published", "exact"):
        found = topics.fit(
            counts, 3, configuration=configuration, privacy=privacy, calibration=calibration, **options
        )
        assert topic_error(words, found.words) == pytest.approx(topic_error(words, plain.words), rel=0.05)


@pytest.mark.parametrize("configuration", ["3", "4"])
def test_configurations_on_eigenvectors_and_output_with_much_epsilon(configuration):
    """They need distinct eigenvalues: topics of unequal prominence."""
    counts, words = draw(4000, d=30, k=3, alpha0=0.3, alpha=[0.18, 0.09, 0.03])
    found = topics.fit(
        counts, 3, alpha0=0.3, configuration=configuration, privacy=Privacy(1e9, 1e-6), rng=rng()
    )
    assert topic_error(words, found.words) < 0.2
    assert not found.guarantee.valid and "does not" in found.guarantee.reason


@pytest.mark.parametrize("configuration", ["2", "3", "4"])
def test_abstention_is_a_result(small, configuration):
    found = topics.fit(
        small[0], 3, alpha0=0.3, configuration=configuration, privacy=Privacy(1e-3, 1e-7), rng=rng()
    )
    assert "abstains" in found.abstained
    assert found.words.shape == (0, 40)
    assert topic_error(small[1], found.words) == 2.0


def test_procedure_1_covers():
    """P(bound > value) ≤ δ: 4,000 draws at δ = 0.05 lie within 0.05 ± 0.014 (4.1 standard errors)."""
    source = rng(5)
    above = [
        scaled_noise.lower_bound(1.0, 0.01, epsilon=0.5, delta=0.05, rng=source) > 1.0 for _ in range(4000)
    ]
    assert np.mean(above) == pytest.approx(0.05, abs=0.014)


def test_guarantee_of_configuration_1_is_computed(small):
    for epsilon, holds in ((0.5, True), (300.0, False)):
        found = topics.fit(
            small[0],
            3,
            alpha0=0.3,
            configuration="1",
            privacy=Privacy(epsilon, 0.01),
            calibration="published",
            rng=rng(),
        )
        n = small[0].shape[0]
        mu = math.sqrt(
            (lda.third_sensitivity(0.3) / n / found.noise["M3"]) ** 2
            + (lda.second_sensitivity(0.3) / n) ** 2
            * (found.noise["M2"] ** -2 + found.noise["M2 again"] ** -2)
        )
        assert found.guarantee.mu_message == pytest.approx(mu, rel=1e-12)
        assert found.guarantee.valid == (gdp_delta(epsilon, mu) <= 0.01) == holds


def test_valid_published_guarantees_say_which_documents_they_are_about(small):
    for configuration, demand in (("1", Privacy(1.0, 0.01)), ("1-pure", 1.0)):
        for calibration in ("published", "exact"):
            found = topics.fit(
                small[0],
                3,
                alpha0=0.3,
                configuration=configuration,
                privacy=demand,
                calibration=calibration,
                rng=rng(),
            )
            assert found.guarantee.valid
            assert "least three" in found.guarantee.reason
    short = sp.vstack([small[0], sp.csr_array(np.eye(1, small[0].shape[1]))])
    with pytest.raises(ValueError, match="3 words"):
        topics.fit(short, 3, alpha0=0.3, configuration="1", privacy=Privacy(1.0, 0.01), rng=rng())


def test_exact_configuration_1_composes_to_the_demand(small):
    privacy = Privacy(1.0, 1e-6)
    found = topics.fit(small[0], 3, alpha0=0.3, configuration="1", privacy=privacy, shares=(1, 3), rng=rng())
    n = small[0].shape[0]
    mu = math.hypot(
        lda.third_sensitivity(0.3) / n / found.noise["M3"],
        lda.second_sensitivity(0.3) / n / found.noise["M2"],
    )
    assert mu == pytest.approx(gdp_mu(privacy), rel=1e-9)


def test_copied_noise_through_directions_is_the_dense_noise():
    values = rng(6).standard_normal(math.comb(5 + 2, 3))

    def replay():
        left = list(values)
        return lambda size: np.array([left.pop() for _ in range(size)])

    dense = configurations.projected_copied(np.eye(5), replay())
    np.testing.assert_allclose(dense, dense.transpose(1, 0, 2))
    np.testing.assert_allclose(dense, dense.transpose(2, 1, 0))
    distinct = [dense[i, j, k] for i in range(5) for j in range(i, 5) for k in range(j, 5)]
    np.testing.assert_allclose(np.sort(distinct), np.sort(values))
    w = rng(7).standard_normal((5, 2))
    np.testing.assert_allclose(configurations.projected_copied(w, replay()), contract(dense, w), atol=1e-12)


def test_published_local_sensitivities():
    common = {"documents": 1000, "k": 4, "sigma_k": 0.01, "gamma": 0.5, "sigma_1": 0.04}
    assert scaled_noise.local_sensitivity("2", **common) == pytest.approx(8 / (1000 * 0.001))
    assert scaled_noise.local_sensitivity("3", **common) == pytest.approx(16 / (1000 * 0.5 * 0.001))
    assert scaled_noise.local_sensitivity("4", **common) == pytest.approx(16 * 0.2 / (1000 * 0.5 * 0.001))
    for name in "234":
        constants = scaled_noise.local_sensitivity(name, constants="appendix", **common)
        assert constants > scaled_noise.local_sensitivity(name, **common)


def test_gap():
    assert scaled_noise.gap([5.0, 1.0, 3.0]) == pytest.approx(0.5)
    assert scaled_noise.gap([2.0]) == math.inf


def test_grid_search_prefers_the_better_division(small):
    counts, words = small
    shares, best = configurations.search(
        counts,
        3,
        alpha0=0.3,
        configuration="1",
        privacy=Privacy(30.0, 1e-6),
        score=lambda t: -topic_error(words, t.words),
        parts=3,
        rng=rng(),
    )
    assert sum(shares) == pytest.approx(1) and len(shares) == 3
    even = topics.fit(
        counts,
        3,
        alpha0=0.3,
        configuration="1",
        privacy=Privacy(30.0, 1e-6),
        calibration="published",
        rng=rng(),
    )
    assert topic_error(words, best.words) <= topic_error(words, even.words)

"""Spectral topics without noise: recovery, α0, and what `fit` refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
from lda_documents import draw, rng

from core import Privacy, topics
from core.moments import lda
from core.tensors import contract
from core.topics import configuration_e, spectral
from core.topics.metrics import topic_error


@pytest.mark.parametrize(("samples", "yardstick"), [(1000, 0.28), (10_000, 0.094)])
def test_recovery_meets_the_yardstick(samples, yardstick):
    counts, words = draw(samples, d=1000, k=10, alpha0=1.0)
    found = topics.fit(counts, 10, alpha0=1.0, configuration="nonprivate", privacy=None, rng=rng())
    assert topic_error(words, found.words) == pytest.approx(yardstick, rel=0.2)
    assert found.alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("scale", ["sum", "eigenvalue"])
@pytest.mark.parametrize("alpha0", [0.3, 1.0, 5.0])
def test_population_moments_give_the_topics_exactly(alpha0, scale):
    truth, alpha = rng(1).dirichlet(np.ones(12), 4), alpha0 * np.array([0.4, 0.3, 0.2, 0.1])
    m2 = np.einsum("k,ki,kj->ij", alpha / (alpha0 * (alpha0 + 1)), truth, truth)
    weights = 2 * alpha / (alpha0 * (alpha0 + 1) * (alpha0 + 2))
    white = spectral.leading(m2, 4)
    tensor = np.einsum("k,ka,kb,kc->abc", weights, *[truth @ white.matrix] * 3)
    words, found = spectral.recover(tensor, white.inverse, alpha0, rng=rng(), scale=scale)
    np.testing.assert_allclose(words, truth, atol=1e-8)
    np.testing.assert_allclose(found, alpha, rtol=1e-7)
    np.testing.assert_allclose(topics.population_spectrum(truth, alpha), white.values, rtol=1e-9)
    pairs = np.sort(2 * np.sqrt(alpha0 * (alpha0 + 1) / alpha) / (alpha0 + 2))[::-1]
    np.testing.assert_allclose(topics.population_eigenvalues(alpha), pairs)


def test_simplex_projection_is_the_nearest_point():
    rows = rng(2).standard_normal((20, 6)) * [[3]]
    near = spectral.simplex(rows)
    np.testing.assert_allclose(near.sum(axis=1), 1)
    assert (near >= 0).all()
    others = rng(3).dirichlet(np.ones(6), 500)
    for row, point in zip(rows, near, strict=True):
        assert np.linalg.norm(row - point) <= np.linalg.norm(row - others, axis=1).min()


def test_wide_vocabularies_in_single_precision_agree(small, monkeypatch):
    counts, _ = small
    for privacy in (None, Privacy(10.0, 1e-6)):
        narrow = topics.fit(counts, 3, alpha0=0.3, privacy=privacy, rng=rng())
        with monkeypatch.context() as patched:
            patched.setattr(configuration_e, "_SINGLE", 10)
            patched.setattr(spectral, "_DENSE", 10)
            wide = topics.fit(counts, 3, alpha0=0.3, privacy=privacy, rng=rng())
        if privacy is None:
            np.testing.assert_allclose(wide.words, narrow.words, atol=1e-3)
        else:
            assert topic_error(narrow.words, wide.words) < 0.1


def test_alpha0_is_post_processing(small):
    counts, _ = small
    for options in ({"configuration": "nonprivate", "privacy": None}, {"privacy": Privacy(3.0, 1e-6)}):
        found = topics.fit(counts, 3, alpha0=0.3, rng=rng(), **options)
        again = topics.at_alpha0(found, 1.0, rng=rng())
        m = found.moments
        whitened, _ = m.whitened(1.0)
        m2 = lda.centred_second(m.second, m.first, 1.0)
        root = np.linalg.inv(np.linalg.cholesky(m2)).T
        other = contract(lda.centred_third(m.third, m.second, m.first, 1.0), root)
        assert np.linalg.norm(whitened) == pytest.approx(np.linalg.norm(other), rel=1e-9)
        assert again.alpha0 == 1.0 and again.guarantee is found.guarantee
        np.testing.assert_allclose(topics.at_alpha0(found, 0.3, rng=rng()).words, found.words, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 0}, "k must be a whole number from 1 to 40, got 0"),
        ({"configuration": "5"}, "configuration must be one of"),
        ({"alpha0": -1.0}, "alpha0 must be a positive finite number, got -1.0"),
        ({"scheme": "cape"}, "scheme must be given for several sites"),
        ({"configuration": "1", "privacy": 1.0}, "privacy must be a Privacy"),
        ({"configuration": "nonprivate"}, "privacy must be None"),
        ({"configuration": "2", "scheme": "cape"}, "configuration must be 'E' for sites"),
    ],
)
def test_bad_input_is_named(small, arguments, words):
    call = {"k": 3, "alpha0": 0.3, "privacy": Privacy(1.0, 1e-6), "rng": rng(), **arguments}
    with pytest.raises(ValueError, match=words):
        topics.fit(small[0], call.pop("k"), **call)


def test_bad_choices_are_named():
    for name, value in (("length", 2.0), ("spread", 0.0), ("clip", -1.0), ("longest", 2)):
        with pytest.raises(ValueError, match=name):
            topics.Equalisation(**{name: value})
    with pytest.raises(ValueError, match="one vocabulary"):
        topics.statistics([sp.csr_array([[3, 1]]), sp.csr_array([[3]])], topics.Equalisation(), rng=rng())


@pytest.mark.parametrize("d", [40, 200])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_proposed_number_of_topics_is_the_true_one_where_topics_are_apart(k, d):
    counts = draw(3000, d=d, k=k, alpha0=0.1, seed=k)[0]
    assert spectral.proposed_topics(counts, alpha0=0.1) == k
    # The naive dense form: all eigenvalues of M2 itself.
    dense = lda.centred_second(lda.second(counts), lda.first(counts), 0.1)
    values = np.linalg.eigvalsh(dense)[::-1]
    values = np.maximum(values[:11], -values[-1])
    assert np.argmax(values[1:-1] / values[2:]) + 2 == k


@pytest.mark.parametrize("seed", range(5))
def test_eigenvalues_below_the_sampling_error_propose_no_topics(seed):
    # Three themes of four words: of twelve eigenvalues nine are sampling error, of either sign.
    themes, generator = np.eye(3).repeat(4, axis=1) / 4, rng(seed)
    counts = sp.csr_array(np.stack([generator.multinomial(12, themes[i % 3]) for i in range(900)]))
    assert spectral.proposed_topics(counts, alpha0=0.1) == 3

"""Private variational LDA: recovery, accounting, sensitivity."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from core import Privacy
from core.moments import lda
from core.privacy import gdp_epsilon, gdp_mu
from core.topics import variational
from core.topics.metrics import topic_error


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(0)
    words = rng.dirichlet(np.full(30, 0.1), 3)
    law = rng.dirichlet(np.full(3, 0.1), 2000) @ words
    return sp.csr_array(rng.multinomial(30, law / law.sum(axis=1, keepdims=True))), words


def fit(counts, **options):
    settings = {"alpha0": 0.3, "privacy": None, "rng": np.random.default_rng(1), **options}
    return variational.fit(counts, 3, **settings)


def test_topics_are_found_without_noise_and_lost_with_too_much(documents):
    counts, words = documents
    assert topic_error(words, fit(counts).words) < 0.1
    assert topic_error(words, fit(counts, privacy=Privacy(1e-3, 1e-6)).words) > 0.5


def test_much_epsilon_gives_the_answer_without_noise(documents):
    counts, _ = documents
    many = fit(counts, privacy=Privacy(1e8, 1e-6))
    np.testing.assert_allclose(many.words, fit(counts).words, atol=1e-3)


def test_exact_accounting_spends_the_demand_and_the_others_less(documents):
    counts, _ = documents
    privacy = Privacy(1.0, 1e-6)
    found = {name: fit(counts, privacy=privacy, accounting=name) for name in variational.ACCOUNTINGS}
    assert found["exact"].mu == pytest.approx(gdp_mu(privacy), rel=1e-9)
    for name in ("advanced", "simple"):
        assert found[name].mu < found["exact"].mu
        assert gdp_epsilon(1e-6, found[name].mu) < 1.0


def test_accounting_formulas():
    privacy, passes = Privacy(2.0, 1e-5), 10
    simple = variational.pass_std(1.0, privacy, passes, accounting="simple")
    assert simple == pytest.approx(math.sqrt(2 * math.log(1.25e6)) / 0.2)
    advanced = variational.pass_std(1.0, privacy, passes, accounting="advanced")
    each = math.sqrt(2 * math.log(1.25 / (1e-5 / 20))) / advanced
    total = math.sqrt(2 * passes * math.log(2 / 1e-5)) * each + passes * each * math.expm1(each)
    assert total == pytest.approx(2.0, rel=1e-9)


def test_no_document_moves_the_statistics_further_than_the_bound():
    """√2 B: non-negative statistics of norm at most B, over pairs of extreme documents."""
    topics = np.random.default_rng(2).gamma(1.0, 1.0, (2, 4))
    kinds = [[500, 0, 0, 0], [0, 500, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 9, 1]]
    sent = [
        variational._pass(lda.documents(sp.csr_array([kind])), topics, np.full(2, 0.1), 3.0, 10)[0]
        for kind in kinds
    ]
    largest = max(np.linalg.norm(a - b) for a in sent for b in sent)
    assert 0.95 * math.sqrt(2) * 3 < largest <= math.sqrt(2) * 3 * (1 + 1e-9)


def test_noise_has_the_promised_law():
    """One pass over empty documents releases noise alone; 40,000 entries, σ of positive parts within 4 %."""
    counts = sp.csr_array((50, 4000))
    found = variational.fit(
        counts,
        10,
        alpha0=1.0,
        privacy=Privacy(1.0, 1e-6),
        iterations=1,
        prior=1e-9,
        rng=np.random.default_rng(3),
    )
    assert found.noise_std == pytest.approx(math.sqrt(2) * 10 / 50 / gdp_mu(Privacy(1.0, 1e-6)), rel=1e-9)
    share = (found.words > 1e-12).mean()
    # Rows are normalised; the mean of the positive half-normal is what they were divided by.
    ratio = found.words[found.words > 1e-12].std() / found.words[found.words > 1e-12].mean()
    assert share == pytest.approx(0.5, abs=0.015)
    assert ratio == pytest.approx(math.sqrt(math.pi / 2 - 1), rel=0.04)


def test_scikit_learn_agrees_on_easy_documents(documents):
    counts, words = documents
    found = variational.fit_baseline(counts[:800], 3, alpha0=0.3, seed=0, learning="batch")
    assert topic_error(words, found.words) < 0.15
    assert found.mu == math.inf


@pytest.mark.parametrize("inner", [0, 1, 20])
def test_a_document_has_no_part_in_the_others_statistics(inner):
    """The sensitivity counts one document's own change: the others' proportions stay, to the last bit."""
    rng = np.random.default_rng(5)
    counts, topics = rng.poisson(1.0, (40, 12)), 0.1 + rng.gamma(100.0, 0.01, (3, 12))
    beta, found = variational._expected(topics), []
    for word, length in ((0, 50), (1, 100_000)):
        counts[0] = length * np.eye(12)[word]
        part = sp.csr_array(counts.astype(float))
        where = np.repeat(np.arange(40), np.diff(part.indptr))
        theta, ratio = variational._proportions(part, where, beta[:, part.indices].T, np.full(3, 1.0), inner)
        found.append((theta[1:], ratio[where > 0]))
    for before, after in zip(*found, strict=True):
        np.testing.assert_array_equal(before, after)

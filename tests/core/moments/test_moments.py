"""Moments against their definition, whitening against its own."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from core import moments, noise
from core.moments import mixtures
from core.moments.whitening import noise_edge, whiten


def spectrum(rng, values):
    q = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    return (q * values) @ q.T


@pytest.mark.parametrize(("d", "k"), [(5, 5), (9, 3), (700, 4)])
def test_whitening_whitens_and_its_inverse_goes_back(d, k):
    rng = np.random.default_rng(d)
    m2 = spectrum(rng, np.concatenate([np.linspace(2, 1, k), np.full(d - k, -0.1)]))
    w = whiten(m2, k)
    np.testing.assert_allclose(w.matrix.T @ m2 @ w.matrix, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(w.inverse, np.linalg.pinv(w.matrix.T), atol=1e-9)
    np.testing.assert_allclose(w.values, np.linspace(2, 1, k), rtol=1e-10)


def test_unidentifiable_components_are_refused_or_left_out():
    m2 = spectrum(np.random.default_rng(1), np.array([3.0, 2.0, 0.5, -1.0]))
    with pytest.raises(ValueError, match=r"k must.*3"):
        whiten(m2, 4)
    with pytest.raises(ValueError, match="at most 2"):
        whiten(m2, 3, floor=1.0)
    short = whiten(m2, 4, strict=False)
    assert short.rank == 3 and short.matrix.shape == (4, 3)
    np.testing.assert_allclose(short.values, [3, 2, 0.5, -1], atol=1e-12)
    assert whiten(-m2 @ m2, 2, strict=False).rank == 0


def test_an_exactly_low_rank_moment_counts_rounding_as_nothing():
    x = np.random.default_rng(2).standard_normal((50, 3)) @ np.ones((3, 6))
    assert whiten(x.T @ x, 4, strict=False).rank == 1


def test_published_order_takes_singular_values_for_components():
    m2 = spectrum(np.random.default_rng(1), np.array([3.0, 0.5, -2.0]))
    assert whiten(m2, 2, order="magnitude").values == pytest.approx([3, 2])
    assert whiten(m2, 2).values == pytest.approx([3, 0.5])


@pytest.mark.parametrize("distribution", ["symmetrised", "copied"])
def test_noise_stays_within_its_edge(distribution):
    rng = np.random.default_rng(5)
    largest = [
        np.linalg.eigvalsh(noise.gaussian((200, 200), 0.3, rng=rng, distribution=distribution))[-1]
        for _ in range(5)
    ]
    # Tracy-Widom: within (−4, +3) d^{-2/3} / 2 of the edge, false-alarm rate below 1e-3.
    edge = noise_edge(200, 0.3, distribution=distribution)
    assert 0.94 < np.mean(largest) / edge < 1.03


# Moments as operators against the dense definition.

TOKENS = np.random.default_rng(7).integers(0, 5, (40, 3))
LONGER = [np.random.default_rng(i).integers(0, 5, 3 + i % 4) for i in range(30)]
RECORDS = np.random.default_rng(8).standard_normal((30, 5))
RECORDS /= np.linalg.norm(RECORDS, axis=1).max()


def unit(words):
    return np.eye(5)[words]


def naive_documents(documents):
    """Averages over all ordered triples of distinct positions, and pairs."""
    m2, m3 = np.zeros((5, 5)), np.zeros((5, 5, 5))
    for words in documents:
        e, positions = unit(np.asarray(words)), range(len(words))
        pairs = list(itertools.permutations(positions, 2))
        triples = list(itertools.permutations(positions, 3))
        m2 += sum(np.multiply.outer(e[i], e[j]) for i, j in pairs) / len(pairs)
        m3 += sum(np.einsum("i,j,k->ijk", e[i], e[j], e[k]) for i, j, k in triples) / len(triples)
    return m2 / len(documents), m3 / len(documents)


def naive_first_words(tokens):
    e = unit(tokens)
    return np.einsum("ni,nj->ij", e[:, 0], e[:, 1]) / len(e), np.einsum(
        "ni,nj,nk->ijk", e[:, 0], e[:, 1], e[:, 2]
    ) / len(e)


def naive_gaussians(x, variance):
    n, d = x.shape
    m3, mean, basis = np.einsum("ni,nj,nk->ijk", x, x, x) / n, x.mean(axis=0), np.eye(d)
    for e in basis:
        for factors in ((mean, e, e), (e, mean, e), (e, e, mean)):
            m3 -= variance * np.einsum("i,j,k->ijk", *factors)
    return x.T @ x / n - variance * np.eye(d), m3


CASES = {
    "triples": (moments.single_topic(TOKENS, 5), naive_documents(TOKENS)),
    "as published": (
        moments.single_topic(TOKENS, 5, triples="first", symmetrised=False),
        naive_first_words(TOKENS),
    ),
    "longer documents": (moments.single_topic(LONGER, 5), naive_documents(LONGER)),
    "first words of longer documents": (
        moments.single_topic(LONGER, 5, triples="first"),
        naive_documents([words[:3] for words in LONGER]),
    ),
    "gaussians": (moments.gaussian_mixture(RECORDS, 0.03), naive_gaussians(RECORDS, 0.03)),
}


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_moment_operators_equal_the_dense_definition(case, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr(mixtures, "_KEPT_WORDS", 0)
        monkeypatch.setattr(mixtures, "_KEPT_COORDINATES", 0)
    operator, (m2, m3) = CASES[case]
    rng = np.random.default_rng(3)
    a, b, c = (rng.standard_normal((5, n)) for n in (2, 3, 4))
    close = {"rtol": 1e-11, "atol": 1e-13}
    np.testing.assert_allclose(operator.second(), m2, **close)
    np.testing.assert_allclose(operator.dense_third(), m3, **close)
    np.testing.assert_allclose(operator.third(a), np.einsum("ijk,ia,jb,kc->abc", m3, a, a, a), **close)
    np.testing.assert_allclose(operator.third(a, b, c), np.einsum("ijk,ia,jb,kc->abc", m3, a, b, c), **close)
    np.testing.assert_allclose(operator.power(c.T), np.einsum("ijk,lj,lk->li", m3, c.T, c.T), **close)
    u, v, w = a[:, 0], b[:, 0], c[:, 0]
    form = np.einsum("ijk,i,j,k", m3, u, v, w)
    assert operator.form(u, v, w) == pytest.approx(form, rel=1e-10)
    total = np.ones((5, 5))
    operator.add_second(total, 0.5)
    np.testing.assert_allclose(total, 1 + 0.5 * m2, **close)


def test_counts_and_words_of_the_same_documents_agree():
    counts = sp.csr_array(np.array([np.bincount(w, minlength=5) for w in LONGER]))
    by_counts, by_words = moments.single_topic(counts), moments.single_topic(LONGER, 5)
    np.testing.assert_allclose(by_counts.second(), by_words.second(), atol=1e-15)
    np.testing.assert_allclose(by_counts.dense_third(), by_words.dense_third(), atol=1e-15)


def test_moments_have_the_components_as_factors():
    """Enough samples of each distribution: M2 and M3 near Σ w a⊗a and Σ w a⊗a⊗a (Monte Carlo, 5 standard errors)."""
    rng = np.random.default_rng(4)
    topics, w = rng.dirichlet(np.ones(4), 2), np.array([0.3, 0.7])
    labels = rng.choice(2, 50_000, p=w)
    words = np.array([rng.choice(4, (50_000, 3), p=t) for t in topics])[labels, np.arange(50_000)]
    m = moments.single_topic(words, 4)
    np.testing.assert_allclose(m.second(), np.einsum("k,ki,kj->ij", w, topics, topics), atol=0.011)
    np.testing.assert_allclose(
        m.dense_third(), np.einsum("k,ki,kj,kl->ijl", w, topics, topics, topics), atol=0.011
    )
    means = rng.standard_normal((2, 4)) / 4
    m = moments.gaussian_mixture(means[labels] + 0.2 * rng.standard_normal((50_000, 4)), 0.04, bound=4.0)
    assert m.clipped == 0
    np.testing.assert_allclose(16 * m.second(), np.einsum("k,ki,kj->ij", w, means, means), atol=0.005)
    np.testing.assert_allclose(
        64 * m.dense_third(), np.einsum("k,ki,kj,kl->ijl", w, means, means, means), atol=0.005
    )


def test_a_bound_that_is_too_small_clips_and_counts():
    m = moments.gaussian_mixture(np.array([[3.0, 0.0], [0.0, 0.5]]), 0.01, bound=1.0)
    assert m.clipped == 1
    np.testing.assert_allclose(np.linalg.norm(m.records, axis=1), [1, 0.5])
    m = moments.gaussian_mixture(np.array([[3.0, 0.0], [0.0, 0.5]]), 0.01, bound=5.0)
    assert m.clipped == 0 and m.variance == pytest.approx(0.01 / 25)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_no_record_exceeds_the_bound_by_a_digit(kind):
    """Rows on the sphere, and a little beyond it: sensitivities rest on norms of at most one."""
    rows = np.random.default_rng(8).standard_normal((3000, 7))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[::3] *= 1 + 9e-7
    m = moments.gaussian_mixture(rows.astype(kind), 0.01)
    assert m.records.dtype == kind
    assert np.linalg.norm(m.records.astype(float), axis=1).max() <= 1 + 2 * np.finfo(kind).eps


def test_the_variance_is_estimated_from_the_small_eigenvalues():
    rng = np.random.default_rng(9)
    sites = [0.3 * rng.standard_normal((4000, 6)) + np.eye(6)[rng.integers(0, 2, 4000)] for _ in range(2)]
    assert moments.estimate_variance(sites, 2) == pytest.approx(0.09, rel=0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: moments.single_topic([[0, 1, 2], [0, 1]], 3), "at least 3 words each, got 2 in document 1"),
        (lambda: moments.single_topic([[0, 1, 2], [0, 3, 1]], 3), "from 0 to 2, got 3 in document 1"),
        (lambda: moments.single_topic(np.array([[0, 1, -1]]), 3), "got -1 in document 0"),
        (lambda: moments.single_topic(np.array([[0, 1, np.nan]]), 3), "whole word indices, got nan"),
        (lambda: moments.single_topic(np.array([["a", "b", "c"]]), 3), "whole word indices, got an array"),
        (lambda: moments.single_topic([], 3), "documents must be at least one"),
        (lambda: moments.single_topic(sp.csr_array(np.array([[1, 1, 0]]))), "at least 3 words"),
        (lambda: moments.single_topic(sp.csr_array(np.eye(3) * 3), triples="first"), "no order of words"),
        (lambda: moments.single_topic(sp.csr_array(np.eye(3) * 3), 4), "the counts' width 3, got 4"),
        (lambda: moments.single_topic(TOKENS, 5, symmetrised=False), 'needs triples="first"'),
        (lambda: moments.gaussian_mixture(np.full((2, 2), np.nan), 0.1), "records must be finite"),
        (lambda: moments.gaussian_mixture(np.ones(3), 0.1), "a table of numbers"),
        (lambda: moments.gaussian_mixture(np.ones((2, 2)), "estimate"), "variance must be a finite number"),
        (lambda: moments.gaussian_mixture(np.ones((2, 2)), -1), "variance must be a finite number"),
        (lambda: moments.TripleMoments(TOKENS, 5000).dense_third(), "M3 of d = 5000 would have"),
    ],
)
def test_bad_records_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()

"""Moments of latent Dirichlet allocation against enumeration of words, and their sensitivities against enumeration."""

import functools
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from core.moments import lda

ALPHAS = (0.1, 1.0, 30.0)


def tuple_mean(tokens, order, width):
    """Mean of e_i⊗e_j⊗… over all ordered tuples of different positions."""
    total = np.zeros((width,) * order)
    for places in itertools.permutations(range(len(tokens)), order):
        total[tuple(tokens[p] for p in places)] += 1
    return total / max(total.sum(), 1)


def placements(matrix, vector):
    t = np.multiply.outer(matrix, vector)
    return t + t.transpose(0, 2, 1) + t.transpose(2, 0, 1)


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(3)
    tokens = [rng.integers(0, 4, rng.integers(3, 8)) for _ in range(6)] + [np.zeros(5, dtype=int)]
    counts = lda.documents(sp.csr_array([np.bincount(t, minlength=4) for t in tokens]))
    moments = [[tuple_mean(t, order, 4) for t in tokens] for order in (1, 2, 3)]
    return counts, moments, rng.standard_normal((4, 3))


def seen(tensor, w):
    return np.einsum("abc,ai,bj,ck->ijk", tensor, w, w, w)


@pytest.mark.parametrize("weights", [None, np.linspace(0, 1, 7)])
def test_raw_moments_are_means_over_all_tuples(corpus, weights):
    counts, (d1, d2, d3), w = corpus
    average = {"axis": 0, "weights": weights}
    np.testing.assert_allclose(lda.first(counts, weights), np.average(d1, **average), atol=1e-14)
    np.testing.assert_allclose(lda.second(counts, weights), np.average(d2, **average), atol=1e-14)
    np.testing.assert_allclose(
        lda.second_operator(counts, weights) @ w, np.average(d2, **average) @ w, atol=1e-14
    )
    np.testing.assert_allclose(lda.third(counts, w, weights), seen(np.average(d3, **average), w), atol=1e-13)


def test_norms_through_many_directions(corpus, monkeypatch):
    counts, (_, _, d3), w = corpus
    monkeypatch.setattr(lda, "_FEW", 0)
    np.testing.assert_allclose(
        lda.third_norms(counts, w), [np.linalg.norm(seen(x, w)) for x in d3], rtol=1e-10
    )


def test_norms_of_documents(corpus):
    counts, (d1, d2, d3), w = corpus
    np.testing.assert_allclose(lda.first_norms(counts), [np.linalg.norm(x) for x in d1], rtol=1e-12)
    np.testing.assert_allclose(lda.second_norms(counts), [np.linalg.norm(x) for x in d2], rtol=1e-12)
    np.testing.assert_allclose(
        lda.third_norms(counts, w), [np.linalg.norm(seen(x, w)) for x in d3], rtol=1e-10
    )


@pytest.mark.parametrize("alpha0", ALPHAS)
def test_unbiased_moments_never_let_a_document_meet_itself(corpus, alpha0):
    counts, (d1, d2, d3), w = corpus
    n, k = len(d1), lda.coefficients(alpha0)
    pairs = np.mean([np.outer(d1[p], d1[q]) for p, q in itertools.permutations(range(n), 2)], axis=0)
    m2 = np.mean(d2, axis=0) - k.second * pairs
    np.testing.assert_allclose(lda.unbiased_second(counts, alpha0) @ np.eye(4), m2, atol=1e-12)
    cross = np.mean([placements(d2[p], d1[q]) for p, q in itertools.permutations(range(n), 2)], axis=0)
    triples = itertools.permutations(range(n), 3)
    cube = np.mean([np.einsum("a,b,c->abc", d1[p], d1[q], d1[r]) for p, q, r in triples], axis=0)
    m3 = np.mean(d3, axis=0) - k.third_cross * cross + k.third_cube * cube
    np.testing.assert_allclose(lda.unbiased_third(counts, w, alpha0), seen(m3, w), atol=1e-12)


def test_centred_moments_of_the_law_have_the_topics_as_factors():
    """Lemma 3 with the cross coefficient α0/(α0+2); with 1/(α0+2), as printed, it fails."""
    rng = np.random.default_rng(0)
    mu, alpha = rng.dirichlet(np.ones(5), 3), np.array([0.2, 0.5, 1.1])
    a0 = alpha.sum()
    theta1 = alpha / a0
    theta2 = (np.outer(alpha, alpha) + np.diag(alpha)) / (a0 * (a0 + 1))
    theta3 = np.einsum("a,b,c->abc", alpha, alpha, alpha) + placements(np.diag(alpha), alpha)
    theta3[np.arange(3), np.arange(3), np.arange(3)] += 2 * alpha
    theta3 /= a0 * (a0 + 1) * (a0 + 2)
    e1, e2 = mu.T @ theta1, mu.T @ theta2 @ mu
    e3 = np.einsum("abc,ai,bj,ck->ijk", theta3, mu, mu, mu)
    m2 = np.einsum("k,ki,kj->ij", alpha / (a0 * (a0 + 1)), mu, mu)
    m3 = np.einsum("k,ki,kj,kl->ijl", 2 * alpha / (a0 * (a0 + 1) * (a0 + 2)), mu, mu, mu)
    np.testing.assert_allclose(lda.centred_second(e2, e1, a0), m2, atol=1e-15)
    np.testing.assert_allclose(lda.centred_third(e3, e2, e1, a0), m3, atol=1e-15)
    c = lda.coefficients(a0)
    printed = e3 - placements(e2, e1) / (a0 + 2) + c.third_cube * np.einsum("a,b,c->abc", e1, e1, e1)
    assert np.abs(printed - m3).max() > 1e-3


KINDS = [np.bincount(t, minlength=4) for t in [[0] * 3, [1] * 3, [2] * 3, [3] * 3, [0, 1, 2], [0, 0, 3]]]


@functools.cache
def neighbours(alpha0, documents=5):
    """Changes of M2 and M3 (times N) over all corpora of a few kinds of documents, one document replaced."""
    kinds = range(len(KINDS))
    moments, found = {}, []
    for chosen in itertools.combinations_with_replacement(kinds, documents):
        counts = lda.documents(sp.csr_array([KINDS[i] for i in chosen]))
        moments[chosen] = (
            lda.unbiased_second(counts, alpha0) @ np.eye(4),
            lda.unbiased_third(counts, np.eye(4), alpha0),
        )
    for others in itertools.combinations_with_replacement(kinds, documents - 1):
        for one, two in itertools.combinations(kinds, 2):
            before, after = (moments[tuple(sorted((*others, x)))] for x in (one, two))
            found.append(tuple(documents * (x - y) for x, y in zip(before, after, strict=True)))
    return found


@pytest.mark.parametrize("alpha0", [0.1, 30.0])
def test_sensitivities_are_the_largest_change_over_all_tiny_corpora(alpha0):
    changes = neighbours(alpha0)
    for place, bound in enumerate((lda.second_sensitivity, lda.third_sensitivity)):
        largest = max(np.linalg.norm(c[place]) for c in changes)
        assert largest == pytest.approx(bound(alpha0), rel=1e-12)
        total = max(np.abs(c[place]).sum() for c in changes)
        assert total <= bound(alpha0, form="l1") + 1e-12


def test_the_sensitivity_of_m3_needs_enough_documents():
    largest = max(np.linalg.norm(m3) for _, m3 in neighbours(30.0, documents=3))
    assert largest > 1.4 * lda.third_sensitivity(30.0)
    assert lda.LEAST_DOCUMENTS == 5


def test_published_sensitivities_of_m3_are_exceeded():
    largest = max(np.abs(m3).sum() for _, m3 in neighbours(0.1))
    assert (
        largest
        > lda.third_sensitivity(0.1, form="published-l1")
        > lda.third_sensitivity(0.1, form="published")
    )


def test_the_published_l1_sensitivity_of_m3_is_that_of_the_paper():
    """[Lda] appendix H.2: 2 + 4α0/(α0+2) + 12α0²/((α0+1)(α0+2)) · (N−1)/(N−2)."""
    for alpha0, n in ((0.1, 5), (2.0, 7), (30.0, 1000)):
        cross, cube = 4 * alpha0 / (alpha0 + 2), 12 * alpha0**2 / ((alpha0 + 1) * (alpha0 + 2))
        found = lda.third_sensitivity(alpha0, form="published-l1", documents=n)
        assert found == pytest.approx(2 + cross + cube * (n - 1) / (n - 2), rel=1e-12)
    assert lda.third_sensitivity(0.1, form="published-l1", documents=5) == pytest.approx(2.2597, abs=5e-5)
    with pytest.raises(ValueError, match=r"documents must.*2.*2"):
        lda.third_sensitivity(1.0, form="published-l1", documents=2)


def test_short_documents_weigh_nothing_where_they_say_nothing():
    rows = [[2, 1, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 2]]
    counts = lda.documents(sp.csr_array(rows))
    w = np.random.default_rng(0).standard_normal((3, 2))
    long = lda.documents(sp.csr_array([rows[0], rows[4]]))
    np.testing.assert_allclose(lda.third(counts, w), lda.third(long, w), atol=1e-14)
    np.testing.assert_allclose(lda.second(counts), lda.second(lda.documents(counts[[0, 3, 4]])), atol=1e-14)
    assert lda.first_norms(counts)[1] == lda.second_norms(counts)[2] == lda.third_norms(counts, w)[3] == 0


def test_capping_keeps_a_random_subset_of_the_words():
    rng = np.random.default_rng(1)
    counts = sp.csr_array([[300, 100, 0], [5, 0, 5]])
    capped = np.array([lda.cap_lengths(counts, 40, rng=rng).toarray() for _ in range(500)])
    assert (capped[:, 0].sum(axis=1) == 40).all()
    assert (capped[:, 1] == [5, 0, 5]).all()
    # Mean 30, standard deviation of the mean 0.12: five of them, a false alarm in 2 million.
    assert abs(capped[:, 0, 0].mean() - 30) < 0.6


def test_what_a_document_keeps_when_capped_does_not_depend_on_the_others():
    """With one seed, which may be public, neighbouring data sets still differ in a single document."""
    long = np.full((4, 6), 20)
    other = long.copy()
    other[0] = [5, 0, 0, 0, 0, 0]
    capped = [lda.cap_lengths(c, 10, rng=np.random.default_rng(3)).toarray() for c in (long, other)]
    np.testing.assert_array_equal(capped[0][1:], capped[1][1:])
    assert len(np.unique(capped[0], axis=0)) > 1


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (np.array([[1.5, 0]]), "whole numbers of at least 0, got 1.5"),
        (np.array([[-1, 2]]), "got -1"),
        (np.array([[np.nan, 2]]), "got nan"),
        (np.zeros((0, 3)), "at least one document and one word"),
        (np.zeros(3), "must be a sparse array"),
    ],
)
def test_bad_counts_are_named(counts, words):
    with pytest.raises(ValueError, match=words):
        lda.documents(counts)


def test_callers_counts_are_never_changed():
    """Indices out of order, twice the same word, a zero: all are put in order in a copy."""
    given = sp.csr_matrix((np.array([4, 1, 2, 0], dtype=np.int32), [3, 0, 0, 1], [0, 3, 4]), (2, 4))
    before = [given.data.copy(), given.indices.copy(), given.indptr.copy()]
    taken = lda.cap_lengths(lda.documents(given), 5, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(lda.documents(given).toarray(), [[3, 0, 0, 4], [0, 0, 0, 0]])
    assert taken.sum() == 5
    for old, new in zip(before, [given.data, given.indices, given.indptr], strict=True):
        np.testing.assert_array_equal(old, new)


def test_unbiased_moments_refuse_short_documents():
    with pytest.raises(ValueError, match=r"3.*got 2.*document 1"):
        lda.unbiased_second(sp.csr_array([[3, 0], [1, 1]]), 1.0)

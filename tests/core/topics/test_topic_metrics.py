"""Measures of topics on cases whose answer is known."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp

from core.topics import metrics

TOPICS = np.array([[0.7, 0.3, 0, 0], [0, 0, 0.6, 0.4]])


def test_topic_error_matches_whatever_the_order():
    assert metrics.topic_error(TOPICS, TOPICS[::-1]) == 0
    assert metrics.topic_error(TOPICS, TOPICS[:1]) == pytest.approx(1.0)
    assert metrics.topic_error(TOPICS, TOPICS[:1], norm="l2") == pytest.approx(math.sqrt(2) / 2)
    assert metrics.topic_error(TOPICS, np.zeros((0, 4))) == 2.0
    assert metrics.topic_error(TOPICS, [[0.6, 0.4, 0, 0], [0, 0, 0.6, 0.4], [1, 0, 0, 0]]) == pytest.approx(
        0.1
    )


def test_matching_names_the_lost():
    assert metrics.match_topics(TOPICS, TOPICS[::-1]).tolist() == [1, 0]
    assert metrics.match_topics(TOPICS, TOPICS[1:]).tolist() == [-1, 0]


def test_shared_mass_is_the_smaller_probability_of_every_word():
    rng = np.random.default_rng(3)
    reference, words = (rng.dirichlet(np.full(6, 0.5), size=3) for _ in range(2))
    naive = max(
        np.mean([np.minimum(reference[i], words[j]).sum() for i, j in enumerate(order)])
        for order in itertools.permutations(range(3))
    )
    assert metrics.shared_mass(reference, words) == pytest.approx(naive, abs=1e-12)
    assert metrics.shared_mass(reference, reference[::-1]) == 1
    assert metrics.shared_mass(reference, np.zeros((0, 6))) == 0


def test_overlap():
    assert metrics.overlap(TOPICS, TOPICS[::-1], count=2) == 1
    assert metrics.overlap(TOPICS, [[0.5, 0, 0.5, 0], [0, 0, 0.5, 0.5]], count=2) == 0.75
    assert metrics.overlap(TOPICS, TOPICS[:1], count=2) == 0.5
    assert metrics.overlap(TOPICS, np.zeros((0, 4)), count=2) == 0


def test_words_without_probability_are_no_top_words():
    assert metrics.overlap([[0.4, 0.3, 0.2, 0.1]], [[0, 0, 0, 1]], count=3) == 0


def test_a_topic_is_found_with_more_than_half_of_its_top_words():
    assert metrics.topics_found(TOPICS, TOPICS[::-1], count=2) == 2
    assert (
        metrics.topics_found(TOPICS, [[0.5, 0, 0.5, 0], [0, 0, 0.5, 0.5]], count=2) == 1
    )  # Half is too few.
    assert metrics.topics_found(TOPICS, TOPICS[:1], count=2) == 1
    assert metrics.topics_found(TOPICS, np.zeros((0, 4)), count=2) == 0


def test_topics_are_matched_as_their_overlap_counts_them():
    reference = [[0.5, 0.3, 0.2, 0, 0, 0], [0, 0, 0.2, 0.5, 0.2, 0.1]]
    words = [[0.34, 0.33, 0, 0, 0, 0.33], [0, 0, 0.9, 0, 0.1, 0]]
    assert metrics.match_top_words(reference, words, count=3).tolist() == [0, 1]
    assert metrics.match_top_words(reference, words[::-1], count=3).tolist() == [1, 0]
    assert metrics.match_top_words(reference, words[:1], count=3).tolist() == [0, -1]
    # With no word in common, the nearer of equals.
    assert metrics.match_top_words(TOPICS, TOPICS[::-1], count=4).tolist() == [1, 0]


def test_perplexity_of_known_laws():
    observed, held = sp.csr_array([[6, 2, 0, 0], [0, 0, 3, 2]]), sp.csr_array([[1, 1, 0, 0], [0, 0, 1, 1]])
    found = metrics.perplexity(observed, held, TOPICS, [1e-6, 1e-6], smoothing=0.0 + 1e-12)
    assert found == pytest.approx((0.7 * 0.3 * 0.6 * 0.4) ** -0.25, rel=1e-4)
    assert metrics.perplexity(observed, held, np.zeros((0, 4)), []) == 4
    even = metrics.unigram_perplexity(sp.csr_array([[1, 1, 1, 1]]), held)
    assert even == pytest.approx(4)
    assert found < metrics.unigram_perplexity(observed, held)


def test_split_keeps_every_word():
    counts = sp.csr_array(np.random.default_rng(0).poisson(3, (50, 8)))
    observed, held = metrics.split_documents(counts, rng=np.random.default_rng(1))
    assert (observed + held != counts).nnz == 0
    # 1,200 words halved: standard deviation 17.
    assert abs(observed.sum() - held.sum()) < 6 * 35

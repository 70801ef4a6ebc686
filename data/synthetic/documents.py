"""Documents with known topics: single topics ([Fact] appendix D.1) and latent Dirichlet allocation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import sparse

from data import check
from data.synthetic.gaussian import orthonormal, weights_of_figure

_TOKENS = 4_000_000


@dataclass(frozen=True)
class SingleTopicDocuments:
    """What `single_topic` drew.

    Attributes
    ----------
    tokens : ndarray of int32 (N, length)
        Word indices 0 … d − 1; the words of one document share one topic.
    labels : ndarray (N,)
        The topic of each document.
    components : ndarray (k, d)
        Word probabilities a_k of each topic; rows sum to one.
    weights : ndarray (k,)
        Probabilities of the topics.
    """

    tokens: np.ndarray
    labels: np.ndarray
    components: np.ndarray
    weights: np.ndarray

    @property
    def counts(self) -> sparse.csr_matrix:
        """The same documents as word counts, shape (N, d)."""
        rows = np.repeat(np.arange(len(self.tokens)), self.tokens.shape[1])
        return _counts(rows, self.tokens.ravel(), (len(self.tokens), self.components.shape[1]))


@dataclass(frozen=True)
class LdaDocuments:
    """What `lda` drew.

    Attributes
    ----------
    counts : csr_matrix (N, d)
        Word counts; row sums are the documents' lengths.
    words : ndarray (k, d)
        Word probabilities μ_i of each topic; rows sum to one.
    alpha : ndarray (k,)
        Dirichlet parameter of the topic proportions; α0 is its sum.
    proportions : ndarray (N, k)
        Topic proportions θ of each document.
    """

    counts: sparse.csr_matrix
    words: np.ndarray
    alpha: np.ndarray
    proportions: np.ndarray


@check.arguments
def single_topic(
    samples: int = 100_000,
    *,
    dimension: int = 10,
    components: int | np.ndarray = 5,
    weights=None,
    length: int = 3,
    rng: np.random.Generator,
) -> SingleTopicDocuments:
    """Documents of `length` words that share one topic: [Fact] appendix D.1, Figure 4.

    Parameters
    ----------
    samples, dimension : int
        N documents over a vocabulary of d words.
    components : int or array (k, d)
        k ≤ d, for `orthogonal_topics`; or the topics themselves, rows that sum to one.
    weights : array (k,), optional
        Probabilities of the topics; default proportional to linspace(1, 10 k, k), the papers'.
    length : int
        Words a document, at least 3.
    """
    check.integer("samples", samples, low=1)
    check.integer("dimension", dimension, low=2)
    check.integer("length", length, low=3)
    if np.ndim(components) == 0:
        topics = orthogonal_topics(cast(int, components), dimension, rng=rng)
    else:
        topics = _topics("components", components, dimension)
    count = len(topics)
    weights = (
        weights_of_figure(count) if weights is None else check.distribution("weights", weights, length=count)
    )
    labels = rng.choice(count, samples, p=weights)
    tokens = np.empty((samples, length), dtype=np.int32)
    for k, topic in enumerate(topics):
        rows = np.flatnonzero(labels == k)
        tokens[rows] = _words(topic, (len(rows), length), rng)
    return SingleTopicDocuments(tokens, labels, topics, weights)


@check.arguments(alpha0=check.sized)
def lda(
    samples: int = 10_000,
    *,
    dimension: int = 1000,
    topics: int | np.ndarray = 10,
    alpha0: float = 1.0,
    alpha=None,
    length: int | tuple[int, int] = 50,
    word_concentration: float = 0.1,
    rng: np.random.Generator,
) -> LdaDocuments:
    """Documents of latent Dirichlet allocation as sparse counts ([Lda] section 2).

    Parameters
    ----------
    samples, dimension : int
        N documents over a vocabulary of d words.
    topics : int or array (k, d)
        k topics drawn from Dirichlet(word_concentration, …); or the topics, rows that sum to one.
    alpha0 : float
        Σ α_i, shared equally: α_i = α0/k. Small: documents have one topic; large: all have the same mixture.
    alpha : array (k,), optional
        The Dirichlet parameter itself, instead of `alpha0`.
    length : int or (int, int)
        Words a document, at least 3; a pair draws each length uniformly between the two, both included.
    word_concentration : float
        Parameter of the topics' distribution; small makes topics bursty.
    """
    check.integer("samples", samples, low=1)
    check.integer("dimension", dimension, low=2)
    if np.ndim(topics) == 0:
        check.number("word_concentration", word_concentration, low=0)
        words = dirichlet_topics(cast(int, topics), dimension, concentration=word_concentration, rng=rng)
    else:
        words = _topics("topics", topics, dimension)
    alpha = _alpha(alpha, alpha0, len(words))
    shortest, longest = cast(tuple[int, int], (length, length) if np.ndim(length) == 0 else length)
    check.integer("length", shortest, low=3)
    check.integer("length", longest, low=shortest)
    lengths = rng.integers(shortest, longest, samples, endpoint=True)
    proportions = rng.dirichlet(alpha, samples)
    rows = max(_TOKENS // longest, 1)
    blocks = [
        _lda_block(lengths[a : a + rows], proportions[a : a + rows], words, rng)
        for a in range(0, samples, rows)
    ]
    return LdaDocuments(sparse.vstack(blocks, format="csr"), words, alpha, proportions)


@check.arguments(dimension=check.whole(1))
def orthogonal_topics(components: int, dimension: int, *, rng: np.random.Generator) -> np.ndarray:
    """Topics behind [Fact] Figure 4: orthonormal columns, negatives set to 0, normalised to sum 1; (k, d).

    A column without a positive entry (probability 2^(−d)) is turned round.
    """
    topics = orthonormal(components, dimension, rng=rng)
    topics[(topics <= 0).all(axis=1)] *= -1
    topics = np.maximum(topics, 0)
    return topics / topics.sum(axis=1, keepdims=True)


@check.arguments(dimension=check.whole(1))
def dirichlet_topics(
    topics: int, dimension: int, *, concentration: float = 0.1, rng: np.random.Generator
) -> np.ndarray:
    """Independent topics from a symmetric Dirichlet distribution, shape (k, d)."""
    check.integer("topics", topics, low=1, high=dimension)
    check.number("concentration", concentration, low=0)
    return rng.dirichlet(np.full(dimension, float(concentration)), topics)


def _lda_block(lengths, proportions, words, rng):
    """Counts of some documents: tokens per topic first, then all words of one topic in one draw."""
    per_topic = rng.multinomial(lengths, proportions / proportions.sum(axis=1, keepdims=True))
    documents = np.arange(len(lengths))
    rows = [np.repeat(documents, per_topic[:, k]) for k in range(len(words))]
    columns = [_words(topic, len(row), rng) for topic, row in zip(words, rows, strict=True)]
    return _counts(np.concatenate(rows), np.concatenate(columns), (len(lengths), words.shape[1]))


def _words(topic, shape, rng):
    """Word indices drawn from one topic by inverting its distribution function."""
    cumulative = np.cumsum(topic)
    cumulative /= cumulative[-1]
    last = np.flatnonzero(topic)[-1]
    return np.minimum(np.searchsorted(cumulative, rng.random(shape), side="right"), last).astype(np.int32)


def _counts(rows, columns, shape):
    counts = sparse.csr_matrix((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    return counts


def _alpha(alpha, alpha0, count):
    if alpha is None:
        return np.full(count, check.number("alpha0", alpha0, low=0) / count)
    alpha = check.finite("alpha", alpha)
    if alpha.shape != (count,) or (alpha <= 0).any():
        raise ValueError(f"alpha must be {count} positive numbers, one for each topic, got {alpha}")
    return alpha


def _topics(name, topics, dimension):
    topics = check.table(name, topics)
    if topics.shape[1] != dimension:
        raise ValueError(f"{name} must have {dimension} columns, one a word, got shape {topics.shape}")
    return np.array([check.distribution(name, row, length=dimension) for row in topics])

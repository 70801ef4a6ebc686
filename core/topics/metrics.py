"""How good topics are: against the truth, against other topics, and against documents.

All but `topic_error` on synthetic data look at documents or at non-private topics: diagnostics, not private.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from core import check
from core.moments import lda

_LARGEST = {"l1": ("cityblock", 2.0), "l2": ("euclidean", np.sqrt(2.0))}
_CHUNK = 2**21


@check.arguments(true=check.matrix, estimated=check.numeric)
def topic_error(true, estimated, *, norm: str = "l1") -> float:
    """Mean distance of topics matched one to one; a topic that was not found counts as the largest, 2 or √2.

    Parameters
    ----------
    true : array of shape (k, d)
        Rows on the simplex.
    estimated : array of shape (m, d)
        Any number of topics; surplus ones do not count.

    Examples
    --------
    >>> topic_error(np.eye(3), np.eye(3))
    0.0
    """
    metric, largest = _LARGEST[check.choice("norm", norm, _LARGEST)]
    true, estimated = _rows("true", true), _rows("estimated", estimated, np.shape(true)[1])
    distances = np.full((len(true), max(len(true), len(estimated))), largest)
    if len(estimated):
        distances[:, : len(estimated)] = cdist(true, estimated, metric)
    return float(distances[linear_sum_assignment(distances)].mean())


@check.arguments(reference=check.matrix, words=check.numeric)
def match_topics(reference, words) -> np.ndarray:
    """Which row of `words` (m, d) goes with each reference topic (k, d), by l1 distance: (k,), −1 for none."""
    distances = cdist(
        _rows("reference", reference), _rows("words", words, np.shape(reference)[1]), "cityblock"
    )
    place = np.full(len(distances), -1)
    rows, columns = linear_sum_assignment(distances)
    place[rows] = columns
    return place


@check.arguments(reference=check.matrix, words=check.numeric)
def overlap(reference, words, *, count: int = 10) -> float:
    """Share of top words in common with the reference topics, matched as `match_top_words` does; a lost topic shares none.

    A word without probability in a topic is none of its top words, even if fewer than `count` have any.
    """
    reference = _rows("reference", reference)
    words = _rows("words", words, reference.shape[1])
    common = _common(reference, words, check.integer("count", count, low=1, high=reference.shape[1]))
    best = linear_sum_assignment(-common)
    return float(common[best].sum() / (count * len(reference)))


@check.arguments(reference=check.matrix, words=check.numeric)
def match_top_words(reference, words, *, count: int = 10) -> np.ndarray:
    """Which row of `words` (m, d) goes with each reference topic (k, d) by common top words: (k,), −1 for none.

    It maximises what `overlap` counts. Among matchings with equally many common words it takes the nearest by ℓ1.
    """
    reference = _rows("reference", reference)
    words = _rows("words", words, reference.shape[1])
    common = _common(reference, words, check.integer("count", count, low=1, high=reference.shape[1]))
    place = np.full(len(reference), -1)
    # All distances together are at most 2k, so they cannot outweigh one word.
    rows, columns = linear_sum_assignment(
        cdist(reference, words, "cityblock") / (2 * len(reference) + 1) - common
    )
    place[rows] = columns
    return place


@check.arguments(reference=check.matrix, words=check.numeric)
def topics_found(reference, words, *, count: int = 10) -> int:
    """How many reference topics (k, d) share more than half of their top words with their match in `words` (m, d).

    Matched as `match_top_words` does; a lost topic is not found.
    """
    place = match_top_words(reference, words, count=count)
    common = _common(np.asarray(reference, dtype=float), np.asarray(words, dtype=float), count)
    return sum(int(2 * common[j, at] > count) for j, at in enumerate(place) if at >= 0)


@check.arguments(reference=check.matrix, words=check.numeric)
def shared_mass(reference, words) -> float:
    """Share of the reference topics' probability that matched topics give to the same words: Σ_w min(p_w, q_w), averaged.

    It is 1 − ℓ1/2. Unlike `overlap` it weighs words by their probability, so it does not depend on the order of words
    that are about equally rare. A lost topic shares none.

    Parameters
    ----------
    reference : array of shape (k, d)
        Rows on the simplex.
    words : array of shape (m, d)
    """
    reference = _rows("reference", reference)
    return 1 - topic_error(reference, _rows("words", words, reference.shape[1])) / 2


@check.arguments(words=check.matrix, alpha=check.reals, smoothing=check.positives_in(0, 1))
def likeliest_topics(counts, words, alpha, *, smoothing: float = 0.01) -> np.ndarray:
    """The topic under which each document's words are most likely, shape (N,): argmax of ln α_i + Σ_w c_w ln μ_i(w).

    Parameters
    ----------
    counts : sparse array (N, d)
    words, alpha : arrays of shape (k, d) and (k,)
        Topics in rows, and their weights.
    smoothing : float
        As in `perplexity`, above 0.
    """
    counts = lda.documents(counts)
    words = _rows("words", words, counts.shape[1])
    if np.shape(alpha) != (len(words),):
        raise ValueError(
            f"alpha must be as many numbers as there are words, {len(words)}, got shape {np.shape(alpha)}"
        )
    smooth = (1 - smoothing) * words + smoothing / words.shape[1]
    return np.argmax(counts @ np.log(smooth).T + np.log(np.maximum(alpha, 1e-12)), axis=1)


@check.arguments
def split_documents(counts, *, rng: np.random.Generator):
    """Divide each document's words at random into halves: observed and held out, two CSR arrays (N, d)."""
    counts = lda.documents(counts)
    observed = counts.copy()
    observed.data = rng.binomial(counts.data.astype(int), 0.5).astype(float)
    held = counts.copy()
    held.data = counts.data - observed.data
    return observed, held


@check.arguments(
    words=check.numeric, alpha=check.numeric, smoothing=check.probabilities, iterations=check.whole(0)
)
def perplexity(observed, held, words, alpha, *, smoothing: float = 0.01, iterations: int = 50) -> float:
    """Held-out perplexity by document completion: exp(− mean log-likelihood of a held-out word).

    Topic proportions are fitted to each document's observed words (expectation maximisation under the
    Dirichlet prior), and predict its held-out words.

    Parameters
    ----------
    observed, held : sparse arrays (N, d)
        See `split_documents`.
    words, alpha : arrays of shape (m, d) and (m,)
        Topics; without any, the uniform distribution predicts.
    smoothing : float
        Each topic is mixed with that much of the uniform distribution: private topics have zeros.
    """
    observed, held = lda.documents(observed, name="observed"), lda.documents(held, name="held")
    d = observed.shape[1]
    if words.size and (words.ndim != 2 or words.shape[1] != d):
        raise ValueError(f"words must be topics in rows of {d}, got shape {words.shape}")
    words = (1 - smoothing) * check.finite("words", words).reshape(-1, d) + smoothing / d
    if not len(words):
        return float(d)
    if alpha.shape != (len(words),):
        raise ValueError(
            f"alpha must be as many numbers as there are words, {len(words)}, got shape {alpha.shape}"
        )
    alpha = np.maximum(np.asarray(alpha, dtype=float), 1e-6)
    total, step = 0.0, max(1, _CHUNK // (50 * len(words)))
    for start in range(0, observed.shape[0], step):
        rows = slice(start, start + step)
        theta = _proportions(observed[rows], words, alpha, iterations)
        where, which, counts = _entries(held[rows])
        total += counts @ np.log(np.einsum("nk,kn->n", theta[where], words[:, which]))
    return float(np.exp(-total / max(held.sum(), 1)))


@check.arguments(smoothing=check.probabilities)
def unigram_perplexity(observed, held, *, smoothing: float = 0.01) -> float:
    """Perplexity of one word distribution for all documents, that of the observed words: what topics must beat."""
    distribution = np.asarray(lda.documents(observed, name="observed").sum(axis=0)).ravel()
    distribution = (1 - smoothing) * distribution / max(distribution.sum(), 1) + smoothing / len(distribution)
    held = np.asarray(lda.documents(held, name="held").sum(axis=0)).ravel()
    return float(np.exp(-(held @ np.log(distribution)) / max(held.sum(), 1)))


def _proportions(counts, words, alpha, iterations):
    """θ of each document (N, k): fixed point of θ_k ∝ α_k + Σ_v c_v θ_k μ_kv/Σ_j θ_j μ_jv."""
    where, which, numbers = _entries(counts)
    likelihood = words[:, which].T
    theta = np.tile(alpha / alpha.sum(), (counts.shape[0], 1))
    for _ in range(iterations):
        joint = theta[where] * likelihood
        joint *= (numbers / joint.sum(axis=1))[:, None]
        # Entries of one document stand together: sums over its rows.
        sums = np.zeros_like(theta)
        starts = np.flatnonzero(np.diff(where, prepend=-1))
        if len(starts):
            sums[where[starts]] = np.add.reduceat(joint, starts, axis=0)
        theta = sums + alpha
        theta /= theta.sum(axis=1, keepdims=True)
    return theta


def _entries(counts):
    where = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    return where, counts.indices, counts.data


def _common(reference, words, count):
    """Numbers of top words that topics have in common, (k, m)."""
    tops = []
    for rows in (reference, words):
        top = np.zeros(rows.shape)
        best = np.argsort(-rows, axis=1, kind="stable")[:, :count]
        np.put_along_axis(top, best, 1.0, axis=1)
        tops.append(top * (rows > 0))
    return tops[0] @ tops[1].T


def _rows(name, rows, width=None):
    rows = check.finite(name, np.asarray(rows, dtype=float))
    if rows.ndim != 2 or (width is not None and rows.shape[1] != width):
        raise ValueError(f"{name} must be topics in rows of one width, got shape {rows.shape}")
    return rows

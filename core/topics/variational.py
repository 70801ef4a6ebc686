"""Variational LDA: the baseline of [Lda], private as in Park et al. (2016), and scikit-learn's without privacy.

Private variational inference perturbs the expected sufficient statistics s_p (k×d) of each document, in
every one of T full passes over the documents: Σ_p clip(s_p, B)/N + noise, B public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.special import digamma

from core import check
from core.moments import lda
from core.privacy import Privacy, gaussian_mu, gaussian_std

Accounting = Literal["exact", "advanced", "simple"]
ACCOUNTINGS: tuple[Accounting, ...] = get_args(Accounting)
_CHUNK = 2**21


@dataclass(frozen=True)
class VariationalTopics:
    """Topics by variational inference.

    Attributes
    ----------
    words : ndarray of shape (k, d)
        Expected word probabilities, rows.
    alpha : ndarray of shape (k,)
        The prior α0/k it was run with.
    noise_std : float
        Standard deviation of the noise on the mean statistics in each pass; 0 without privacy.
    mu : float
        Exact Gaussian-DP parameter of all passes together; ∞ without privacy.
    accounting : str
    clipped : float
        Share of documents clipped in the last pass. *Not private.*
    """

    words: np.ndarray
    alpha: np.ndarray
    noise_std: float
    mu: float
    accounting: Accounting | Literal[""] = ""
    clipped: float = 0.0


@check.arguments(bound=check.sized, prior=check.sized, inner=check.whole(0))
def fit(
    counts,
    k: int,
    *,
    alpha0: float,
    privacy: Privacy | None,
    rng: np.random.Generator,
    accounting: Accounting = "exact",
    iterations: int = 10,
    bound: float = 10.0,
    prior: float = 0.1,
    inner: int = 20,
) -> VariationalTopics:
    """Private variational LDA.

    Parameters
    ----------
    counts : sparse array (N, d)
    k : int
    alpha0 : float
        Dirichlet parameter, shared equally by the topics.
    privacy : Privacy or None
        The privacy target of all passes together, when one document is replaced.
    accounting : {"exact", "advanced", "simple"}
        How the passes share it: Gaussian releases compose exactly, μ/√T each; "advanced" composition of T
        classical releases; "simple": ε/T and δ/T each.
    iterations : int
        T, passes over all documents.
    bound : float
        B, public: largest ‖s_p‖_F; longer statistics are scaled down to it.
    prior : float
        Parameter of the topics' Dirichlet prior.
    inner : int
        Fixed-point steps for each document's topic proportions.
    """
    counts = lda.documents(counts)
    n, d = counts.shape
    k = check.integer("k", k, low=1, high=d)
    iterations = check.integer("iterations", iterations, low=1)
    bound, prior = check.positive("bound", bound), check.positive("prior", prior)
    alpha = np.full(k, check.positive("alpha0", alpha0) / k)
    # Entries are non-negative, so replacing a document moves the mean by at most √2 B/N.
    sensitivity = math.sqrt(2) * bound / n
    std, mu = 0.0, math.inf
    if privacy is not None:
        std = pass_std(sensitivity, privacy, iterations, accounting=accounting)
        mu = math.sqrt(iterations) * sensitivity / std
    topics = prior + rng.gamma(100.0, 0.01, (k, d))
    clipped = 0.0
    for _ in range(iterations):
        total, clipped = _pass(counts, topics, alpha, bound, inner)
        noisy = total / n + std * rng.standard_normal((k, d))
        topics = prior + n * np.maximum(noisy, 0)
    words = topics / topics.sum(axis=1, keepdims=True)
    return VariationalTopics(words, alpha, std, mu, accounting if privacy else "", clipped)


@check.arguments(passes=check.whole(1), sensitivity=check.sized)
def pass_std(sensitivity: float, privacy: Privacy, passes: int, *, accounting: Accounting = "exact") -> float:
    """Noise of each of T releases so that all together keep (ε, δ)."""
    if accounting == "exact":
        return sensitivity * math.sqrt(passes) / gaussian_mu(privacy)
    if accounting == "simple":
        part = Privacy(privacy.epsilon / passes, privacy.delta / passes)
        return gaussian_std(sensitivity, part, calibration="published")
    # Half of δ pays for the composition theorem: ε = √(2T ln(2/δ)) ε' + T ε'(e^ε' − 1).
    log = math.sqrt(2 * passes * math.log(2 / privacy.delta))

    def surplus(epsilon):
        return log * epsilon + passes * epsilon * math.expm1(epsilon) - privacy.epsilon

    epsilon = brentq(surplus, 0.0, min(privacy.epsilon / log, 700.0), xtol=1e-15)
    part = Privacy(epsilon, privacy.delta / (2 * passes))
    return gaussian_std(sensitivity, part, calibration="published")


@check.arguments(k=check.whole(1), alpha0=check.sized, seed=check.seed, iterations=check.whole(1))
def fit_baseline(
    counts, k: int, *, alpha0: float, seed: int, learning: str = "online", iterations: int = 10, **options
) -> VariationalTopics:
    """scikit-learn's LatentDirichletAllocation on the same counts, without privacy."""
    from sklearn.decomposition import LatentDirichletAllocation

    if alpha0 > k:
        raise ValueError(f"alpha0 must be at most k = {k} for scikit-learn, got {alpha0}")
    check.choice("learning", learning, ("online", "batch"))
    model = LatentDirichletAllocation(
        k,
        doc_topic_prior=alpha0 / k,
        learning_method=learning,
        max_iter=iterations,
        # scikit-learn's own seeds have 32 bits.
        random_state=seed if seed < 2**32 else np.random.RandomState(np.random.MT19937(seed)),
        **options,
    )
    # scikit-learn takes the older sparse matrices only.
    model.fit(sp.csr_matrix(lda.documents(counts)))
    words = model.components_ / model.components_.sum(axis=1, keepdims=True)
    return VariationalTopics(words, np.full(k, alpha0 / k), 0.0, math.inf)


def _pass(counts, topics, alpha, bound, inner):
    """Σ_p clip(s_p, B), shape (k, d), and the share of documents clipped."""
    beta = _expected(topics)
    total, clipped = np.zeros_like(topics), 0
    step = max(1, _CHUNK // (40 * len(topics)))
    for start in range(0, counts.shape[0], step):
        part = counts[start : start + step]
        where = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        words = beta[:, part.indices].T
        theta, ratio = _proportions(part, where, words, alpha, inner)
        share = ratio[:, None] * theta[where] * words
        size = np.sqrt(np.bincount(where, (share**2).sum(axis=1), part.shape[0]))
        keep = np.minimum(1.0, bound / np.maximum(size, 1e-300))
        clipped += int((size > bound).sum())
        share *= keep[where, None]
        for topic, column in enumerate(share.T):
            total[topic] += np.bincount(part.indices, column, counts.shape[1])
    return total, clipped / counts.shape[0]


def _proportions(counts, where, words, alpha, inner):
    """exp E[log θ] of each document and c/Σ_k θ_k β_k of each entry: shapes (n, k), (nnz,)."""
    # Equal proportions, whose scale cancels in c/Σ θβ: nothing of other documents may enter a document's start.
    gamma = np.ones((counts.shape[0], len(alpha)))
    for step in range(inner + 1):
        theta = _expected(gamma)
        ratio = counts.data / np.maximum(np.einsum("nk,nk->n", theta[where], words), 1e-300)
        if step == inner:
            return theta, ratio
        weighted = sp.csr_array((ratio, np.arange(len(ratio)), counts.indptr), (counts.shape[0], len(ratio)))
        gamma = alpha + theta * (weighted @ words)


def _expected(dirichlet):
    """exp E[log x] of Dirichlet rows."""
    return np.exp(digamma(dirichlet) - digamma(dirichlet.sum(axis=1, keepdims=True)))

"""The records of the figures, drawn or loaded by settings; module-level functions, which can be pickled."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from core import moments
from data import bounds, real, sites, synthetic
from data.catalogue import corpora, tables
from data.synthetic.tensors import tensor_components

_POPULATION = 60_000  # Records that the authors drew from Covertype, and scaled by their largest norm.
_HELD_OUT = 500  # Documents that perplexity is measured on.


def table(settings):
    """The sites' records for PCA, and the second moment A of the captured energy, in the records' own units."""
    if settings["data"] == "low_rank":
        return tables.load(settings)
    records, truth = _scaled(settings["data"], settings["published"])
    return tables.dealt(records, settings), truth


@lru_cache(maxsize=4)
def _scaled(name, published):
    about = next(entry for entry in real.available() if entry.name == name)
    some = {"samples": _POPULATION} if about.shape[0] > _POPULATION else {}
    loaded = real.load(name, rng=np.random.default_rng(0), download=False, **some)
    unit = (
        loaded.upper.max() if about.image_shape else 1.0
    )  # Energies of pictures are those of pixels in [0, 1].
    centred = (loaded.records - loaded.records.mean(axis=0)) / unit
    how, bound = ("published", None) if published else _one_scale(about)
    return loaded.scaled(how, bound=bound).records, centred.T @ centred / len(centred)


def _one_scale(about):
    """How records come into the unit ball without a range for each feature, which would turn the energies."""
    return about.scaling if about.image_shape else ("centre", None)


def topics(settings):
    """One draw of topics and single-topic documents: the moments of every site, and the true topics."""
    return _topics(settings)


def leaking_topics(settings):
    """The same as published: M2 and M3 use only the first words and are not symmetric."""
    return _topics(settings, triples="first", symmetrised=False)


def gaussians(settings):
    """One draw of means and records, divided by a public bound."""
    rng, count = np.random.default_rng(settings["data_seed"]), settings["sites"]
    drawn = synthetic.mixture_of_gaussians(count * settings["samples"], **_law(settings), rng=rng)
    parts = np.split(drawn.records, count)
    return [moments.gaussian_mixture(x, drawn.record_variance) for x in parts], *_truth(drawn)


def shared_gaussians(settings):
    """The same as published: every site holds the same block of records.

    The block is divided by its own largest norm, and σ² is the smallest eigenvalue of its covariance.
    """
    rng = np.random.default_rng(settings["data_seed"])
    drawn = synthetic.mixture_of_gaussians(settings["samples"], **_law(settings), bound=math.inf, rng=rng)
    block = bounds.by_largest_norm(drawn.records, centre=False).records
    variance = float(np.linalg.eigvalsh(np.cov(block.T, bias=True))[0])
    return [moments.gaussian_mixture(block, variance)] * settings["sites"], *_truth(drawn)


def classes(settings):
    """Two Gaussian classes: 70 % of the records at the sites, the rest for testing."""
    rng = np.random.default_rng(settings["data_seed"])
    total = settings["sites"] * settings["samples"]
    drawn = synthetic.two_classes(total, dimension=settings["dimension"], rng=rng)
    parts = sites.hold_out(drawn.pair, share=0.3, rng=rng)
    return sites.split(parts.train, settings["sites"], rng=rng), parts.test


def documents(settings):
    """Documents from an LDA distribution at one curator, some held out."""
    rng = np.random.default_rng(settings["data_seed"])
    drawn = synthetic.lda(
        settings["records"] + _HELD_OUT,
        dimension=settings["dimension"],
        topics=settings["k"],
        alpha=dirichlet(settings["alpha0"], settings["k"], rng=rng),
        length=settings["length"],
        rng=rng,
    )
    words = tuple(map(str, range(settings["dimension"])))
    return corpora.Dealt([drawn.counts[_HELD_OUT:]], drawn.counts[:_HELD_OUT], words, drawn.words)


def topic_law(settings):
    """Only the topics and Dirichlet parameter of a distribution: (words (k, d), alpha (k,))."""
    rng = np.random.default_rng(settings["data_seed"])
    alpha = dirichlet(settings["alpha0"], settings["k"], rng=rng)
    return synthetic.documents.dirichlet_topics(settings["k"], settings["dimension"], rng=rng), alpha


def dirichlet(alpha0: float, k: int, *, rng: np.random.Generator) -> np.ndarray:
    """A random Dirichlet parameter with sum α0, whose entries differ by a factor of at most three; shape (k,)."""
    parts = rng.uniform(0.5, 1.5, k)
    return alpha0 * parts / parts.sum()


def tensor(settings):
    """A tensor with orthonormal components of eigenvalue 1."""
    rng = np.random.default_rng(settings["data_seed"])
    return tensor_components(settings["k"], dimension=settings["dimension"], strength=1.0, least=1.0, rng=rng)


def _topics(settings, **how):
    rng, count, d = np.random.default_rng(settings["data_seed"]), settings["sites"], settings["dimension"]
    drawn = synthetic.single_topic(count * settings["samples"], **_law(settings), rng=rng)
    parts = np.split(drawn.tokens, count)
    return [moments.single_topic(part, d, **how) for part in parts], *_truth(drawn)


def _law(settings):
    return {"dimension": settings["dimension"], "components": settings["k"]}


def _truth(drawn):
    return drawn.components, drawn.weights

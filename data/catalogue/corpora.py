"""Documents by name, as word counts dealt to sites: a synthetic distribution, real text, invented notes, a user's own.

What a source is asked for are settings: a mapping with "data", "vocabulary", "sites", "data_seed", and for
the synthetic distribution "documents", "topics" and "true_alpha0".
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy import sparse

from data import check, sites, synthetic, text
from data.catalogue import notes

HELD_OUT = 500  # Documents kept aside to measure perplexity.
SYNTHETIC_LENGTH = 50


@dataclass(frozen=True)
class Source:
    """What is known of a collection before it is loaded.

    Attributes
    ----------
    name, title : str
        Key in the URL and text in the menu.
    unit : str
        What one document is: the unit of privacy.
    length : float
        A typical document's number of words of the vocabulary, a public constant of ours.
    synthetic : bool
        Drawn from a distribution, so that the true topics are known.
    """

    name: str
    title: str
    unit: str
    length: float
    synthetic: bool = False


KNOWN = {
    source.name: source
    for source in (
        Source("synthetic", "Synthetic topics", "one synthetic document", SYNTHETIC_LENGTH, synthetic=True),
        Source("docstrings", "Docstrings of Python packages", "one docstring", 12.0),
        Source("notes", "Invented notes of a hospital", "one invented note", 12.0),
        Source("newsgroups", "20 newsgroups", "one message", 30.0),
    )
}


@dataclass(frozen=True, eq=False)
class Dealt:
    """Documents at sites, and what is needed to judge topics.

    Attributes
    ----------
    sites : list of CSR (n_s, d)
        Word counts of each site. Documents of fewer than 3 words of the vocabulary stand as empty rows, so
        that the number of documents does not depend on what they say.
    held : CSR (m, d)
        Documents kept aside.
    words : tuple of str
        The vocabulary. Foreign text: escape it before it is shown as HTML.
    topics : ndarray (k, d) or None
        True topics of the synthetic distribution.
    vocabulary_public : bool
        False if the vocabulary was found in the documents.
    """

    sites: list = field(repr=False)
    held: sparse.csr_matrix = field(repr=False)
    words: tuple[str, ...] = field(repr=False)
    topics: np.ndarray | None = None
    vocabulary_public: bool = True


@check.arguments
def load(settings: Mapping) -> Dealt:
    """Documents of every site.

    Raises
    ------
    ValueError
        If there are fewer documents than sites, or fewer words than topics.
    """
    if check.setting(settings, "data") == "synthetic":
        return _synthetic(settings)
    return dealt(_corpus(check.setting(settings, "data"), check.setting(settings, "vocabulary")), settings)


@check.arguments
def labelled(settings: Mapping) -> tuple[sparse.csr_matrix, tuple[str, ...]] | None:
    """All documents (N, d), and the public name of what each belongs to, such as its package; None if that is not known."""
    if check.setting(settings, "data") not in ("docstrings", "notes"):
        return None
    result = _corpus(check.setting(settings, "data"), check.setting(settings, "vocabulary"))
    return result.counts, result.origins


@check.arguments
def dealt(corpus: text.Corpus, settings: Mapping) -> Dealt:
    """A corpus dealt at random to equal sites, some documents kept aside."""
    short = sparse.csr_matrix((corpus.dropped, corpus.counts.shape[1]), dtype=corpus.counts.dtype)
    counts = sparse.vstack([corpus.counts, short], format="csr")
    return _divided(counts, corpus.vocabulary, None, corpus.vocabulary_public, settings)


@check.arguments
@dataclass(frozen=True, eq=False)
class OwnText:
    """A user's own documents; call it with settings, as `load`."""

    documents: text.Documents

    @property
    def source(self) -> Source:
        """What is known of them; the title is foreign text."""
        return Source("own", self.documents.source, self.documents.unit, 12.0)

    def __call__(self, settings: Mapping) -> Dealt:
        return dealt(_own_corpus(self, check.setting(settings, "vocabulary")), settings)


def forget() -> None:
    """Drop all users' documents that were counted; those in use elsewhere are counted again when needed."""
    _own_corpus.cache_clear()


@lru_cache(maxsize=4)
def _own_corpus(own, size):
    return text.corpus(own.documents, size=size, min_documents=min(5, len(own.documents)))


@lru_cache(maxsize=4)
def _corpus(name, size):
    if name == "notes":
        return notes.corpus(size=size)
    return text.bundled(size=size) if name == "docstrings" else text.corpus(text.load(name), size=size)


def _synthetic(settings):
    rng = check.generator(settings)
    drawn = synthetic.lda(
        check.setting(settings, "documents") + HELD_OUT,
        dimension=check.setting(settings, "vocabulary"),
        topics=check.setting(settings, "topics"),
        alpha0=check.setting(settings, "true_alpha0"),
        length=SYNTHETIC_LENGTH,
        rng=rng,
    )
    return _divided(drawn.counts, _named(drawn.words), drawn.words, True, settings)


def _named(topics):
    """Words of a synthetic vocabulary, called by the topic in which they weigh most and their rank in it: a1, b7."""
    letters = [a + b for a in ("", *string.ascii_lowercase) for b in string.ascii_lowercase]
    owner = topics.argmax(axis=0)
    names = [""] * topics.shape[1]
    for k, topic in enumerate(topics):
        own = np.flatnonzero(owner == k)
        for rank, word in enumerate(own[np.argsort(-topic[own])], start=1):
            names[word] = f"{letters[k]}{rank}"
    return tuple(names)


def _divided(counts, words, topics, public, settings):
    rng = check.generator(settings)
    order = rng.permutation(counts.shape[0])
    held = order[: HELD_OUT if topics is not None else min(HELD_OUT, counts.shape[0] // 10)]
    rest = order[len(held) :]
    if len(rest) < check.setting(settings, "sites"):
        raise ValueError(f"sites must be at most the {len(rest)} documents, got {settings['sites']}")
    parts = sites.split(np.arange(len(rest)), check.setting(settings, "sites"), sizes="equal", rng=rng)
    return Dealt([counts[rest[part]] for part in parts], counts[held], words, topics, public)

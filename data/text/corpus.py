"""Documents to word counts, through scikit-learn's CountVectorizer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from data import check
from data.text.documents import Documents

_LEAST = 3  # tokens a document: a third moment needs three.
MOST_WORDS = 2_000_000  # Different words that are counted; a dictionary of them takes about 0.3 GB.
_LETTERS = r"[^\W\d_]{3,40}"
_LETTERS_AND_DIGITS = r"[^\W_]{3,40}"


def _readable(name, value):
    return value if isinstance(value, Documents) else check.sequence(name, value)


@dataclass(frozen=True)
class Corpus:
    """Documents as counts of the words of a vocabulary.

    Attributes
    ----------
    counts : csr_matrix of int (N, d)
        Every document has at least 3 tokens of the vocabulary.
    vocabulary : tuple of str
        The d words, in alphabetical order unless given; letters (and digits) alone.
    names : tuple of str
        Where each of the N documents comes from.
    source, unit : str
        Where all come from; what one document is, the unit of privacy.
    dropped : int
        Documents of fewer than 3 tokens, left out.
    vocabulary_public : bool
        False if the vocabulary was found in these documents: then it is *not private*.
    origins : tuple of str
        What each of the N documents belongs to, such as its package: public. Empty if that is not known.
    """

    counts: sparse.csr_matrix
    vocabulary: tuple[str, ...]
    names: tuple[str, ...]
    source: str
    unit: str
    dropped: int
    vocabulary_public: bool
    origins: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of the vocabulary in all documents together."""
        return int(self.counts.sum())


@check.arguments(documents=_readable)
def corpus(
    documents: Documents | Sequence[str],
    *,
    size: int = 500,
    vocabulary: Sequence[str] | None = None,
    stop_words: bool | Sequence[str] = True,
    numbers: bool = False,
    min_documents: int = 5,
) -> Corpus:
    """Count the words of documents.

    A word is a run of 3 to 40 letters, in lower case: "n_samples" is "samples". A plural is counted as its singular
    where both occur: "values" is "value", "classes" is "class", "entries" is "entry"; so is "reads" as "read".

    Parameters
    ----------
    documents : Documents or sequence of str
    size : int
        Largest number d ≥ 2 of words: the most frequent ones. *Not private.*
    vocabulary : sequence of str, optional
        The words to count, in this order and as they are: a public choice. `size` and `min_documents` then mean nothing.
    stop_words : bool or sequence of str
        Words that are not counted: scikit-learn's English ones (True), none (False), or these.
    numbers : bool
        Whether digits may be part of a word.
    min_documents : int
        Least number of documents that a word occurs in.

    Raises
    ------
    ValueError
        If no document has three tokens, fewer than two words are left, or `MOST_WORDS` different ones occur.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    given = _as_documents(documents)
    check.integer("size", size, low=2)
    check.integer("min_documents", min_documents, low=1)
    words = None if vocabulary is None else _distinct(vocabulary)
    if words is None and min_documents > len(given):
        raise ValueError(
            f"min_documents must be at most the number of documents, {len(given)}, got {min_documents}"
        )
    pattern = _LETTERS_AND_DIGITS if numbers else _LETTERS
    if words is None:
        _few_enough(given, pattern)
    vectorizer = CountVectorizer(
        token_pattern=pattern,
        stop_words=_stop_words(stop_words),
        vocabulary=words,
        min_df=min_documents if words is None else 1,
        dtype=np.int32,
    )
    try:
        counts = vectorizer.fit_transform(given.texts)
    except ValueError as error:
        raise ValueError(
            f"documents must share words: none of 3 letters or more is left in {min_documents} of the "
            f"{len(given)} documents of {given.source}"
        ) from error
    if words is not None:
        return _checked(counts.tocsr(), tuple(words), given, public=True)
    joined, singulars = _joined(counts, vectorizer.get_feature_names_out())
    frequent = np.sort(np.argsort(-np.asarray(joined.sum(axis=0)).ravel(), kind="stable")[:size])
    return _checked(joined[:, frequent].tocsr(), tuple(singulars[frequent].tolist()), given, public=False)


def _joined(counts, words):
    """Counts (N, n) and names (n,) of words, each plural added to its singular."""
    known = set(words)
    singular = [next((form for form in _singulars(word) if form in known), word) for word in words]
    names, places = np.unique(singular, return_inverse=True)
    ones = np.ones(len(words), dtype=counts.dtype)
    join = sparse.csr_matrix((ones, (np.arange(len(words)), places)), shape=(len(words), len(names)))
    return counts @ join, names


def _singulars(word):
    """What a word may be the plural of, the likeliest first."""
    endings = {"s": "", "es": "", "ies": "y"}
    return [word.removesuffix(end) + new for end, new in endings.items() if word.endswith(end)]


def _few_enough(documents, pattern):
    """Raise ValueError if the documents hold more different words than a vocabulary is found in."""
    if (
        sum(map(len, documents.texts)) <= 4 * MOST_WORDS
    ):  # A word and the space behind it are 4 letters at least.
        return
    result: set[str] = set()
    for text in documents.texts:
        result.update(re.findall(pattern, text.lower()))
        if len(result) > MOST_WORDS:
            raise ValueError(
                f"documents must have at most {MOST_WORDS:,} different words, got more from {documents.source}"
            )


def _checked(counts, vocabulary, documents, public):
    if len(vocabulary) < 2:
        raise ValueError(
            f"vocabulary must have at least 2 words, got {list(vocabulary)} from {documents.source}"
        )
    rows = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() >= _LEAST)
    if not len(rows):
        raise ValueError(
            f"documents must have at least {_LEAST} words of the vocabulary; none of the {len(documents)} of "
            f"{documents.source} has"
        )
    return Corpus(
        counts=counts[rows],
        vocabulary=vocabulary,
        names=tuple(documents.names[row] for row in rows),
        source=documents.source,
        unit=documents.unit,
        dropped=len(documents) - len(rows),
        vocabulary_public=public,
    )


def _as_documents(documents):
    if not isinstance(documents, Documents):
        texts = tuple(documents)
        wrong = next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)
        if wrong is not None:
            kind = type(texts[wrong]).__name__
            raise ValueError(f"documents must be strings, got {kind} at position {wrong}")
        names = tuple(f"document {i + 1}" for i in range(len(texts)))
        documents = Documents(texts, names, source="these documents", unit="one document")
    if not len(documents):
        raise ValueError("documents must be at least one, got none")
    return documents


def _stop_words(stop_words):
    if isinstance(stop_words, bool):
        return "english" if stop_words else None
    return [word.lower() for word in stop_words]


def _distinct(vocabulary):
    words = list(vocabulary)
    if len(set(words)) < len(words):
        repeated = next(word for word in words if words.count(word) > 1)
        raise ValueError(f"vocabulary must not repeat a word, got {repeated!r} more than once")
    if len(words) < 2:
        raise ValueError(f"vocabulary must have at least 2 words, got {words}")
    return words

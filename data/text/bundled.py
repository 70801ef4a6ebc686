"""Word counts of docstrings that come with the package: real text that is there at once, the same on every machine.

`bundled.npz` holds, for every document, which of the 1,000 most frequent words it has and how often, and the package
that it comes from; the texts themselves are not in it. Plurals are counted as their singulars, as in `corpus`, and
`COMMON`, which nearly half of the documents have, is not counted. It was made by `python -m data.text.bundled` from the
packages that `Corpus.source` names.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import sparse

from data import check
from data.text.corpus import Corpus, corpus
from data.text.docstrings import docstrings, package_of

WORDS = 1000
COMMON = ("return", "returned", "returning", "returns")
_FILE = Path(__file__).with_name("bundled.npz")
_LEAST = 3  # Tokens a document, as in `corpus`.


@check.arguments
def bundled(*, size: int = 500) -> Corpus:
    """Docstrings of Python's standard library, NumPy, SciPy, scikit-learn, pandas and others, as counts.

    Repeated docstrings were left out. The vocabulary is the most frequent words of these documents: *not private*.

    Parameters
    ----------
    size : int
        Number d of words, at least 2 and at most 1,000: the most frequent ones.

    Raises
    ------
    ValueError
        If `size` is out of range.
    """
    check.integer("size", size, low=2, high=WORDS)
    words, counts, origins, source = _read()
    chosen = np.sort(np.argsort(-np.asarray(counts.sum(axis=0)).ravel(), kind="stable")[:size])
    part = counts[:, chosen]
    long = np.asarray(part.sum(axis=1)).ravel() >= _LEAST
    return Corpus(
        counts=part[long],
        vocabulary=tuple(words[chosen].tolist()),
        names=tuple(f"docstring {place + 1}" for place in np.flatnonzero(long)),
        source=source,
        unit="one docstring",
        dropped=int((~long).sum()),
        vocabulary_public=False,
        origins=tuple(origins[long].tolist()),
    )


@lru_cache(maxsize=1)
def _read():
    with np.load(_FILE, allow_pickle=False) as file:
        words, source = np.asarray(file["words"]), str(file["source"])
        ends, columns = np.cumsum(file["lengths"], dtype=np.int64), file["columns"].astype(np.int32)
        data = file["counts"].astype(np.int32)
        origins = file["packages"][file["origins"]]
    counts = sparse.csr_matrix((data, columns, np.r_[0, ends]), shape=(len(ends), len(words)))
    return words, counts, origins, source


def _write() -> None:
    """Count the docstrings of the installed packages again, and replace the file."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    documents = docstrings()
    result = corpus(documents, size=WORDS, stop_words=[*ENGLISH_STOP_WORDS, *COMMON])
    counts = sparse.vstack(
        [result.counts, sparse.csr_matrix((result.dropped, WORDS), dtype=np.int32)]
    ).tocsr()
    # Documents without three of the words come last; no corpus has them, so their package does not matter.
    packages, origins = np.unique([package_of(name) for name in result.names], return_inverse=True)
    np.savez_compressed(
        _FILE,
        packages=packages,
        origins=np.r_[origins, np.zeros(result.dropped)].astype(np.uint8),
        words=np.array(result.vocabulary),
        lengths=np.diff(counts.indptr).astype(np.uint16),
        columns=counts.indices.astype(np.uint16),
        counts=np.minimum(counts.data, 255).astype(np.uint8),
        source=np.array(documents.source),
    )


if __name__ == "__main__":
    _write()

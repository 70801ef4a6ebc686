"""Documents dealt to sites: nothing depends on what they say, and the same seed gives the same sites."""

import numpy as np
import pytest

from data import text
from data.catalogue import corpora, notes

SETTINGS = {
    "data": "synthetic",
    "vocabulary": 40,
    "sites": 3,
    "data_seed": 5,
    "documents": 900,
    "topics": 4,
    "true_alpha0": 0.2,
}


def test_synthetic_documents_are_dealt_evenly_and_named_by_their_topic():
    found = corpora.load(SETTINGS)
    assert [site.shape for site in found.sites] == [(300, 40)] * 3
    assert found.held.shape == (corpora.HELD_OUT, 40)
    assert found.vocabulary_public
    for letter, topic in zip("abcd", found.topics, strict=True):
        assert found.words[
            int(np.where(found.topics.argmax(axis=0) == "abcd".index(letter), topic, 0).argmax())
        ] == (f"{letter}1")
    assert len(set(found.words)) == 40


def test_the_same_seed_gives_the_same_sites():
    once, again = corpora.load(SETTINGS), corpora.load(SETTINGS)
    other = corpora.load(SETTINGS | {"data_seed": 6})
    assert all((a != b).nnz == 0 for a, b in zip(once.sites, again.sites, strict=True))
    assert (once.sites[0] != other.sites[0]).nnz > 0


def test_short_documents_stand_as_empty_rows():
    lines = ["apple pear plum"] * 40 + ["apple"] * 20
    own = corpora.OwnText(text.Documents(tuple(lines), tuple(map(str, range(60))), "lines", "one line"))
    found = own(SETTINGS | {"data": "own"})
    total = sum(site.shape[0] for site in found.sites) + found.held.shape[0]
    assert total == 60
    lengths = np.concatenate([np.asarray(x.sum(axis=1)).ravel() for x in (*found.sites, found.held)])
    assert sorted(set(lengths)) == [0, 3]
    assert (lengths == 0).sum() == 20
    assert not found.vocabulary_public
    corpora.forget()


def test_more_sites_than_documents_are_refused():
    lines = ("apple pear plum",) * 4
    own = corpora.OwnText(text.Documents(lines, ("1", "2", "3", "4"), "lines", "one line"))
    with pytest.raises(ValueError, match=r"sites must.*4.*5"):
        own(SETTINGS | {"data": "own", "sites": 5})


def test_invented_notes_are_the_same_each_time_and_keep_the_likeliest_words():
    whole, few = notes.corpus(size=1000), notes.corpus(size=50)
    assert whole.counts.shape == (notes.COUNT, len(set(whole.vocabulary))) and whole.dropped == 0
    assert len(few.vocabulary) == 50 and set(few.vocabulary) < set(whole.vocabulary)
    assert len(few.origins) == len(few.names) == few.counts.shape[0] == notes.COUNT - few.dropped
    place = whole.vocabulary.index("baby")
    share = {
        ward: whole.counts[np.array(whole.origins) == ward, place].mean() for ward in ("births", "bones")
    }
    assert share["births"] > 0.5 > 10 * share["bones"]
    again = corpora.load(SETTINGS | {"data": "notes", "vocabulary": 50, "sites": 4})
    assert again.vocabulary_public and again.words == few.vocabulary
    assert sum(site.shape[0] for site in again.sites) + again.held.shape[0] == notes.COUNT

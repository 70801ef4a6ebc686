"""Names of topics: their two most telling words and, where documents are labelled, what most of them belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.topics import Topics, metrics
from data.catalogue import corpora

MOST = 0.5  # Share of a topic's documents from which on its collections are said to be "most" of it.


@dataclass(frozen=True)
class Name:
    """What a topic is called; plain text, the words are foreign.

    Attributes
    ----------
    words : str
        Two of its top words.
    origin : str
        What most of its documents belong to; "" if that is not known.
    """

    words: str
    origin: str = ""


def names(
    reference: Topics, words: Sequence[str], law: np.ndarray, settings: Mapping[str, Any]
) -> tuple[Name, ...]:
    """The names of topics; computed from the documents without noise.

    Parameters
    ----------
    words, law : sequence of str and ndarray of shape (d,)
        The vocabulary, and its distribution in all documents.
    settings : mapping
        Those of the documents.
    """
    pairs = [" · ".join(words[word] for word in _telling(topic, law)) for topic in reference.words]
    return tuple(map(Name, pairs, _origins(reference, settings)))


def _telling(topic, law):
    """Of the ten top words the two that set the topic off most from all documents, the heavier first."""
    top = np.argsort(-topic, kind="stable")[:10]
    top = top[topic[top] > 0]
    gain = topic[top] * np.log(topic[top] / np.maximum(law[top], 1e-12))
    return top[np.sort(np.argsort(-gain, kind="stable")[:2])]


def _origins(reference, settings):
    found = None if settings["data"] == "own" else corpora.labelled(settings)
    if found is None or not len(reference.words):
        return [""] * len(reference.words)
    counts, labels = found
    topic_of = metrics.likeliest_topics(counts, reference.words, reference.alpha)
    kinds, number = np.unique(labels, return_inverse=True)
    tallies = [np.bincount(number[topic_of == j], minlength=len(kinds)) for j in range(len(reference.words))]
    return [_said(kinds, tally) for tally in tallies]


def _said(kinds, tally):
    """The collection, or the two, that more than half of the documents belong to, or the first two."""
    if not tally.sum():
        return ""
    first, second = (kinds[place] for place in np.argsort(-tally, kind="stable")[:2])
    shares = np.sort(tally / tally.sum())[::-1]
    if shares[0] > MOST:
        return f"mostly {first}"
    return f"mostly {first}, {second}" if shares[:2].sum() > MOST else f"e.g. {first}, {second}"

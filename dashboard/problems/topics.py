"""The problem of topics, from the settings of Topics and of Plan, and the limits of its work."""

from __future__ import annotations

from core.sweep.workers import when_dropped
from core.topics.problem import Problem
from dashboard.problems.setup import Setup
from dashboard.state.controls import Settings
from dashboard.state.number_text import number_text
from data.catalogue import corpora

DATA_SETTINGS = ("data", "vocabulary", "sites", "data_seed", "documents", "topics", "true_alpha0")
TOPICS, DOCUMENTS = (2, 100), (500, 50_000)  # Least and most of each.
MOST_PRODUCTS = 10**10  # N k³ of a whitened third moment: about a second.
MOST_NUMBERS = 31_000_000  # S d² of second moments: a quarter of a gigabyte.
LONGEST = 500
# The words counted of a user's text go with its problem, in this process and in every worker.
when_dropped(lambda problem: corpora.forget())


def problem(text: corpora.OwnText | None = None) -> Problem:
    """The sweep's problem, on documents known by name or on the user's own text."""
    return Problem(text or corpora.load, DATA_SETTINGS)


def setup(
    settings: Settings,
    *,
    data: str,
    topics: int,
    documents: int,
    vocabulary: int = 200,
    alpha0: float = 0.1,
    measure: str = "overlap",
    length: int = 0,
    spread: float = 0.0,
    third: float = 0.2,
    at_sites: bool = True,
    text: corpora.OwnText | None = None,
) -> Setup:
    """Topics of documents that are known by name, or of the user's own text.

    Parameters
    ----------
    topics, documents, vocabulary : int
        Numbers to compute, to draw and to keep; `alpha0` and `topics` also define the distribution of synthetic documents.
    measure : str
        "found", "overlap", "mass", "error" or "perplexity".
    length, spread : int and float
        A public guess at a document's number of words, and how unequal documents may stay; 0 for the usual.
    third : float
        Budget share of the third moment.
    at_sites : bool
        Whether sites hold the documents, or one curator.

    Raises
    ------
    ValueError
        If the settings do not go together: more topics than words, an error without a truth, too much work.
    """
    source = text.source if text else corpora.KNOWN[data]
    if 2 * topics > vocabulary:
        raise ValueError(f"topics k must be at most half the vocabulary, {vocabulary // 2}, got {topics}")
    _check_work(documents * topics**3 if source.synthetic else 0, settings.sites * vocabulary**2 * at_sites)
    if measure == "error" and not source.synthetic:
        raise ValueError(
            "the error needs true topics, which only synthetic documents have: choose topics found, top words, "
            "topic mass or perplexity"
        )

    def cell(change):
        values = {
            "data": source.name,
            "vocabulary": vocabulary,
            "sites": settings.sites,
            "data_seed": settings.data_seed,
            "documents": documents if source.synthetic else 0,
            "topics": topics if source.synthetic else 0,
            "true_alpha0": alpha0 if source.synthetic else 0.0,
            "k": topics,
            "alpha0": alpha0,
            "length": float(length or source.length),
            "longest": LONGEST,
            "spread": spread,
            "clip": 0.0,
            "third": float(third),
            "calibration": settings.calibration,
            "measure": measure,
            "epsilon": settings.epsilon,
            "delta": settings.delta,
        } | change
        return values | (settings.run_terms(values["sites"]) if at_sites else {})

    return Setup(source, problem(text), cell)


def _check_work(products, numbers):
    """Refuse what would keep the worker, which all sessions share, for many seconds at a time."""
    if products > MOST_PRODUCTS:
        raise ValueError(
            f"documents times k³ must be at most {number_text(MOST_PRODUCTS)}, got {number_text(products)}: "
            "choose fewer topics or documents"
        )
    if numbers > MOST_NUMBERS:
        raise ValueError(
            f"sites times vocabulary² must be at most {number_text(MOST_NUMBERS)}, got {number_text(numbers)}: "
            "choose fewer words or sites"
        )

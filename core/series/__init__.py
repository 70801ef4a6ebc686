"""A series of releases, one a month: who takes part when, how noise is correlated over months, and what is learnt in all."""

from core.series.history import History, LostHistory, begin, resume
from core.series.participation import Participation
from core.series.series import RIVALS, Rival, Running, Series
from core.series.strategies import (
    QUERIES,
    Query,
    Strategy,
    best_buffer,
    independent,
    one_buffer,
    queries,
    scaled,
    square_root,
    strategy,
    tree,
    without,
)

__all__ = [
    "QUERIES",
    "RIVALS",
    "History",
    "LostHistory",
    "Participation",
    "Query",
    "Rival",
    "Running",
    "Series",
    "Strategy",
    "begin",
    "best_buffer",
    "independent",
    "one_buffer",
    "queries",
    "resume",
    "scaled",
    "square_root",
    "strategy",
    "tree",
    "without",
]

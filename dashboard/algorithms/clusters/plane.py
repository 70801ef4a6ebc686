"""Records and components in a plane, in which the true components stand on a circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.decomposition.problem import Truth
from dashboard.runs.sweep_plan import typical

MOST_DOTS = 320


@dataclass(frozen=True, eq=False)
class Sorted:
    """Records in the plane, and the components that they belong to.

    Attributes
    ----------
    dots : ndarray of shape (m, 2)
        Some of them in the plane; true components have length one there.
    groups : ndarray of int of shape (m,), optional
        The centre that each of these points is nearest to, or the topic that each document is sorted to.
    right : float
        Share of all documents that the true topics sort alike, on average over the releases.
    drawn : int
        The release that is drawn: the one nearest to the average.
    """

    dots: np.ndarray
    groups: np.ndarray | None = None
    right: float = float("nan")
    drawn: int = 0


def sort(truth: Truth, releases: Sequence[np.ndarray], found: Sequence[float]) -> Sorted:
    """Some records in the plane; documents are sorted to the topics of every release, in the order of the true ones.

    The groups of documents are those of the drawn release. Those of points are the true ones: of these, the drawn
    release is the one whose number of `found` centres is nearest to the average.
    """
    best = nearest(truth, truth.components)
    dots, shown = _dots(truth, best)
    if _points(truth):
        return Sorted(dots, best[shown], drawn=typical(found))
    topics = [nearest(truth, topics) for topics in releases]
    right = [float(np.mean(one == best)) for one in topics]
    drawn = typical(right)
    return Sorted(dots, topics[drawn][shown], float(np.mean(right)), drawn)


def flatten(components: np.ndarray) -> np.ndarray:
    """The linear map (d, 2) that puts the k true components on the unit circle, evenly, the first at the top.

    One or two components span a line or a plane themselves: they lie along the axes.
    """
    k = len(components)
    turn = 2 * np.pi * np.arange(k) / k if k > 2 else np.pi / 2 * np.arange(k)
    circle = np.column_stack([np.sin(turn), np.cos(turn)])
    return np.linalg.pinv(components) @ circle


def nearest(truth: Truth, components: np.ndarray) -> np.ndarray:
    """The component that every record belongs to most likely, shape (n,).

    Of points it is the nearest centre: centres have one length, so it has the largest inner product. Of documents it
    is the topic under which their words are most likely.
    """
    vectors = components if _points(truth) else np.log(np.maximum(components, 1e-9))
    return np.concatenate([np.argmax(_product(moments, vectors.T), axis=1) for moments in truth.moments])


def _dots(truth, best):
    """Some records in the plane, and their numbers among all; `best` are their true components."""
    plane = np.concatenate([_product(moments, flatten(truth.components)) for moments in truth.moments])
    # Of each component its share, so that a small cluster is seen to be small; one dot at least.
    count = np.bincount(best, minlength=len(truth.components))
    each = np.maximum(MOST_DOTS * count // len(best), 1)
    shown = np.sort(np.concatenate([np.flatnonzero(best == i)[:n] for i, n in enumerate(each)]))
    if _points(truth):  # They were scaled into the unit ball, and their centres with them.
        along = np.concatenate([_product(moments, truth.components.T) for moments in truth.moments])
        reach = along[np.arange(len(best)), best].mean()
    else:
        ones = np.ones((truth.components.shape[1], 1))
        reach = np.concatenate([_product(moments, ones) for moments in truth.moments])[shown]
    return plane[shown] / reach, shown


def _points(truth):
    """Whether records are points; otherwise they are documents."""
    return hasattr(truth.moments[0], "records")


def _product(moments, vectors):
    """Records times vectors: points, or the counts of words in documents, of which short ones are lists of words."""
    if hasattr(moments, "words"):
        return vectors[moments.words].sum(axis=1)
    return (moments.records if hasattr(moments, "records") else moments.counts) @ vectors

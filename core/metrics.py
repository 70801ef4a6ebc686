"""Errors of estimated components and weights. Components are rows; smaller is better unless stated."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from core import check


@check.arguments(true=check.numeric, estimated=check.numeric)
def component_error(true, estimated) -> float:
    """q_comp = (1/K) Σ_k min_k' ‖â_k − a_k'‖₂ as published ([Fact] section V).

    Each estimate is compared with its nearest true component, so several may share one: copies of a single
    well-estimated component score well. `matched_error` penalises that.

    Parameters
    ----------
    true : array of shape (K, d)
        True components, rows.
    estimated : array of shape (K', d)
        Estimated components, rows.

    Raises
    ------
    ValueError
        If widths differ, a set is empty or an entry is not finite.

    Examples
    --------
    Two estimates, one of which is off by 0.1:

    >>> true = np.eye(2)
    >>> round(component_error(true, [[1.0, 0.1], [0.0, 1.0]]), 3)
    0.05
    """
    return float(_distances(true, estimated).min(axis=0).mean())


@check.arguments(true=check.numeric, estimated=check.numeric)
def matching(true, estimated, *, metric: str = "euclidean") -> np.ndarray:
    """Assign one estimate to each true component such that the total distance is least.

    Parameters
    ----------
    true, estimated : arrays of shape (K, d)
    metric : str
        Distance of `scipy.spatial.distance.cdist`: "euclidean" (l2), "cityblock" (l1).

    Returns
    -------
    ndarray of shape (K,)
        ``estimated[matching(true, estimated)]`` has the order of ``true``.

    Examples
    --------
    >>> matching(np.eye(2), np.eye(2)[::-1]).tolist()
    [1, 0]
    """
    distances = _distances(true, estimated, metric)
    if distances.shape[0] != distances.shape[1]:
        raise ValueError("true and estimated must be as many, got {} and {}".format(*distances.shape))
    return linear_sum_assignment(distances)[1]


@check.arguments(true=check.numeric, estimated=check.numeric)
def matched_error(true, estimated, *, metric: str = "euclidean") -> float:
    """Mean distance of components matched one to one; never below `component_error`."""
    distances = _distances(true, estimated, metric)
    return float(distances[np.arange(len(distances)), matching(true, estimated, metric=metric)].mean())


@check.arguments(true=check.vector, estimated=check.vector, order=check.optional(check.vector))
def weight_error(true, estimated, order=None) -> float:
    """(1/2) Σ |w_k − ŵ_k|, total variation between mixing weights; `order` as `matching` returns it."""
    w = check.at_least("true", true, 0)
    estimate = check.at_least("estimated", estimated, 0)
    if w.ndim != 1 or w.shape != estimate.shape:
        raise ValueError(
            f"true and estimated must be weights in a row, got shapes {w.shape} and {estimate.shape}"
        )
    return float(np.abs(w - (estimate if order is None else estimate[np.asarray(order)])).sum() / 2)


@check.arguments(components=check.numeric)
def spacing(components) -> np.ndarray:
    """Distance from each component to the nearest other one, shape (K,); of a single one, to the origin."""
    rows = _rows("components", components)
    if len(rows) == 1:
        return np.linalg.norm(rows, axis=1)
    distances = cdist(rows, rows)
    np.fill_diagonal(distances, np.inf)
    return distances.min(axis=1)


@check.arguments(true=check.numeric, estimated=check.numeric)
def components_found(true, estimated) -> np.ndarray:
    """Which true components are found, shape (K,): the matched estimate is less than half way to the next true one."""
    order = matching(true, estimated)
    away = _distances(true, estimated)[np.arange(len(order)), order]
    return away < spacing(true) / 2


def _distances(true, estimated, metric="euclidean"):
    sets = [_rows(name, rows) for name, rows in (("true", true), ("estimated", estimated))]
    if sets[0].shape[1] != sets[1].shape[1]:
        raise ValueError(
            "true and estimated must have one width, got {} and {}".format(*(s.shape[1] for s in sets))
        )
    try:
        return cdist(*sets, metric=metric)
    except ValueError as error:
        raise ValueError(f"metric must be one that scipy.spatial.distance.cdist knows: {error}") from None


def _rows(name, components):
    rows = check.finite(name, np.asarray(components, dtype=float))
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"{name} must be components in rows, shape (K, d), got shape {rows.shape}")
    return rows

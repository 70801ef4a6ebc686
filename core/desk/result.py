"""What a released average says, in the columns and units of its plan. Post-processing: it costs no privacy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core import check, pca
from core.desk.agreement import summary_of
from core.functional.quadratic import Quadratic, minimiser, repaired
from core.parties import Plan
from core.parties.statistic import JOINT, MEAN, REGRESSION, SQUARES
from core.summaries import in_units

BOX = 10.0  # Coefficients of columns in [−1, 1] lie within it.


@dataclass(frozen=True)
class Row:
    """One released number or several of a column.

    Attributes
    ----------
    name, unit : str
    labels : tuple of str
        Categories or bins; empty for one number.
    values : ndarray of shape (cells,)
    std : float or None
        Standard deviation of the noise in each, in the same unit; None where it is not one number, or is too large for the
        number to say anything.
    """

    name: str
    unit: str
    labels: tuple[str, ...]
    values: np.ndarray
    std: float | None


def std_of(plan: Plan, dropped: Iterable[str] = ()) -> float:
    """Standard deviation of the noise in an entry of the average, without the sites that dropped out."""
    gone = [n for n, site in enumerate(plan.sites) if site.name in set(dropped)]
    return float(np.max(plan.stated((), gone).std))


def rows_of(plan: Plan, value: np.ndarray, dropped: Iterable[str] = ()) -> tuple[Row, ...]:
    """The rows of a release of means, proportions, counts, histograms or a regression; components are `components_of`.

    Parameters
    ----------
    plan : Plan
        With columns.
    value : array
        What was released.
    dropped : iterable of str
        Names of the sites that the receipt says dropped out.

    Raises
    ------
    ValueError
        For a plan without columns, or an average of another shape.
    """
    array, std = np.asarray(value, dtype=float), std_of(plan, dropped)
    if array.shape != plan.statistic.shape:
        raise ValueError(f"value must have shape {plan.statistic.shape}, as the plan says, got {array.shape}")
    if plan.columns is None:
        raise ValueError("columns must be in the plan, so that a number has a name and a unit")
    if plan.statistic.name == REGRESSION:
        return _regression(plan, array, std)
    if plan.statistic.name in (*SQUARES, JOINT):
        moment = components_of(plan, array, min(3, plan.statistic.width))
        labels = tuple(column.name for column in plan.columns)
        return tuple(Row(f"component {n + 1}", "", labels, v, None) for n, v in enumerate(moment))
    if plan.statistic.name == MEAN:
        flat = array.ravel()
        return tuple(
            Row(c.name, c.unit, _labels(c), flat[n : n + 1], std) for n, c in enumerate(plan.columns)
        )
    summaries = [summary_of(column) for column in plan.columns]
    parts = zip(plan.columns, summaries, in_units(array, summaries), strict=True)
    # Of categories and bins what is released are shares, which have no unit.
    return tuple(
        Row(c.name, "" if one.cells > 1 else c.unit, _labels(c), part, std * one.span)
        for c, one, part in parts
    )


def components_of(plan: Plan, value: np.ndarray, k: int) -> np.ndarray:
    """The k first principal components of a released second moment, shape (k, d)."""
    width = plan.statistic.width
    if plan.statistic.name == JOINT:
        released = np.asarray(value, dtype=float)
        square, linear = plan.statistic.scales
        mean = released[width**2 :] / linear
        moment = released[: width**2].reshape(width, width) / square - np.outer(mean, mean)
    else:
        moment = np.asarray(value, dtype=float)
    return pca.top_eigenvectors((moment + moment.T) / 2, check.integer("k", k, low=1, high=width))[0]


def _regression(plan, moment, std):
    """Least squares of the last column on the others and 1, in units, from the second moment of (1, x, y)."""
    width = plan.statistic.width
    moment = (moment + moment.T) / 2 * width / plan.statistic.norm**2
    noise = std * width / plan.statistic.norm**2 / np.sqrt(2)
    polynomial = Quadratic(float(moment[-1, -1]), -2 * moment[:-1, -1], moment[:-1, :-1])
    w = minimiser(repaired(polynomial, 2 * noise, noise), box=BOX)
    units = _in_units(plan.columns)
    spread = _spread(moment[:-1, :-1], w, noise, units)
    *features, outcome = plan.columns
    value = units @ w
    value[0] += (outcome.upper + outcome.lower) / 2
    names = ["intercept", *(column.name for column in features)]
    of = [outcome.unit, *(f"{outcome.unit or '1'} per {column.unit or '1'}" for column in features)]
    return tuple(
        Row(*one, (), value[n : n + 1], spread[n]) for n, one in enumerate(zip(names, of, strict=True))
    )


def _in_units(columns):
    """The matrix by which coefficients of columns in [−1, 1] go to units; the outcome's middle is added to the first."""
    *features, outcome = columns
    half = (outcome.upper - outcome.lower) / 2
    slopes = np.array([half / ((c.upper - c.lower) / 2) for c in features])
    found = np.diag([half, *slopes])
    found[0, 1:] = -slopes * [(c.upper + c.lower) / 2 for c in features]
    return found


def _spread(moment, w, noise, units):
    """Standard deviations of coefficients in units by the noise of the moment, to first order; None where it is too large.

    Noise E of a symmetric moment has Cov(E u) = τ² (|u|² I + u uᵀ), τ off its diagonal and √2 τ on it. With u = (−w, 1) the
    coefficients move by A⁻¹ E u.
    """
    least = float(np.linalg.eigvalsh(moment)[0])
    # The largest eigenvalue of E is about 2 τ √d: of a moment that it may turn over nothing of first order is said.
    if least < 4 * noise * np.sqrt(len(moment) + 1):
        return [None] * len(w)
    inverse = units @ np.linalg.inv(moment)
    inner = (1 + w @ w) * np.eye(len(w)) + np.outer(w, w)
    return [float(x) for x in noise * np.sqrt(np.diag(inverse @ inner @ inverse.T))]


def _labels(column):
    if column.categories is not None:
        return column.categories
    if column.bins is None:
        return ()
    ends = summary_of(column).edges
    return tuple(f"{low:g} to {high:g} {column.unit}".rstrip() for low, high in pairwise(ends))

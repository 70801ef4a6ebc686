"""Scaling and clipping of records to public bounds, which costs no privacy.

A guarantee rests on ‖x‖ ≤ 1 for every record that *could* occur. So a bound is a constant chosen without
looking at the data; records beyond it are clipped and counted. The papers divide by the largest norm of the
data instead: `by_largest_norm` does it, and marks its result as not private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from data import check


@dataclass(frozen=True)
class Scaled:
    """Records after scaling, with what was done to them.

    Attributes
    ----------
    records : ndarray (N, d)
        (raw − shift)/divisor, then clipped; every row has ‖x‖₂ ≤ 1 (`clip`: ≤ the bound).
    clipped : int
        Rows that lay outside the bound and were moved onto it. A diagnostic of the data: *not private*.
    shift, divisor : float or ndarray (d,)
        What was subtracted and divided by.
    private : bool
        Whether shift and divisor are public constants. False: they were computed from the data, and the
        guarantee of anything released from these records leaves that out.
    """

    records: np.ndarray
    clipped: int
    shift: float | np.ndarray
    divisor: float | np.ndarray
    private: bool


@check.arguments
def clip(records, bound: float = 1.0) -> Scaled:
    """Shorten every row longer than `bound` to that length; the rest is untouched.

    Raises
    ------
    ValueError
        If the bound is not positive or a record is not finite.
    """
    records = check.table("records", records)
    bound = check.number("bound", bound, low=0)
    norms = row_norms(records)
    long = norms > bound
    count = int(long.sum())
    if count:
        records = records.copy()
        # Slightly short, so that rounding never leaves a row above the bound.
        shrink = bound * (1 - (16 + records.shape[1]) * np.finfo(records.dtype).eps)
        unit = records[long] / np.abs(records[long]).max(axis=1, keepdims=True)
        records[long] = unit * (shrink / row_norms(unit))[:, None]
    return Scaled(records, count, 0.0, 1.0, private=True)


@check.arguments(bound=check.extended)
def to_unit_ball(records, *, bound: float, centre=0.0) -> Scaled:
    """Subtract a public `centre`, divide by a public norm `bound`, clip to ‖x‖ ≤ 1.

    Parameters
    ----------
    records : array (N, d)
    bound : float
        Largest ‖x − centre‖ that is allowed for, chosen without looking at the data.
    centre : float or array (d,)
        A public constant. The mean of the data is not one.
    """
    records = check.table("records", records)
    bound = check.number("bound", bound, low=0)
    centre = _constant("centre", centre, records.shape[1])
    with np.errstate(over="ignore"):
        scaled = check.finite("records minus centre over bound", (records - centre) / bound)
    result = clip(scaled)
    return Scaled(result.records, result.clipped, centre, bound, private=True)


@check.arguments
def to_unit_box(records, *, lower, upper) -> Scaled:
    """Map each feature's public range [lower, upper] to [−1, 1], clip to it, divide by √d: ‖x‖ ≤ 1.

    For features of different units. A row counts as clipped if any of its values was out of range.
    """
    records = check.table("records", records)
    width = records.shape[1]
    lower, upper = (_constant(n, v, width) * np.ones(width) for n, v in (("lower", lower), ("upper", upper)))
    if (lower >= upper).any():
        first = int(np.argmax(lower >= upper))
        raise ValueError(f"upper must exceed lower, got [{lower[first]}, {upper[first]}] for column {first}")
    inside = np.clip(records, lower, upper)
    clipped = int((inside != records).any(axis=1).sum())
    shift, half = (lower + upper) / 2, (upper - lower) / 2
    # One part in 10¹⁵ short, so that rounding never leaves a row above 1.
    divisor = half * math.sqrt(width) * (1 + 4e-15)
    return Scaled((inside - shift) / divisor, clipped, shift, divisor, private=True)


@check.arguments
def to_interval(values, *, lower: float, upper: float, onto: tuple[float, float] = (-1.0, 1.0)) -> Scaled:
    """Map a response's public range [lower, upper] to the interval `onto`; what lies outside is clipped."""
    values = check.finite("values", values)
    lower, upper = check.number("lower", lower), check.number("upper", upper)
    low, high = (check.number("onto", end) for end in onto)
    if not (lower < upper and low < high):
        raise ValueError(f"upper must exceed lower, got [{lower}, {upper}] onto [{low}, {high}]")
    inside = np.clip(values, lower, upper)
    divisor = (upper - lower) / (high - low)
    shift = lower - low * divisor
    mapped = np.clip((inside - shift) / divisor, low, high)
    return Scaled(mapped, int((inside != values).sum()), shift, divisor, private=True)


@check.arguments
def by_largest_norm(records, *, centre: bool = True) -> Scaled:
    """The papers' preprocessing: subtract the data's mean, divide by its largest norm. **Not private.**"""
    records = check.table("records", records)
    shift = records.mean(axis=0) if centre else 0.0
    centred = records - shift
    largest = float(row_norms(centred).max())
    if largest == 0:
        raise ValueError("records must not all be the same: their largest norm about the mean is 0")
    return Scaled(centred / (largest * (1 + 4e-15)), 0, shift, largest, private=False)


def row_norms(records: np.ndarray) -> np.ndarray:
    """Euclidean length of every row, without overflow at 1e308."""
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", records, records)
    if np.isfinite(squares).all():
        return np.sqrt(squares)
    largest = np.maximum(np.abs(records).max(axis=1, keepdims=True), np.finfo(records.dtype).tiny)
    parts = records / largest
    with np.errstate(over="ignore"):
        return largest[:, 0] * np.sqrt(np.einsum("ij,ij->i", parts, parts))


def _constant(name, value, width):
    value = check.finite(name, value)
    if value.shape not in ((), (width,)):
        raise ValueError(f"{name} must be one number or {width}, one a column, got shape {value.shape}")
    return value[()] if value.shape == () else value

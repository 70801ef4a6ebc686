"""Means, proportions, counts by category and histograms of columns: alone, or several as one joint release.

Every column becomes numbers in [0, 1] whose average over the records of a site is the site's statistic; means are scaled
by their public range first. Replacing one record changes such an average by at most

===================  =======  =======================================
what is released     Δ · n    attained where
===================  =======  =======================================
mean, proportion     1        the value goes from one bound to another
counts, histogram    √2       the record leaves a cell for another
several at once      √(Σ Δ²)  all columns of the record change so
===================  =======  =======================================

So each part of a joint release has noise in proportion to its own range, and all share one budget. Counts are shares of
the records; the numbers of records are public, so that counts are N times as much.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from core import check
from core.discrete import OperatingSystem
from core.discrete.grid import summing
from core.privacy import Privacy
from core.schemes import Release, error_of_average
from core.schemes import release as _release
from core.schemes.average import PURELY_WITHIN, WITHIN
from core.schemes.messages import DISCRETE

Kind = Literal["mean", "proportion", "counts", "histogram"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_CELLS = 10_000
_MOVES = {"mean": 1.0, "proportion": 1.0, "counts": math.sqrt(2), "histogram": math.sqrt(2)}


@check.arguments
@dataclass(frozen=True)
class Summary:
    """What is released of one column.

    Attributes
    ----------
    kind : "mean", "proportion", "counts" or "histogram"
        Of numbers; of answers 0 and 1; of the places 0, 1, … of public categories; of numbers in bins of equal width.
    lower, upper : float
        Public bounds of a mean or a histogram, to which values are clipped. The others have 0 and 1.
    cells : int
        Categories or bins, 2 to 10,000; 1 for a mean or a proportion.

    Raises
    ------
    ValueError
        If bounds are empty, or cells or bounds do not fit the kind.
    """

    kind: Kind
    lower: float = 0.0
    upper: float = 1.0
    cells: int = 1

    def __post_init__(self):
        if not (self.lower < self.upper and math.isfinite(self.upper - self.lower)):
            raise ValueError(f"upper must be above lower, {self.lower}, got {self.upper}")
        if self.kind in ("proportion", "counts") and (self.lower, self.upper) != (0, 1):
            raise ValueError(
                f"lower and upper must be 0 and 1 for {self.kind}, got {self.lower}, {self.upper}"
            )
        low, high = (2, MOST_CELLS) if self.kind in ("counts", "histogram") else (1, 1)
        check.integer("cells", self.cells, low=low, high=high)

    @property
    def change(self) -> float:
        """Largest l2 change of n times the scaled statistic when one record is replaced: 1 or √2."""
        return _MOVES[self.kind]

    @property
    def span(self) -> float:
        """What the scaled statistic is multiplied by: upper − lower of a mean, else 1."""
        return self.upper - self.lower if self.kind == "mean" else 1.0

    @property
    def edges(self) -> np.ndarray:
        """Ends of the bins of a histogram, shape (cells + 1,): of the exact ends, the nearest numbers that a float holds.

        A record that is written as an end, such as 0.3 of tenths, is then that number, and in the bin above it.
        """
        return np.array(_edges(float(self.lower), float(self.upper), self.cells))

    @check.arguments(values=check.vector)
    def of(self, values: np.ndarray) -> np.ndarray:
        """The column as numbers in [0, 1], shape (n, cells), whose average is the statistic.

        Parameters
        ----------
        values : array of shape (n,)

        Raises
        ------
        ValueError
            For places that are none of the categories.
        """
        if self.kind in ("mean", "proportion"):
            inside = np.clip(values, self.lower, self.upper)
            return np.clip((inside - self.lower) / (self.upper - self.lower), 0.0, 1.0)[:, None]
        if self.kind == "histogram":
            places = np.searchsorted(self.edges, values, side="right") - 1
            places = np.clip(places, 0, self.cells - 1)
        else:
            places = values.astype(int)
            if ((places != values) | (places < 0) | (places >= self.cells)).any():
                raise ValueError(f"values must be places of {self.cells} categories, 0 to {self.cells - 1}")
        return np.eye(self.cells)[places]


@lru_cache(maxsize=64)
def _edges(lower, upper, cells):
    """Ends by fractions of the bounds as decimals: sums of floats would put 0.3 below the third of ten bins."""
    low, high = (Fraction(repr(bound)) for bound in (lower, upper))
    return tuple(float(low + (high - low) * place / cells) for place in range(cells + 1))


def _summaries(name, value):
    found = (value,) if isinstance(value, Summary) else value
    if not isinstance(found, Sequence) or not found or not all(isinstance(one, Summary) for one in found):
        raise ValueError(f"{name} must be at least one Summary, got {check.shown(value)}")
    return tuple(found)


@check.arguments(summaries=_summaries)
def sensitivity(n: int, summaries: Sequence[Summary]) -> float:
    """Exact l2 sensitivity of a site's `statistic` when one of its n records is replaced: √(Σ Δ²)/n."""
    return math.sqrt(sum(one.change**2 for one in summaries)) / check.integer("n", n, low=1)


@check.arguments(values=check.matrix, summaries=_summaries)
def statistic(values: np.ndarray, summaries: Sequence[Summary]) -> np.ndarray:
    """What a site sends noise on: all summaries side by side, scaled to [0, 1].

    Parameters
    ----------
    values : array of shape (n, m)
        A column for each of the m summaries.
    summaries : sequence of m Summary

    Returns
    -------
    ndarray of shape (Σ cells,)
    """
    if values.shape[1] != len(summaries):
        raise ValueError(f"values must have {len(summaries)} columns, one a summary, got {values.shape[1]}")
    return np.concatenate([one.of(x).mean(axis=0) for one, x in zip(summaries, values.T, strict=True)])


@check.arguments(average=check.vector, summaries=_summaries)
def in_units(average: np.ndarray, summaries: Sequence[Summary]) -> list[np.ndarray]:
    """A scaled average, taken apart: means in the unit of their column, the others as shares of the records."""
    ends = np.cumsum([one.cells for one in summaries])
    if len(average) != ends[-1]:
        raise ValueError(f"average must have {ends[-1]} numbers, one a cell, got {len(average)}")
    offsets = [one.lower if one.kind == "mean" else 0.0 for one in summaries]
    parts = np.split(average, ends[:-1])
    return [low + one.span * part for low, one, part in zip(offsets, summaries, parts, strict=True)]


@check.arguments(sizes=check.sequence, summaries=_summaries)
def standard_errors(
    scheme: str,
    *,
    sizes: Sequence[int],
    privacy: Privacy,
    summaries: Sequence[Summary],
    **terms,
) -> np.ndarray:
    """Standard deviation of the noise in each summary, in its own unit: shape (m,), the same for every cell.

    Parameters
    ----------
    scheme : str
    sizes : sequence of S int
        n_s of the sites, which are public; the average has the weights n_s/N.
    privacy : Privacy
    summaries : sequence of m Summary
        Released together: each bears the noise of all.
    **terms
        against, colluding, dropouts, amplitude and graph, as in `core.schemes.release`.
    """
    change = (l1_sensitivity if terms.get("pure") else sensitivity)(1, summaries)
    counts = _counts(sizes)
    error = error_of_average(
        scheme, sites=len(counts), samples=sizes, privacy=privacy, change=change, **terms
    )
    return (
        error / (PURELY_WITHIN if terms.get("pure") else WITHIN) * np.array([one.span for one in summaries])
    )


@check.arguments(summaries=_summaries)
def release(
    values: Iterable[np.ndarray],
    privacy: Privacy | None,
    *,
    summaries: Sequence[Summary],
    scheme: str,
    rng: np.random.Generator | OperatingSystem,
    **options,
) -> Release:
    """Release summaries of the records of several sites as one average, with the weights n_s/N.

    Parameters
    ----------
    values : sequence of S arrays of shape (n_s, m)
    privacy : Privacy or None
    summaries : sequence of m Summary
    scheme : str
    rng : numpy.random.Generator or core.discrete.OperatingSystem
    **options
        As in `core.schemes.release`. With noise="discrete" what sums of floats add to a mean is in the sensitivity, see
        `core.discrete.grid.summing`.

    Returns
    -------
    Release
        `in_units` takes its value apart.
    """
    sites = [check.matrix("values", x) for x in check.sequence("values", values)]
    counts = _counts([len(x) for x in sites], "values")
    found = [statistic(x, summaries) for x in sites]
    pure = bool(options.get("pure"))
    change = [(l1_sensitivity if pure else sensitivity)(len(x), summaries) for x in sites]
    if pure or options.get("noise") == DISCRETE:
        # Of a record: a number in [0, 1], or a single 1, for each summary.
        length = len(summaries) if pure else math.sqrt(len(summaries))
        change = [delta + float(summing(len(x), length)) for delta, x in zip(change, sites, strict=True)]
    return _release(found, change, privacy, scheme=scheme, rng=rng, weights=counts / counts.sum(), **options)


@check.arguments(summaries=_summaries)
def l1_sensitivity(n: int, summaries: Sequence[Summary]) -> float:
    """The same as `sensitivity` in l1, for pure ε: Σ Δ, with 2/n for counts and histograms.

    Examples
    --------
    >>> l1_sensitivity(100, [Summary("mean", 0.0, 12.0), Summary("counts", cells=3)])
    0.03
    """
    return sum(2.0 if one.cells > 1 else 1.0 for one in summaries) / check.integer("n", n, low=1)


def _counts(sizes, name="sizes"):
    if len(sizes) < 2:
        raise ValueError(f"{name} must be of at least 2 sites, got {len(sizes)}")
    return np.array([check.integer(name, n, low=1) for n in sizes], dtype=float)

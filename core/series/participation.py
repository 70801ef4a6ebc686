"""In which months a person's records may take part, and how far they then move what is released."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from core import check

MOST_MONTHS = 120
_SIGNED = 2**16  # Patterns with signs that are tried, at most: all of up to twelve months.
_PATTERNS = 20_000  # Patterns that are listed, at most.


@check.arguments
@dataclass(frozen=True)
class Participation:
    """A person is in at most `most` of `months` releases, any two of them at least `apart` releases from each other.

    Two neighbouring series differ in one person's records; in month k they move the site's statistic by at most
    |x_k| Δ with |x_k| ≤ 1, and x_k = 0 where the person takes no part. Whether a person is in few months only is for the
    user to say; it can never be told from the data.

    Attributes
    ----------
    months : int
        K, how many releases there are.
    most : int
        b, at most K. K: a person may be in every release.
    apart : int
        1: in neighbouring months, too.

    Examples
    --------
    >>> Participation(4, 2, apart=2).patterns.tolist()
    [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]]
    """

    months: int
    most: int
    apart: int = 1

    def __post_init__(self):
        check.integer("months", self.months, low=1, high=MOST_MONTHS)
        check.integer("most", self.most, low=1, high=self.months)
        check.integer("apart", self.apart, low=1, high=self.months)

    @property
    def times(self) -> int:
        """How many months a person is in at most: b, or fewer if so many do not fit so far apart."""
        return min(self.most, (self.months - 1) // self.apart + 1)

    @property
    def few(self) -> bool:
        """Whether all patterns can be listed."""
        return sum(math.comb(self._free(size), size) for size in self._sizes()) <= _PATTERNS

    @property
    def exact(self) -> bool:
        """Whether all signs of all patterns are tried: of up to twelve months always."""
        return self.few and len(self.patterns) * 2 ** (self.times - 1) <= _SIGNED

    @cached_property
    def patterns(self) -> np.ndarray:
        """The largest sets of months that a person may be in, a row of 0 and 1 for each: shape (n, K).

        Raises
        ------
        ValueError
            If they are more than 20,000.
        """
        if not self.few:
            raise ValueError(f"most must leave at most {_PATTERNS} patterns of months, got {self}")
        chosen = list(self._chosen())
        rows = np.zeros((len(chosen), self.months), dtype=int)
        for row, months in zip(rows, chosen, strict=True):
            row[list(months)] = 1
        return rows

    def _sizes(self):
        """How many months the largest sets may have: fewer than `times` only where months in between do not fit."""
        return range(self.times, 0 if self.apart > 1 else self.times - 1, -1)

    def _free(self, size):
        return self.months - (size - 1) * (self.apart - 1)

    def _chosen(self) -> Iterator[tuple[int, ...]]:
        """Sets of `times` months, and smaller ones that nothing can be added to."""
        gaps = self.apart - 1
        for size in self._sizes():
            for free in itertools.combinations(range(self._free(size)), size):
                chosen = tuple(k + i * gaps for i, k in enumerate(free))
                if size == self.times or not any(self._fits(chosen, k) for k in range(self.months)):
                    yield chosen

    def _fits(self, chosen, month):
        return all(abs(month - k) >= self.apart for k in chosen)

    @check.arguments(gram=check.reals)
    def sensitivity(self, gram) -> float:
        """√max xᵀXx over all x that the participation allows, signs included; never below it.

        Exact up to twelve months, wherever a person is in few enough of more, and where no entry of X is negative; else
        √max Σ |X_kl| over the months k, l of a pattern, which always bounds it. Where there are too many patterns to
        list, a bound of that by choosing month after month.

        Parameters
        ----------
        gram : array of shape (K, K)
            X = CᵀC, symmetric and positive semidefinite.
        """
        gram = self._square(gram)
        if not self.few:
            return math.sqrt(self._chained(np.abs(gram)))
        if (gram >= 0).all() or not self.exact:
            rows = self.patterns.astype(float)
            return math.sqrt(np.einsum("nk,nk->n", rows @ np.abs(gram), rows).max())
        return math.sqrt(max(float(self.worst(gram)[1]), 0.0))

    @check.arguments
    def signed(self, most: int) -> np.ndarray:
        """Patterns with all signs, the first month's positive; without signs if these would be more than `most` rows."""
        check.integer("most", most, low=1)
        if not self.exact or len(self.patterns) * 2 ** (self.times - 1) > most:
            return self.patterns
        rows = []
        for row in self.patterns:
            place = np.flatnonzero(row)
            signs = _signs(len(place))
            found = np.zeros((len(signs), self.months))
            found[:, place] = signs
            rows.append(found)
        return np.vstack(rows)

    @check.arguments(gram=check.reals)
    def worst(self, gram) -> tuple[np.ndarray, float]:
        """x of the largest xᵀXx, and that; all signs of every pattern are tried.

        Raises
        ------
        ValueError
            If they are too many, see `exact`.
        """
        gram = self._square(gram)
        if not self.exact:
            raise ValueError(f"most must leave at most {_SIGNED} patterns with signs, got {self}")
        return next(self._moving(gram, 1))

    def _moving(self, gram, count):
        """The patterns that move a series most, each with its worst signs and xᵀXx: so many, the largest first."""
        found, sizes = [], self.patterns.sum(axis=1)
        for size in np.unique(sizes):
            places = np.nonzero(self.patterns[sizes == size])[1].reshape(-1, size)
            signs = _signs(int(size))
            parts = gram[places[:, :, None], places[:, None, :]].reshape(len(places), -1)
            values = parts @ np.einsum("mk,ml->klm", signs, signs).reshape(size**2, -1)
            chosen, most = values.argmax(axis=1), values.max(axis=1)
            for row in np.argsort(-most, kind="stable")[:count]:
                x = np.zeros(self.months)
                x[places[row]] = signs[chosen[row]]
                found.append((x, float(most[row])))
        yield from sorted(found, key=lambda pair: -pair[1])[:count]

    def _square(self, gram):
        gram = check.matrix("gram", gram)
        if gram.shape != (self.months,) * 2:
            raise ValueError(f"gram must have shape {(self.months,) * 2}, got {gram.shape}")
        return gram

    def _chained(self, size):
        """A bound of max Σ_{k, l} size_kl: the best row sum of each month, and the best months by these."""
        months = np.arange(self.months)
        rows = [
            size[k, k]
            + self._most_of(np.where(np.abs(months - k) < self.apart, 0.0, size[k]), self.times - 1)
            for k in months
        ]
        return self._most_of(np.array(rows), self.times)

    def _most_of(self, values, picks):
        """The largest sum of at most so many values that are far enough apart, by dynamic programming."""
        best = np.zeros((picks + 1, self.months + 1))
        for k in range(self.months):
            before = max(k + 1 - self.apart, 0)
            best[1:, k + 1] = np.maximum(best[1:, k], best[:-1, before] + values[k])
        return float(best[picks, self.months])


@lru_cache(maxsize=16)
def _signs(count):
    """All signs of so many numbers of which the first is positive: shape (2^(count − 1), count)."""
    rest = np.array(list(itertools.product((1.0, -1.0), repeat=count - 1))).reshape(
        2 ** (count - 1), count - 1
    )
    return np.hstack([np.ones((len(rest), 1)), rest])

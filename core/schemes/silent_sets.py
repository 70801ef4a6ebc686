"""Which sites leave the most noise, or the least, when they fall silent: all sets where they are few, else a bound.

With L the sites that send, the average over them has the variance N(L)/w(L)², where w(L) = Σ_L w_s and

    N(L) = Σ_L γ_s + d(L) (D − d(L))/D + σ² |edges between L and the silent|,

γ_s the weighted variance of a site's own noise, d_s of its contribution to noise of sum zero, D = Σ d_s, and σ² of the
number of an edge. A curator adds N(L) = max_L γ_s instead. For the error N(L)/w(L)² counts; for whoever sees the average
alone, how small N(L) can be: a record of site s changes Σ_L w_s f_s by w_s Δ_s. For the bounds see `_bound`, `_tangents` and
`_across`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from core.schemes.noise_design import sum_of_smallest

MOST_SETS = 200_000
"""So many sets of silent sites are tried one by one on a graph, whose bounds are less near, and a tenth elsewhere."""
TIE = 1e-12
"""Sets whose noise differs by less, relatively, leave the same noise."""
_FEW = 5000  # Sets that are tried before a search looks whether it reaches the bound.
_AT_ONCE = 10_000
_STARTS = 40
_SWAPS = 200
_POINTS = 1000


@dataclass(frozen=True)
class Remains:
    """What stays in an average over some of S sites.

    Attributes
    ----------
    weights : ndarray of shape (S,)
        w_s of all sites.
    own : ndarray of shape (S,)
        γ_s; under a curator the noise that each site's target asks for.
    shared : ndarray of shape (S,)
        d_s.
    joined : ndarray of shape (S, S), optional
        Variance σ² for every two sites that share an edge, 0 for the others.
    curated : bool
        Whether one curator adds the largest of `own`.
    """

    weights: np.ndarray
    own: np.ndarray
    shared: np.ndarray
    joined: np.ndarray | None = None
    curated: bool = False

    def ordered(self, order: np.ndarray) -> Remains:
        """The same of the sites in another order."""
        joined = None if self.joined is None else self.joined[np.ix_(order, order)]
        parts = {name: getattr(self, name)[order] for name in ("weights", "own", "shared")}
        return replace(self, joined=joined, **parts)

    def variance(self, left: np.ndarray) -> np.ndarray:
        """N(L) for each row of a boolean array of shape (n, S)."""
        if self.curated:
            return np.where(left, self.own, 0.0).max(axis=-1)
        here = left.astype(float)
        result = here @ self.own
        if (total := self.shared.sum()) > 0:
            result += (here @ self.shared) * ((1 - here) @ self.shared) / total
        if self.joined is not None:
            result += ((here @ self.joined) * (1 - here)).sum(axis=-1)
        return result

    def std(self, left: np.ndarray) -> np.ndarray:
        """√N(L)/w(L) for each row of a boolean array of shape (n, S)."""
        return np.sqrt(self.variance(left)) / (left @ self.weights)


def most_noise(remains: Remains, count: int) -> tuple[np.ndarray, float]:
    """The set of `count` sites that leaves the most noise, as a boolean array, and a bound on the noise of every set.

    Of sets that leave the same noise it is the one with the most weight, then the one with the last sites. The bound is
    the noise of this very set if no other leaves more.
    """
    if remains.curated:
        silent = _of_curator(remains, count)
        return silent, float(remains.std(~silent))
    groups = _groups(remains)
    number, most = _number(groups, count), MOST_SETS if remains.joined is not None else MOST_SETS // 10
    if number > _FEW:
        silent = preferred(remains, _searched(remains, count))
        result, bound = float(remains.std(~silent)), _bounded(remains, ~silent)
        if bound <= result * (1 + 1e-9):
            return silent, result
        if number > most:
            return silent, bound
    silent = preferred(remains, _worst_rows(remains, _all(groups, count)))
    return silent, float(remains.std(~silent))


def most_learnt(remains: Remains, most: int, changes: np.ndarray) -> tuple[np.ndarray, float]:
    """The set of at most `most` silent sites after which the average tells most, and a bound on the μ of every set.

    Parameters
    ----------
    changes : ndarray of shape (S,)
        w_s Δ_s.

    Returns
    -------
    silent : bool array of shape (S,)
        The worst set that was found.
    bound : float
        Of the largest w_s Δ_s/√N(L), s a site of L: that of this very set if no other tells more.
    """
    if not remains.shared.any() and remains.joined is None:
        # Each silent site takes noise away: as many as possible, of those with the most noise besides the one in question.
        rows = loudest(remains, most)
        return _told(remains, rows, changes)
    groups = _groups(remains, changes)
    limit = MOST_SETS if remains.joined is not None else MOST_SETS // 10
    if sum(_number(groups, count) for count in range(most + 1)) <= limit:
        parts = [_told(remains, rows, changes) for k in range(most + 1) for rows in _all(groups, k)]
        return max(parts, key=lambda part: part[1])
    least = (_tangents if remains.joined is None else _across)(remains, most)
    with np.errstate(divide="ignore"):
        bounds = changes / np.sqrt(least)
    result, told = _told(remains, _hidden_least(remains, most, int(bounds.argmax())), changes)
    return result, told if bounds.max() <= told * (1 + 1e-9) else float(bounds.max()) * (1 + 1e-12)


def loudest(remains: Remains, count: int) -> np.ndarray:
    """For every site, the `count` others with the most noise of their own: the different sets, one a row."""
    order = np.argsort(-remains.own, kind="stable")
    result = []
    for kept in (None, *order[:count]):  # Another site is not among the loudest.
        row = np.zeros(len(order), dtype=bool)
        row[order[order != kept][:count] if kept is not None else order[:count]] = True
        result.append(row)
    return np.array(result)


def few_sets(remains: Remains, most: int, limit: int, *further: np.ndarray) -> list[np.ndarray] | None:
    """All sets of at most `most` sites, of sites that are equal in `further`, too, the last ones; None beyond `limit`."""
    groups = _groups(remains, *further)
    if sum(_number(groups, count) for count in range(most + 1)) > limit:
        return None
    return [row for count in range(most + 1) for rows in _all(groups, count) for row in rows]


def least_noise(remains: Remains, count: int) -> float:
    """The least noise of the average when any `count` sites of a graph fall silent, or a bound below it."""
    groups = _groups(remains)
    if _number(groups, count) <= MOST_SETS:
        return min(float(remains.std(~rows).min()) for rows in _all(groups, count))
    left = len(remains.weights) - count
    least = float(np.sort(remains.own)[:left].sum()) + _edges(remains, count, _second(remains))
    return math.sqrt(least) / float(np.sort(remains.weights)[-left:].sum())


def preferred(remains: Remains, rows: np.ndarray) -> np.ndarray:
    """Of sets of silent sites, one a row, the one with most noise; then with most weight; then with the last sites."""
    for value in (lambda rows: remains.std(~rows), lambda rows: rows @ remains.weights):
        result = value(rows)
        rows = rows[result >= result.max() * (1 - TIE)]
    for site in reversed(range(rows.shape[1])):
        if (has := rows[:, site]).any():
            rows = rows[has]
    return rows[0]


def _of_curator(remains, count):
    """Whichever site sets the noise, it stays, and those with most weight among the others fall silent."""
    order = np.lexsort((np.arange(len(remains.weights)), remains.weights))
    rows = []
    for site in range(len(order)):
        others = order[order != site]
        row = np.zeros(len(order), dtype=bool)
        row[others[len(others) - count :]] = True
        rows.append(row)
    return preferred(remains, np.array(rows))


def _groups(remains, *further):
    """Places of equal sites together; on a graph no two sites are equal."""
    if remains.joined is not None:
        return [[s] for s in range(len(remains.weights))]
    keys = np.stack([_levels(x) for x in (remains.weights, remains.own, remains.shared, *further)], axis=1)
    _, of = np.unique(keys, axis=0, return_inverse=True)
    return [np.flatnonzero(of.ravel() == group).tolist() for group in range(int(of.max()) + 1)]


def _levels(values):
    """Numbers of clusters of values that are equal to rounding."""
    order = np.argsort(values, kind="stable")
    step = np.diff(values[order]) > 1e-12 * np.abs(values[order][1:])
    result = np.empty(len(values), dtype=int)
    result[order] = np.concatenate([[0], np.cumsum(step)])
    return result


def _number(groups, count):
    """How many sets of `count` sites there are, if equal sites are not told apart; at most one above `MOST_SETS`."""
    ways = [1] + [0] * count
    for group in groups:
        ways = [
            min(sum(ways[k - i] for i in range(min(k, len(group)) + 1)), MOST_SETS + 1)
            for k in range(count + 1)
        ]
    return ways[count]


def _all(groups, count) -> Iterator[np.ndarray]:
    """All such sets, some at a time, as boolean rows of shape (n, S); of equal sites the last ones."""
    sites = sum(len(group) for group in groups)
    if len(groups) == sites:
        sets = itertools.combinations(range(sites), count)
        while some := list(itertools.islice(sets, _AT_ONCE)):
            rows = np.zeros((len(some), sites), dtype=bool)
            np.put_along_axis(rows, np.array(some, dtype=int), True, axis=1)
            yield rows
        return
    counts = _counts([len(group) for group in groups], count)
    group, rank = np.empty(sites, dtype=int), np.empty(sites, dtype=int)
    for number, places in enumerate(groups):
        group[places], rank[places] = number, np.arange(len(places))[::-1]
    for start in range(0, len(counts), _AT_ONCE):
        yield counts[start : start + _AT_ONCE][:, group] > rank


def _counts(sizes, count):
    """How many of each group, in all ways that make `count` together: shape (n, groups)."""
    result, room = np.zeros((1, 0), dtype=int), sum(sizes)
    for size in sizes:
        room -= size
        used = result.sum(axis=1)
        parts = [
            np.column_stack([result[fits], np.full(fits.sum(), k)])
            for k in range(size + 1)
            if (fits := (used + k <= count) & (used + k + room >= count)).any()
        ]
        result = np.concatenate(parts)
    return result


def _worst_rows(remains, parts):
    """Of sets that come some at a time, those of the most noise."""
    kept = []
    for rows in parts:
        noise = remains.std(~rows)
        kept.append(rows[noise >= noise.max() * (1 - TIE)])
    return np.concatenate(kept)


def _told(remains, rows, changes):
    """Of silent sets, one a row, the one after which the average tells most, and its μ."""
    with np.errstate(divide="ignore", invalid="ignore"):
        told = np.where(rows, 0.0, changes).max(axis=1) / np.sqrt(remains.variance(~rows))
    worst = int(told.argmax())
    return rows[worst], float(told[worst])


def _tangents(remains, most):
    """Bound below N(L) over all L with site s and at most `most` silent sites, for every s: shape (S,).

    d (D − d)/D is the least of its tangents: N(L) = min over m of m²/D + Σ_L a_s with a_s = γ_s + d_s − 2 m d_s/D. At
    every m the silent sites are those of the largest a_s > 0 besides s, so that h(m) = min_L Σ_L a_s is known; it is
    concave, and between two values of m it lies above its chord.
    """
    total, m = float(remains.shared.sum()), np.linspace(0, remains.shared.sum(), _POINTS)
    a = _slopes(remains, m)
    taken = [sum_of_smallest(-np.maximum(column, 0.0), most) for column in a.T]
    h = a.sum(axis=0) + np.array(taken).T
    slope = np.diff(h, axis=1) / np.diff(m)
    at = np.clip(-slope * total / 2, m[:-1], m[1:])
    least = (at**2 / total + h[:, :-1] + slope * (at - m[:-1])).min(axis=1)
    return np.maximum(least * (1 - 1e-12), _quietest(remains.own, most))


def _slopes(remains, m):
    """a_s at every m: shape (S, points)."""
    return remains.own[:, None] + np.outer(remains.shared, 1 - 2 * m / remains.shared.sum())


def _quietest(own, most):
    """Σ_L γ_s at least, over all L with site s and at most `most` silent sites: shape (S,)."""
    return own + sum_of_smallest(own, len(own) - 1 - most)


def _across(remains, most):
    """The same on a graph."""
    second = _second(remains)
    return np.min([_quietest(remains.own, r) + _edges(remains, r, second) for r in range(most + 1)], axis=0)


def _edges(remains, count, second):
    """Variance that edges between any `count` silent sites and the others leave at least.

    At least λ r (S − r)/S edges join r sites to the others, with λ the `second` eigenvalue of the graph's Laplacian.
    """
    sites = len(remains.own)
    return second * count * (sites - count) / sites


def _second(remains):
    laplacian = np.diag(remains.joined.sum(axis=1)) - remains.joined
    return max(float(np.linalg.eigvalsh(laplacian)[1]), 0.0) * (1 - 1e-12)


def _hidden_least(remains, most, kept):
    """Sets of at most `most` silent sites besides one, at which a search finds little noise: one a row."""
    nobody = np.zeros(len(remains.own), dtype=bool)
    rows = [nobody]
    if remains.joined is None:
        for a in _slopes(remains, np.linspace(0, remains.shared.sum(), _POINTS)).T:
            row = nobody.copy()
            row[[s for s in np.argsort(-a, kind="stable")[: most + 1] if s != kept][:most]] = True
            rows.append(row & (a > 0))
        return np.array(rows)
    for first in [s for s in range(len(nobody)) if s != kept][:_STARTS]:
        row = nobody.copy()
        row[first] = True
        while row.sum() < most:  # Neighbours of the silent, one after another.
            rows.append(row.copy())
            noise = np.where(row, np.inf, _without(remains, row))
            noise[kept] = np.inf
            row[int(noise.argmin())] = True
        rows.append(row)
    return np.array(rows)


def _searched(remains, count):
    """Sets that a search finds, one a row: sites one after another, then exchanges of two sites while they help."""
    sites = len(remains.weights)
    firsts = range(sites) if remains.joined is not None and sites <= _STARTS else [None]
    return np.array([_exchanged(remains, _greedy(remains, count, first)) for first in firsts])


def _greedy(remains, count, first):
    silent = np.zeros(len(remains.weights), dtype=bool)
    if first is not None:
        silent[first] = True
    while silent.sum() < count:
        share = remains.weights[~silent].sum() - remains.weights
        noise = np.where(silent, -np.inf, _without(remains, silent) / np.where(silent, 1.0, share) ** 2)
        # The last of those that are equal.
        silent[np.flatnonzero(noise >= noise.max() * (1 - TIE))[-1]] = True
    return silent


def _without(remains, silent):
    """N(L) when one site more is silent: shape (S,)."""
    left = ~silent
    own, shared = remains.own[left].sum() - remains.own, remains.shared[left].sum() - remains.shared
    result = _variance(remains, own, shared)
    if remains.joined is not None:
        to_left, to_silent = remains.joined @ left, remains.joined @ silent
        result = result + to_silent[left].sum() + to_left - to_silent
    return result


def _exchanged(remains, silent):
    for _ in range(_SWAPS):
        left = ~silent
        back, gone = np.flatnonzero(silent), np.flatnonzero(left)
        change = [
            values[left].sum() + values[back][:, None] - values[gone]
            for values in (remains.own, remains.shared, remains.weights)
        ]
        result = _variance(remains, change[0], change[1])
        if remains.joined is not None:
            more = (
                remains.joined @ silent - remains.joined @ left
            )  # What the cut gains when a silent site sends.
            cut = (remains.joined @ silent)[left].sum()
            result = result + cut + more[back][:, None] - more[gone] + 2 * remains.joined[np.ix_(back, gone)]
        result = result / change[2] ** 2
        at = np.unravel_index(int(result.argmax()), result.shape)
        if not result[at] > float(remains.std(left)) ** 2 * (1 + TIE):
            break
        silent = silent.copy()
        silent[back[at[0]]], silent[gone[at[1]]] = False, True
    return silent


def _variance(remains, own, shared):
    total = remains.shared.sum()
    return own + shared * (total - shared) / total if total > 0 else own


def _bounded(remains, left):
    """A bound on the noise of all sets of so many sites, found near the set of those `left`."""
    if remains.joined is None:
        return _bound(remains, remains.own, 0.0, left)
    # Each edge between those left and the silent is one of every silent site's, and one of every other's; and
    # λ r (S − r)/S is the most that can lie between r sites and the others, λ the largest eigenvalue of the Laplacian.
    sites, degree, silent = len(left), remains.joined.sum(axis=1), int((~left).sum())
    largest = float(np.linalg.eigvalsh(np.diag(degree) - remains.joined)[-1]) * (1 + 1e-12)
    return min(
        _bound(remains, remains.own - degree, degree.sum(), left),
        _bound(remains, remains.own + degree, 0.0, left),
        _bound(remains, remains.own, largest * silent * (sites - silent) / sites, left),
    )


def _bound(remains, linear, constant, left):
    """Bound on √N(L)/w(L) over all L of one size, with N(L) ≤ constant + Σ_L linear_s + d(L)(D − d(L))/D.

    For every m, d(L)² ≥ 2 m d(L) − m²; so with a_s = linear_s + d_s − 2 m d_s/D, and for every λ ≥ 0,

        N(L) ≤ T + λ w(L),  T = constant + m²/D + the sum of the |L| largest a_s − λ w_s.

    The largest (T + λ w)/w² between the least and the largest possible w is a bound on N(L)/w(L)², whatever m and λ are;
    a search finds good ones. They start where the bound is that of the set `left` if all other sets lie below it.
    """
    count, total = int(left.sum()), float(remains.shared.sum())
    ends = np.sort(remains.weights)
    low, high = float(ends[:count].sum()), float(ends[len(ends) - count :].sum())
    share = remains.shared / total if total > 0 else remains.shared

    def square(tried):
        slope, m = abs(tried[0]), tried[1]
        keys = linear + remains.shared - 2 * m * share - slope * remains.weights
        top = constant + m * m / total if total > 0 else constant
        top = top + float(np.partition(keys, len(keys) - count)[len(keys) - count :].sum())
        at = [low, high]
        if slope > 0 and low < -2 * top / slope < high:
            at.append(-2 * top / slope)
        return max((top + slope * w) / w**2 for w in at)

    result = float(remains.variance(left)), float(left @ remains.weights)
    start = [2 * result[0] / result[1], float(left @ remains.shared)]
    least = square(start)
    if least > result[0] / result[1] ** 2 * (1 + 1e-9):
        scale = np.array([start[0], total or 1.0])
        options = {"maxiter": 60, "fatol": 1e-9 * least, "xatol": 1e-6}
        for one in ([1.0, start[1]], [0.0, start[1]])[: 1 if high <= low * (1 + 1e-12) else 2]:
            search = scipy.optimize.minimize(
                lambda x: square(x * scale),
                one / np.array([1.0, scale[1]]),
                method="Nelder-Mead",
                options=options,
            )
            least = min(least, float(search.fun))
    return math.sqrt(least) * (1 + 1e-12)

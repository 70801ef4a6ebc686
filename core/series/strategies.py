"""How noise is correlated over months: the strategy C of least error for given queries, with a certificate.

K releases get the noise C⁻¹z, z independent; a person's records move them by sensitivity(C) in units of z. With X = CᵀC the
error of a query a over months is aᵀX⁻¹a, and the sensitivity² is max xᵀXx over what the participation allows. For the
derivation see core/README.md, "Every month".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, get_args

import numpy as np

from core import check
from core.series.participation import Participation

Query = Literal["months", "totals", "window", "differences", "months and totals"]
QUERIES: tuple[Query, ...] = get_args(Query)
Criterion = Literal["mean", "largest"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

_ROUNDS = 300
_CUTS = 16  # Times that further patterns are added.
_NEW = 16  # Patterns that are added each time.
_IDLE = 1e-5  # Weight of a pattern, over the largest, below which it is left out again.
_GAP = 1e-4  # Relative, of the squared error, at which the search ends.
_WORK = 300_000  # Numbers of patterns and pairs of months that are weighted from the start, at most.
_RIDGE = 1e-7
_KEPT = 1000  # Patterns that are weighted further, at most.
_DRAWN = 1500  # Patterns with signs that are drawn where not all are tried.


@check.arguments
def queries(kind: Query, months: int, *, window: int = 3) -> np.ndarray:
    """Rows a of queries Σ a_k f_k over months: shape (n, K).

    Parameters
    ----------
    kind : {"months", "totals", "window", "differences", "months and totals"}
        Each month; the sum of the first k months; the sum of the last `window` months; a month less the one before;
        months, and running totals in units of their root mean square error under independent noise, √((K + 1)/2).
    months : int
        K.
    window : int
        Length of the moving sum, at most K.
    """
    check.choice("kind", kind, QUERIES)
    months = check.integer("months", months, low=1)
    window = check.integer("window", window, low=1, high=months)
    each, totals = np.eye(months), np.tri(months)
    if kind == "window":
        return totals - np.tri(months, k=-window)
    if kind == "differences":
        return (each - np.eye(months, k=-1))[1:] if months > 1 else each
    if kind == "months and totals":
        return np.vstack([each, totals / math.sqrt((months + 1) / 2)])
    return each if kind == "months" else totals


@check.arguments(asked=check.reals)
def without(asked, months: tuple[int, ...]) -> np.ndarray:
    """The same queries where some months have no release: they go on without these, and those of nothing else are left out.

    Noise of other months that would have met a missing month's own stays, so that a query may have a larger error.

    Parameters
    ----------
    asked : array of shape (n, K)
    months : tuple of int
        From 0. A month whose packets left and whose sum never came is one: it is never sent again.
    """
    left = np.array(check.matrix("asked", asked))
    left[:, [check.integer("months", k, low=0, high=left.shape[1] - 1) for k in months]] = 0.0
    return left[left.any(axis=1)]


@dataclass(frozen=True)
class Strategy:
    """A lower triangular C, public and the same at all sites.

    Attributes
    ----------
    matrix : ndarray of shape (K, K)
        C, scaled so that its sensitivity is 1: noise of variance σ² hides a person with μ = 1/σ.
    participation : Participation
    gap : float
        How far the squared error that was minimised is above the least possible one, as a share; None if none was.
    """

    matrix: np.ndarray
    participation: Participation
    gap: float | None = None

    @property
    def months(self) -> int:
        """K."""
        return len(self.matrix)

    @cached_property
    def inverse(self) -> np.ndarray:
        """C⁻¹, lower triangular."""
        return np.linalg.solve(self.matrix, np.eye(self.months))

    @cached_property
    def covariance(self) -> np.ndarray:
        """M = (CᵀC)⁻¹: covariance over months of the noise C⁻¹z, z of variance 1."""
        return self.inverse @ self.inverse.T

    @check.arguments
    def restarted(self, month: int) -> np.ndarray:
        """C⁻¹ of a site that lost its history of noise before this month, and drew anew from it: two blocks."""
        check.integer("month", month, low=0, high=self.months)
        found = self.inverse.copy()
        found[month:, :month] = 0.0
        return found

    @property
    def correlation(self) -> np.ndarray:
        """Correlation over months of what is released, where all sites send: shape (K, K)."""
        scale = np.sqrt(np.diag(self.covariance))
        return self.covariance / np.outer(scale, scale)

    @check.arguments(asked=check.reals)
    def variances(self, asked) -> np.ndarray:
        """aᵀMa of each query, a row of `asked`: variance of its noise at μ = 1."""
        asked = check.matrix("asked", asked)
        if asked.shape[1] != self.months:
            raise ValueError(f"asked must have {self.months} columns, one a month, got {asked.shape[1]}")
        return np.einsum("nk,kl,nl->n", asked, self.covariance, asked)


@check.arguments(matrix=check.reals)
def scaled(matrix, participation: Participation, *, gap: float | None = None, keep: float = 0.0) -> Strategy:
    """The strategy of a matrix, divided by its sensitivity.

    Parameters
    ----------
    matrix : array of shape (K, K)
    participation : Participation
    gap : float, optional
    keep : float
        How far the sensitivity may be from 1 so that the matrix stays as it is.

    Raises
    ------
    ValueError
        If the matrix is not lower triangular with a positive diagonal, of the participation's months.
    """
    matrix = check.matrix("matrix", matrix)
    if (
        matrix.shape != (participation.months,) * 2
        or np.triu(matrix, 1).any()
        or (np.diag(matrix) <= 0).any()
    ):
        raise ValueError(
            f"matrix must be lower triangular with a positive diagonal, of shape {(participation.months,) * 2}, got "
            f"{check.shown(matrix)}"
        )
    sensitivity = participation.sensitivity(matrix.T @ matrix)
    found = np.array(matrix) if abs(sensitivity - 1) <= keep else matrix / sensitivity
    found.setflags(write=False)
    return Strategy(found, participation, gap)


@check.arguments
def independent(participation: Participation) -> Strategy:
    """No correlation over months: C = I."""
    return scaled(np.eye(participation.months), participation)


@check.arguments
def square_root(participation: Participation) -> Strategy:
    """The square root of running totals, C with C² = all ones below the diagonal (Henzinger, Upadhyay, Upadhyay, 2023)."""
    coefficients = np.ones(participation.months)
    for k in range(1, participation.months):
        coefficients[k] = coefficients[k - 1] * (2 * k - 1) / (2 * k)
    return scaled(_toeplitz(coefficients), participation)


@check.arguments
def tree(participation: Participation) -> Strategy:
    """The binary tree of running totals: row k sums the last months of which the number divides k, a power of two."""
    last = np.arange(1, participation.months + 1)
    first = last - (last & -last)
    return scaled(
        ((last[None] > first[:, None]) & (last[None] <= last[:, None])).astype(float), participation
    )


@check.arguments(amplitude=check.numbers_in(0, 10), decay=check.numbers_in(0, 1))
def one_buffer(participation: Participation, *, amplitude: float, decay: float) -> Strategy:
    """C with a r^(i − j − 1) below a diagonal of 1: a site remembers one number for each entry, and there is no horizon.

    C⁻¹z is computed month by month from b_i = r b_{i−1} + u_{i−1} and u_i = z_i − a b_i.

    Parameters
    ----------
    amplitude, decay : float
        a and r; see `best_buffer`.
    """
    powers = float(amplitude) * float(decay) ** np.arange(participation.months - 1.0)
    return scaled(_toeplitz(np.concatenate([[1.0], powers])), participation)


@check.arguments(asked=check.reals)
def best_buffer(asked, participation: Participation) -> Strategy:
    """The buffer of least largest error of the queries, on a grid of a and r that is refined three times."""
    asked = check.matrix("asked", asked)
    low, high = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    for _ in range(4):
        grid = [(a, r) for a in np.linspace(low[0], high[0], 9) for r in np.linspace(low[1], high[1], 9)]
        best = grid[int(np.argmin(_largest(asked, participation, grid)))]
        step = (high - low) / 8
        low, high = np.maximum(best - step, 0.0), np.minimum(best + step, 1.0)
    return one_buffer.trusted(participation, amplitude=float(best[0]), decay=float(best[1]))


def _largest(asked, participation, pairs):
    """The largest squared error of the queries with each buffer (a, r), all of them at once."""
    powers = np.arange(participation.months - 1.0)
    made = np.stack([_toeplitz(np.concatenate([[1.0], a * r**powers])) for a, r in pairs])
    moved = [participation.sensitivity(one.T @ one) for one in made]
    return (np.square(asked @ np.linalg.inv(made)).sum(axis=2).max(axis=1)) * np.square(moved)


def _toeplitz(column):
    places = np.subtract.outer(np.arange(len(column)), np.arange(len(column)))
    return np.where(places >= 0, column[np.abs(places)], 0.0)


@check.arguments(asked=check.reals)
def strategy(asked, participation: Participation, *, criterion: Criterion = "mean") -> Strategy:
    """The strategy of least error over queries, for a participation.

    Minimises the mean or the largest of aᵢᵀX⁻¹aᵢ, times max_j xⱼᵀXxⱼ. The least value is max F(G, Λ)² over weights ω of the
    queries (equal ones for the mean) and λ of the patterns, G = Σ ω aaᵀ, Λ = Σ λ xxᵀ, F(G, Λ) = tr(Λ^½ G Λ^½)^½ (fidelity,
    jointly concave). For given weights the best X is the geometric mean Λ⁻¹ # G; the weights grow with each query's
    error and each pattern's sensitivity. Every F² is a lower bound, so that the gap is certified.

    Parameters
    ----------
    asked : array of shape (n, K)
        Queries, a row each; see `queries`.
    participation : Participation
        With at most 20,000 patterns of months.
    criterion : {"mean", "largest"}
        Of the squared errors.

    Returns
    -------
    Strategy

    Examples
    --------
    Running totals of twelve months, each person in one of them: their root mean square error falls to 0.63 of it.

    >>> one = Participation(12, 1)
    >>> totals = queries("totals", 12)
    >>> [round(float(np.sqrt(s.variances(totals).mean())), 2) for s in (independent(one), strategy(totals, one))]
    [2.55, 1.61]
    """
    check.choice("criterion", criterion, CRITERIA)
    asked = check.matrix("asked", asked)
    if asked.shape[1] != participation.months or not asked.any(axis=1).all():
        raise ValueError(
            f"asked must have {participation.months} columns, one a month, and no row of zeros, got shape {asked.shape}"
        )
    return _searched(asked.tobytes(), asked.shape, participation, criterion)


@lru_cache(maxsize=64)
def _searched(numbers, shape, participation, criterion):
    asked = np.frombuffer(numbers).reshape(shape)
    most = max(_WORK // participation.months**2, 4)
    patterns = participation.signed(most).astype(float)
    if len(patterns) > most:
        patterns = patterns[np.linspace(0, len(patterns) - 1, most // 4).astype(int)]
    if participation.times > 1 and not (patterns < 0).any():
        patterns = np.vstack([patterns, _likely(asked, participation)])
    mean, weights, best = criterion == "mean", None, (math.inf, np.eye(participation.months))
    plain = [independent.trusted(participation), *([_uneven(asked, participation)] if mean else [])]
    everybody = mean and participation.times == participation.months
    bound = _of_everybody(asked) if everybody else 0.0
    least_of = min(float(one.variances(asked).mean()) for one in plain)
    # Where a person may be in all of many months, uneven noise is near the best: one round is for the bound.
    cuts = (
        (0 if least_of <= bound * (1 + _GAP) else _CUTS if participation.exact else 1) if everybody else _CUTS
    )
    for _ in range(cuts):
        gram, value, least, weights = _saddle(asked, patterns, mean, weights)
        # Other patterns, and changes of opposite signs where X has negative entries, may move a series further.
        rows = _moving(gram, participation)
        reached = np.einsum("nk,nk->n", patterns @ gram, patterns).max()
        worst = rows[0] @ gram @ rows[0]
        bound = max(bound, least)
        best = min(best, (value * max(worst / reached, 1.0), gram), key=lambda pair: pair[0])
        if worst <= reached * (1 + _GAP) or best[0] <= bound * (1 + _GAP):
            break
        used = weights > max(_IDLE * weights.max(), np.sort(weights)[-_KEPT:][0] * (1 - 1e-12))
        patterns = np.vstack([patterns[used], rows])
        weights = np.append(0.9 * weights[used] / weights[used].sum(), np.full(len(rows), 0.1 / len(rows)))
    turned = np.linalg.cholesky(best[1][::-1, ::-1])
    matrix = turned[::-1, ::-1].T
    summary = np.mean if mean else np.max
    candidates = (*plain, scaled.trusted(np.tril(matrix), participation))
    found = min(candidates, key=lambda one: float(summary(one.variances(asked))))
    return Strategy(found.matrix, participation, float(summary(found.variances(asked)) / bound - 1))


def _uneven(asked, participation):
    """Independent noise, with less of it in months that count more: X of √(G_kk/p_k), p_k ≤ 1 how often a person is in k."""
    size, times = np.sqrt(np.square(asked).mean(axis=0)), participation.times
    often = np.zeros(len(size))
    for _ in size:
        free = often < 1
        often[free] = np.minimum(1.0, size[free] * (times - (~free).sum()) / size[free].sum())
        if not free.any():
            break
    return scaled.trusted(np.diag((size**2 / often) ** 0.25), participation)


def _of_everybody(asked):
    """A lower bound of the mean squared error where a person may be in all months: F² of G and of Λ with its correlation.

    With Λ the correlation of G the best X is diag √G_kk, which is independent noise. Some signs have a correlation Λ if the
    normal numbers of which they are the signs exist: sin(π/2 · Λ) has no negative value. Else Λ is mixed with I.
    """
    g = asked.T @ asked / len(asked)
    scale = np.sqrt(np.diag(g))
    for share in np.linspace(1.0, 0.0, 101):
        together = share * g / np.outer(scale, scale) + (1 - share) * np.eye(len(g))
        if np.linalg.eigvalsh(np.sin(np.pi / 2 * together))[0] >= 0:
            break
    return _fidelity(g, together) ** 2


def _likely(asked, participation):
    """Patterns whose months are correlated as the queries' sums are, where there are too many signs to begin with all.

    With such signs Σ xxᵀ has the correlation of G, or the nearest that signs can have: sin(π/2 · correlation) is that of the
    normal numbers of which they are the signs. The draws are fixed: any patterns give a bound.
    """
    rng = np.random.default_rng(0)
    together = asked.T @ asked
    scale = np.sqrt(np.diag(together))
    values, vectors = np.linalg.eigh(np.sin(np.pi / 2 * together / np.outer(scale, scale)))
    normal = (rng.standard_normal((_DRAWN, len(scale))) * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    chosen = rng.integers(len(participation.patterns), size=_DRAWN)
    return np.where(normal < 0, -1.0, 1.0) * participation.patterns[chosen]


def _moving(gram, participation):
    """Patterns with signs that move a series far, the worst first; where not all signs are tried they are climbed to."""
    if participation.exact:
        return np.array([x for x, _ in participation._moving(gram, _NEW)])
    rows = participation.patterns.astype(float)
    sums = np.einsum("nk,nk->n", rows @ np.abs(gram), rows)
    found = [_climbed(gram, row) for row in rows[np.argsort(-sums, kind="stable")[:_NEW]]]
    return np.array(sorted(found, key=lambda x: -(x @ gram @ x)))


def _climbed(gram, row):
    """x of a large xᵀXx in one pattern of months: signs are turned one by one while that grows. It is no bound of it."""
    best = row
    for start in (row, row * np.sign(np.linalg.eigh(gram)[1][:, -1])):
        x = start.copy()
        while (gains := 4 * x * (x * np.diag(gram) - gram @ x)).max() > 1e-12 * (x @ gram @ x):
            x[gains.argmax()] *= -1
        best = max(best, x, key=lambda one: float(one @ gram @ one))
    return best


def _saddle(asked, patterns, mean, of_patterns):
    """X and its value, the best lower bound F² of the squared error, and the weights of the patterns, to go on from."""
    months = asked.shape[1]
    of_queries = np.full(len(asked), 1 / len(asked))
    if of_patterns is None:
        of_patterns = np.full(len(patterns), 1 / len(patterns))
    least, tightest, best = 0.0, (of_queries, of_patterns), (math.inf, np.eye(months))
    for _ in range(_ROUNDS):
        g = _weighted(asked, of_queries)
        root, inverse = _roots(_weighted(patterns, of_patterns))
        middle, _ = _roots(root @ g @ root)
        bound = float(np.trace(middle)) ** 2 * (1 - months * _RIDGE)
        if bound > least:
            least, tightest = bound, (of_queries, of_patterns)
        gram = inverse @ middle @ inverse
        errors = np.einsum("nk,nk->n", asked @ np.linalg.inv(gram), asked)
        moved = np.einsum("nk,nk->n", patterns @ gram, patterns)
        value = (of_queries @ errors if mean else errors.max()) * moved.max()
        best = min(best, (value, gram), key=lambda pair: pair[0])
        if best[0] <= least * (1 + _GAP):
            break
        of_queries = of_queries if mean else of_queries * errors / (of_queries @ errors)
        of_patterns = of_patterns * moved / (of_patterns @ moved)
    # The ridge raises the fidelity of a singular G by its root: the bound that is stated has none.
    plain = [_weighted(*pair, ridge=0.0) for pair in zip((asked, patterns), tightest, strict=True)]
    return (best[1] + best[1].T) / 2, best[0], _fidelity(*plain) ** 2, of_patterns


def _fidelity(g, of_patterns):
    """tr(Λ^½ G Λ^½)^½, rounded down."""
    values, vectors = np.linalg.eigh(of_patterns)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    found = np.linalg.eigvalsh(root.T @ g @ root)
    found = found[found > found[-1] * len(found) * 1e-15]
    return float(np.sqrt(found).sum()) * (1 - 1e-9)


def _weighted(rows, weights, *, ridge=_RIDGE):
    """Σ weight · row rowᵀ, with a ridge: queries or patterns may not reach every month."""
    found = (rows * weights[:, None]).T @ rows
    return found + ridge * np.trace(found) / len(found) * np.eye(len(found))


def _roots(matrix):
    """Square root of a symmetric positive matrix, and its inverse."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    values = np.sqrt(np.maximum(values, values.max() * 1e-15))
    return (vectors * values) @ vectors.T, (vectors / values) @ vectors.T

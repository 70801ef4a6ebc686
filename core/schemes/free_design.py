"""Noise of its own for every site: variances d_s of ê_s and γ_s of g_s, of least error for planned silence and collusion.

With unequal sites one amplitude for all is up to three times off in variance: the silence of a large site leaves most, so
that it should stand nearly apart. Here every class of equal sites has a pair (d, γ) of its own. For the derivations see
core/README.md, "Noise of its own for every site".

Variances are those of w_s ê_s and w_s g_s, in units of the statistic's average.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import scipy

from core import check
from core.schemes.noise_design import sum_of_smallest

Order = Literal["before", "after", "in the sum"]
ORDERS: tuple[Order, ...] = get_args(Order)

_CLASSES = 8  # Pairs that are searched, at most: more of them take seconds.
_SILENCES = 300  # Ways to fall silent that are compared, at most.
_FLAT = 5e-4  # Of the variance: below it designs count as equally good.
_DIGITS = 6  # Of a variance in units of the largest demand: the optimum is flat.


@dataclass(frozen=True)
class Variances:
    """Variances of the noise of every site.

    Attributes
    ----------
    seed, local : ndarray of shape (S,)
        d_s of w_s ê_s, and γ_s of w_s g_s.
    merged : bool
        Whether there were more classes of equal sites than are searched, so that similar ones have one pair.
    """

    seed: np.ndarray
    local: np.ndarray
    merged: bool = False


def hidden(seed: np.ndarray, local: np.ndarray, order: Order) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the leakage μ_s² = (w_s Δ_s)² (a_s + b_s / Σ q_j) is made of, for every site.

    Returns
    -------
    a, b, q : ndarray of shape (S,)
        With p = d + γ: 1/p, (d/p)² and dγ/p; where own noise is in the sum: 1/d, 1 and γ.
    """
    with np.errstate(divide="ignore"):
        if order == "in the sum":
            return 1 / seed, np.ones_like(seed), local
        # d/p and γd/p, written so that an infinite d has its limit.
        part = np.where(seed > 0, 1 / (1 + local / np.where(seed > 0, seed, 1.0)), 0.0)
        return 1 / (seed + local), part**2, local * part


def excess(demands, seed, local, *, gone: int, order: Order) -> np.ndarray:
    """μ_s² of every site in units of its target, if any `gone` others add nothing to what hides it: shape (S,).

    Parameters
    ----------
    demands : ndarray of shape (S,)
        v_s = (w_s Δ_s / μ_s)².
    gone : int
        Colluding sites; where the sum comes after the messages, the silent ones, too.
    """
    first, factor, q = hidden(seed, local, order)
    rest = q + sum_of_smallest(q, len(q) - 1 - gone)
    with np.errstate(divide="ignore", invalid="ignore"):
        through = np.where(factor > 0, factor / rest, 0.0)
    return demands * (first + through)


@check.arguments(demands=check.positives, weights=check.positives)
def free_design(
    demands, weights, *, colluding: int = 0, dropouts: int = 0, order: Order = "before", most: float = 102.0
) -> Variances:
    """Variances of least error of the average, for the worst colluders and the worst silent sites.

    Minimises the largest variance of the average over all sets of at most r silent sites, subject to μ_s of every site
    against the aggregator and any c colluders. One pair (d, γ) is searched for every class of sites with equal demand
    and weight, by sequential quadratic programming on logarithms, from several starts. The result is rescaled until
    every target is met exactly, and rounded to 6 digits of the largest demand so that it is never missed. Demands that are
    multiples of others have the same multiples of their variances.

    Parameters
    ----------
    demands : array of shape (S,)
        v_s = (w_s Δ_s / μ_s)², the variance that one message alone needs.
    weights : array of shape (S,)
        w_s.
    colluding, dropouts : int
        c and r.
    order : {"before", "after", "in the sum"}
        When the sum of ê_s is known: before the messages, as in [Cape] Algorithm 1, so that noise of a silent site
        remains; or after them, over those that sent, with own noise in the message or in the sum.
    most : float
        Largest d_s in units of the largest v_s; with own noise in the sum, of v_s.

    Examples
    --------
    Sites of 1, 1, 2, 5 and 20 records, weighted by them, one of which may fall silent: the large one stands apart.

    >>> sizes = np.array([1, 1, 2, 5, 20])
    >>> found = free_design(np.ones(5), sizes / sizes.sum(), dropouts=1)
    >>> found.seed.round(2).tolist(), found.local.round(2).tolist()
    ([12.1, 12.1, 10.59, 7.2, 0.01], [0.23, 0.23, 0.26, 0.35, 0.99])
    """
    demands = check.positives("demands", demands)
    if len(demands) != len(weights):
        raise ValueError(f"demands must be one for each of the {len(weights)} weights, got {len(demands)}")
    weights = check.positives("weights", weights, length=len(demands))
    check.choice("order", order, ORDERS)
    last = len(demands) - 1
    check.integer("colluding", colluding, low=0, high=last)
    check.integer("dropouts", dropouts, low=0, high=last - colluding)
    most = float(check.numbers_in(1, 1e12)("most", check.positive("most", most)))
    scale = float(demands.max())
    alike = tuple(float(f"{v:.12g}") for v in demands / scale)  # At every ε the same search.
    result = _searched(alike, tuple(weights.tolist()), colluding, dropouts, order, most)
    return replace(result, seed=scale * result.seed, local=scale * result.local)


@lru_cache(maxsize=256)
def _searched(demands, weights, colluding, dropouts, order, most):
    """A sweep asks for the same design in every repeat; demands are those of 12 digits, which local noise covers."""
    v, w = np.array(demands), np.array(weights)
    place, merged = _classes(v, w, dropouts)
    search = _Search.of(v, w, place, colluding, dropouts, order, most)
    seed, local = (x[place] for x in search.found())
    seed = _rounded(seed, np.floor)
    local = _enough(lambda trial: excess(v, seed, trial, gone=search.gone, order=order).max(), local)
    return Variances(seed, _rounded((1 + 4e-12) * local, np.ceil), merged)


def _enough(leaks: Callable[[np.ndarray], float], local: np.ndarray) -> np.ndarray:
    """Local variances, scaled together until the largest μ² is that of its target: it falls as they rise."""
    low, high = -1.0, 1.0
    while leaks(math.exp(low) * local) < 1:
        low -= 4
    while leaks(math.exp(high) * local) > 1:
        high += 4
    log = scipy.optimize.brentq(lambda x: math.log(leaks(math.exp(x) * local)), low, high, xtol=1e-13)
    return math.exp(log) * local


def _rounded(values, towards):
    """To 6 significant digits, downwards or upwards; what is nothing stays nothing."""
    with np.errstate(divide="ignore"):
        digits = 10.0 ** (np.floor(np.log10(values)) - _DIGITS + 1)
    return np.where(values > 0, towards(values / digits) * digits, 0.0)


def _classes(v, w, dropouts):
    """The class of every site: shape (S,); and whether unequal sites share one."""
    alike = np.stack([v, w]).T / np.array([v.max(), w.max()])
    _, place = np.unique(alike.round(9), axis=0, return_inverse=True)
    room = _CLASSES
    while room > 1 and math.comb(room + dropouts, dropouts) > _SILENCES:
        room -= 1
    place = place.reshape(-1)
    if place.max() < room:
        return place, False
    # Groups of about equal width on the scale on which sites differ: that of v w, whose silence leaves most.
    size = np.log(v) + 2 * np.log(w)
    low, high = size.min(), size.max()
    bins = np.minimum((size - low) / (high - low) * room, room - 1).astype(int)
    return np.unique(bins, return_inverse=True)[1].reshape(-1), True


@dataclass(frozen=True)
class _Search:
    """The problem in classes: arrays of shape (K,), and the ways to fall silent, of shape (n, K)."""

    demands: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    silent: np.ndarray
    colluding: int
    dropouts: int
    order: Order
    most: float

    @classmethod
    def of(cls, v, w, place, colluding, dropouts, order, most):
        kinds = range(place.max() + 1)
        counts = np.bincount(place)
        demand = np.array(
            [v[place == k].max() for k in kinds]
        )  # The most demanding of merged sites: never too little.
        mean = np.array([w[place == k].mean() for k in kinds])
        silent = [()]
        for count in counts:
            silent = [(*row, k) for row in silent for k in range(min(count, dropouts - sum(row)) + 1)]
        return cls(demand, mean, counts, np.array(silent), colluding, dropouts, order, most)

    @property
    def gone(self) -> int:
        """How many sites add nothing to what hides a site."""
        return self.colluding + (0 if self.order == "before" else self.dropouts)

    @property
    def loudest(self) -> np.ndarray:
        """Largest d of each class: own noise in a message hides others as far as its ê is louder than it."""
        return self.most * (
            self.demands if self.order == "in the sum" else np.full_like(self.demands, self.demands.max())
        )

    def worst(self, seed, local) -> float:
        """The largest variance of the average."""
        return float(self._errors(seed, local).max())

    def found(self):
        """The pair (d, γ) of the best search; of those as good, the one that is best if nobody falls silent."""
        tried = [pair for start in self.starts() for pair in (self._scaled(*start), self.best(*start))]
        least = min(self.worst(*pair) for pair in tried) * (1 + _FLAT)
        return min((p for p in tried if self.worst(*p) <= least), key=lambda pair: self._errors(*pair)[0])

    def starts(self):
        """Pairs (d, γ): all sites alike, quiet and loud, and the largest class apart."""
        v, whole = self.demands, self.demands.max() * np.ones(len(self.demands))
        apart = self.weights == self.weights.max()
        yield self.loudest, 0.3 * whole
        if self.order == "before":
            yield v, 0.5 * v
            yield np.where(apart, 0.02, 8.0) * v, np.where(apart, 1.0, 0.3) * v

    def best(self, seed, local):
        """What a local search finds from a start."""
        seed, local = self._scaled(seed, local)
        kinds, scale = len(seed), float(self.demands.max())
        begin = np.concatenate([np.log(seed), np.log(local), [np.log(self.worst(seed, local))]])
        low = math.log(1e-7 * scale)
        bounds = [(min(low, high), high) for high in np.log(self.loudest)]
        result = scipy.optimize.minimize(
            lambda x: x[-1],
            begin,
            jac=lambda x: np.append(np.zeros(2 * kinds), 1.0),
            bounds=[*bounds, *[(low, math.log(10 * scale))] * kinds, (None, None)],
            constraints={"type": "ineq", "fun": self._room, "jac": self._slopes},
            method="SLSQP",
            options={"maxiter": 100, "ftol": 1e-7},
        )
        return self._scaled(*self._pair(result.x)) if np.isfinite(result.x).all() else (seed, local)

    def _pair(self, x):
        kinds = len(self.demands)
        return np.exp(x[:kinds]), np.exp(x[kinds : 2 * kinds])

    def _room(self, x):
        """How far, on a logarithmic scale, every error is below the bound x[-1], and every leakage below its target."""
        pair = self._pair(x)
        return np.concatenate([x[-1] - np.log(self._errors(*pair)), -np.log(self._excess(*pair))])

    def _slopes(self, x):
        """The derivatives of `_room` by log d, log γ and the bound."""
        d, g = self._pair(x)
        sent = self.counts - self.silent
        noise, by_d, by_g = sent @ g, np.zeros((len(sent), len(d))), sent * g
        if self.order == "before":
            there, lost = (sent @ d)[:, None], (self.silent @ d)[:, None]
            total = there + lost
            noise = noise + (there * lost / total)[:, 0]
            by_d = d * (sent * (lost / total) ** 2 + self.silent * (there / total) ** 2)
        errors = np.hstack([-by_d / noise[:, None], -by_g / noise[:, None], np.ones((len(sent), 1))])
        first, factor, q = hidden(d, g, self.order)
        kept = self._kept(q)
        through = kept @ q
        if self.order == "in the sum":
            a, b, c = (-first, 0 * d), (0 * d, 0 * d), (0 * d, g)  # By log d and log γ.
        else:
            p = d + g
            a = -d * first**2, -g * first**2
            b = 2 * factor * g / p, -2 * factor * g / p
            c = q * g / p, q * d / p
        level = first + factor / through
        parts = []
        for x_a, x_b, x_c in zip(a, b, c, strict=True):
            own = np.diag((x_a + x_b / through) / level)
            parts.append(-(own - (factor / through**2 / level)[:, None] * kept * x_c))
        return np.vstack([errors, np.hstack([*parts, np.zeros((len(d), 1))])])

    def _errors(self, seed, local):
        """Variance of the average for every way to fall silent: shape (n,)."""
        sent = self.counts - self.silent
        noise = sent @ local
        if self.order == "before":
            there, lost = sent @ seed, self.silent @ seed
            noise = noise + there * lost / (there + lost)
        return noise / (sent @ self.weights) ** 2

    def _kept(self, q):
        """How many sites of each class hide a site of class k, when the `gone` others of largest q do not: (K, K)."""
        kept = np.tile(self.counts, (len(q), 1))
        left = np.full(len(q), self.gone)
        for j in np.argsort(-q, kind="stable"):
            gone = np.minimum(left, kept[:, j] - (np.arange(len(q)) == j))
            kept[:, j] -= gone
            left -= gone
        return kept

    def _excess(self, seed, local):
        """As `excess`, of one site of every class."""
        first, factor, q = hidden(seed, local, self.order)
        return self.demands * (first + factor / (self._kept(q) @ q))

    def _scaled(self, seed, local):
        return seed, _enough(lambda trial: self._excess(seed, trial).max(), local)

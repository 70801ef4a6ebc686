"""Noise on a graph: two sites that share an edge draw one number together; one adds it, the other subtracts it.

In units of the weighted average, w_s e_s = Σ ±η_st over the edges of site s, with η_st ~ N(0, σ²), and w_s g_s has the
variance γ_s. The sum of all w_s e_s is zero. There is no broadcast and no aggregator in the drawing. With L_H the
Laplacian of the graph on the honest sites, the view's covariance is diag(γ) + σ² L_H. C. Sabater, A. Bellet, J. Ramon
(GOPA), 2022; Y. Allouah et al., 2024. For the derivation see core/README.md, "Noise on a graph".
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core import check
from core.schemes.graph_noise.graphs import Graph
from core.schemes.noise_design import CAP, amplitude_option, members, quietest, site_weights, sum_of_smallest
from core.schemes.silent_sets import Remains, least_noise, most_noise

EXACT_SITES = 15  # Up to so many sites, all sets of colluders are tried.
_SUBSETS = 20_000


@dataclass(frozen=True)
class WorstColluders:
    """The worst set of colluders that a search found.

    Attributes
    ----------
    leakage : float
        μ² of the honest site `site` against `colluding`: the largest that the search found.
    bound : float
        Upper bound on μ² over all sets of so many colluders; equal to `leakage` if `exact`.
    site : int
        The honest site.
    colluding : tuple of int
        The colluders.
    exact : bool
        Whether no other set of so many colluders reaches a larger μ².
    """

    leakage: float
    bound: float
    site: int
    colluding: tuple[int, ...]
    exact: bool


@dataclass(frozen=True)
class GraphDesign:
    """Noise of sites on a graph.

    Attributes
    ----------
    graph : Graph
    weights : ndarray of shape (S,)
        w_s of the average; they sum to one.
    edge_std : float
        σ of an edge's number, in units of the weighted average.
    local_std : ndarray of shape (S,)
        Standard deviation of g_s.
    amplitude : float
        σ² · (mean degree)/(S − 1) over the mean γ: 1 gives messages as large as published CAPE's.
    """

    graph: Graph
    weights: np.ndarray
    edge_std: float
    local_std: np.ndarray
    amplitude: float = 1.0

    @property
    def sites(self) -> int:
        """The number of sites S."""
        return self.graph.sites

    @property
    def zero_sum_std(self) -> np.ndarray:
        """Standard deviation of e_s: shape (S,)."""
        return self.edge_std * np.sqrt(self.graph.degrees) / self.weights

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of the noise of each message: shape (S,)."""
        return np.hypot(self.zero_sum_std, self.local_std)

    @property
    def target(self) -> float:
        """Standard deviation of the weighted average of all sites."""
        return float(np.linalg.norm(self.weights * self.local_std))

    @check.arguments
    def covariance(self, colluding: Iterable[int] = (), *, dropped: Iterable[int] = ()) -> np.ndarray:
        """Covariance of the honest senders' weighted messages, after colluders took off the numbers of their edges.

        It is diag(γ) + σ² L_H, and an edge to a silent honest site adds σ² to the diagonal.
        """
        known = members("colluding", colluding, self.sites)
        return self._covariance(known, members("dropped", dropped, self.sites))

    @check.arguments
    def average_std(self, dropped: Iterable[int] = ()) -> float:
        """Noise of the average over the sites that remain; numbers of edges between them and the dropped stay in it."""
        return float(self._average_std(members("dropped", dropped, self.sites)))

    def _average_std(self, dropped):
        """The same for every set of sites that a row of `dropped` marks: shape (…, S) to shape (…)."""
        left = (~dropped).astype(float)
        cut = (left @ self.graph.adjacency * dropped).sum(axis=-1)
        gamma = (self.weights * self.local_std) ** 2
        return np.sqrt(left @ gamma + self.edge_std**2 * cut) / (left @ self.weights)

    @check.arguments(sensitivities=check.bounded)
    def leakage(
        self, sensitivities, colluding: int | Iterable[int] = 0, *, dropped: Iterable[int] = ()
    ) -> np.ndarray:
        """μ² of each honest site against the aggregator and colluders, who know the numbers of all their edges.

        Parameters
        ----------
        sensitivities : float or array of shape (S,)
            Δ_s of each site's statistic.
        colluding : int or collection of int
            Which sites collude. Or a number of them: for each honest site the worst choice of so many others,
            or a bound on it where not all choices can be tried (see `worst`).
        dropped : collection of int
            Sites that drew noise with their neighbours and never sent a message.

        Returns
        -------
        ndarray of shape (S,)
            μ_s² = (w_s Δ_s)² [(diag(γ) + σ² L_H)⁻¹]_ss, where an edge to a silent honest site adds σ² to the diagonal.
            NaN for colluding sites, 0 for silent ones.
        """
        change = (self.weights * np.broadcast_to(np.asarray(sensitivities, dtype=float), self.sites)) ** 2
        silent = members("dropped", dropped, self.sites)
        if isinstance(colluding, Iterable):
            known = members("colluding", colluding, self.sites)
            return change * self._precision(known, silent)
        count = check.integer("colluding", colluding, low=0, high=self.sites - 1)
        return change * self._worst(count, silent)

    @check.arguments(sensitivities=check.bounded)
    def worst(self, sensitivities, colluding: int) -> WorstColluders:
        """The worst set of `colluding` sites: exact up to 15 sites or 20,000 sets, else found greedily, with a bound.

        A site all of whose neighbours collude has no protection but its own noise, which is exact too.
        """
        change = (self.weights * np.broadcast_to(np.asarray(sensitivities, dtype=float), self.sites)) ** 2
        count = check.integer("colluding", colluding, low=0, high=self.sites - 1)
        upper = self._worst(count, np.zeros(self.sites, dtype=bool))
        result, sets = self._found(count) if count else (upper, [()] * self.sites)
        site = int(np.argmax(change * result))
        bound, reached = float((change * upper).max()), float((change * result)[site])
        return WorstColluders(reached, max(bound, reached), site, sets[site], bound <= reached * (1 + 1e-9))

    def shared(self, numbers: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
        """Zero-sum noise of shape (S, *shape) from one number of this shape for each edge."""
        zero_sum = np.zeros((self.sites, *shape))
        for (s, t), number in zip(self.graph.edges, numbers, strict=True):
            zero_sum[s] += number
            zero_sum[t] -= number
        for s, w in enumerate(self.weights):
            zero_sum[s] /= w
        return zero_sum

    def _precision(self, known, silent):
        """[(diag(γ) + σ² L_H)⁻¹]_ss for each honest site that sends: NaN for colluders, 0 for the silent."""
        result = np.where(known, np.nan, 0.0)
        seen = ~known & ~silent
        if seen.any():
            result[seen] = np.diag(np.linalg.inv(self._covariance(known, silent)))
        return result

    def _covariance(self, known, silent):
        seen = ~known & ~silent
        # Edges among those that send, and to silent honest sites, whose number nobody else knows.
        hidden = self.graph.adjacency & ~known[None, :] & seen[:, None]
        inner = hidden[np.ix_(seen, seen)].astype(float)
        matrix = self.edge_std**2 * (np.diag(hidden[seen].sum(axis=1)) - inner)
        return matrix + np.diag((self.weights * self.local_std)[seen] ** 2)

    def _worst(self, count, silent):
        """For each site its largest precision entry over all sets of `count` colluders, or a bound on it."""
        if not count:
            return self._precision(np.zeros(self.sites, dtype=bool), silent)
        if len(self.graph.edges) == math.comb(self.sites, 2) and not silent.any():
            return self._complete(count)
        # A silent site may collude too: it knows the numbers of its edges.
        if self._few(count):
            return self._over(self._sets(count), silent).max(axis=0)
        return self._star(count, silent)

    def _few(self, count):
        return self.sites <= EXACT_SITES or math.comb(self.sites, count) <= _SUBSETS

    def _sets(self, count):
        return list(itertools.combinations(range(self.sites), count))

    def _complete(self, count):
        """The complete graph: 1/q_s + σ² h/(q_s² Σ γ_j/q_j) with q = γ + hσ²; the sum keeps the smallest terms."""
        gamma, square, honest = (self.weights * self.local_std) ** 2, self.edge_std**2, self.sites - count
        q = gamma + honest * square
        rest = gamma / q + sum_of_smallest(gamma / q, honest - 1)
        return 1 / q + square * honest / (q**2 * rest)

    def _over(self, sets, silent):
        """Precision entries of all sites for each set of colluders: shape (sets, S), −∞ for colluders."""
        joined, gamma = self.graph.adjacency, (self.weights * self.local_std) ** 2
        parts = []
        for start in range(0, len(sets), 2000):
            part = np.array(sets[start : start + 2000])
            known = np.zeros((len(part), self.sites), dtype=bool)
            np.put_along_axis(known, part, True, axis=1)
            seen = ~known & ~silent
            # Rows of colluders and silent sites are those of the identity, apart from all others.
            edges = joined & seen[:, :, None] & seen[:, None, :]
            degree = (joined & ~known[:, None, :]).sum(axis=2)
            matrix = -(self.edge_std**2) * edges
            diagonal = np.where(seen, gamma + self.edge_std**2 * degree, 1.0)
            matrix[:, np.arange(self.sites), np.arange(self.sites)] = diagonal
            result = np.diagonal(np.linalg.inv(matrix), axis1=1, axis2=2)
            parts.append(np.where(known, -np.inf, np.where(silent, 0.0, result)))
        return np.concatenate(parts)

    def _star(self, count, silent):
        """A bound: without all edges but its own the inverse only grows, and what is left is a star around a site."""
        joined, gamma = self.graph.adjacency, (self.weights * self.local_std) ** 2
        upper, square = np.zeros(self.sites), self.edge_std**2
        for s in np.flatnonzero(~silent):
            near = np.flatnonzero(joined[s])
            through = np.where(silent[near], square, square * gamma[near] / (square + gamma[near]))
            kept = max(len(near) - count, 0)
            upper[s] = 1 / (gamma[s] + np.sort(through)[:kept].sum())
        return upper

    def _found(self, count):
        """For each site the worst set of colluders that a search finds, and the precision entry that it gives."""
        nobody = np.zeros(self.sites, dtype=bool)
        if self._few(count):
            sets = self._sets(count)
            result = self._over(sets, nobody)
            return result.max(axis=0), [sets[i] for i in result.argmax(axis=0)]
        chosen = [self._greedy_colluders(s, count) for s in range(self.sites)]
        result = self._over(chosen, nobody)
        return np.diagonal(result).copy(), [tuple(sorted(int(t) for t in one)) for one in chosen]

    def _greedy_colluders(self, s, count):
        near = np.flatnonzero(self.graph.adjacency[s])
        if count >= len(near):
            others = [t for t in range(self.sites) if t != s and t not in near]
            return [*near, *others[: count - len(near)]]
        chosen: list[int] = []
        for _ in range(count):
            left = [t for t in range(self.sites) if t != s and t not in chosen]
            tried = self._over([[*chosen, t] for t in left], np.zeros(self.sites, dtype=bool))
            chosen.append(left[int(tried[:, s].argmax())])
        return chosen


@check.arguments(std=check.positives, amplitude=amplitude_option)
def design(
    std, graph: Graph, weights=None, *, amplitude=1.0, colluding: int | None = None, dropouts: int = 0
) -> GraphDesign:
    """Noise on a graph that meets every site's privacy target.

    Parameters
    ----------
    std : array of shape (S,)
        τ_s = Δ_s/μ_s that each site's message needs when seen alone.
    graph : Graph
    weights : array of shape (S,), optional
        w_s; default 1/S.
    amplitude : float, "published" or "best"
        See `GraphDesign`. "best": least noise of the average when the worst `dropouts` sites fall silent, searched in
        one number, with the largest amplitude that CAPE would use as its bound.
    colluding : int, optional
        Number of colluders that the targets hold against, beside the aggregator. None: they hold for whoever sees one
        message, or the average.
    dropouts : int
        r, for which "best" is planned.
    """
    std = check.positives("std", std, length=graph.sites, each="site")
    weights = site_weights(weights, graph.sites)
    if amplitude in (None, "published"):
        amplitude = 1.0
    if amplitude != "best":
        return _held(std, graph, weights, check.nonnegative("amplitude", amplitude), colluding)
    if colluding is None:
        return _held(std, graph, weights, 1.0, None)

    # The worst sets hardly depend on the amplitude: those of one amplitude serve for the search.
    start = _held(std, graph, weights, 1.0, colluding)
    sets = start._found(colluding)[1] if colluding and start._few(colluding) else None

    def tried(log_a):
        return _held(std, graph, weights, math.exp(log_a), colluding, sets)

    def size(log_a):
        plan = tried(log_a)
        # Zero-sum noise of all sites, as CAPE's contributions would have it.
        edges = plan.edge_std**2 * len(graph.edges) * 2 * graph.sites / (graph.sites - 1)
        return math.log(edges / (CAP * ((weights * std) ** 2).sum()))

    result = quietest(lambda x: _searched(tried(x), dropouts), size, most=1e6, points=17, digits=1e-6)
    plans = [_held(std, graph, weights, a, colluding) for a in (0.0, *map(math.exp, result))]
    return min(plans, key=lambda plan: _searched(plan, dropouts))


def _held(std, graph, weights, amplitude, colluding, sets=None):
    """The design of this amplitude, scaled so that the strictest target is just met (against some `sets` only)."""
    v = (weights * std) ** 2
    if not amplitude:
        return GraphDesign(graph, weights, 0.0, std.astype(float), 0.0)
    square = amplitude * v.mean() * (graph.sites - 1) / float(graph.degrees.mean())
    plan = GraphDesign(graph, weights, math.sqrt(square), std.astype(float), amplitude)
    if colluding is None:
        factor = max(float((v / (weights * plan.std) ** 2).max()), float(v.max()) / plan.target**2)
    elif sets is not None:
        factor = float((v * plan._over(sets, np.zeros(graph.sites, dtype=bool))).max())
    else:
        factor = float(plan.leakage(std, colluding).max())
    root = math.sqrt(factor * (1 + 1e-14))
    return GraphDesign(graph, weights, plan.edge_std * root, plan.local_std * root, amplitude)


@check.arguments
def worst_average(plan: GraphDesign, dropouts: int) -> float:
    """Largest noise of the average when any r sites fall silent, or a bound above it where these sets are too many.

    Up to 200,000 sets of r sites are all tried; see `core.schemes.planned_silence`, which says of which set it is.
    """
    count = check.integer("dropouts", dropouts, low=0, high=plan.sites - 1)
    return most_noise(_remains(plan), count)[1] if count else plan.target


@check.arguments
def least_average(plan: GraphDesign, dropouts: int) -> float:
    """Least noise of the average when any r sites fall silent, or a bound below it where these sets are too many.

    Up to 200,000 sets of r sites are all tried. For the bound, at least λ₂ r (S − r)/S edges join any r sites to the
    others, with λ₂ the second eigenvalue of the graph's Laplacian.
    """
    return least_noise(_remains(plan), check.integer("dropouts", dropouts, low=0, high=plan.sites - 1))


def _remains(plan):
    own, nothing = (plan.weights * plan.local_std) ** 2, np.zeros(plan.sites)
    return Remains(plan.weights, own, nothing, plan.edge_std**2 * plan.graph.adjacency)


def _searched(plan, dropouts):
    """Noise after the worst silence that is found fast, to compare designs by: above 300 sets one site after another."""
    if not dropouts:
        return plan.target
    if math.comb(plan.sites, dropouts) <= 300:
        return float(plan._average_std(_sets(plan.sites, dropouts)).max())
    chosen = np.zeros(plan.sites, dtype=bool)
    for _ in range(dropouts):
        one_more = plan._average_std(chosen | np.eye(plan.sites, dtype=bool))
        chosen[np.where(chosen, -np.inf, one_more).argmax()] = True
    return float(plan._average_std(chosen))


@functools.lru_cache(maxsize=16)
def _sets(sites, size):
    """All sets of so many sites, each marked in a row: a search tries the same ones many times."""
    marked = np.zeros((math.comb(sites, size), sites), dtype=bool)
    for row, chosen in zip(marked, itertools.combinations(range(sites), size), strict=True):
        row[list(chosen)] = True
    return marked

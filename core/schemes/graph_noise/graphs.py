"""Connected public graphs of sites: complete, ring, random regular, or given by their edges."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from core import check

GRAPHS = ("complete", "ring")
DEGREE = 4
_SEED = 1  # Of random graphs: a graph is public, and the same in every run.


@check.arguments
@dataclass(frozen=True)
class Graph:
    """A public graph of sites, connected unless it is said to be otherwise.

    Attributes
    ----------
    sites : int
        S ≥ 2, numbered from 0.
    edges : tuple of pairs of int
        Each once, in any order.
    apart : bool
        Whether sites may be apart from others: noise that cancels within a group of sites tells the group's average.

    Raises
    ------
    ValueError
        If an edge names no site, joins a site to itself or is there twice, or if the graph is not connected though it
        must be; the error then names sites that are apart and an edge that joins them.
    """

    sites: int
    edges: tuple[tuple[int, int], ...]
    apart: bool = False

    def __post_init__(self):
        count = check.integer("sites", self.sites, low=2)
        pairs = []
        for edge in self.edges:
            if len(edge) != 2:
                raise ValueError(f"edges must be pairs of sites, got {check.shown(edge)}")
            ends = sorted(check.integer("edges", s, low=0, high=count - 1) for s in edge)
            if ends[0] == ends[1]:
                raise ValueError(f"edges must join two different sites, got {check.shown(edge)}")
            pairs.append(tuple(ends))
        if len(set(pairs)) < len(pairs):
            raise ValueError(f"edges must be there once each, got {len(pairs) - len(set(pairs))} twice")
        object.__setattr__(self, "edges", tuple(sorted(pairs)))
        if not self.apart:
            self._require_connected()

    def _require_connected(self):
        group = component(self.adjacency, 0)
        if not group.all():
            apart = np.flatnonzero(~group)
            joined = np.flatnonzero(group)
            raise ValueError(
                f"edges must connect all {self.sites} sites, got sites {apart.tolist()} apart from sites "
                f"{joined.tolist()}; an edge ({int(joined[0])}, {int(apart[0])}) connects site {int(apart[0])}"
            )

    @property
    def adjacency(self) -> np.ndarray:
        """Boolean matrix of shape (S, S)."""
        joined = np.zeros((self.sites, self.sites), dtype=bool)
        for s, t in self.edges:
            joined[s, t] = joined[t, s] = True
        return joined

    @property
    def degrees(self) -> np.ndarray:
        """Number of edges of each site: shape (S,)."""
        return self.adjacency.sum(axis=1)


@check.arguments
def complete(sites: int) -> Graph:
    """The graph in which every two sites share an edge: CAPE's covariance."""
    check.integer("sites", sites, low=2)
    return Graph(sites, tuple(itertools.combinations(range(sites), 2)))


@check.arguments
def ring(sites: int) -> Graph:
    """The graph in which every site shares an edge with the next, and the last with the first.

    Examples
    --------
    >>> ring(4).edges
    ((0, 1), (0, 3), (1, 2), (2, 3))
    """
    check.integer("sites", sites, low=2)
    edges = [(s, s + 1) for s in range(sites - 1)]
    return Graph(sites, tuple(edges if sites == 2 else [*edges, (0, sites - 1)]))


@check.arguments
def regular(sites: int, degree: int, *, rng: np.random.Generator) -> Graph:
    """A random connected graph in which every site has `degree` edges.

    Edges of a ring of neighbours are exchanged at random in pairs, which keeps all degrees; an exchange that would
    repeat an edge is left out, and a graph that came apart is drawn again.

    Raises
    ------
    ValueError
        If there is no such graph: the degree must be from 2 (or 1 of two sites) to S − 1, and S · degree even.
    """
    check.integer("sites", sites, low=2)
    check.integer("degree", degree, low=1 if sites == 2 else 2, high=sites - 1)
    if sites * degree % 2:
        raise ValueError(
            f"degree must be even for an odd number of sites, {sites}, got {degree}; {degree - 1} and {degree + 1} are"
        )
    while True:
        edges = {tuple(sorted((s, (s + i) % sites))) for s in range(sites) for i in range(1, degree // 2 + 1)}
        if degree % 2:
            edges |= {(s, s + sites // 2) for s in range(sites // 2)}
        edges = _exchanged(sorted(edges), 10 * len(edges), rng)
        joined = np.zeros((sites, sites), dtype=bool)
        joined[tuple(np.array(edges).T)] = True
        if component(joined | joined.T, 0).all():
            return Graph(sites, tuple(edges))


def graph_option(name: str, value):
    """Return a `Graph`, "complete", "ring", the degree of a random graph, or None, else raise ValueError."""
    if value is None or isinstance(value, Graph):
        return value
    if isinstance(value, str):
        return check.choice(name, value, GRAPHS)
    return check.integer(name, value, low=1)


@check.arguments(graph=graph_option)
def graph_of(graph, sites: int) -> Graph:
    """The graph that an option names, for so many sites.

    Parameters
    ----------
    graph : Graph, "complete", "ring", int or None
        A whole number k means a random k-regular graph, drawn from a fixed seed because a graph is public. None: k =
        4, or the complete graph for up to five sites.
    sites : int
        S.
    """
    check.integer("sites", sites, low=2)
    if isinstance(graph, Graph):
        if graph.sites != sites:
            raise ValueError(f"graph must be of the {sites} sites that take part, got one of {graph.sites}")
        return graph
    if graph is None:
        graph = DEGREE if sites > DEGREE + 1 else "complete"
    if isinstance(graph, str):
        return {"complete": complete, "ring": ring}[graph](sites)
    return regular(sites, graph, rng=np.random.default_rng([_SEED, sites, graph]))


def component(joined: np.ndarray, start: int) -> np.ndarray:
    """Sites that are reached from one: a boolean array of shape (S,)."""
    result = np.zeros(len(joined), dtype=bool)
    result[start] = True
    while (more := joined[result].any(axis=0) & ~result).any():
        result |= more
    return result


def _exchanged(edges, times, rng):
    """Edges after random exchanges (a, b), (c, d) → (a, d), (c, b) that repeat none."""
    edges, present = list(edges), set(edges)
    for _ in range(times):
        i, j = rng.integers(len(edges), size=2)
        (a, b), (c, d) = edges[i], edges[j][:: 1 if rng.integers(2) else -1]
        new = tuple(sorted((a, d))), tuple(sorted((c, b)))
        if len({a, b, c, d}) < 4 or present & set(new):
            continue
        present -= {edges[i], edges[j]}
        present |= set(new)
        edges[i], edges[j] = new
    return edges

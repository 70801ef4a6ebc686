"""Noise on a graph: neighbours on a public graph draw zero-sum noise in pairs, and every site adds its own.

The amplitude is the best one unless it is given, the graph a random 4-regular one. See `core.schemes.graph_noise`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.discrete.grid import Grid
from core.schemes.graph_noise import DEGREE, GraphDesign, design, graph_of
from core.schemes.messages import average
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Request, Scheme, Sends, leakage_to_colluders, learned_from
from core.schemes.terms import Terms


def _design(std: np.ndarray, weights: np.ndarray, terms: Terms) -> GraphDesign:
    return _designed(tuple(std.tolist()), tuple(weights.tolist()), terms)


@lru_cache(maxsize=256)
def _designed(std, weights, terms):
    """A sweep asks for the same design in every repeat."""
    terms = terms.fitting(len(std))
    return design(
        np.array(std),
        graph_of(terms.graph, len(std)),
        np.array(weights),
        amplitude={None: "best", "published": 1.0}.get(terms.amplitude, terms.amplitude),
        colluding=None if terms.message_only else terms.colluding,
        dropouts=terms.dropouts,
    )


def _planned_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray, terms: Terms) -> float:
    return _design(std, weights, terms).average_std(np.flatnonzero(dropped).tolist())


def _average_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray) -> float:
    return _planned_std(std, weights, dropped, Terms())


def _release(request: Request) -> Drawn:
    here, lost = request.sites, request.lost
    if len(here.numbers) < 2:
        raise ValueError("absent must leave at least 2 sites for noise on a graph, got 1")
    plan = _design(here.std, here.weights, request.terms)
    zero_sum, local = plan.sample(request.draw.shape, draw=request.draw)
    messages = np.asarray(here.statistics) + zero_sum + local
    value = average(messages[~lost], here.only(~lost).weights)
    messages[lost] = np.nan
    kept = {"messages": messages, "zero_sum": zero_sum, "local": local} if request.keep == "all" else {}
    std, learned = learned_from(plan, request)
    return Drawn(value=value, std=std, learned=learned, design=plan, **kept)


def _parts(request: Request, grid: Grid | None) -> Parts:
    plan = _design(request.sites.std, request.sites.weights, request.terms)
    return Parts(local_std=plan.local_std, edges=plan)


SCHEME = Scheme(
    name="graph",
    label="noise on a graph",
    explanation="neighbours on a public graph add noise that cancels in pairs",
    order=25,
    release=_release,
    average_std=_average_std,
    colluders=leakage_to_colluders,
    # One number for each neighbour on the default graph: sent, or received.
    sends=Sends(message=1, agreement=DEGREE),
    seen_by="nobody",
    agrees=True,
    planned_std=_planned_std,
    parts=_parts,
    offered=False,
)

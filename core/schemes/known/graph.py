"""Noise on a graph: neighbours on a public graph draw zero-sum noise in pairs, and every site adds its own.

The amplitude is the best one unless it is given, the graph a random 4-regular one. See `core.schemes.graph_noise`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.schemes.graph_noise import DEGREE, design, graph_of
from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme, Sends


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


def noise(request: Request) -> Parts:
    """Numbers that neighbours share, and local noise."""
    sites = request.sites
    if len(sites.std) < 2:
        raise ValueError("absent must leave at least 2 sites for noise on a graph, got the std of 1")
    return Parts(edges=_designed(tuple(sites.std.tolist()), tuple(sites.weights.tolist()), request.terms))


SCHEME = Scheme(
    name="graph",
    label="noise on a graph",
    explanation="neighbours on a public graph add noise that cancels in pairs",
    order=25,
    seen_by="nobody",
    noise=noise,
    # One number for each neighbour on the default graph: sent, or received.
    sends=Sends(message=1, agreement=DEGREE),
    offered=False,
)

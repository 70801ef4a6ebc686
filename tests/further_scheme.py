"""A further private scheme for tests, as a stranger would write it: one record, which says who draws which noise.

Every site adds noise of its own, of variance 2 τ_s², and a number that it shares with a partner, 1 with 2, 3 with 4; a
last site without a partner adds twice the variance of its own. So with equal sites, in units of Δ/τ, the worst of them
has μ = 1/√(2 S) for the public (1/√(2 S + 2) for odd S), 1/2 for one message, 1/√3 for the aggregator and 1/√2 against
the partner.
"""

from __future__ import annotations

import math
from contextlib import contextmanager

from core import schemes
from core.schemes.graph_noise import Graph, GraphDesign

NAME, LABEL = "twice", "two parts"
MUS = {"message": 1 / 2, "aggregator": 1 / math.sqrt(3), "colluders": 1 / math.sqrt(2)}


def variance(sites: int) -> int:
    """Of the average of equal sites, in units of one curator's."""
    return 2 * (sites + sites % 2)


def mu_public(sites: int) -> float:
    """μ of the public average of equal sites, in units of Δ/τ."""
    return 1 / math.sqrt(variance(sites))


def noise(request: schemes.Request) -> schemes.Parts:
    """Noise of their own, and as much that partners share."""
    weights, own = request.sites.weights, math.sqrt(2) * request.sites.std
    sites = len(own)
    if sites % 2:
        own[-1] *= math.sqrt(2)
    pairs = Graph(sites, tuple((s, s + 1) for s in range(0, sites - 1, 2)), apart=True)
    shared = math.sqrt(2) * float((weights * request.sites.std).min())
    return schemes.Parts(edges=GraphDesign(pairs, weights, shared, own))


SCHEME = schemes.Scheme(
    name=NAME,
    label=LABEL,
    explanation="every site adds noise of its own, and noise that a partner takes off",
    order=35,
    seen_by="nobody",
    noise=noise,
    sends=schemes.Sends(message=1, agreement=1),
)


@contextmanager
def registered(scheme=SCHEME):
    """The scheme is registered inside."""
    schemes.register(scheme)
    try:
        yield scheme
    finally:
        schemes.unregister(scheme.name)

"""Secure aggregation with distributed noise: each site adds its share of the noise, and only the sum is ever seen.

With c colluders and at most r dropouts every share has the variance γ = Δ²/(μ² (S − c − r)), so that the honest senders
alone have enough. The masks are those of `core.secure_sum`. With noise="discrete" the shares are discrete Gaussians in
its ring, and zero_sum="secure" runs the protocol itself. Gaussian shares serve the comparison of schemes: no mask hides
real numbers, so their μ of 0 for a message is that of the discrete release. If the cryptography fails, a message has its
own share only.
"""

from __future__ import annotations

from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme
from core.schemes.terms import Terms

BITS = 51  # Of the levels that are put in; whole numbers up to there are exact in floating point.


def noise(request: Request) -> Parts:
    """Every site adds its share of the noise that the sum needs, so that S − c − r shares are enough."""
    sites, count = request.sites, len(request.sites.weights)
    terms = request.terms.fitting(count)
    share = sites.share(count - terms.colluding - terms.dropouts)
    return Parts(local_std=share / sites.weights, sum_only=True)


def answers_needed(sites: int, terms: Terms) -> int:
    """All sites but the planned dropouts must answer: with fewer shares the sum has less noise than was promised."""
    return max(2, sites - terms.dropouts)


SCHEME = Scheme(
    name="secure",
    label="secure aggregation",
    explanation="cryptography shows the sum alone, and every site adds its share of the noise",
    order=12,
    seen_by="nobody",
    noise=noise,
    # Masks are generated from keys, whose size does not grow with the statistic; see `core.secure_sum.traffic`.
    offered=False,
)

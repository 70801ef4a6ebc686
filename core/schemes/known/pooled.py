"""Pooled scheme: one trusted curator of all records adds noise once, with standard deviation max w_s τ_s.

With equal sites the variance is τ²/S². The curator sees the records themselves.
"""

from __future__ import annotations

from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme


def noise(request: Request) -> Parts:
    """The curator adds what the most demanding site needs."""
    return Parts(central_std=request.sites.share())


SCHEME = Scheme(
    name="pooled",
    explanation="one trusted curator holds all records",
    order=10,
    seen_by="curator",
    noise=noise,
)

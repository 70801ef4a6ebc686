"""Conventional scheme: every site adds independent noise τ_s; the average has variance Σ (w_s τ_s)²."""

from __future__ import annotations

from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme


def noise(request: Request) -> Parts:
    """Every site adds its own noise τ_s: nothing cancels."""
    return Parts(local_std=request.sites.std)


SCHEME = Scheme(
    name="conventional",
    explanation="every site adds its own noise",
    order=30,
    seen_by="nobody",
    noise=noise,
)

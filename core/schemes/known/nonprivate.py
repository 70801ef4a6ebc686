"""Non-private scheme: the plain average without noise, the reference for private releases."""

from __future__ import annotations

from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme


def noise(request: Request) -> Parts:
    """Nobody adds noise."""
    return Parts()


SCHEME = Scheme(
    name="nonprivate",
    label="non-private",
    explanation="the answer without any noise",
    order=0,
    seen_by="curator",
    noise=noise,
    private=False,
)

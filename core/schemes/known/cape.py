"""CAPE: each message has zero-sum noise, which cancels in the average, and local noise, which remains.

[Cape] Algorithms 1-2, in the weighted form of `core.schemes.noise_design`. With equal sites the variance is τ²/S².
"""

from __future__ import annotations

from core.schemes.amplitude import agreed, design
from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme, Sends


def noise(request: Request) -> Parts:
    """Contributions to noise of sum zero, and local noise; see `core.schemes.amplitude.design`."""
    sites, terms = request.sites, request.terms
    if len(sites.std) < 2:
        raise ValueError("absent must leave at least 2 sites for zero-sum noise, got the std of 1")
    if (given := terms.agreed(sites.numbers)) is not None:
        return Parts(contributions=agreed(sites.std, sites.weights, terms, given))
    return Parts(
        contributions=design(
            sites.std,
            sites.weights,
            amplitude=terms.amplitude,
            against=terms.against,
            colluding=terms.colluding,
            dropouts=terms.dropouts,
        )
    )


SCHEME = Scheme(
    name="cape",
    label="CAPE",
    explanation="sites add noise that partly cancels in the average",
    order=20,
    seen_by="nobody",
    noise=noise,
    # The site sends ê_s, receives the sum, and sends its message.
    sends=Sends(message=1, agreement=2),
)

"""CAPE with the best amplitude of its zero-sum noise for the planned colluders and dropouts.

The protocol is CAPE's; only the variances of ê_s and g_s differ. Against one message alone it is CAPE as published.
See `core.schemes.amplitude`.
"""

from __future__ import annotations

from dataclasses import replace

from core.schemes.known import cape
from core.schemes.parts import Parts
from core.schemes.scheme import Request


def noise(request: Request) -> Parts:
    """CAPE's, with the best amplitude unless one is given."""
    given = request.terms.amplitude
    return cape.noise(
        replace(request, terms=replace(request.terms, amplitude=given if given is not None else "best"))
    )


SCHEME = replace(
    cape.SCHEME,
    name="cape-best",
    label="CAPE, best amplitude",
    explanation="CAPE with as much zero-sum noise as the planned dropouts allow",
    order=21,
    noise=noise,
    offered=False,
)

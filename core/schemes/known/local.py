"""Local scheme: the first present site releases its own statistic with noise τ_1; the others send nothing."""

from __future__ import annotations

import numpy as np

from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme


def noise(request: Request) -> Parts:
    """The first site adds its own noise, and sends alone."""
    return Parts(local_std=request.sites.std, senders=np.arange(len(request.sites.std)) == 0)


SCHEME = Scheme(
    name="local",
    explanation="one site alone, nothing shared",
    order=40,
    seen_by="only site",
    noise=noise,
)

"""Non-private scheme: the plain average without noise, the reference for private releases."""

from __future__ import annotations

import math

import numpy as np

from core.discrete.grid import Grid
from core.schemes.messages import average
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Learned, Request, Scheme, Sends


def _release(request: Request) -> Drawn:
    here = request.sites
    return Drawn(
        np.copy(average(here.statistics, here.weights))[()],
        0.0,
        Learned(public=math.inf, message=math.inf, aggregator=math.inf),
        messages=np.stack(here.statistics) if request.keep == "all" else None,
    )


def _parts(request: Request, grid: Grid | None) -> Parts:
    return Parts(local_std=None)


SCHEME = Scheme(
    name="nonprivate",
    label="non-private",
    explanation="the answer without any noise",
    order=0,
    release=_release,
    average_std=lambda std, weights, dropped: 0.0,
    colluders=lambda release, colluding: math.inf,
    sends=Sends(message=0, agreement=0),
    seen_by="curator",
    private=False,
    parts=_parts,
)

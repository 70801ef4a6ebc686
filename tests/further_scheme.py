"""A further private scheme for tests, as a stranger would write it: one record, with a guarantee of its own.

Every site adds two independent parts of noise, τ_s each. The aggregator is told one of them, and a site that colludes
knows a quarter of the other's variance. So with equal sites, in units of Δ/τ: μ = 1/√(2S) for the public, 1/√2 for one
message, 1 for the aggregator and √(4/3) with colluding sites.
"""

from __future__ import annotations

import math
from contextlib import contextmanager

import numpy as np

from core import schemes
from core.schemes.messages import independent

NAME, LABEL = "twice", "two parts"
MUS = {"message": 1 / math.sqrt(2), "aggregator": 1.0, "colluders": math.sqrt(4 / 3)}


def mu_public(sites: int) -> float:
    """μ of the public average of equal sites, in units of Δ/τ."""
    return 1 / math.sqrt(2 * sites)


def _average_std(std, weights, dropped):
    left = weights[~dropped] / weights[~dropped].sum()
    return math.sqrt(2) * float(np.linalg.norm(left * std[~dropped]))


def _release(request):
    here = request.sites
    std = _average_std(here.std, here.weights, request.lost)
    sent = independent(here.statistics, math.sqrt(2) * here.std, here.weights, request.draw, request.keep)
    learned = schemes.Learned(
        public=float(here.changes.max()) / std,
        message=here.message_mu / math.sqrt(2),
        aggregator=here.message_mu,
    )
    return schemes.Drawn(std=std, learned=learned, **sent)


def _colluders(release, colluding):
    some = len(colluding) if isinstance(colluding, list) else colluding
    return release.mu_aggregator * (MUS["colluders"] if some else 1.0)


SCHEME = schemes.Scheme(
    name=NAME,
    label=LABEL,
    explanation="every site adds two parts of noise, and the aggregator is told one",
    order=35,
    release=_release,
    average_std=_average_std,
    colluders=_colluders,
    sends=schemes.Sends(message=1, agreement=1),
    seen_by="nobody",
)


@contextmanager
def registered(scheme=SCHEME):
    """The scheme is registered inside."""
    schemes.register(scheme)
    try:
        yield scheme
    finally:
        schemes.unregister(scheme.name)

"""CAPE: each message has zero-sum noise, which cancels in the average, and local noise, which remains.

[Cape] Algorithms 1-2, in the weighted form of `core.schemes.noise_design`. With equal sites the variance is τ²/S².
"""

from __future__ import annotations

import numpy as np

from core.discrete.grid import Grid
from core.schemes.amplitude import design
from core.schemes.messages import agree, average, correlated, remaining
from core.schemes.noise_design import NoiseDesign
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Learned, Request, Scheme, Sends, leakage_to_colluders, learned_from
from core.schemes.terms import Terms


def _average_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray) -> float:
    return design(std, weights).average_std(np.flatnonzero(dropped).tolist())


def planned_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray, terms: Terms) -> float:
    plan = design(
        std,
        weights,
        amplitude=terms.amplitude,
        against=terms.against,
        colluding=terms.colluding,
        dropouts=terms.dropouts,
    )
    return plan.average_std(np.flatnonzero(dropped).tolist())


def release_with(request: Request) -> Drawn:
    """Release with CAPE; the zero-sum noise of sites that drop out afterwards is not cancelled."""
    plan, std, learned = request.once("calibrated", _calibrated)
    if request.keep == "value" and request.zero_sum != "secure":
        factors = request.once("remaining", lambda common: remaining(plan, common.zero_sum, common.lost))
        here = request.sites.only(~request.lost)
        value = average(here.statistics, here.weights) + request.draw.weighted(factors)
        return Drawn(value, std, learned, design=plan)
    agreed, runs = _agreed(request, plan)
    sent = correlated(
        request.sites.statistics,
        plan,
        request.draw,
        zero_sum=request.zero_sum,
        keep=request.keep,
        lost=request.lost,
        agreed=agreed,
    )
    return Drawn(std=std, learned=learned, design=plan, agreements=runs, **sent)


def _calibrated(request: Request) -> tuple[NoiseDesign, float, Learned]:
    """The design, the noise of the average, and what everybody learns."""
    plan = request.sites.design(request.terms)
    for part in vars(plan).values():
        if isinstance(part, np.ndarray):
            part.setflags(write=False)  # Releases of the same sites share the design.
    return plan, *learned_from(plan, request)


def _agreed(request, plan):
    """Contributions and their sum by secure aggregation, if requested, and the protocol's transcripts."""
    if request.zero_sum != "secure":
        return None, ()
    everyone = request.everyone
    absent = np.setdiff1d(everyone.numbers, request.sites.numbers).tolist()
    planned = everyone.design(request.terms) if absent else None
    return agree(plan, request.draw, threshold=request.threshold, planned=planned, absent=absent)


def parts(request: Request, grid: Grid | None) -> Parts:
    plan = request.once("calibrated", _calibrated)[0]
    return Parts(local_std=plan.local_std, contributions=plan)


SCHEME = Scheme(
    name="cape",
    label="CAPE",
    explanation="sites add noise that partly cancels in the average",
    order=20,
    release=release_with,
    average_std=_average_std,
    colluders=leakage_to_colluders,
    # The site sends ê_s, receives the sum, and sends its message.
    sends=Sends(message=1, agreement=2),
    seen_by="nobody",
    agrees=True,
    planned_std=planned_std,
    parts=parts,
)

"""CAPE with the sum after the messages: noise of a silent site is not in it, so that nothing of it remains.

Site s sends its message together with its masked ê_s; a secure sum then reveals Σ ê_s over the sites whose packet came,
once. See `core.schemes.after_design`. On a grid own noise is in the sum, and the release is two independent ones of
whole numbers. Under pure ε both are two-sided geometric.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.schemes.after_design import design
from core.schemes.noise_design import sum_of_smallest
from core.schemes.parts import Parts
from core.schemes.scheme import Request, Scheme, Sends


def noise(request: Request) -> Parts:
    """ê_s, whose sum is taken off, and local noise; see `core.schemes.after_design.design`."""
    sites, terms = request.sites, request.terms
    if len(sites.std) < 2:
        raise ValueError("absent must leave at least 2 sites for a sum after the messages, got the std of 1")
    if sites.grid is None:
        return Parts(after=design(sites.std, sites.weights, terms=terms, numbers=sites.numbers))
    if terms.pure:
        return Parts(after=_pure(sites, terms))
    if terms.own_noise == "message":
        raise ValueError(
            "own_noise must be 'sum' for discrete noise, got 'message': the sum of two discrete Gaussians is none"
        )
    return Parts(after=_whole(sites, replace(terms, own_noise="sum")))


def _pure(sites, terms):
    """The design in whole scales: what a message leaves of ε_s is for the sum, where the largest change counts."""
    grid, weights, changes = sites.grid, sites.weights, sites.weights * sites.assumed
    plan = design(sites.exact, weights, terms=terms, numbers=sites.numbers)
    seeds = grid.scales(changes, sites.mus * sites.exact / plan.seed_std)
    rest = sites.mus - (0 if terms.message_only else grid.steps(changes) / seeds)
    local = grid.deviations(grid.scales(changes, rest).max(), grid.honest)
    stds = (x * grid.step / weights for x in (grid.deviations(seeds), np.full(len(seeds), local)))
    return replace(plan, seed_std=next(stds), local_std=next(stds))


def _whole(sites, terms):
    """The design in whole steps of the grid, with as much local noise as the two discrete releases need."""
    grid, weights, count = sites.grid, sites.weights, len(sites.weights)
    plan = design(sites.exact, weights, terms=terms, numbers=sites.numbers)
    if terms.message_only and terms.designs is None:
        return replace(plan, seed_std=sites.std, local_std=sites.share(count - terms.dropouts) / weights)
    changes, others = weights * sites.assumed, count - 1 - terms.colluding - terms.dropouts
    # ê_s is as loud in units of what a message needs on the grid as the design's is in units of what it needs off it.
    seeds = grid.stds(changes, sites.mus * sites.exact / plan.seed_std)
    alone, local = grid.mu(changes, seeds), np.ceil(weights * plan.local_std / grid.step)
    while True:
        hiding = np.sqrt(local**2 + sum_of_smallest(local**2, others))
        factor = (np.hypot(alone, grid.mu(changes, hiding)) / sites.mus).max()
        if factor <= 1:
            return replace(plan, seed_std=seeds * grid.step / weights, local_std=local * grid.step / weights)
        local = np.ceil(local * factor)


SCHEME = Scheme(
    name="cape-after",
    label="CAPE, sum after",
    explanation="CAPE whose sum is revealed after the messages, over the sites that sent",
    order=22,
    seen_by="nobody",
    noise=noise,
    # The message, and ê_s behind a mask.
    sends=Sends(message=1, agreement=1),
    offered=False,
)

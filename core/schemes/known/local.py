"""Local scheme: the first present site releases its own statistic with noise τ_1; the others send nothing."""

from __future__ import annotations

import numpy as np

from core.discrete.grid import Grid, noise
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Learned, Request, Scheme, Sends


def _average_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray) -> float:
    return float(std[~dropped][0])


def _release(request: Request) -> Drawn:
    here = request.sites
    std = _average_std(here.std, here.weights, request.lost)
    mu = float(here.sensitivities[0]) / std
    return Drawn(
        here.statistics[0] + request.draw(std),
        std,
        Learned(public=mu, message=mu, aggregator=mu),
    )


def _discrete(request: Request, grid: Grid) -> Drawn:
    here = request.sites
    own = float(here.weights[0])  # The grid is in units of the weighted average, whatever is released.
    std = int(grid.stds(own * here.assumed[:1], here.mus[:1])[0])
    level = grid.levels(own * here.statistics[0], int(here.numbers[0]))
    value = (level + noise(request.draw.shape, std, request.draw.rng)) * grid.step / own
    mu = float(grid.mu(here.changes[0], std))
    return Drawn(value, std * grid.step / own, Learned(public=mu, message=mu, aggregator=mu), grid=grid.step)


def _parts(request: Request, grid: Grid | None) -> Parts:
    here = request.sites
    first = np.arange(len(here.numbers)) == 0
    own = float(here.weights[0])
    std = (
        _average_std(here.std, here.weights, request.lost)
        if grid is None
        else grid.stds(own * here.assumed[:1], here.mus[:1])[0]
    )
    return Parts(local_std=np.where(first, std, 0.0), senders=first, grid=grid)


SCHEME = Scheme(
    name="local",
    label="local",
    explanation="one site alone, nothing shared",
    order=40,
    release=_release,
    average_std=_average_std,
    # No other site knows any part of its noise.
    colluders=lambda release, colluding: release.mu_aggregator,
    sends=Sends(message=0, agreement=0),
    seen_by="only site",
    discrete=_discrete,
    parts=_parts,
)

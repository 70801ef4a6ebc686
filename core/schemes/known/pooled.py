"""Pooled scheme: one trusted curator of all records adds noise once, with standard deviation max w_s τ_s.

With equal sites the variance is τ²/S². The curator sees the records themselves.
"""

from __future__ import annotations

import math

import numpy as np

from core.discrete.grid import Grid, noise
from core.schemes.messages import average
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Learned, Request, Scheme, Sends


def _average_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray) -> float:
    left = weights[~dropped] / weights[~dropped].sum() if dropped.any() else weights
    return float((left * std[~dropped]).max())


def _release(request: Request) -> Drawn:
    here = request.sites
    std = _average_std(here.std, here.weights, request.lost)
    return Drawn(
        average(here.statistics, here.weights) + request.draw(std),
        std,
        Learned(public=float(here.changes.max()) / std, message=math.inf, aggregator=math.inf),
    )


def _discrete(request: Request, grid: Grid) -> Drawn:
    here = request.sites
    std = int(grid.stds(here.weights * here.assumed, here.mus).max())
    # A record moves one site's statistic, so rounding each moves the sum by no more than rounding one of them.
    rows = zip(here.numbers, here.statistics, here.weights, strict=True)
    level = sum(grid.levels(w * f, int(number)) for number, f, w in rows)
    value = (level + noise(request.draw.shape, std, request.draw.rng)) * grid.step
    public = float(grid.mu(here.changes, std).max())
    return Drawn(
        value,
        std * grid.step,
        Learned(public=public, message=math.inf, aggregator=math.inf),
        grid=grid.step,
    )


def _parts(request: Request, grid: Grid | None) -> Parts:
    here = request.sites
    std = (
        _average_std(here.std, here.weights, request.lost)
        if grid is None
        else float(grid.stds(here.weights * here.assumed, here.mus).max())
    )
    return Parts(local_std=None, central_std=std, grid=grid)


SCHEME = Scheme(
    name="pooled",
    label="pooled",
    explanation="one trusted curator holds all records",
    order=10,
    release=_release,
    average_std=_average_std,
    colluders=lambda release, colluding: math.inf,
    sends=Sends(message=0, agreement=0),
    seen_by="curator",
    discrete=_discrete,
    parts=_parts,
)

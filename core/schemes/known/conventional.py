"""Conventional scheme: every site adds independent noise τ_s; the average has variance Σ (w_s τ_s)²."""

from __future__ import annotations

import numpy as np

from core.discrete.grid import Grid, noise
from core.schemes.messages import independent
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Learned, Request, Scheme, Sends


def _average_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray) -> float:
    left = weights[~dropped] / weights[~dropped].sum() if dropped.any() else weights
    return float(np.linalg.norm(left * std[~dropped]))


def _release(request: Request) -> Drawn:
    here = request.sites
    std, learned = request.once("calibrated", _calibrated)
    sent = independent(here.statistics, here.std, here.weights, request.draw, request.keep)
    return Drawn(std=std, learned=learned, **sent)


def _calibrated(request: Request) -> tuple[float, Learned]:
    """The noise of the average, and what everybody learns."""
    here = request.sites
    std, message = _average_std(here.std, here.weights, request.lost), here.message_mu
    return std, Learned(public=float(here.changes.max()) / std, message=message, aggregator=message)


def _discrete(request: Request, grid: Grid) -> Drawn:
    here, rng = request.sites, request.draw.rng
    stds = grid.stds(here.weights * here.assumed, here.mus)
    sums, messages = np.zeros(request.draw.shape, dtype=np.int64), []
    for number, f, w, std in zip(here.numbers, here.statistics, here.weights, stds, strict=True):
        level = grid.levels(w * f, int(number)) + noise(request.draw.shape, std, rng)
        sums += level
        if request.keep == "all":
            messages.append(level * grid.step / w)
    total = float(np.linalg.norm(stds))
    message = float(grid.mu(here.changes, stds).max())
    learned = Learned(public=float(grid.mu(here.changes, total).max()), message=message, aggregator=message)
    sent = np.stack(messages) if messages else None
    return Drawn(sums * grid.step, total * grid.step, learned, grid=grid.step, messages=sent)


def _parts(request: Request, grid: Grid | None) -> Parts:
    here = request.sites
    std = here.std if grid is None else grid.stds(here.weights * here.assumed, here.mus)
    return Parts(local_std=std, grid=grid)


SCHEME = Scheme(
    name="conventional",
    label="conventional",
    explanation="every site adds its own noise",
    order=30,
    release=_release,
    average_std=_average_std,
    # The noise is independent, so colluders' knowledge of their own noise reveals nothing about another site's.
    colluders=lambda release, colluding: release.mu_aggregator,
    sends=Sends(message=1, agreement=0),
    seen_by="nobody",
    discrete=_discrete,
    parts=_parts,
)

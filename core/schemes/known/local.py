"""Local scheme: the first present site releases its own statistic with noise τ_1; the others send nothing."""

from __future__ import annotations

import numpy as np

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
)

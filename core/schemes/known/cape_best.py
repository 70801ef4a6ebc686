"""CAPE with the best amplitude of its zero-sum noise for the planned colluders and dropouts.

The protocol is CAPE's; only the variances of ê_s and g_s differ. Against one message alone it is CAPE as published.
See `core.schemes.amplitude`.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from core.discrete.grid import Grid
from core.schemes.known import cape
from core.schemes.parts import Parts
from core.schemes.scheme import Drawn, Request
from core.schemes.terms import Terms


def _best(terms: Terms) -> Terms:
    return dataclasses.replace(terms, amplitude="best") if terms.amplitude is None else terms


def _planned_std(std: np.ndarray, weights: np.ndarray, dropped: np.ndarray, terms: Terms) -> float:
    return cape.planned_std(std, weights, dropped, _best(terms))


def _release(request: Request) -> Drawn:
    return cape.release_with(dataclasses.replace(request, terms=_best(request.terms)))


def _parts(request: Request, grid: Grid | None) -> Parts:
    return cape.parts(dataclasses.replace(request, terms=_best(request.terms)), grid)


SCHEME = dataclasses.replace(
    cape.SCHEME,
    name="cape-best",
    label="CAPE, best amplitude",
    explanation="CAPE with zero-sum noise as loud as the planned dropouts allow",
    order=21,
    release=_release,
    planned_std=_planned_std,
    parts=_parts,
    offered=False,
)

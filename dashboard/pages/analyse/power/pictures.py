"""The components that every method found, drawn as pixels that show their number where they are the true ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dashboard.components.tiles import LEAST, Row, drawn, shape_of
from dashboard.pages.analyse.power.model import METHODS, Plan, Spot
from dashboard.theme.scheme_style import LOOKS, label

_LABELS = {"alg3_published": "each step, as published"}
FOUND = 0.9  # |cos| from which a component counts as found.


def found(spot: Spot) -> int:
    """How many components were found."""
    return int((spot.cosines > FOUND).sum())


def tiles(spots: Mapping[str, Spot], plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: empty places for what is not known, or cannot be."""
    k, width = plan.here["components"], plan.here["d"]
    numerals = width >= LEAST

    def pixels(vectors, true):
        if numerals:
            return drawn(vectors, true)
        signs = np.where(np.einsum("kd,kd->k", vectors, true) < 0, -1, 1)
        return (signs / np.abs(vectors).max(axis=1))[:, None] * vectors

    true = next((spot.true for spot in spots.values()), None)
    rows = [Row("hidden in the cube", pixels=None if true is None else pixels(true, true))]
    for method in METHODS:
        spot = spots.get(method)
        known = {} if spot is None else {"pixels": pixels(spot.vectors, spot.true)}
        note = "" if spot is None else f"{found(spot)} of {k}"
        rows.append(Row(_LABELS.get(method) or label(method), LOOKS[method].colour, note=note, **known))
    what = "Every direction is a list of" if k > 1 else "The direction is a list of"
    how = "pixels, placed so that the hidden one shows its number" if numerals else "bars"
    return {
        "rows": rows,
        "shape": shape_of(width) if numerals else (1, width),
        "count": k,
        "kind": "ink" if numerals else "bars",
        "title": f"{what} {width} numbers, drawn as {how}",
    }

"""The cube and what every search finds in it: components as pixels that show their number where they are the true ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power.model import ONCE, WIDEST, Plan, Spot, load
from dashboard.problems.patterns import FOUND, marks
from dashboard.state.number_text import amount_text, count_text, number_text
from dashboard.theme.scheme_style import LOOKS, label

# The truth and CAPE above, the others below.
ORDER = (*ONCE, "alg3_exact")
_CELLS, _SIDE = 5, 100.0  # On the edge of the drawn cube, and its length.


def _note(spot):
    k = len(spot.cosines)
    return f"{'mean ' * (len(spot.each) > 1)}{amount_text(spot.found, k)} of {k}"


def tiles(spots: Mapping[str, Spot], plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: empty places for what is not known, or cannot be."""
    k, width = plan.here["components"], plan.here["d"]
    truth = load(plan.here)
    seen = pictured(truth.vectors, truth.vectors)
    rows = [Row("hidden in the sum", hint="the truth", pixels=seen, aside=True)]
    hints = _hints(plan)
    for method in ORDER:
        spot = spots.get(method)
        known = (
            {"pixels": pictured(spot.vectors, truth.vectors), "marks": marks(spot.cosines)} if spot else {}
        )
        large = "too large" if method in ONCE and width > WIDEST else ""  # Instead of what was found.
        note = _note(spot) if spot else large
        rows.append(Row(label(method), LOOKS[method].colour, note=note, hint=hints[method], **known))
    each = "squares" if width >= LEAST else "bars"
    return {
        "rows": rows,
        "count": k,
        "drawing": cube(truth.values, truth.vectors),
        "title": f"A cube counts how often any three of {width} {each} come together; those of "
        f"{count_text(plan.here['sites'], 'site')} are added up (synthetic). {FOUND}",
        "marked": True,
        **frame_of(width),
    }


def _hints(plan):
    """Who adds noise, and how much of it the sum has."""
    more = number_text(math.sqrt(plan.here["sites"]), digits=2)
    return {
        "cape": "noise once; part cancels",
        "conventional": f"noise once; {more}\u00a0× CAPE's",
        "alg3_exact": "by one trusted curator",
    }


def cube(values: np.ndarray, vectors: np.ndarray) -> str:
    """SVG of a part of the cube Σ λ v⊗v⊗v, of the indices at which it is largest: the larger a number, the darker.

    Parameters
    ----------
    values : ndarray of shape (k,)
        λ.
    vectors : ndarray of shape (k, d)
    """
    few = vectors[:, np.sort(np.argsort(-(vectors**2).sum(axis=0), kind="stable")[:_CELLS])]
    shown = np.abs(np.einsum("k,ki,kj->ij", values * few[:, 0], few, few))
    shades = shown / max(float(shown.max()), 1e-300)
    across, down, back = np.array([0.87, 0.5]), np.array([0, 1]), np.array([0.87, -0.5])
    # The left, the right and the upper face hold the same numbers, by symmetry, counted from the corner in the middle.
    faces = (
        ((0, 50), across, down, shades[::-1]),
        ((87, 100), back, down, shades),
        ((0, 50), across, back, shades[::-1]),
    )
    cells = "".join(
        _cell(np.array(corner) + _SIDE / len(face) * (i * one + j * other), one, other, shade)
        for corner, one, other, face in faces
        for (i, j), shade in np.ndenumerate(face)
    )
    return f"<svg viewBox='-1 -1 176 202' stroke-width='1' stroke-opacity='0.35' aria-hidden='true'>{cells}</svg>"


def _cell(start, one, other, shade):
    steps = _SIDE / _CELLS * np.array([0 * one, one, one + other, other])
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in start + steps)
    return f"<polygon points='{points}' fill-opacity='{0.04 + 0.9 * shade:.2f}'/>"

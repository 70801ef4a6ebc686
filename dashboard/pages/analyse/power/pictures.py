"""What is counted and what every search finds in it: components as pixels that show their digit."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from dashboard.components.tiles import LEAST, Row, frame_of, pictured, shape_of
from dashboard.pages.analyse.power.model import ONCE, WIDEST, Plan, Spot, load
from dashboard.problems.patterns import FOUND, marks
from dashboard.state.number_text import amount_text, number_text
from dashboard.theme.scheme_style import LOOKS, label

# The truth and CAPE above, the others below.
ORDER = (*ONCE, "alg3_exact")
_SQUARES, _DARKEST = 64, 8  # Of the drawing, at most, and those of which three far apart are dark.


def _note(spot):
    k = len(spot.cosines)
    return f"{'mean ' * (len(spot.each) > 1)}{amount_text(spot.found, k)} of {k}"


def tiles(spots: Mapping[str, Spot], plan: Plan, asked: Container[str] = ()) -> dict[str, Any]:
    """Arguments of `Tiles.show`: empty places for what is not known, or cannot be, and for the methods `asked` about."""
    k, width = plan.here["components"], plan.here["d"]
    truth = load(plan.here)
    seen = pictured(truth.vectors, truth.vectors)
    rows = [Row("hidden in the sum", hint="the truth", pixels=seen)]
    hints = _hints(plan)
    for method in ORDER:
        spot = None if method in asked else spots.get(method)
        known = (
            {"pixels": pictured(spot.vectors, truth.vectors), "marks": marks(spot.cosines)} if spot else {}
        )
        large = "too large" if method in ONCE and width > WIDEST else ""  # Instead of what was found.
        note = _note(spot) if spot else large
        rows.append(
            Row(
                label(method),
                LOOKS[method].colour,
                note=note,
                hint=hints[method],
                asked=method in asked,
                **known,
            )
        )
    shape, drawn = ("squares", "digit") if width >= LEAST else ("bars", "row of bars")
    hide = (
        f"{k} illnesses hide, each drawn as a {drawn}" if k > 1 else f"one illness hides, drawn as a {drawn}"
    )
    return {
        "rows": rows,
        "count": k,
        "drawing": triple(truth.vectors[0]),
        "title": f"{plan.here['sites']} invented hospitals count how often any three of {width} symptoms ({shape}) occur "
        f"together. In their sum {hide}. ε protects one count, not one patient. {FOUND}",
        "marked": True,
        **frame_of(width),
    }


def _hints(plan):
    """Who adds noise, and how much of it the sum has."""
    more = number_text(math.sqrt(plan.here["sites"]), digits=2)
    return {
        "cape": "noise once; part cancels",
        "conventional": f"noise once; {more}\u00a0× CAPE's",
        "alg3_exact": "one curator, in each search step",
    }


def triple(vector: np.ndarray) -> str:
    """SVG of what is counted: the squares of a picture, of which three on which a pattern is large are dark."""
    width = min(len(vector), _SQUARES)
    rows, columns = shape_of(width)
    shades = pictured(vector[None], vector[None])[0, :width]
    dark = np.sort(np.argsort(-shades, kind="stable")[:_DARKEST])
    chosen = dark[[0, len(dark) // 2, -1]]
    squares = "".join(
        f"<rect x='{i % columns}' y='{i // columns}' width='1' height='1' fill-opacity='{0.9 if i in chosen else 0.04}'/>"
        for i in range(width)
    )
    box = f"-0.1 -0.1 {columns + 0.2:g} {rows + 0.2:g}"
    return f"<svg viewBox='{box}' stroke-width='0.06' stroke-opacity='0.4' aria-hidden='true'>{squares}</svg>"

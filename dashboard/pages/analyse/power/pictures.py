"""What every search finds in the sites' sum, step by step: components as pixels that show their digit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power.model import ONCE, WIDEST, Plan, Spot, load
from dashboard.problems.patterns import FOUND, seen
from dashboard.state.number_text import amount_text, number_text
from dashboard.theme.scheme_style import LOOKS, label

# The truth and CAPE above, the others below.
ORDER = (*ONCE, "alg3_exact")


def _note(spot):
    k = len(spot.true)
    return f"{'mean ' * (len(spot.each) > 1)}{amount_text(spot.found, k)} of {k}"


def tiles(spots: Mapping[str, Spot], plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: empty places for what is not known, or cannot be."""
    k, width = plan.here["components"], plan.here["d"]
    truth = load(plan.here)
    true = truth.vectors
    rows = [Row("hidden in the sum", hint="the truth", pixels=pictured(true, true))]
    hints = _hints(plan)
    for method in ORDER:
        spot = spots.get(method)
        known = seen(spot.search, true) if spot else {}
        large = "too large" if method in ONCE and width > WIDEST else ""  # Instead of what was found.
        note = _note(spot) if spot else large
        rows.append(
            Row(
                label(method),
                LOOKS[method].colour,
                note=note,
                hint=hints[method],
                **known,
            )
        )
    drawn = "digit" if width >= LEAST else "row of bars"
    hide = f"{k} patterns (topics), each drawn" if k > 1 else "one pattern (a topic), drawn"
    cube = f"{width} × {width} × {width}".replace(" ", "\u00a0")
    return {
        "rows": rows,
        "count": k,
        "title": f"{plan.here['sites']} sites count which three of {width} words stand together. Their sum, {cube} numbers, "
        f"hides {hide} as a {drawn}. Every search starts at random pixels. {FOUND}",
        "marked": True,
        "searched": True,
        **frame_of(width),
    }


def _hints(plan):
    """Who adds noise, and how much of it the sum has."""
    more = number_text(math.sqrt(plan.here["sites"]), digits=2)
    return {
        "cape": "noise in the sum, part cancels",
        "conventional": f"{more}\u00a0× CAPE's noise in the sum",
        "alg3_exact": "one curator, noise in every step",
    }

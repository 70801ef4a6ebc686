"""What the search finds of the hidden patterns under noise of each kind, drawn as pixels that show their digit."""

from __future__ import annotations

from typing import Any

from core import power
from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power_noise.model import PICTURED, Plan, Spots, largest, shades
from dashboard.problems.patterns import NEAR, found, marks
from dashboard.theme.scheme_style import LOOKS, label

_HINTS = {
    "round": "privacy's kind",
    "adversarial": "pulls one way",
    "weak": "none along them",
    "quiet": "like the hidden",
}


def tiles(spots: Spots | None, plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: the hidden patterns, and what was found with each kind of noise."""
    truth = plan.truth(plan.d)
    true = truth.vectors
    d = plan.d
    cube = shades(power.ComponentTensor(truth.values, true), d, largest(truth))
    rows = [
        Row(
            "the cube, no noise",
            pixels=pictured(true, true),
            layer=cube,
            aside=d >= LEAST,
            hint="a layer; the truth",
        )
    ]
    for kind in PICTURED:
        spot = None if spots is None else spots.kinds[kind]
        known: dict[str, Any] = {}
        if spot is not None:
            known = {
                "pixels": pictured(spot.vectors, true),
                "layer": spot.layer,
                "marks": marks(spot.cosines),
            }
            known["note"] = f"{found(spot.cosines)} of {plan.components}"
        rows.append(Row(label(kind), LOOKS[kind].colour, hint=_HINTS[kind], **known))
    k = plan.components
    hidden = f"{k} patterns hide" if k > 1 else "one pattern hides"
    ask = "which are lost" if k > 1 else "is it lost"
    size = f"{d} × {d} × {d}".replace(" ", "\u00a0")
    return {
        "rows": rows,
        "count": k,
        "title": f"In {size} numbers, {hidden}. Raise the noise: {ask}? ✓ {NEAR}.",
        "marked": True,
        **frame_of(plan.d),
    }

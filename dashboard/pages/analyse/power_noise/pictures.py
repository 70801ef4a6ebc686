"""What the search finds of the hidden patterns under noise of each kind, drawn as pixels that show their digit."""

from __future__ import annotations

from typing import Any

from core import power
from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power_noise.model import PICTURED, Plan, Spot, Spots, largest, shades
from dashboard.theme.scheme_style import LOOKS, label

_HINTS = {
    "round": "on every number",
    "weak": "spread over the rest",
    "adversarial": "pulls the search one way",
    "quiet": "more of the hidden kind",
}


def found(spot: Spot) -> int:
    """How many patterns were found."""
    return int((spot.cosines > power.FOUND).sum())


def tiles(spots: Spots | None, plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: the hidden patterns, and what was found with each kind of noise."""
    truth = plan.truth(plan.d)
    true = truth.vectors
    d = plan.d
    cube = shades(power.ComponentTensor(truth.values, true), d, largest(truth))
    rows = [
        Row("the cube, no noise", pixels=pictured(true, true), layer=cube, aside=d >= LEAST, hint="the truth")
    ]
    for kind in PICTURED:
        spot = None if spots is None else spots.kinds[kind]
        known = {} if spot is None else {"pixels": pictured(spot.vectors, true), "layer": spot.layer}
        note = "" if spot is None else f"{found(spot)} of {plan.components}"
        rows.append(Row(label(kind), LOOKS[kind].colour, note=note, hint=_HINTS[kind], **known))
    k = plan.components
    what = f"the {k} patterns" if k > 1 else "the pattern"
    how = "" if d < LEAST else ", drawn as digits" if k > 1 else ", drawn as a digit"
    size = f"{d} × {d} × {d}".replace(" ", "\u00a0")
    return {
        "rows": rows,
        "count": k,
        "title": f"A layer of each noise on a cube of {size} numbers, and what the search then finds of {what} "
        f"in it{how}.",
        "columns": True,
        **frame_of(plan.d),
    }

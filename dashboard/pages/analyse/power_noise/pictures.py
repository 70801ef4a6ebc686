"""What the search finds of the hidden directions under noise of each kind, drawn as pixels that show their digit."""

from __future__ import annotations

from typing import Any

from core import power
from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power_noise.model import Plan, Spot, Spots, largest, shades
from dashboard.theme.scheme_style import LOOKS, label

_HINTS = {
    "adversarial": "pulls every start one way",
    "round": "on every number",
    "weak": "none along a digit",
    "quiet": "more of the hidden kind",
}


def found(spot: Spot) -> int:
    """How many directions were found."""
    return int((spot.cosines > power.FOUND).sum())


def tiles(spots: Spots | None, plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: the hidden directions, and what was found with each kind of noise."""
    truth = plan.truth(plan.d)
    true = truth.vectors
    d = plan.d
    cube = shades(power.ComponentTensor(truth.values, true), d, largest(truth))
    rows = [
        Row("the cube, no noise", pixels=pictured(true, true), layer=cube, aside=d >= LEAST, hint="the truth")
    ]
    for kind in power.KINDS:
        spot = None if spots is None else spots.kinds[kind]
        known = {} if spot is None else {"pixels": pictured(spot.vectors, true), "layer": spot.layer}
        note = "" if spot is None else f"{found(spot)} of {plan.components}"
        rows.append(Row(label(kind), LOOKS[kind].colour, note=note, hint=_HINTS[kind], **known))
    k = plan.components
    what = f"{k} directions" if k > 1 else "one direction"
    how = "" if d < LEAST else ", drawn as digits" if k > 1 else ", drawn as a digit"
    size = f"{d} × {d} × {d}".replace(" ", "\u00a0")
    return {
        "rows": rows,
        "count": k,
        "title": f"One layer of each noise, and what the search then finds of {what} hidden in a cube of {size} "
        f"numbers{how}.",
        "columns": True,
        **frame_of(plan.d),
    }

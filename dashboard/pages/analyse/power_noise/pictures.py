"""What the search finds of the hidden directions under noise of each kind, drawn as pixels that show their digit."""

from __future__ import annotations

from typing import Any

from core import power
from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power_noise.model import FOUND, Plan, Spot, Spots
from dashboard.theme.scheme_style import LOOKS, label


def found(spot: Spot) -> int:
    """How many directions were found."""
    return int((spot.cosines > FOUND).sum())


def tiles(spots: Spots | None, plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: the hidden directions, and what was found with each kind of noise."""
    true = plan.truth(plan.d).vectors
    rows = [Row("hidden in the cube", pixels=pictured(true, true))]
    for kind in power.KINDS:
        spot = None if spots is None else spots.kinds[kind]
        known = {} if spot is None else {"pixels": pictured(spot.vectors, true)}
        note = "" if spot is None else f"{found(spot)} of {plan.components}"
        rows.append(Row(label(kind), LOOKS[kind].colour, note=note, **known))
    k, d = plan.components, plan.d
    whole = f"{k} hidden directions. Each" if k > 1 else "one hidden direction. It"
    how = "as pixels, a digit" if d >= LEAST else "drawn as bars"
    return {
        "rows": rows,
        "count": plan.components,
        "title": f"A cube of {d} × {d} × {d} numbers, made of {whole} is a list of {d} numbers: {how}. "
        "Under each kind of noise stands what the search finds.",
        "beside": True,
        **frame_of(plan.d),
    }

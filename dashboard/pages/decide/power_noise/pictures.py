"""What the search finds of the hidden patterns under noise of each kind, drawn as pixels that show their digit."""

from __future__ import annotations

from typing import Any

from core import power
from dashboard.components.tiles import Row, frame_of, pictured
from dashboard.pages.decide.power_noise.model import PICTURED, Plan, Spots, largest, shades
from dashboard.problems.patterns import FOUND, marks
from dashboard.state.number_text import amount_text
from dashboard.theme.scheme_style import LOOKS, label


def hints(plan: Plan) -> dict[str, str]:
    """What each pictured kind of noise is, in half a line."""
    return {"round": "as privacy adds it", "quiet": f"{plan.d - plan.components} false patterns"}


def tiles(spots: Spots | None, plan: Plan, *, asking: bool = False) -> dict[str, Any]:
    """Arguments of `Tiles.show`: the hidden patterns, and what was found with each kind of noise, unless that is asked."""
    truth = plan.truth(plan.d)
    true = truth.vectors
    d, where = plan.d, hints(plan)
    cube = shades(power.ComponentTensor(truth.values, true), d, largest(truth))
    rows = [Row("no noise", pixels=pictured(true, true), layer=cube, aside=True, hint="the truth")]
    for kind in PICTURED:
        spot = None if spots is None else spots.kinds[kind]
        known: dict[str, Any] = {}
        if spot is not None:
            known = {"layer": spot.layer}
        if asking:
            known["asked"] = True
        elif spot is not None:
            known |= {"pixels": pictured(spot.vectors, true), "marks": marks(spot.cosines)}
            mean = "mean " * (spots.plan.settings.repeats > 1)
            known["note"] = f"{mean}{amount_text(spot.found, plan.components)} of {plan.components}"
        rows.append(Row(label(kind), LOOKS[kind].colour, hint=where[kind], **known))
    k = plan.components
    hidden = f"{k} patterns hide" if k > 1 else "One pattern hides"
    size = f"{d} × {d} × {d}".replace(" ", "\u00a0")
    return {
        "rows": rows,
        "count": k,
        "title": f"{hidden} in a cube of {size} numbers. The search sees the cube plus noise; the large squares show "
        f"one layer of each. {FOUND}",
        "marked": True,
        **frame_of(plan.d),
    }

"""What the search finds under noise of each kind, step by step, drawn as pixels that show their digit."""

from __future__ import annotations

from typing import Any

from core import power
from dashboard.components.tiles import Row, frame_of, pictured
from dashboard.pages.decide.power_noise.model import PICTURED, Plan, Spot, Spots
from dashboard.problems.patterns import FOUND, seen
from dashboard.state.number_text import amount_text
from dashboard.theme.scheme_style import LOOKS, label


def hints(plan: Plan) -> dict[str, str]:
    """What each pictured kind of noise is, in half a line."""
    return {"round": "as privacy adds it", "quiet": f"{plan.d - plan.components} of them"}


def fakes(spot: Spot) -> list[bool]:
    """For each pattern, whether a fake was found in its place."""
    return [
        bool(fake > power.FOUND >= cosine)
        for fake, cosine in zip(spot.fake, spot.search.cosines, strict=True)
    ]


def tiles(spots: Spots | None, plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`: the hidden patterns, and what was found with each kind of noise."""
    true = plan.truth(plan.d).vectors
    where = hints(plan)
    rows = [Row("hidden in the tensor", hint="the truth", pixels=pictured(true, true))]
    for kind in PICTURED:
        known: dict[str, Any] = {}
        if spots is not None:
            spot = spots.kinds[kind]
            known |= seen(spot.search, true)
            known["marks"] = [
                f"{mark} false" if fake else mark
                for mark, fake in zip(known["marks"], fakes(spot), strict=True)
            ]
            mean = "mean " * (spots.plan.settings.repeats > 1)
            known["note"] = f"{mean}{amount_text(spot.found, plan.components)} of {plan.components}"
        rows.append(Row(label(kind), LOOKS[kind].colour, hint=where[kind], **known))
    k = plan.components
    hidden = f"{k} patterns hide" if k > 1 else "One pattern hides"
    size = f"{plan.d} × {plan.d} × {plan.d}".replace(" ", "\u00a0")
    return {
        "rows": rows,
        "count": k,
        "title": f"{hidden} in a tensor of {size} numbers. Each run starts at random pixels and sees the tensor plus "
        f"noise. {FOUND}",
        "marked": True,
        "searched": True,
        **frame_of(plan.d),
    }

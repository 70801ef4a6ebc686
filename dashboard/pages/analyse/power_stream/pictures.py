"""The directions that both forms of Algorithm 2 have found so far, drawn as pixels that show their digit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dashboard.components.tiles import LEAST, Row, frame_of, pictured
from dashboard.pages.analyse.power_stream.model import DRAWN, LOST, Plan, Point
from dashboard.state.number_text import number_text
from dashboard.theme.colours import AS_PRINTED, EACH_STEP

LABELS = {"corrected": "corrected", "published": "as printed"}
_HINTS = {"corrected": "subtracts rightly", "published": "subtracts wrongly"}
COLOURS = {"corrected": EACH_STEP, "published": AS_PRINTED}


def found(points: Sequence[Point]) -> int:
    """How many searches of one form ended, or stand, near a direction that was not found before."""
    return sum(p.error < LOST for p in points if p.finished or p is points[-1])


def read_all(points: Sequence[Point], plan: Plan, deflation: str) -> bool:
    """Whether one form has taken all its steps on the records up to the slider."""
    steps = plan.components * (plan.iterations + (deflation == "corrected"))
    wanted = min(plan.records // plan.per_step, steps) * plan.per_step
    return max((p.seen for p in points if p.deflation == deflation), default=0) >= wanted


def tiles(points: Sequence[Point], plan: Plan) -> dict[str, Any]:
    """Arguments of `Tiles.show`; `points` are those of the records read so far, {} if they are too wide."""
    if plan.d > DRAWN:
        return {}
    true = plan.truth.vectors
    rows = [
        Row("hidden in the records", hint="the truth", pixels=pictured(true, true)),
        _records(points, true, plan),
    ]
    for name, text in LABELS.items():
        own = [p for p in points if p.deflation == name]
        pixels = _estimates(own, true) if own else None
        # A count while records are still being read would be of fewer than the slider says.
        note = f"{found(own)} of {plan.components}" if own and read_all(own, plan, name) else ""
        rows.append(Row(text, COLOURS[name], pixels, note, hint=_HINTS[name]))
    how = "as pixels, it shows a digit" if plan.d >= LEAST else "here as bars"
    return {
        "rows": rows,
        "count": plan.components,
        "title": f"Each direction is a list of {plan.d} numbers; {how}. "
        f"One step averages a batch of {number_text(plan.per_step)} records.",
        **frame_of(plan.d),
    }


def _records(points, true, plan):
    """The last record of the latest batches, one in the pixels of each direction."""
    read = [p.record for p in points if p.deflation == "corrected"][-plan.components :]
    whole = len(read) == plan.components
    pixels = pictured(np.stack(read), true) if whole else None
    return Row("single records", hint="averaged → digits below", pixels=pixels)


def _estimates(points, true):
    """Pixels of what each search ended or stands at, in the place of the nearest direction; blank elsewhere."""
    vectors, known = np.zeros(true.shape), np.zeros(len(true), dtype=bool)
    for p in points:
        if p.finished or p is points[-1]:
            vectors[p.nearest], known[p.nearest] = p.vector, True
    return pictured(vectors, true) * known[:, None]

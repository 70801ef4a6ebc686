"""The patterns that both forms of Algorithm 2 have found so far, drawn as pixels that show their digit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import power
from dashboard.components.tiles import Row, frame_of, pictured
from dashboard.pages.decide.power_stream.model import DRAWN, LOST, Plan, Point
from dashboard.problems.patterns import FOUND, marks
from dashboard.state.number_text import number_text
from dashboard.theme.colours import AS_PRINTED, EACH_STEP

LABELS = {"corrected": "corrected", "published": "as printed"}
COLOURS = {"corrected": EACH_STEP, "published": AS_PRINTED}


def found(points: Sequence[Point]) -> int:
    """How many searches of one form ended, or stand, near a pattern that was not found before."""
    return sum(p.error < LOST for p in points if p.finished or p is points[-1])


def again(points: Sequence[Point], true: np.ndarray) -> str:
    """How one form ended, or stands, at a pattern that it had found: " again", or in negative; "" if it did not."""
    places, cosines = _nearest(_ends(points), true)
    for i, (place, cosine) in enumerate(zip(places, cosines, strict=True)):
        if place in places[:i] and abs(cosine) > power.FOUND:
            return " again, in negative" if cosine < 0 else " again"
    return ""


def read_all(points: Sequence[Point], plan: Plan, deflation: str) -> bool:
    """Whether one form has taken all its steps on the batches up to the slider."""
    steps = plan.components * (plan.iterations + (deflation == "corrected"))
    return sum(p.deflation == deflation for p in points) >= min(plan.batches, steps)


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
        pixels = _estimates(_ends(own), true) if own else None
        # A count while records are still being read would be of fewer than the slider says.
        note = f"{found(own)} of {plan.components}" if own and read_all(own, plan, name) else ""
        # From the distance of unit vectors to their cosine.
        under = marks([1 - p.error**2 / 2 for p in _ends(own)]) if note else ()
        rows.append(Row(text, COLOURS[name], pixels, note, hint=_taken(name, plan), marks=under))
    hidden = f"{plan.components} patterns hide" if plan.components > 1 else "One pattern hides"
    return {
        "rows": rows,
        "count": plan.components,
        "title": f"{hidden} in records that come in batches of {number_text(plan.per_step)}. {FOUND}",
        "marked": True,
        **frame_of(plan.d),
    }


def _records(points, true, plan):
    """The last record of the latest batches, one in the pixels of each direction."""
    read = [p.record for p in points if p.deflation == "corrected"][-plan.components :]
    vectors = np.zeros(true.shape)
    vectors[: len(read)] = read or 0
    pixels = pictured(vectors, true) * (np.arange(len(true)) < len(read))[:, None] if read else None
    return Row("single records", hint="read once, not kept", pixels=pixels)


def amount(values: np.ndarray) -> str:
    """What of a component the printed form takes away: λ² times too much of it, at the component."""
    return "too much" if values.min() > 1 else "too little" if values.max() < 1 else "a wrong amount"


def _taken(name, plan):
    return f"takes away {'what it found' if name == 'corrected' else amount(plan.truth.values)}"


def _ends(points):
    """The last point of each search."""
    return [p for p in points if p.finished or p is points[-1]]


def _nearest(ends, true):
    """The true component nearest to each point, in either sign, and its cosine."""
    cosines = np.array([true @ p.vector for p in ends]).reshape(len(ends), len(true))
    places = np.abs(cosines).argmax(axis=1)
    return places.tolist(), cosines[np.arange(len(ends)), places]


def _estimates(ends, true):
    """Pixels of what each search ended or stands at, one after the other; blank where none has begun."""
    vectors, (places, _) = np.zeros(true.shape), _nearest(ends, true)
    vectors[: len(ends)] = [p.vector for p in ends]
    left = [0] * (len(true) - len(ends))
    return pictured(vectors, true, like=[*places, *left]) * (np.arange(len(true)) < len(ends))[:, None]

"""Who learns how much under CAPE: δ of three observers as discs to scale, and as numbers."""

from __future__ import annotations

from dashboard.components.sketch import line, text
from dashboard.page.guarantee import Exposure
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme import colours

HEIGHT = 372
_FLOOR, _RADIUS = 250, 92.0  # Pixels: the line on which the discs stand, and the radius of the largest.


def learned_sketch(found: Exposure, *, sites: int, colluding: int, epsilon: float) -> str:
    """SVG elements: for one message, all messages, and all with colluding sites, a disc of area δ and its number."""
    seen = [("one message alone", found.message), (f"all {sites} messages", found.aggregator)]
    if colluding:
        told = f"and the noise of {count_text(colluding, 'colluding site')}"
        seen.append((told, found.colluders))
    most = max(delta for _, delta in seen)
    width = 100 / len(seen)
    parts = [text(0, 18, f"exact δ of CAPE at {equals('ε', epsilon)}, for an observer who sees …", "quiet")]
    for place, (told, delta) in enumerate(seen):
        x, radius = (place + 0.5) * width, _RADIUS * (delta / most) ** 0.5 if most else 0.0
        parts += [
            f'<circle cx="{x:.2f}%" cy="{_FLOOR - radius:.1f}" r="{max(radius, 1.0):.1f}" '
            f'fill="{colours.FORBIDDEN}" fill-opacity="0.75"/>',
            text(x, _FLOOR + 34, told, "name", "middle"),
            text(x, _FLOOR + 74, number_text(delta), "big", "middle"),
            text(x, _FLOOR + 102, _times(delta, found.message) if place else "", "quiet", "middle"),
        ]
    return "".join([*parts, line(0, _FLOOR, 100, _FLOOR)])


def _times(delta, least):
    return f"{number_text(delta / least)} times as large" if delta > 1.01 * least > 0 else ""

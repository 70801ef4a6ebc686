"""Who learns how much under CAPE: δ of three observers as discs to scale, and as numbers."""

from __future__ import annotations

from dashboard.components.sketch import text
from dashboard.page.guarantee import Exposure
from dashboard.state.number_text import at_most_text, count_text, equals, number_text
from dashboard.theme import colours

HEIGHT = 380
_MIDDLE, _TOLD = 144, 292  # Pixels: the middle of the discs, and the first line below them.
_RADIUS = 14.5  # Of the largest disc, in per cent of the picture: three fit side by side on a phone, too.


def learned_sketch(found: Exposure, *, sites: int, colluding: int, epsilon: float, name: str = "CAPE") -> str:
    """SVG elements: for one message alone, all messages, and all with colluding sites, a disc of area δ and its number."""
    seen = [("one message", "alone", found.message), (f"all {sites}", "messages", found.aggregator)]
    if colluding:
        seen.append(("all, and", count_text(colluding, "colluding site"), found.colluders))
    most = max(delta for *_, delta in seen)
    whose = "CAPE's exact δ" if name == "CAPE" else f"Exact δ of {name}"
    parts = [text(0, 18, f"{whose} at {equals('ε', epsilon)}, for an observer who sees …", "quiet")]
    for place, (first, second, delta) in enumerate(seen):
        x, radius = 100 * (place + 0.5) / len(seen), _RADIUS * (delta / most) ** 0.5 if most else 0.0
        parts += [
            f'<circle cx="{x:.2f}%" cy="{_MIDDLE}" r="{max(radius, 0.1):.2f}%" fill="{colours.FORBIDDEN}" '
            'fill-opacity="0.75"/>',
            text(x, _TOLD, first, "name", "middle"),
            text(x, _TOLD + 20, second, "name", "middle"),
            text(x, _TOLD + 56, at_most_text(delta), "big", "middle"),
            text(x, _TOLD + 80, _times(delta, found.message) if place else "", "quiet", "middle"),
        ]
    return "".join(parts)


def _times(delta, least):
    return f"{number_text(delta / least)} times as large" if delta > 1.01 * least > 0 else ""

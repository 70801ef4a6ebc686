"""Who learns how much under CAPE: δ of three observers as discs to scale, and as numbers."""

from __future__ import annotations

from dashboard.compare.panels import card
from dashboard.components.sketch import text
from dashboard.guarantee.guarantee import Exposure
from dashboard.pages.learn.protocol.model import ProtocolPlan
from dashboard.state.number_text import at_most_text, count_text, exactly, number_text
from dashboard.theme import colours

# Discs, names and numbers alone are lower than other sketches: on a slide they have the room that is left.
SHEET = """
.sketch.learned text.name { font-size: 14px }
@media (min-width: 900px) and (max-width: 1499px) and (min-height: 700px), (min-width: 900px) and (min-height: 820px) {
  .sketch.learned { zoom: calc(var(--hall-zoom, 1) * (1 + 0.2 * var(--hall, 0))) }
}
"""
_HEIGHT, _RADIUS = (
    274,
    62,
)  # Pixels of the picture, and of the largest disc: three fit side by side on a phone, too.
_MIDDLE, _TOLD = 68, 158  # The middle of the discs, and the first line below them.


def learned(plan: ProtocolPlan, found: Exposure) -> str:
    """For one message alone, all messages, and all with colluding sites, a disc of area δ and its number."""
    sites, colluding = plan.settings.sites, plan.settings.colluding
    seen = [("one message", "alone", found.message), (f"all {sites}", "messages", found.aggregator)]
    if colluding:
        seen.append(("all, and", count_text(colluding, "colluding site"), found.colluders))
    most = max(delta for *_, delta in seen)
    parts = []
    for place, (first, second, delta) in enumerate(seen):
        x, radius = 100 * (place + 0.5) / len(seen), _RADIUS * (delta / most) ** 0.5 if most else 0.0
        parts += [
            f'<circle cx="{x:.2f}%" cy="{_MIDDLE}" r="{max(radius, 0.5):.1f}" fill="{colours.FORBIDDEN}" '
            'fill-opacity="0.75"/>',
            text(x, _TOLD, first, "name", "middle"),
            text(x, _TOLD + 20, second, "name", "middle"),
            text(x, _TOLD + 56, at_most_text(delta), "big", "middle"),
            text(x, _TOLD + 80, _times(delta, found.message) if place else "", "quiet", "middle"),
        ]
    about = f"exact δ of {plan.run.name} at {exactly('ε', plan.settings.epsilon)} for whoever sees …"
    drawn = (
        f"<svg role='img' aria-label='δ of each observer, to scale' height='{_HEIGHT}'>{''.join(parts)}</svg>"
    )
    return card("Who learns how much", about, f"<div class='sketch learned'>{drawn}</div>")


def _times(delta, least):
    return f"{number_text(delta / least)} times as large" if delta > 1.01 * least > 0 else ""

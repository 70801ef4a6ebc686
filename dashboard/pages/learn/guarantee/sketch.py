"""δ as an area between what an observer sees with one record and with another in its place, to scale."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import norm

from dashboard.components.sketch import curve, line, text
from dashboard.pages.learn.guarantee.model import NEARLY, GuaranteePlan
from dashboard.state.number_text import at_most_text, count_text, equals, exactly, number_text
from dashboard.theme import colours

_UP = 38  # Pixels by which everything stands higher than its numbers say.
HEIGHT = 420 - _UP
_LEFT, _RIGHT, _BEYOND = (
    -3.6,
    6.4,
    3.4,
)  # Of the axis, in standard deviations; it reaches beyond the second curve.
_FLOOR, _TALL = 272, 132  # Pixels of the axis, and of a curve.
_BOX = (60.0, 100.0, 78.0, 218.0)  # Left and right in per cent, top and bottom in pixels.
_COUNTS = {
    **dict.fromkeys((2, 3, 4, 5)),
    **{6: "a million", 7: "10 million", 8: "100 million", 9: "a billion", 10: "10 billion"},
    **{11: "100 billion", 12: "a trillion"},
}
_WITHOUT, _EXCESS = colours.FIRST_DATA, colours.FORBIDDEN
# The colour of links is near this blue on the light page and light on the dark one: both together are seen on both.
WITH = f"color-mix(in srgb, {colours.SECOND_DATA}, var(--mui-palette-primary-main, var(--primary, {colours.SECOND_DATA})))"
FAINT = 0.13  # Opacity of the area under a curve.


def chance(probability: float) -> str:
    """A probability in words: 7 in a million; smaller ones than 10⁻¹² as a power of ten."""
    if probability >= 0.995:
        return "nearly 1"
    power = max(2, math.ceil(-math.log10(max(probability, 1e-300)) - 1e-12))
    if round(probability * 10**power) >= 10:
        power -= power > 2
    if power > max(_COUNTS):
        return delta_text(probability) if probability < 1e-300 else number_text(probability, digits=2)
    of = _COUNTS[power] or f"{10**power:,}".replace(",", "\u202f")
    return f"{round(probability * 10**power)} in {of}"


def delta_text(delta: float) -> str:
    """δ in three digits; what is published above 1 is none."""
    if not math.isfinite(delta):
        return "no value"
    if delta > 1 + 1e-12:
        return "above 1"
    return "less than 10⁻³⁰⁰" if 0 <= delta < 1e-300 else at_most_text(delta, digits=3)


def beyond(mu: float, epsilon: float) -> float:
    """The probability, with the record, of what is more than e^ε times as likely with it: Φ(μ/2 − ε/μ) ≥ δ."""
    return float(norm.cdf(mu / 2 - epsilon / mu))


def factor(epsilon: float) -> str:
    """The factor e^ε as a number, rounded up; near 1 with three digits of what it is above 1."""
    return at_most_text(math.exp(epsilon), digits=max(3, 3 - math.floor(math.log10(epsilon))))


def area(plan: GuaranteePlan) -> str:
    """The picture as a card."""
    mu = plan.onlookers[2].mu
    exact, stated = (delta_text(plan.here[key]) for key in ("cape_exact", "cape_theorem"))
    stated = f"; the published theorem states {stated}" if plan.published else ""
    said = (
        f"What an observer sees with one record and with another in its place, as two curves at a distance "
        f"of {number_text(mu)}. With the record, the chance to land right of the mark is "
        f"{chance(beyond(mu, plan.epsilon))}. δ is {exact}{stated}."
    )
    return (
        f"<section class='card'><div class='sketch'><svg role='img' aria-label=\"{said}\" height='{HEIGHT}'>"
        f"{record_sketch(plan)}</svg></div></section>"
    )


def record_sketch(picture: GuaranteePlan) -> str:
    """SVG elements: both distributions of what is seen, with one record or another, and δ enlarged."""
    mu = picture.onlookers[2].mu
    reach = max(_RIGHT, mu + _BEYOND)
    told = (
        f"δ is what exceeds {factor(picture.epsilon)} times the chance",
        "with another record in its place",
    )
    head = "".join(
        text(0, 20 * n, words, "name") for n, words in enumerate(told, start=1)
    )  # Two lines fit a phone.
    parts = _bells(picture, mu, reach) + _enlarged(picture, mu, reach) + _verdict(picture)
    return head + f'<g transform="translate(0 {-_UP})">{parts}</g>'


def view(colluding):
    """What is along the axis: whose view of the messages."""
    if not colluding:
        return "the aggregator's estimate of the record, from all messages"
    return f"estimate of the record by the aggregator and {count_text(colluding, 'colluder')}"


def _bells(picture, mu, reach):
    def x(value):
        return 100 * (value - _LEFT) / (reach - _LEFT)

    parts = []
    for mean, colour in ((0.0, _WITHOUT), (mu, WITH)):
        seen = mean + np.linspace(-3.6, 3.6, 97)
        points = [
            (x(value), 2 + _TALL * (1 - norm.pdf(value - mean) / norm.pdf(0)))
            for value in seen
            if value >= _LEFT
        ]
        filled = [(points[0][0], _TALL + 2), *points, (points[-1][0], _TALL + 2)]
        parts.append(
            curve(filled, top=_FLOOR - _TALL - 2, height=_TALL + 2, closed=True,
                  style=f"stroke: {colour}; fill: {colour}; fill-opacity: {FAINT}")
        )  # fmt: skip
    over = _FLOOR - _TALL - 12
    parts += [
        line(0, _FLOOR, 100, _FLOOR),
        text(0, _FLOOR + 18, view(picture.chosen_colluding), "quiet"),
        line(x(0), over, x(mu), over, "", stroke="currentColor", stroke_width="3"),
        text(x(0), over - 8, equals("distance μ", mu), "", "middle" if x(0) > 20 else "start"),
    ]
    return "".join(parts)


def excess(mu: float, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """By how much the density with the record exceeds e^ε times that with another; the area is δ.

    Returns
    -------
    seen, excess : ndarray
        What is seen, from where both are equal on, in standard deviations; and the difference of the densities.
    """
    here = mu / 2 + epsilon / mu
    seen = here + np.linspace(0, 5.5 / max(1.0, here) + 0.4, 81)
    # The ratio of both densities is exp(μ (x − here)), so that nothing cancels.
    return seen, norm.pdf(seen - mu) * -np.expm1(-mu * (seen - here))


def _enlarged(picture, mu, reach):
    """δ as an area, enlarged, and over it as much as the published theorem states."""
    left, right, top, bottom = _BOX
    seen, area = excess(mu, picture.epsilon)
    anchor = min(100 * (seen[0] - _LEFT) / (reach - _LEFT), 99.6)
    tall = bottom - top - 46
    parts = [
        f'<rect class="paper" x="{left}%" width="{right - left}%" y="{top}" height="{bottom - top}" rx="6"/>',
        line(anchor, _FLOOR, left + 2, bottom, "dashed"),
        line(anchor, _FLOOR, right - 0.4, bottom, "dashed"),
        line(anchor, _FLOOR - 7, anchor, _FLOOR + 7, "", stroke=_EXCESS, stroke_width="4"),
        text(left + 2, top + 19, "δ", "name", style=f"fill: {_EXCESS}"),
        text(left + 2, top + 36, f"blue − {factor(picture.epsilon)} × yellow", "quiet"),
    ]
    if (peak := float(area.max())) > 0:
        exact, stated = picture.here["cape_exact"], _stated(picture)
        over = stated / exact if math.isfinite(stated) and stated > 0 and exact > 0 else 0.0
        most = max(1.0, over)  # The higher of both fills the box.
        times = tall / (peak * most) / (_TALL / norm.pdf(0))
        parts.append(text(right - 2, top + 19, _enlargement(times), "quiet", "end"))
        parts += _humps(area / peak, (1 / most, over / most), (left + 2, right - 2, bottom - 6), tall)
    told = (
        f"right of the mark: over {factor(picture.epsilon)} times as likely with the record",
        f"chance to land there, with the record: {chance(beyond(mu, picture.epsilon))}",
    )
    lines = (text(100, _FLOOR + 36 + 17 * n, words, "quiet", "end") for n, words in enumerate(told))
    return f'<g class="come" style="--i:900">{"".join(parts)}</g>' + "".join(lines)


def _humps(shape, parts, place, tall):
    """An area for the exact δ, and over it one for the published; `parts` are their heights."""
    left, right, floor = place
    across = np.linspace(left, right, len(shape))
    looks = (
        {"stroke": _EXCESS, "style": f"fill: {_EXCESS}; fill-opacity: 0.45"},
        {
            "stroke": "currentColor",
            "stroke_dasharray": "4 3",
            "style": "fill: currentColor; fill-opacity: 0.3",
        },
    )
    return [
        curve(
            [(left, tall), *zip(across, tall * (1 - part * shape), strict=True), (right, tall)],
            top=floor - tall,
            height=tall,
            closed=True,
            **look,
        )
        for part, look in zip(parts, looks, strict=True)
        if part > 0
    ]


def _enlargement(times):
    """How much larger than the curves the area is drawn, in a number of one digit."""
    if times >= 1.5:
        return f"× {_size(times)}"
    return f"drawn at 1/{round(1 / times)}" if times < 1 / 1.5 else ""


def _size(times):
    """A number of one digit in words: 3 million."""
    power = math.floor(math.log10(times))
    digit = round(times / 10.0**power)
    for thousand, name in ((4, "trillion"), (3, "billion"), (2, "million")):
        if 3 * thousand <= power < 3 * thousand + 3:
            return f"{digit * 10 ** (power - 3 * thousand)} {name}"
    return number_text(digit * 10.0**power, digits=1)


def _stated(picture):
    """The theorem's δ, where it is shown and one: at most 1."""
    stated = picture.here["cape_theorem"]
    return stated if picture.published and stated <= 1 else math.nan


def _verdict(picture):
    exact, stated = picture.here["cape_exact"], picture.here["cape_theorem"]
    y = HEIGHT + _UP - 70
    own = [
        text(0, y, f"δ at {exactly('ε', picture.epsilon)}, exactly:", "quiet"),
        text(0, y + 29, delta_text(exact), "big", style=f"fill: {_EXCESS}"),
    ]
    if not picture.published:
        return "".join(own)
    return "".join(
        [
            *own,
            line(55, y - 4, 60, y - 4, "", stroke="currentColor", stroke_width="2", stroke_dasharray="4 3"),
            text(61, y, "published theorem:", "quiet"),
            text(55, y + 29, delta_text(stated), "big"),
            text(100, y + 52, _judged(exact, stated), "", "end"),
        ]
    )


def _judged(exact, stated):
    """How far the published δ is from the exact one."""
    if not math.isfinite(stated) or max(exact, stated) < 1e-300:
        return ""
    if stated >= 1:
        return "1 or more promises nothing"
    if exact < stated * NEARLY and stated < exact * NEARLY:
        return "nearly the exact one"
    if stated > exact:
        return f"{_factor(stated, exact)} too large"
    return f"{_factor(exact, stated)} too small"


def _factor(more, less):
    if less <= 0 or more / less > 1000:
        return f"{math.log10(max(more, 1e-300)) - math.log10(max(less, 1e-300)):.1f} powers of ten"
    return f"{number_text(more / less, digits=2)} times"

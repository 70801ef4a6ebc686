"""What a scheme needs, or what it loses, in words and in the fewest letters."""

from __future__ import annotations

import math

from core.sweep import search
from dashboard.packs.consortium.plan.question import FREE, Question, silences_of
from dashboard.packs.consortium.plan.words import text
from dashboard.state.number_text import number_text

_UNITS = {"samples": "records a site", "sites": "sites"}
NBSP = "\u00a0"  # Keeps a number with its sign.


def up_to(question: Question) -> str:
    """The preposition before the last value that a search tries."""
    return f"at {FREE[question.free][1]}{NBSP}=" if question.free == "epsilon" else "with"


def need(question: Question, answer: search.Answer) -> tuple[str, str]:
    """What a scheme needs, in words: a verb, and its number."""
    known, low, high = _known(question, answer)
    if question.measured:
        verb = {"a loss": "loses", "an error": "has an error of"}[_loss_or_error(question)]
        return verb if high else f"{verb} about", low
    if not known:
        return "is too close to decide", ""
    unit = _UNITS.get(question.free)
    if known == "out of reach" and falls_on(question, answer):
        known = "above"
    if known == "out of reach":
        return f"does not reach it even {up_to(question)}", NBSP.join(filter(None, (low, unit)))
    if known == "below" and unit is None:
        return f"meets it already at {FREE[question.free][1]}{NBSP}=", high
    words = _bounds(known, low, high, counted=unit is not None)
    if unit is not None:
        return "needs", f"{words}{NBSP if known == 'found' else ' '}{unit}"
    name = FREE[question.free][1]
    if known == "found":
        return f"needs {name}{NBSP}{_sign(answer)}", words
    return f"needs {name}", words


def falls_on(question: Question, answer: search.Answer) -> bool:
    """Whether a larger ε than any that is tried would do: the noise of an average falls without end, a distance stays."""
    if question.problem is not None or question.free != "epsilon":
        return False
    if not question.knows(answer.scheme):
        return True
    span = question.released.first.summary.span
    return span * silences_of(question, answer.scheme).away.max() < question.level


def _bounds(known, low, high, *, counted):
    """A number and its bounds in words; "above" is said with every number, or a bound would read as an answer."""
    gap = " " if counted else NBSP
    return {
        "found": f"about{NBSP}{low}" if counted and high != low else low,
        "between": f"between{gap}{low}{gap}and{gap}{high}",
        "above": f"{'more than' if counted else 'above'}{gap}{low}",
        "below": f"{'at most' if counted else 'of at most'}{gap}{high}",
    }[known]


def short(question: Question, answer: search.Answer) -> str:
    """What a scheme needs or loses, in the fewest letters."""
    known, low, high = _known(question, answer)
    if question.measured:
        return low if known else "…"
    name, going = FREE[question.free][1], f"{NBSP}…" if answer.state == "running" else ""
    return {
        "found": f"{name}{NBSP}{_sign(answer)}{NBSP}{low}",
        "between": f"{low} to {high}{going}",
        **dict.fromkeys(("above", "out of reach"), f"{name}{NBSP}&gt;{NBSP}{low}{going}"),
        "below": f"{name}{NBSP}≤{NBSP}{high}{going}",
    }.get(known, "…")


def times_smaller(question: Question, answer: search.Answer, other: search.Answer) -> float | None:
    """How many times smaller the ε of an answer is than that of another; None where they are not known exactly."""
    exact = question.problem is None and question.free == "epsilon"
    known = exact and answer.state == other.state == "found"
    return other.estimate / answer.estimate if known else None


def times_cape(question: Question, answer: search.Answer, cape: search.Answer | None) -> str:
    """An ε beside that of CAPE, in small letters; "" for CAPE's own, and where they are not known exactly."""
    if cape is None or answer.scheme == cape.scheme:
        return ""
    times = times_smaller(question, cape, answer)
    if times is None:
        return ""
    said = "same as CAPE" if same(times) else f"{times_text(times)} × CAPE's"
    return f"<small>{said}</small>"


def same(times: float) -> bool:
    """Whether two values differ by rounding alone."""
    return abs(times - 1) < 1e-6


def times_text(times: float) -> str:
    """A factor in few digits."""
    return number_text(times, digits=2 if times < 10 else 3)


def _sign(answer):
    return "=" if answer.low == answer.high else "≈"


def _known(question, answer):
    """What is known of an answer ("" for nothing), and its numbers as texts."""
    if answer.state == "found":
        estimate = text.estimate_text(question, answer)
        return "found", estimate, estimate if answer.low == answer.high else ""
    low, high = _ends(question, answer)
    if answer.state == "out of reach":
        return "out of reach", low, ""
    return "between" if low and high else "above" if low else "below" if high else "", low, high


def _ends(question, answer):
    """The interval of an answer as texts; "" for an end that is not known."""
    low = answer.low
    high = question.cells[0][0] if answer.state == "at once" else answer.high
    if answer.state == "out of reach":
        low, high = question.cells[-1][0], math.inf
    ends = (low, answer.state != "out of reach"), (high, False)
    return tuple(text.value_text(question, x, down=down) if math.isfinite(x) else "" for x, down in ends)


def _loss_or_error(question: Question) -> str:
    """Whether the metric counts what is lost or an error."""
    return "a loss" if "loss" in question.metric.lost else "an error"

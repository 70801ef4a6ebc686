"""The observers against whom a privacy target may hold, in words: one table for all pages.

A target for single messages holds for the result and for each message, but not for both together: CAPE's result
shares local noise with every message. At equal sites the two together tell exactly as much as all messages.
"""

from __future__ import annotations

from dashboard.state.number_text import count_text

SEES = {
    "message": "the result or one message",
    "aggregator": "all messages",
    "colluders": "all messages and what colluders know",
}
"""What each observer sees, in the sentence "(ε, δ) protects against anyone who sees …"."""


def name(against: str, colluding: int = 0) -> str:
    """Who the observer is: a noun that follows "against".

    Parameters
    ----------
    against : {"message", "aggregator", "colluders"}
        As in `dashboard.state.controls`.
    colluding : int
        How many sites collude with the aggregator; none of them is no other observer than the aggregator.
    """
    if against == "message":
        return "whoever sees only the result or only one message"
    if against == "colluders" and colluding:
        return f"the aggregator and {count_text(colluding, 'colluding site')}"
    return "the aggregator, who sees all messages"


def seen(against: str) -> str:
    """What the observer sees: a plural or mass noun in a sentence on what becomes likelier."""
    return "the result, or one message," if against == "message" else "all that is seen"


def condition(against: str, colluding: int = 0) -> str:
    """What the observer sees: a condition within a sentence. Parameters as of `name`."""
    if against == "message":
        return "if only the result or one message is seen"
    words = "even if all messages are seen"
    if against == "colluders" and colluding:
        words += f" and {count_text(colluding, 'site colludes', 'sites collude')}"
    return words

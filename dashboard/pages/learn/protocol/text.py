"""What the page Protocol says below the play."""

from __future__ import annotations

from core.privacy import attack_risk, gdp_mu
from dashboard.pages.learn.protocol.model import ProtocolPlan
from dashboard.problems.protocol import FAIR, HARDLY, WHOLE, equal_privacy_text
from dashboard.state.html_text import rest
from dashboard.state.number_text import at_most_text, exact_text, exactly, hundred_text, number_text


def below(plan: ProtocolPlan, *, aggregator: float) -> str:
    """HTML of the text below the play: what its end has to do with privacy.

    Parameters
    ----------
    aggregator : float
        The exact δ at the target's ε of whoever sees all messages.
    """
    run, privacy = plan.run, plan.privacy
    link = f"<a href='?page=gain&amp;sites={len(run.values)}&amp;colluding=0'>see Gain</a>"
    return rest(*_why(run, link), _all_messages(run, aggregator, privacy.delta), _guessed(privacy))


def learnt(*, aggregator: float, target: float) -> str:
    """What the picture says of the aggregator: its exact ε at the target's δ, beside that of the target, in plain text."""
    promised, found = exact_text(target), at_most_text(aggregator)
    if aggregator <= target * (1 + 1e-8):  # ε of a design that meets it is the target's but for rounding.
        return f"sees all: ε is at most {promised}, as promised"
    if number_text(aggregator) == number_text(target):
        return f"sees all: ε is hardly more than {promised}"
    return f"sees all: ε is {found}, not {promised}"


def _why(run, link):
    """Sentences about what the two errors have to do with privacy."""
    if run.share == 0:
        return ("Both have the same distribution of errors; the noise of the two runs differs.",)
    if run.louder > FAIR:
        more = f"{number_text(run.louder)} times the noise" if run.louder > HARDLY else "hardly more noise"
        return (
            f"{_whose('messages', run)} have {more}, because all of them together may not reveal more than the "
            f"target allows: {link}.",
        )
    return (
        "The standard deviation is that of the average over many runs.",
        "CAPE's is as small as if one curator held all records, if only the result or one message is seen."
        if run.share == WHOLE
        else "",
        f"At equal privacy against the aggregator, {_whose('standard deviation', run, start=False)} is only "
        f"{equal_privacy_text(len(run.values), run.share)} times smaller than the conventional one. Why: {link}.",
    )


def _all_messages(run, aggregator, target):
    """What whoever sees all messages learns beyond the target, if anything."""
    if run.share == 0 or run.louder > FAIR or number_text(aggregator) == number_text(target):
        return ""
    return f"For whoever sees all messages, δ at the promised ε is {at_most_text(aggregator)}, not {exact_text(target)}."


def _guessed(privacy):
    """Of 100 guesses, those that the best observer who meets the target has right on average."""
    right = hundred_text(50 + 50 * float(attack_risk.advantage(gdp_mu(privacy))))
    return (
        f"At {exactly('ε', privacy.epsilon)}, an observer for whom the target holds guesses which of two records a site "
        f"has. On average it is right at most {right} of 100 times; a coin is right 50 times."
    )


def _whose(what, run, *, start=True):
    """CAPE's, or that at the slider's place; `start` at the beginning of a sentence."""
    if run.share == WHOLE:
        return f"CAPE's {what}"
    return f"At {run.share} % the {what}" if start else f"the {what} at {run.share} %"

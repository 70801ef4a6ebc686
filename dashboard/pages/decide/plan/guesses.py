"""Right guesses at one record: of the observer against whom ε holds, and of those who see more."""

from __future__ import annotations

import math

from core.privacy import attack_risk, gdp_epsilon
from core.sweep import search
from dashboard.pages.decide.plan import text
from dashboard.pages.decide.plan.question import Question
from dashboard.state.number_text import count_text, equals, hundred_text


def right_of_100(question: Question, answer: search.Answer, epsilon: float, colluding: int) -> float:
    """Of 100 guesses, those that the best attack of the observer has right against whom this ε holds.

    The guesses are between two candidates for a record, by someone who knows all other records.
    """
    return _right(text.watched(question, text.at(question, answer, epsilon), colluding))


def _right(mu):
    return 100.0 if math.isinf(mu) else 50 + 50 * float(attack_risk.advantage(mu))


def sees_more(question: Question, answer: search.Answer, colluding: int) -> list[tuple[str, str, str]]:
    """Who learns more of one scheme than the observer against whom ε holds: what they see, their ε and their guesses.

    One message and the result tell as much as all messages, where all sites stay.
    """
    settings = question.settings
    if settings.adversary == "colluders" or answer.state != "found":
        return []
    answer = text.at_estimate(question, answer)
    own = text.watched(question, answer, colluding)
    _, aggregator, most = text.mus(question, answer, colluding)
    found = [("if all messages are seen", aggregator)] if settings.adversary == "message" else []
    found += [(f"with {count_text(colluding, 'colluding site')}", most)] if colluding else []
    more = [(seen, mu) for seen, mu in found if own * (1 + 1e-9) < mu < math.inf]
    fewer = [own, *(mu for _, mu in more)]
    return [
        (seen, equals("ε", gdp_epsilon(settings.delta, mu)), _guesses(mu, less))
        for less, (seen, mu) in zip(fewer, more, strict=False)
    ]


def _guesses(mu, less):
    """Right guesses of 100, with a digit more where they would read as those of somebody who sees less."""
    found = hundred_text(_right(mu), decimals=0)
    return hundred_text(_right(mu)) if found == hundred_text(_right(less), decimals=0) else found

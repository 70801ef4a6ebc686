"""Right guesses at one record: of the observer against whom ε holds, and of those who see more."""

from __future__ import annotations

import math

from core.privacy import attack_risk, gdp_epsilon
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question
from dashboard.packs.consortium.plan.words import text
from dashboard.state.number_text import count_text, equals


def right_of_100(question: Question, answer: search.Answer, epsilon: float, colluding: int) -> float:
    """Of 100 guesses, those that the best attack of the observer has right against whom this ε holds.

    The guesses are between two candidates for a record, by someone who knows all other records.
    """
    return _right(text.watched(question, text.at(question, answer, epsilon), colluding))


def _right(mu):
    return 100.0 if math.isinf(mu) else 50 + 50 * float(attack_risk.advantage(mu))


def sees_more(question: Question, answer: search.Answer, colluding: int) -> list[tuple[str, str, float]]:
    """Who learns more of one scheme than the observer against whom ε holds: what they see, their ε and right guesses.

    One message and the result tell as much as all messages, where all sites stay.
    """
    settings = question.settings
    if settings.adversary == "colluders" or answer.state != "found":
        return []
    answer = text.at_written(question, answer)
    own = text.watched(question, answer, colluding)
    _, aggregator, most = text.mus(question, answer, colluding)
    found = [("if all messages are seen", aggregator)] if settings.adversary == "message" else []
    found += [(f"with {count_text(colluding, 'colluding site')}", most)] if colluding else []
    return [
        (seen, equals("ε", gdp_epsilon(settings.delta, mu)), _right(mu))
        for seen, mu in found
        if own * (1 + 1e-9) < mu < math.inf
    ]

"""The answer of the Plan page in a sentence, as HTML."""

from __future__ import annotations

from core.schemes import named
from core.sweep import search
from dashboard.guarantee import observer
from dashboard.packs.consortium.plan.question import AFTER, Question
from dashboard.packs.consortium.plan.words import text
from dashboard.packs.consortium.plan.words.guesses import sees_more
from dashboard.packs.consortium.plan.words.needs import NBSP, need, times_smaller, times_text, up_to
from dashboard.packs.consortium.plan.words.rows import unanswered
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text, exactly
from dashboard.theme.scheme_style import label, subject

_NEARLY = 0.05  # A factor nearer to one is none.
_SHOWN = " of numbers from 0 to 1"  # The menu of records says it.


def headline(question: Question, answers: dict[str, search.Answer]) -> str:
    """The question, and in bold what the first two schemes need and against whom, as HTML.

    No bold number before both are decided.
    """
    begun = text.BEGUN if text.nothing_known(answers) else text.GOING
    found = f"<span class='begun'>{begun}</span>"
    if unanswered(question, answers):
        found = ""
    elif decided(question, answers):
        seen = _condition(question.settings, _first(question, answers))
        found = f"<b>{_sentence(question, answers)}</b> {seen}."
    return f"<span class='question'>{asked(question)}?</span> {found}"


def holds(question: Question, answers: dict[str, search.Answer], colluding: int) -> str:
    """At which δ the numbers hold, who guesses, and what those learn who see more than they may."""
    if question.counted:
        return _for_who_sees_more(question, answers, colluding) if decided(question, answers) else ""
    guess = "The best attack is right this often on average; it" if question.measured else "The attack"
    # That the records of one site differ from all is not counted.
    alone = question.problem is None and any(named(scheme).one_site for scheme in question.schemes)
    only = "For one site alone only noise counts as error." if alone else ""
    return f"{exactly('δ', question.settings.delta)}. {guess} knows all other records. {only}".strip()


def _condition(settings, schemes):
    """For whom the ε of these schemes holds; of a message, where one is sent.

    The result alone tells as much as a CAPE message, and less than a conventional one: the difference is in messages.
    """
    if settings.adversary == "message" and not any(named(scheme).curator for scheme in schemes):
        return "if only one message is seen"
    return observer.condition(settings.adversary, settings.colluding)


def asked(question: Question) -> str:
    """What is given and what is sought, as a question without its mark."""
    here, found = dict(question.here), question.metric.lost if question.problem else "error"
    sites = count_text(here["sites"], "site")
    if question.measured:
        at = exactly("ε", question.settings.epsilon)
        of = f" for {_title(question)}" if question.own else ""
        return f"Which {found} do {sites} have{of} if an attacker may {question.risk_text} ({at})"
    how = " in nine of ten releases" if question.chance else " on average" if question.problem else ""
    said = question.sentence.replace(_SHOWN, "")
    if question.free == "epsilon":
        clause = question.condition.replace(_SHOWN, "").replace(
            " releases fall", f" releases of {sites} fall"
        )
        clause = clause.replace("a release can", f"{sites} can")
        return f"What is the smallest ε at which {clause}{_on(question)}{how}".removesuffix(",")
    sought = {
        "samples": f"How many records do {sites} need each",
        "sites": "How many sites are needed",
    }
    return f"{sought[question.free]} to {said}{_on(question)}{how}".removesuffix(",")


def _on(question):
    if question.problem is None:
        return f", for {_title(question)}," if question.own else ""
    return f" on {_title(question)}"


def _title(question):
    return f"<i>{plain(question.title)}</i>"


def _called(scheme):
    """A scheme as the subject of a sentence with commas."""
    return subject(scheme) if scheme == AFTER else label(scheme)


def _first(question, answers):
    """The schemes of the bold sentence."""
    return [s for s in question.order(answers) if s in answers][:2]


def decided(question, answers):
    """Whether the bold sentence can be said."""
    return bool(answers) and all(answers[s].state != "running" for s in _first(question, answers))


def _sentence(question, answers):
    """What the first two schemes need, and where both are known exactly their ratio."""
    schemes = _first(question, answers)
    said = _needs(question, answers, schemes)
    times = times_smaller(question, *(answers[s] for s in schemes)) if len(schemes) == 2 else None
    if times is None or abs(times - 1) < _NEARLY:
        return said
    return f"{said} ({times_text(times)}{NBSP}times as much)"


def _needs(question, answers, schemes):
    """What one or two schemes need; a verb that both share is said once."""
    needs = [need(question, answers[s]) for s in schemes]
    if len(needs) == 2 and all(answers[s].state == "out of reach" for s in schemes):
        (verb, end), names = needs[0], [_called(s) for s in schemes]
        if verb.startswith("needs "):  # More of it would do.
            return f"{' and '.join(names)} need {verb.removeprefix('needs ')}{NBSP}{end}"
        return f"Neither {' nor '.join(names)} reaches it, not even {up_to(question)}{NBSP}{end}"
    if len(needs) == 2 and needs[1][1] and needs[0][0] == needs[1][0]:
        needs[1] = ("", needs[1][1])
    return ", ".join(
        f"{_called(s)} {NBSP.join(filter(None, need))}" for s, need in zip(schemes, needs, strict=True)
    )


def _for_who_sees_more(question, answers, colluding):
    """What others learn of the scheme that is shown to meet the target, where no row says it."""
    scheme = text.best(question, answers)
    if scheme is None:
        return ""
    found = sees_more(question, answers[scheme], colluding)
    return " ".join(f"{label(scheme)} has {epsilon} {seen}." for seen, epsilon, _ in found)

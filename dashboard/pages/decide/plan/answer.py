"""The answer of the Plan page as an object: a bold sentence, and a row of figures for every scheme, as HTML."""

from __future__ import annotations

from core.sweep import search
from dashboard.components.live_picture import LivePicture
from dashboard.page import observer
from dashboard.pages.decide.plan import text
from dashboard.pages.decide.plan.guesses import right_of_100, sees_more
from dashboard.pages.decide.plan.needs import NBSP, need, up_to
from dashboard.pages.decide.plan.question import Question
from dashboard.pages.decide.plan.rows import rows
from dashboard.state.html_text import plain
from dashboard.state.number_text import equals, number_text
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import label, planned_order

_SHEET = beside(__file__, "answer.css")


class AnswerPicture:
    """The bold sentence and the rows of figures below it.

    Attributes
    ----------
    pane : LivePicture
        The component on the page.
    """

    def __init__(self):
        self.pane = LivePicture(sheet=_SHEET)
        self._before = "", ""  # What was released, and its sentence.

    @property
    def text(self) -> str:
        """The current HTML."""
        return self.pane.picture

    def show(self, question: Question, answers: dict[str, search.Answer], colluding: int) -> None:
        """Show what is known of the answers to a question, for an aggregator with so many colluding sites.

        Until they are decided, the sentence of the question before stands struck out in their place.
        """
        if _decided(answers):
            self._before = question.kind, _sentence(question, answers, colluding)
        kind, sentence = self._before
        head = headline(question, answers, colluding, before=sentence if kind == question.kind else "")
        self.pane.picture = head + rows(question, answers, colluding)

    def forget(self) -> None:
        """Forget the answer before: its records are deleted."""
        self._before = "", ""

    def still(self) -> str:
        """The picture for the first picture; "" before there is one."""
        return f"<style>{_SHEET}</style>{self.text}" if self.text else ""


def headline(
    question: Question, answers: dict[str, search.Answer], colluding: int, *, before: str = ""
) -> str:
    """What is asked, in bold what the first two schemes need, and for whom it holds, as HTML.

    No bold number before both are decided; `before` is the sentence that stood there last.
    """
    asked = f"<p class='asked'>{_asked(question)}:</p>"
    if _decided(answers):
        answer = f"<b>{_sentence(question, answers, colluding)}</b>"
    elif before:
        answer = f"<s>{before}</s>"
    else:
        answer = f"<span class='begun'>{text.BEGUN if text.nothing_known(answers) else text.GOING}</span>"
    return f"{asked}<p class='answer'>{answer}</p>{_holds(question, answers, colluding)}"


def _asked(question):
    """What is given, as the beginning of a sentence."""
    if question.measured:
        return f"If an attacker may {question.risk_text}, which is {equals('ε', question.settings.epsilon)}"
    how = " in nine of ten releases" if question.chance else " on average" if question.problem else ""
    return f"To {question.sentence}{_on(question)}{how}"


def _on(question):
    return "" if question.problem is None else f" on <i>{plain(question.title)}</i>"


def _first(answers):
    """The schemes of the bold sentence."""
    return [s for s in planned_order() if s in answers][:2]


def _decided(answers):
    """Whether the bold sentence can be said."""
    return bool(answers) and all(answers[s].state != "running" for s in _first(answers))


def _sentence(question, answers, colluding):
    return f"{_needs(question, answers, _first(answers), colluding)}."


def _needs(question, answers, schemes, colluding):
    """What one or two schemes need; a verb that both share is said once."""
    needs = [need(question, answers[s]) for s in schemes]
    if len(needs) == 2 and all(answers[s].state == "out of reach" for s in schemes):
        _, end = needs[0]
        names = " nor ".join(map(label, schemes))
        return f"Neither {names} reaches it, not even {up_to(question)}{NBSP}{end}"
    if len(needs) == 2 and needs[1][1] and needs[0][0] == needs[1][0]:
        needs[1] = ("", needs[1][1])
    risks = _risks(question, answers, schemes, colluding)
    return ", ".join(
        f"{label(s)} {NBSP.join(filter(None, need))}{risk}"
        for s, need, risk in zip(schemes, needs, risks, strict=True)
    )


def _risks(question, answers, schemes, colluding):
    """Right guesses behind each ε that was found, in brackets; the first says what they are."""
    known, said = [], " of 100 guesses"
    for scheme in schemes:
        answer, known = answers[scheme], [*known, ""]
        if question.free == "epsilon" and answer.state == "found":
            right = right_of_100(question, answer, answer.estimate, colluding)
            # A phone leaves it to the rows.
            known[-1] = f"<span class='right'> ({number_text(round(right))}{said.replace(' ', NBSP)})</span>"
            said = ""
    return known


def _holds(question, answers, colluding):
    """For whom ε holds, and what it is for those who see more, where it is less private for them."""
    more = _for_who_sees_more(question, answers, colluding) if _decided(answers) else " Computing …"
    settings = question.settings
    seen = observer.condition(settings.adversary, settings.colluding)
    reached = not _decided(answers) or any(answers[s].state != "out of reach" for s in _first(answers))
    given = (
        _measure(question)
        if question.measured
        else f"At {equals('ε', settings.epsilon)} and"
        if question.free != "epsilon"
        else "A smaller ε is more private. Each ε holds at"
        if reached
        else "Each ε that was tried holds at"
    )
    return f"<p class='holds'>{given} {equals('δ', settings.delta)}, {seen}.{more}</p>"


def _measure(question):
    """What the bold number is, and that the risk holds for somebody."""
    if question.problem is None:
        return (
            "95 % of releases of an average of numbers from 0 to 1 stay within this error. "
            "The risk holds, with this ε at"
        )
    return f"{question.metric.heading}{_on(question)}, mean over releases. The risk holds, with this ε at"


def _for_who_sees_more(question, answers, colluding):
    """The same in a sentence on the scheme that is shown to meet the target, where no row says it."""
    scheme = text.best(question, answers)
    if scheme is None or not question.counted:
        return ""
    found = sees_more(question, answers[scheme], colluding)
    return "".join(f" {label(scheme)} has {epsilon} {seen}." for seen, epsilon, _ in found)

"""The answer of the Plan page as an object: a bold sentence, and a row of figures for every scheme, as HTML."""

from __future__ import annotations

import html
import math

from core.privacy import attack_risk, gdp_epsilon
from core.schemes import named
from core.sweep import search
from dashboard.components.live_picture import LivePicture
from dashboard.page import observer
from dashboard.pages.decide.plan import text
from dashboard.pages.decide.plan.question import FREE, Question
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import INDEPENDENT, LOOKS, label, planned_order

COUNT = 20  # Figures in a row: half of them is a whole number.
_UNITS = {"samples": "records a site", "sites": "sites"}
# What the names of the schemes stand for.
_ABOUT = {
    "cape": "correlated noise",
    "conventional": INDEPENDENT,
    "local": "one site alone",
    "pooled": "one trusted curator",
}
_TOLD = "one curator holds all records"
NBSP = "\u00a0"  # Keeps a number with its sign.
_SHEET = beside(__file__, "answer.css")
_STEPS = tuple(10.0**n * step for n in range(7) for step in (1, 2, 4, 5, 8))


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
            self._before = question.kind, _sentence(question, answers)
        kind, sentence = self._before
        head = headline(question, answers, colluding, before=sentence if kind == question.kind else "")
        self.pane.picture = head + _rows(question, answers, colluding)

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
    on = "" if question.kind == "averaging" else f" on <i>{plain(question.title)}</i>"
    how = " in nine of ten releases" if question.chance else " on average" if question.problem else ""
    asked = f"<p class='asked'>To {question.sentence}{on}{how}:</p>"
    if _decided(answers):
        answer = f"<b>{_sentence(question, answers)}</b>"
    elif before:
        answer = f"<s>{before}</s>"
    else:
        answer = f"<span class='begun'>{text.BEGUN if text.nothing_known(answers) else text.GOING}</span>"
    return f"{asked}<p class='answer'>{answer}</p>{_holds(question, answers, colluding)}"


def _first(answers):
    """The schemes of the bold sentence."""
    return [s for s in planned_order() if s in answers][:2]


def _decided(answers):
    """Whether the bold sentence can be said."""
    return bool(answers) and all(answers[s].state != "running" for s in _first(answers))


def _sentence(question, answers):
    return f"{_needs(question, answers, _first(answers))}."


def _needs(question, answers, schemes):
    """What one or two schemes need; a verb that both share is said once."""
    needs = [_need(question, answers[s]) for s in schemes]
    if len(needs) == 2 and all(answers[s].state == "out of reach" for s in schemes):
        _, end = needs[0]
        names = " nor ".join(map(label, schemes))
        return f"Neither {names} reaches it, not even {_up_to(question)}{NBSP}{end}"
    if len(needs) == 2 and needs[1][1] and needs[0][0] == needs[1][0]:
        needs[1] = ("", needs[1][1])
    return ", ".join(
        f"{label(s)} {NBSP.join(filter(None, need))}" for s, need in zip(schemes, needs, strict=True)
    )


def _up_to(question):
    """The preposition before the last value that a search tries."""
    return f"at {FREE[question.free][1]}{NBSP}=" if question.free == "epsilon" else "with"


def _holds(question, answers, colluding):
    """For whom ε holds, and what it is for those who see more, where it is less private for them."""
    settings = question.settings
    seen = observer.condition(settings.adversary, settings.colluding)
    reached = not _decided(answers) or any(answers[s].state != "out of reach" for s in _first(answers))
    given = (
        f"At {equals('ε', settings.epsilon)} and"
        if question.free != "epsilon"
        else "A smaller ε is more private. Each ε holds at"
        if reached
        else "Each ε that was tried holds at"
    )
    more = _for_who_sees_more(question, answers, colluding) if _decided(answers) else " Searching …"
    return f"<p class='holds'>{given} {equals('δ', settings.delta)}, {seen}.{more}</p>"


def right_of_100(question: Question, answer: search.Answer, epsilon: float, colluding: int) -> float:
    """Of 100 guesses, those that the best attack of the observer has right against whom this ε holds.

    The guesses are between two candidates for a record, by someone who knows all other records.
    """
    return _right(text.watched(question, text.at(question, answer, epsilon), colluding))


def _right(mu):
    return 100.0 if math.isinf(mu) else 50 + 50 * float(attack_risk.advantage(mu))


def _need(question, answer):
    """What a scheme needs, in words: a verb, and its number."""
    known, low, high = _known(question, answer)
    if not known:
        return "is too close to decide", ""
    unit = _UNITS.get(question.free)
    if known == "out of reach":
        return f"does not reach it even {_up_to(question)}", NBSP.join(filter(None, (low, unit)))
    words = _bounds(known, low, high, counted=unit is not None)
    if unit is not None:
        return "needs", f"{words}{NBSP if known == 'found' else ' '}{unit}"
    name = FREE[question.free][1]
    if known == "found":
        return f"needs {name}{NBSP}{_sign(answer)}", words
    return f"needs {name}", words


def _bounds(known, low, high, *, counted):
    """A number and its bounds in words; "above" is said with every number, or a bound would read as an answer."""
    gap = " " if counted else NBSP
    return {
        "found": f"about{NBSP}{low}" if counted and high != low else low,
        "between": f"between{gap}{low}{gap}and{gap}{high}",
        "above": f"{'more than' if counted else 'above'}{gap}{low}",
        "below": f"{'at most' if counted else 'of at most'}{gap}{high}",
    }[known]


def _value(question, answer):
    """The same in the fewest letters."""
    known, low, high = _known(question, answer)
    name, going = FREE[question.free][1], f"{NBSP}…" if answer.state == "running" else ""
    return {
        "found": f"{name}{NBSP}{_sign(answer)}{NBSP}{low}",
        "between": f"{low} to {high}{going}",
        **dict.fromkeys(("above", "out of reach"), f"{name}{NBSP}&gt;{NBSP}{low}{going}"),
        "below": f"{name}{NBSP}≤{NBSP}{high}{going}",
    }.get(known, "…")


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


def _rows(question, answers, colluding):
    """A row for every scheme that is asked, those without an answer yet empty."""
    scale = _scale(question, answers)
    rows = [
        _row(question, s, answers.get(s), colluding, scale) for s in planned_order() if s in question.schemes
    ]
    # Where no row has figures, their heading and legend would name nothing.
    figures = any(
        not _told(question, s) and (s not in answers or answers[s].state != "out of reach")
        for s in question.schemes
    )
    coin = " coin" if question.free == "epsilon" and figures else ""
    kind = "house" if question.free == "sites" else "person" if question.free == "samples" else "guess"
    # The numbers of guesses have a heading; counts of sites and records stand in the answers.
    heads = "<span class='half'>a coin: 50</span><span class='note'>guessed right</span>"
    top = f"<div class='row top'>{heads}</div>" if coin else ""
    rows = f"{top}<div class='answers {kind}{coin}' role='list'>{''.join(rows)}</div>"
    return rows + (_legend(question, answers, colluding, scale) if figures else "")


def _told(question, scheme):
    """Whether a row says in words what is guessed: a curator guesses nothing."""
    return question.free == "epsilon" and named(scheme).curator


def _row(question, scheme, answer, colluding, scale):
    value, note, low, high, running = "…", "", 0.0, 0.0, False
    figures = _TOLD if _told(question, scheme) else ""
    if answer is not None:
        running = answer.state == "running"
        value = _value(question, answer)
        if answer.state == "out of reach" and question.free == "sites" and named(scheme).one_site:
            value, figures = "—", "not by adding sites: it uses its own records alone"
        elif answer.state == "out of reach":
            figures = f"not even {_up_to(question)}{NBSP}{_need(question, answer)[1]}"
        elif not figures:
            low, high, note = _filled(question, answer, colluding, scale)
    colour = LOOKS[scheme].colour
    kind = "row" + (" running" if running else "")
    name = html.escape(label(scheme))
    if about := _ABOUT.get(scheme):
        name += f"<small>{about}</small>"
    return (
        f"<div class='{kind}' role='listitem' style='--tone:{colour}'><b class='name'>{name}</b>"
        f"<b class='value'>{value}</b>{_figures(figures, low, high)}<span class='note'>{note}</span></div>"
    )


def _figures(instead, low, high):
    """The figures of a row, filled for certain and at most, or words in their place."""
    if instead:
        return f"<span class='none'>{instead}</span>"
    parts = "".join(
        f"<i class='{name}' style='width:{100 * share:.1f}%'></i>"
        for name, share in (("perhaps", high), ("sure", low))
    )
    return f"<span class='figures'><span class='fill'>{parts}</span></span>"


def _filled(question, answer, colluding, scale):
    """Shares of a row that are filled for certain and at most, and the note behind it."""
    if question.free == "epsilon":
        return _guessed(question, answer, colluding)
    low = (
        answer.high
        if answer.state == "at once"
        else _estimate(answer, 0.0 if math.isnan(answer.low) else answer.low)
    )
    return low / scale, min(_estimate(answer, answer.high), scale) / scale, ""


def _guessed(question, answer, colluding):
    """The same of the guesses that are right."""
    first, last = question.cells[0][0], question.cells[-1][0]
    low = answer.low if math.isfinite(answer.low) else first
    high = answer.high if math.isfinite(answer.high) else last
    ends = (_estimate(answer, low), _estimate(answer, high))
    least, most = (right_of_100(question, answer, epsilon, colluding) for epsilon in ends)
    words = dict.fromkeys(number_text(round(x)) for x in (least, most))
    more = "".join(
        f"<small>{guesses} {seen}</small>" for seen, _, guesses in _sees_more(question, answer, colluding)
    )
    return least / 100, most / 100, f"{' to '.join(words)} of 100{more}"


def _estimate(answer, otherwise):
    return answer.estimate if answer.state == "found" else otherwise


def _scale(question, answers):
    """How much a full row stands for."""
    if question.free == "epsilon":
        return 100.0
    ends = [
        answer.high if math.isfinite(answer.high) else answer.low
        for answer in answers.values()
        if answer.state != "out of reach"
    ]
    most = max([x for x in ends if math.isfinite(x)], default=question.cells[0][0])
    return COUNT * next((step for step in _STEPS if COUNT * step >= most), _STEPS[-1])


def _legend(question, answers, colluding, scale):
    each = number_text(scale / COUNT)
    if question.free == "samples":
        words = f"Each figure: {count_text(int(scale / COUNT), 'record')} at every site."
    elif question.free == "sites":
        words = f"Each house: {'one site' if each == '1' else f'{each} sites'}."
    else:
        whom = observer.name(question.settings.adversary, question.settings.colluding).replace(",", "")
        words = (
            f"An icon is {each} of 100 guesses at which of two records was used: on average the best attack by "
            f"{whom}, given all other records."
        )
        if any(answer.state in ("running", "open") for answer in answers.values()):
            words += " Striped: not decided yet."
    return f"<p class='legend'>{words}</p>"


def _sees_more(question, answer, colluding):
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
    return [
        (seen, equals("ε", gdp_epsilon(settings.delta, mu)), number_text(round(_right(mu))))
        for seen, mu in found
        if own * (1 + 1e-9) < mu < math.inf
    ]


def _for_who_sees_more(question, answers, colluding):
    """The same in a sentence on the scheme that is shown to meet the target, where no row says it."""
    scheme = text.best(question, answers)
    if scheme is None or question.free == "epsilon":
        return ""
    found = _sees_more(question, answers[scheme], colluding)
    return "".join(f" {label(scheme)} has {epsilon} {seen}." for seen, epsilon, _ in found)

"""The rows of the Plan page: what a scheme's answer means as a bar, or as figures that can be counted, as HTML."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

from core import Privacy
from core.privacy import attack_risk, gdp_mu
from core.schemes import named
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question
from dashboard.packs.consortium.plan.words import text
from dashboard.packs.consortium.plan.words.guess_dots import LEGEND, guess_dots
from dashboard.packs.consortium.plan.words.guesses import right_of_100, sees_more
from dashboard.packs.consortium.plan.words.needs import NBSP, falls_on, need, short, times_cape, up_to
from dashboard.state.number_text import count_text, exactly, hundred_text, number_text
from dashboard.theme.scheme_style import LOOKS, label

COUNT = 20  # Figures in a row: half of them is a whole number.
_FIGURES = {"samples": "person", "sites": "house"}
# What the names of the schemes stand for.
_ABOUT = {
    "cape": "noise partly cancels",
    "cape-after": "dropouts leave no noise",
    "conventional": "all noise stays",
    "local": "one site alone",
    "pooled": "one trusted curator",
}
_CURATOR = "one curator holds all records"
_MEANS = "The ε needed. A larger ε is less private."
_KNOWS = "the curator sees all records"
_STEPS = tuple(10.0**n * step for n in range(7) for step in (1, 2, 4, 5, 8))
_SMALL_STEPS = tuple(10.0**n * step for n in range(-7, 9) for step in (1, 2, 5))
_INSIDE = 0.45  # The number of a longer bar stands in it.
# At 55 right guesses of 100 the longest bar of an average fills its row.
_TYPICAL = attack_risk.mu_of_advantage(0.1)


@dataclass(frozen=True)
class _Fill:
    """How far a row is filled for certain and at most, as shares; the words behind it, and right guesses of 100."""

    low: float = 0.0
    high: float = 0.0
    note: str = ""
    right: tuple[float, float] = (50.0, 50.0)


def unanswered(question: Question, answers: dict[str, search.Answer]) -> bool:
    """Whether an ε is only asked for: an average is answered for all schemes at once where it is answered."""
    asked = question.problem is None and question.free == "epsilon"
    return asked and len(answers) < len(question.schemes)


def rows(question: Question, answers: dict[str, search.Answer], colluding: int) -> str:
    """What the rows show, a row for every scheme that is asked, and a legend; rows without an answer yet are empty."""
    scale = _scale(question, answers)
    listed = [
        _row(question, s, answers.get(s), colluding, scale, answers.get("cape"))
        for s in question.order(answers)
    ]
    # Where no row has a bar, a heading and a legend would name nothing.
    drawn = any(
        not _is_curator(question, s) and (s not in answers or _has_bar(question, answers[s]))
        for s in question.schemes
    )
    kind = "epsilon" if question.free == "epsilon" else _FIGURES.get(question.free, "bars")
    line = f" style='--cape:{_cape(question, answers, scale):.2f}'"
    found = f"<div class='answers {kind}'{line} role='list'>{''.join(listed)}</div>"
    return f"{_heading(question, scale)}{found}{_legend(question, answers, scale)}" if drawn else found


def _heading(question, scale):
    """What the rows show, and the ends of the bars; figures are counted and need no ends."""
    settings = question.settings
    if question.counted:
        return f"<p class='what'>At {exactly('ε', settings.epsilon)} and {exactly('δ', settings.delta)}:</p>"
    if not question.measured:
        ticks = "".join(f"<span>{number_text(scale * part)}</span>" for part in (0.0, 0.5, 1.0))
        return f"<p class='what'>{_MEANS}</p><div class='ticks'>{ticks}</div>"
    return (
        f"<p class='what'>{_what_errs(question)}:</p>"
        f"<div class='row top'><span class='ends'><span>0</span><span>{_amount(question, scale)}</span></span>"
        "<span class='note'>guessed right</span></div>"
    )


def _cape(question, answers, scale):
    """Where the row of CAPE ends, as a share: a line down to the other rows; below zero for no line."""
    answer = answers.get("cape")
    exact = answer is not None and answer.state == "found" and question.problem is None
    return answer.estimate / scale if exact and question.free == "epsilon" else -1.0


def _what_errs(question):
    if question.problem is None:
        return f"95 % of releases stay within this {question.metric.heading.lower()}"
    return f"{question.metric.heading}, mean over releases"


def _amount(question, share):
    """A loss or an error, in its own unit."""
    return question.metric.loss_text(1 - share if question.metric.kept else share)


def _is_curator(question, scheme):
    """Whether a row says in words what is guessed: where ε shall hold against the aggregator, a curator is one."""
    return question.free == "epsilon" and named(scheme).curator and question.settings.adversary != "message"


def _row(question, scheme, answer, colluding, scale, cape):
    asked = question.problem is None and answer is None
    value, fill = (f"ε{NBSP}={NBSP}?", _Fill(note="?")) if asked else ("…", _Fill())
    figures = _CURATOR if _is_curator(question, scheme) else ""
    if answer is not None:
        value = short(question, answer)
        if answer.state == "out of reach" and question.free == "sites" and named(scheme).one_site:
            value, figures = "—", "not by adding sites: it uses its own records alone"
        elif answer.state == "out of reach" and not _goes_on(question, answer):
            figures = f"not even {up_to(question)}{NBSP}{need(question, answer)[1]}"
        elif not figures:
            fill = _filled(question, answer, colluding, scale)
            value += times_cape(question, answer, cape)
    running = answer is not None and answer.state == "running"
    kind = " asked" if asked else " running" if running else " inside" if fill.low > _INSIDE else ""
    return (
        f"<div class='row{kind}' role='listitem' "
        f"style='--tone:{LOOKS[scheme].colour};--end:{min(fill.high, 1.0):.3f}'>"
        f"<b class='name'>{_name(scheme)}</b><b class='value'>{value}</b>{_figures(question, figures, fill)}</div>"
    )


def _name(scheme):
    name = html.escape(label(scheme))
    return f"{name}<small>{_ABOUT[scheme]}</small>" if scheme in _ABOUT else name


def _figures(question, instead, fill):
    """The bar or the figures of a row with what is said behind it, or words in their place."""
    if instead:
        return f"<span class='none'>{instead}</span>"
    parts = "".join(
        f"<i class='{name}' style='width:{100 * min(share, 1.0):.1f}%'></i>"
        for name, share in (("perhaps", fill.high), ("sure", fill.low))
    )
    beyond = " beyond" if fill.low > 1 else ""
    dots = guess_dots(*fill.right) if question.free == "epsilon" else ""
    return (
        f"<span class='figures{beyond}'><span class='fill'>{parts}</span></span>"
        f"{dots}<span class='note'>{fill.note}</span>"
    )


def _filled(question, answer, colluding, scale):
    """How a row of an answer is filled."""
    if _goes_on(question, answer):
        return _guessed_beyond(question, answer, colluding)
    if question.free == "epsilon":
        return _guessed(question, answer, colluding, scale)
    if question.measured:
        share = _lost(question, answer) / scale
        return _Fill(share, share, "" if answer.state == "running" else _risked(question, answer, colluding))
    low = (
        answer.high
        if answer.state == "at once"
        else _estimate(answer, 0.0 if math.isnan(answer.low) else answer.low)
    )
    return _Fill(low / scale, min(_estimate(answer, answer.high), scale) / scale)


def _guessed(question, answer, colluding, scale):
    """The row of an ε, and the guesses that are right at it."""
    first, last = question.cells[0][0], question.cells[-1][0]
    low = answer.low if math.isfinite(answer.low) else first
    high = answer.high if math.isfinite(answer.high) else last
    ends = (_estimate(answer, low), _estimate(answer, high))
    # The risk is of the ε that the row names.
    named_at = (text.at_written(question, answer).high,) * 2 if answer.state == "found" else ends
    least, most = (right_of_100(question, answer, epsilon, colluding) for epsilon in named_at)
    return _Fill(
        ends[0] / scale, ends[1] / scale, _note(question, answer, colluding, least, most), (least, most)
    )


def _has_bar(question, answer):
    return answer.state != "out of reach" or _goes_on(question, answer)


def _goes_on(question, answer):
    """Whether a scheme needs more than the largest ε that is tried."""
    return answer.state == "out of reach" and falls_on(question, answer)


def _guessed_beyond(question, answer, colluding):
    """The row where a larger ε is needed than any that is tried."""
    least = right_of_100(question, answer, question.cells[-1][0], colluding)
    return _Fill(1.0, 1.0, f"over {number_text(math.floor(least))} of 100", (math.floor(least),) * 2)


def _risked(question, answer, colluding):
    """The note behind an error: the risk at its ε, and that of those who see more."""
    if named(answer.scheme).curator:
        return f"<small>{_CURATOR}</small>"
    right = right_of_100(question, answer, question.settings.epsilon, colluding)
    return _note(question, answer, colluding, right, right)


def _note(question, answer, colluding, least, most):
    """Right guesses in 100 from `least` to `most`, and in small lines those of others who see more."""
    words = dict.fromkeys(hundred_text(x) for x in (least, most))
    if named(answer.scheme).curator:
        beside = [_KNOWS]
    else:
        more = sees_more(question, answer, colluding)
        beside = [f"{hundred_text(right)} {what}" for what, _, right in more]
    return f"{' to '.join(words)} of 100{''.join(f'<small>{line}</small>' for line in beside)}"


def _estimate(answer, otherwise):
    return answer.estimate if answer.state == "found" else otherwise


def _lost(question, answer):
    """The loss or error of an answer, as far as it is measured."""
    return max(0.0, question.metric.loss(answer.estimate)) if answer.state == "found" else 0.0


def _scale(question, answers):
    """How much a full row stands for.

    A user's own answers are on the shortest axis that has them. The error of an average is as 1/μ: its scale is that of
    one risk, so that bars move and their ends do not under Play.
    """
    if question.free == "epsilon":
        most = question.cells[-1][0]
        if not question.own or any(answer.state != "found" for answer in answers.values()):
            return most  # Of one scale, so that a bar twice as long is twice the ε at every error.
        needed = max((answer.high for answer in answers.values()), default=most)
        return min(most, next(step for step in _SMALL_STEPS if step >= needed))
    if question.measured:
        most = max([_lost(question, answer) for answer in answers.values()], default=0.0)
        if question.problem is None and not question.averages:
            most *= gdp_mu(Privacy(question.settings.epsilon, question.settings.delta)) / _TYPICAL
        return COUNT * next((step for step in _SMALL_STEPS if COUNT * step >= most), _SMALL_STEPS[-1])
    ends = [
        answer.high if math.isfinite(answer.high) else answer.low
        for answer in answers.values()
        if answer.state != "out of reach"
    ]
    most = max([x for x in ends if math.isfinite(x)], default=question.cells[0][0])
    return COUNT * next((step for step in _STEPS if COUNT * step >= most), _STEPS[-1])


def _legend(question, answers, scale):
    """What one figure stands for, and what stripes say; "" where the heading says all."""
    each, words = number_text(scale / COUNT), []
    if question.free == "samples":
        words.append(f"Each figure: {count_text(int(scale / COUNT), 'record')} at every site.")
    elif question.free == "sites":
        words.append(f"Each house: {'one site' if each == '1' else f'{each} sites'}.")
    if any(answer.state in ("running", "open") for answer in answers.values()):
        words.append("Striped: not decided yet.")
    if question.free == "epsilon":
        words.append(LEGEND)
    return f"<p class='chance'>{' '.join(words)}</p>" if words else ""

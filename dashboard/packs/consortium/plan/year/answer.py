"""The page's own answer among the releases of a year: what a saved plan holds of it, and the page of its months."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import replace

from core import Privacy, check
from core.parties import SeriesTerms
from core.privacy import gdp_epsilon, gdp_mu
from core.series.participation import MOST_MONTHS
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question
from dashboard.packs.consortium.plan.words import text
from dashboard.packs.consortium.plan.words.joining import sizes_of
from dashboard.packs.consortium.plan.year.releases import Line, Year, repeats
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text, count_text, equals, number_text
from dashboard.theme.scheme_style import label

ON_PAGE = 36  # Months that the page *Every month* has at most.
_USUAL = SeriesTerms(12, 12)  # Months, while no line of the year says how many.
_ON_MONTHS = {"pooled": "pooled", "secure": "secure", "conventional": "conventional"}  # Others are CAPE.


def followed(lines: tuple[Line, ...], before: Line, now: Line) -> tuple[Line, ...]:
    """The lines of a year whose page has another answer than before: those that repeated it repeat the new one."""

    def moved(line):
        if not repeats(line, before):
            return line
        name = now.name if line.name == before.name else line.name
        return replace(now, name=name, times=line.times, most=line.most)

    return tuple(map(moved, lines))


def held(year: Year, answer: Line | None) -> str:
    """What a saved plan holds of the year, in words: one release, or a series of the page's own answer."""
    terms = year.series(answer)
    if terms is not None:
        return f"{terms.months} releases, one a month; a person is in at most {terms.most} of them"
    return f"one release{_why_one(year, answer)}"


def _why_one(year, answer):
    """Why there is no series, though releases of a year were planned."""
    if not year.draft.lines or answer is None:
        return ""
    if not year.text():
        return ", until every line of the year can be read"
    if not any(repeats(line, answer) for line in year.draft.lines):
        at = f"{label(answer.scheme)} at {equals('ε', float(answer.epsilon))}"
        return f": no line of the year is this plan's answer, {at}"
    return f": a series has 2 to {MOST_MONTHS} of the same"


def months_link(question: Question, answer: search.Answer, terms: SeriesTerms) -> Mapping[str, str] | None:
    """The settings with which *Every month* shows a series of this answer; None of more sites than it has.

    ε is of the whole series, in which a person is `terms.most` times, rounded up.
    """
    sites, settings = question.sites(answer), question.settings
    if sites > Controls.param.sites.bounds[1]:
        return None
    against = settings.colluding if settings.adversary == "colluders" else 0
    colluding = min(against, sites - 1)
    silent = dict(question.terms(answer)).get("dropouts", 0)
    found = {
        "epsilon": min(series_epsilon(question, answer, terms), Controls.param.epsilon.bounds[1]),
        "delta": settings.delta,
        "sites": sites,
        "colluding": colluding,
        "dropouts": min(silent, max((sites - colluding - 1) // 2, 0)),
        "months": terms.months,
        "most": terms.most,
        "apart": terms.apart,
        "scheme": _ON_MONTHS.get(answer.scheme, "cape-after"),
    }
    return {name: url.as_text(value) for name, value in (found | _unit(question, answer)).items()}


def series_epsilon(question: Question, answer: search.Answer, terms: SeriesTerms) -> float:
    """ε of all releases of a series together, at the same δ."""
    delta = question.settings.delta
    mu = gdp_mu(Privacy(text.promised(question, answer), delta)) * math.sqrt(terms.most)
    return check.directed(gdp_epsilon(delta, mu), 4, up=True, slack=1e-9)


def _unit(question, answer):
    """Range, unit and N of a summary whose error is known exactly; nothing of others."""
    if question.problem is not None or question.released is None:
        return {}
    first = question.released.first
    span = first.summary.span * question.released.change  # Of several summaries one record moves more.
    return {
        "span": float(f"{span:.6g}"),
        "records": int(sum(sizes_of(question, answer, question.sites(answer)))),
        "unit": first.unit,
    }


def every_month(question: Question, answer: search.Answer, year: Year, line: Line) -> str:
    """An offer of the page *Every month* for a series of this answer, as HTML."""
    found = year.series(line) or _USUAL
    terms = replace(found, months=min(found.months, ON_PAGE), most=min(found.most, ON_PAGE), matrix=None)
    settings = months_link(question, answer, terms)
    if settings is None:
        return ""
    link = html.escape(url.search("months", settings))
    epsilon, most = series_epsilon(question, answer, terms), float(settings["epsilon"])
    at = f"together {equals('ε', at_most_text(epsilon))} against the aggregator"
    if epsilon > most:
        at += f"; it shows {number_text(most)}, the most that it has"
    times = count_text(terms.months, "month")
    whom = "all of them" if terms.most == terms.months else f"at most {terms.most} of them"
    return (
        f"<p><a href='{link}'>Every month</a> shows this answer in {times} with a person in {whom}, {at}: what noise that "
        "is correlated over months wins.</p>"
    )

"""A plan as one HTML file to print or to send: what was asked, what the answer is and means, and how to repeat it.

It holds no record, and nothing that was taken from records but the answer itself and what the page shows beside it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.sweep import search
from dashboard.own_table.description import Choice
from dashboard.own_table.rows import limit_text
from dashboard.page import guarantee as guarantees
from dashboard.page.guarantee import Guarantee
from dashboard.pages.decide.plan import joining, text
from dashboard.pages.decide.plan.question import Question
from dashboard.plotting.static import figure_picture
from dashboard.theme.scheme_style import label, planned_order

NAME = "cape-lab-plan.html"
_STATES = {
    "found": "found",
    "at once": "met at the least value",
    "out of reach": "not reachable here",
    "open": "too close to decide",
    "running": "not decided yet",
}
_STYLE = """
@page { size: A4; margin: 12mm 14mm }
body { font: 9.5pt/1.35 system-ui, sans-serif; max-width: 180mm; margin: 8mm auto; color: #111; background: #fff }
h1 { font-size: 15pt; margin: 0 0 1mm } h2 { font-size: 11pt; margin: 3mm 0 0.5mm; break-after: avoid }
p, ul { margin: 1mm 0 } li { margin: 0.5mm 0 } ul { padding-left: 5mm } small { color: #444 }
table { border-collapse: collapse; margin: 1mm 0; font-size: 8.5pt; line-height: 1.25 }
th, td { padding: 0.5mm 3mm 0.5mm 0; text-align: left; vertical-align: top }
thead th { border-bottom: 1px solid #777; font-weight: 600 } tbody th { font-weight: 400 } tr { break-inside: avoid }
pre { font: 8pt/1.35 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
.parts { font-size: 8.5pt } tbody td:nth-child(3) { white-space: nowrap }
.plot { --ink: #111; --quiet: #444; --grid: #ddd; --paper: #fff }
.answers { display: flex; flex-wrap: wrap; gap: 1mm 6mm; align-items: center; break-inside: avoid }
.plot { flex: 1 1 300px; min-width: 0; max-width: 440px; padding-left: 14px } .plot .picture { zoom: 0.6; --right: 8px }
@media print { body { margin: 0 auto; font-size: 9pt } }
@media print { details:not([open]) { display: none } }
"""


@dataclass(frozen=True)
class Parts:
    """What a report is made of.

    Attributes
    ----------
    words : str
        The answer as sentences, in HTML.
    settings : mapping
        Settings and their values as text.
    not_private : iterable of str
        What the page shows without protection.
    own : Choice or None
        How the user described the own table; None for built-in records.
    script : str
        The program that gives the same answers.
    version : str
    sites : sequence of str
        Names of the sites, if they have any.
    figure : Bokeh figure, optional
        The page's main figure: the answers with their intervals.
    """

    question: Question
    answers: Mapping[str, search.Answer]
    words: str
    guarantee: Guarantee
    colluding: int
    settings: Mapping[str, str]
    not_private: Iterable[str]
    own: Choice | None
    script: str
    version: str
    sites: Sequence[str] = ()
    figure: Any = None


def report(parts: Parts, *, today: date | None = None) -> str:
    """The file. All foreign text in it is escaped."""
    question, escape = parts.question, html.escape
    promise = f"<p><b>{text.one_epsilon(question, parts.answers, parts.colluding)}</b></p>"
    day = (today or date.today()).isoformat()
    sections = [
        ("Question", f"<p>{_question(question)}</p>"),
        (
            "Answer",
            f"{promise}{parts.words}<div class='answers'>{_plot(parts)}{_answers(question, parts.answers)}</div>",
        ),
        ("Risk for one record", _risk(parts)),
        (
            "Guarantee",
            f"<p>{escape(parts.guarantee.sentence)}</p>{_unlinked(guarantees.details(parts.guarantee))}",
        ),
        ("Shown on the page without protection", _list(map(escape, parts.not_private))),
        ("", text.cautions(question, dict(parts.answers))),
        ("Settings", _settings(parts)),
        ("Description of the table", _description(parts.own, _predicted(parts))),
        ("Program", _program(parts)),
    ]
    body = "".join(
        f"<section>{title and f'<h2>{title}</h2>'}{found}</section>" for title, found in sections if found
    )
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Plan of a private release</title>"
        f"<style>{figure_picture.SHEET}{_STYLE}</style></head><body><h1>Plan of a private release</h1>"
        f"<p><small>CAPE Lab {escape(parts.version)}, {day}. No record is in this file.</small></p>{body}</body></html>\n"
    )


def _question(question):
    about = f"Records: {html.escape(question.title)}. Measured: {html.escape(question.metric.title)}."
    if question.measured:
        return f"Which error has a release if an attacker may <b>{question.risk_text}</b>? {about}"
    often = " in nine of ten releases" if question.chance else ", on average over releases"
    held = "" if question.problem is None else often
    return (
        f"Which {html.escape(question.sought)} is the least at which a release can <b>{question.sentence}</b>{held}? "
        f"{about}"
    )


def _plot(parts):
    """The main figure as it stands on the page; nothing before there is an answer."""
    if parts.figure is None or not parts.answers or parts.question.measured:
        return ""
    return f"<div class='plot'>{figure_picture.picture(parts.figure)}</div>"


def _answers(question, answers):
    """A row for every scheme: the answer with its interval."""
    rows = []
    for scheme in (s for s in planned_order() if s in answers):
        answer = answers[scheme]
        cells = label(scheme), text.short(question, answer), _STATES[answer.state], str(answer.runs)
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = "".join(f"<th>{name}</th>" for name in ("Scheme", question.sought, "", "Runs"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""


def _risk(parts):
    scheme = text.best(parts.question, dict(parts.answers))
    answer = parts.answers.get(scheme)
    words = text.risk_words(parts.question, scheme, answer, parts.colluding)
    if text.searching(parts.question, dict(parts.answers)):
        words = f"<p>{text.nothing_to_weigh(dict(parts.answers))}</p>"
    together = joining.table(parts.question, scheme, answer, parts.colluding, parts.sites)
    return words + text.risk_table(parts.question, dict(parts.answers), parts.colluding) + together


def _settings(parts):
    return f"<p class='parts'>{'; '.join(f'{html.escape(n)}: {html.escape(v)}' for n, v in parts.settings.items())}.</p>"


def _predicted(parts):
    """The name of the column that is predicted, or would be."""
    described, load = parts.own and parts.own.description, getattr(parts.question.problem, "load", None)
    if not described:
        return ""
    if parts.question.kind != "regression":
        return described.target
    return described.used[load.response].name


def _description(own, predicted):
    """Columns, public ranges and categories, sites: nothing that was taken from the records."""
    if own is None:
        return ""
    if own.description is None:
        columns = ", ".join(own.columns)
        return f"<p>Columns {html.escape(columns)}, bounded together by one length.</p>"
    found = own.description
    rows = "".join(_column(column, predicted) for column in found.used)
    sites = ", ".join(f"{name} ({size})" for name, size in found.sites)
    heads = "".join(f"<th>{name}</th>" for name in ("Column", "Kind", "Public values", "Without a value"))
    named = f"<p>Sites by column {html.escape(found.site_column)}: {html.escape(sites)}.</p>" if sites else ""
    if sites:
        named += f"<p>“Local” is {html.escape(found.local or max(found.sites, key=_size)[0])} alone.</p>"
    return f"<table class='parts'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{named}"


def _size(site):
    return site[1]


def _column(column, target):
    values = "; ".join(column.values)
    if column.lower is not None:
        values = f"{limit_text(column.lower)} to {limit_text(column.upper)} {column.unit}".strip()
    values = values if column.public else "taken from the records: not in this file"
    name = f"{column.name} (to be predicted)" if column.name == target else column.name
    missing = "row left out" if column.missing == "leave out" else "constant and mark"
    cells = (name, column.kind, values, missing)
    return f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"


def _program(parts):
    if parts.own is not None and not parts.own.public_bounds:
        return "<p>It is left out: it would hold bounds that were taken from the records.</p>"
    code = html.escape(parts.script)
    return f"<details><summary>Python that gives the same answers</summary><pre>{code}</pre></details>"


def _list(items):
    found = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{found}</ul>" if found else ""


def _unlinked(text):
    """Links into the app lead nowhere from a file."""
    return text.replace("<a href='?page=", "<span data-page='").replace("</a>", "</span>")

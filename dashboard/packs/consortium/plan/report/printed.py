"""A plan as one HTML file to print or to send: what was asked, what the answer is and means, and how to repeat it.

It holds no record. What was computed from records without noise is marked.
"""

from __future__ import annotations

import html
from datetime import date

from dashboard.own_table.rows import limit_text, list_text
from dashboard.packs.consortium.plan.report import hazards
from dashboard.packs.consortium.plan.report.parts import Parts
from dashboard.packs.consortium.plan.report.summary import summary
from dashboard.packs.consortium.plan.words import joining, risk, text
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import label, planned_order

NAME = "cape-lab-plan.html"
_STYLE = beside(__file__, "report.css")
_MARK = " †"  # Of a number that was computed from records without noise.
_STATES = {
    "found": "found",
    "at once": "met at the least value",
    "out of reach": "not reachable here",
    "open": "too close to decide",
    "running": "not decided yet",
}


def report(parts: Parts, *, today: date | None = None) -> str:
    """The file. All foreign text in it is escaped."""
    question, escape = parts.question, html.escape
    sections = [
        ("Question", f"<p>{_question(question)}</p>"),
        ("Answer", _answer(parts)),
        ("Risk for one record", _risk(parts)),
        ("The releases of a year", parts.year),
        ("Guarantee", f"<p>{escape(parts.guarantee.sentence)}</p>"),
        ("Shown on the page from the records, and not private", _list(map(escape, parts.not_private))),
        ("Privacy hazards, and this plan", _hazards(parts)),
        ("", text.cautions(question, dict(parts.answers), general=False)),
        ("Settings", _settings(parts)),
        ("Description of the table", _description(parts, _predicted(parts))),
        ("Program", _program(parts)),
        ("", _summary(parts)),
    ]
    body = "".join(
        f"<section>{title and f'<h2>{title}</h2>'}{found}</section>" for title, found in sections if found
    )
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Plan of a private release</title>"
        f"<style>{_STYLE}</style></head><body><h1>Plan of a private release</h1>"
        f"<p><small>{_about(parts, today or date.today())}</small></p>{body}</body></html>\n"
    )


def _about(parts, day):
    """What made the file, and what is in it."""
    made = f"CAPE Lab {html.escape(parts.version)}, {day.isoformat()}. No record is in this file."
    sizes = "The number of records of each site is taken as public."
    marked = "Numbers marked †, and what follows from them, were computed from the records without noise: not private."
    return f"{made} {sizes} {marked if parts.from_records else ''}".strip()


def _answer(parts):
    """The promised ε, the answer in words, and a row for every scheme; marked if records were read for it."""
    mark = _MARK if parts.from_records and parts.answers else ""
    promise = f"<p><b>{parts.promise}</b>{mark}</p>" if parts.promise else ""
    words = parts.words.removesuffix("</p>") + f"{mark}</p>" if parts.words.endswith("</p>") else parts.words
    return f"{promise}{words}{_answers(parts, mark)}"


_SOUGHT = {"epsilon": "ε", "samples": "number of records a site", "sites": "number of sites"}


def _question(question):
    about = f"Records: {html.escape(question.title)}. Measured: {html.escape(question.metric.title)}."
    if question.measured:
        return f"Which error has a release if an attacker may <b>{question.risk_text}</b>? {about}"
    often = " in nine of ten releases" if question.chance else ", on average over releases"
    held = "" if question.problem is None else often
    return (
        f"What is the smallest {_SOUGHT[question.free]} at which <b>{question.condition}</b>{held}? {about}"
    )


def _answers(parts, mark):
    """A row for every scheme: the answer with its interval."""
    question, rows = parts.question, []
    for scheme in (s for s in planned_order() if s in parts.answers):
        answer = parts.answers[scheme]
        cells = (
            label(scheme),
            text.short(question, answer) + mark,
            _STATES[answer.state],
            str(answer.runs or "by formula"),
        )
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = "".join(f"<th>{name}</th>" for name in ("Scheme", question.sought, "", "Runs"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""


def _hazards(parts):
    """The hazards of the guidelines, each answered for this plan."""
    rows = "".join(
        f"<tr><th scope='row'>{name}</th><td>{section}</td><td>{html.escape(answer)}</td></tr>"
        for name, section, answer in hazards.hazards(parts)
    )
    head = f"<p><small>Hazards and sections of {hazards.SOURCE}.</small></p>"
    return f"{head}<table class='parts hazards'><tbody>{rows}</tbody></table>" if rows else ""


def _summary(parts):
    """The entry of the registry of deployments, for programs."""
    if parts.answer is None:
        return ""
    found = html.escape(summary(parts).text())
    return f"<details><summary>Summary for programs</summary><pre id='summary'>{found}</pre></details>"


def _risk(parts):
    words = risk.words(parts.question, parts.scheme, parts.answers.get(parts.scheme), parts.colluding)
    if text.searching(parts.question, dict(parts.answers)):
        words = f"<p>{text.nothing_to_weigh(dict(parts.answers))}</p>"
    together = joining.table(parts.question, parts.scheme, parts.answers.get(parts.scheme), parts.sites)
    planned = {s: answer for s, answer in parts.answers.items() if s == parts.scheme}
    return words + risk.table(parts.question, planned, parts.colluding) + together


def _settings(parts):
    return f"<p class='parts'>{'; '.join(f'{html.escape(n)}: {html.escape(v)}' for n, v in parts.settings.items())}.</p>"


def _predicted(parts):
    """The name of the column that is predicted, or would be."""
    described, load = (
        parts.own and parts.own.boxed and parts.own.description,
        getattr(parts.question.problem, "load", None),
    )
    if not described:
        return ""
    if parts.question.kind != "regression":
        return described.target
    return described.used[load.response].name


def _description(parts, predicted):
    """The columns that the release reads, public ranges and categories, sites: nothing that was taken from records."""
    own, read, named = parts.own, parts.columns, parts.named_sizes
    if own is None:
        return ""
    if not own.boxed:
        columns = ", ".join(read)
        return f"<p>Columns {html.escape(columns)}, bounded together by one length.</p>"
    found = own.description
    rows = "".join(_column(column, predicted) for column in found.used if column.name in read)
    sites = ", ".join(f"{name} ({size})" for name, size in named)
    heads = "".join(f"<th>{name}</th>" for name in ("Column", "Kind", "Public values", "Without a value"))
    words = ""
    if sites:
        words = f"<p>Sites by column {html.escape(found.site_column)}: {html.escape(sites)}.</p>"
        words += f"<p>“Local” is {html.escape(named[0][0])} alone.</p>"
    return f"<table class='parts'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{words}"


def _column(column, target):
    values = list_text(column.values, column.spellings)
    if column.lower is not None:
        values = f"{limit_text(column.lower)} to {limit_text(column.upper)} {column.unit}".strip()
    values = values if column.public else "taken from the records: not in this file"
    name = f"{column.name} (to be predicted)" if column.name == target else column.name
    missing = "row left out" if column.missing == "leave out" else "constant and mark"
    missing += f"; so is {', '.join(column.gaps)}" if column.gaps else ""
    cells = (name, column.kind, values, missing)
    return f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"


def _program(parts):
    if parts.own is not None and not parts.own.description.public:
        return "<p>It is left out: it would hold bounds that were taken from the records.</p>"
    if parts.question.averages:
        return "<p>It is left out: it would hold how far the averages of the sites are apart.</p>"
    code = html.escape(parts.script)
    return f"<details><summary>Python that gives the same answers</summary><pre>{code}</pre></details>"


def _list(items):
    found = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{found}</ul>" if found else ""

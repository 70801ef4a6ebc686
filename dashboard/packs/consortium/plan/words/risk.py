"""What stands below the answer of the Plan page: the risk of the release that is planned, for one record."""

from __future__ import annotations

import html
import math
from urllib.parse import urlencode

from core.privacy import attack_risk, gdp_epsilon, group_mu
from core.schemes import named
from core.sweep import search
from dashboard.packs.consortium.plan.question import Question
from dashboard.packs.consortium.plan.searches import Outcome
from dashboard.packs.consortium.plan.words import joining, text
from dashboard.state.number_text import (
    at_most_text,
    count_text,
    hundred_text,
    percent_text,
)
from dashboard.theme.scheme_style import label, planned_order

_AMONG = 100  # Equally likely candidates, of whom an attack would single out one.
_MORE = " class='more'"  # Of a column that a phone leaves out.


def section(outcome: Outcome) -> str:
    """The risk as a paragraph, tables of schemes and of sites, and a list of what limits a plan, as HTML."""
    question, answers = outcome.question, outcome.answers
    cautions = "" if text.nothing_known(answers) else text.cautions(question, answers)
    if not answers or text.searching(question, answers):
        return cautions
    scheme, colluding = text.best(question, answers), question.settings.colluding
    answer = answers.get(scheme)
    together = joining.table(question, scheme, answer, question.names)
    found = words(question, scheme, answer, colluding) + _elsewhere(question, answer, colluding)
    return found + table(question, answers, colluding) + together + cautions


def words(question: Question, scheme: str | None, answer: search.Answer | None, colluding: int) -> str:
    """The risk for a single record of the release that one scheme's answer plans, as HTML."""
    if answer is None:
        return "<p>No scheme is shown to reach the target, so there is no release to assess.</p>"
    written, answer = text.epsilon_text(question, answer), text.at_promise(question, answer)
    public, aggregator, _ = text.mus(question, answer, colluding)
    first = (
        f"<b>For one record</b>, at {written} with {label(scheme)}: an attacker knows all other records, sees the result, "
        f"and guesses which of two candidates was used. The best attack is right in <b>{_right(public)}</b> of 100 guesses "
        "on average; chance is right in 50. Any other attack, such as to name a person, to infer a value or to rebuild a "
        f"record, succeeds in <b>{_singled(public, _AMONG)}</b> at most if it would in {100 / _AMONG:g} % without the "
        "release."
    )
    if math.isinf(aggregator):
        return f"<p>{first} With {label(scheme)}, one curator sees every record.</p>"
    return f"<p>{first}</p>"


def _elsewhere(question, answer, colluding):
    """A link that carries the settings to the page of the attack, as HTML."""
    if answer is None:
        return ""
    epsilon, sites = question.epsilon(answer), question.sites(answer)
    mu = text.mus(question, text.at_promise(question, answer), colluding)[0]
    settings = {
        "sites": sites,
        "colluding": min(colluding, sites - 1),
        "delta": f"{question.settings.delta:g}",
    }
    settings |= {"noise": f"{min(max(1 / mu, 0.1), 1e6):.4g}"}
    settings |= {} if epsilon is None else {"epsilon": f"{epsilon:.4g}"}
    link = html.escape(f"?page=guarantee&{urlencode(settings)}")
    finds = "shows what such an attack finds under CAPE, for any share of false accusations."
    return f"<p><a href='{link}'>Guarantee</a> {finds}</p>"


def table(question: Question, answers: dict[str, search.Answer], colluding: int) -> str:
    """The risk of every scheme at its own answer, for each adversary, as HTML."""
    rows = []
    for scheme in planned_order():
        answer = answers.get(scheme)
        if answer is None or answer.state == "running" or question.epsilon(answer) is None:
            continue
        answer = text.at_promise(question, answer)
        found = _watchers(question, answer, colluding)
        rows += [_row(question, answer, label(scheme) if i == 0 else "", *one) for i, one in enumerate(found)]
    if not rows:
        return ""
    return (
        "<details><summary>The risk under every scheme, by who sees what</summary>"
        "<div class='scroll'><table><thead><tr><th></th><th scope='col'>who sees</th><th scope='col'>ε</th>"
        "<th scope='col'>right of 100 guesses<br>(chance: 50)</th>"
        f"<th scope='col'>one of {_AMONG} is found,<br>at most (chance: {100 / _AMONG:g} %)</th>"
        f"<th scope='col'{_MORE}>one of all records is found,<br>at most (chance)</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _watchers(question, answer, colluding):
    """Who sees how much of a release, each with μ; then the same of all records of one person."""
    seen = text.mus(question, answer, colluding)
    if math.isinf(seen[1]) and not named(answer.scheme).one_site:
        found = [("result", seen[0]), ("curator", math.inf)]
    else:
        names = "result", "all messages", f"and {count_text(colluding, 'colluding site')}"
        count = 1 if named(answer.scheme).one_site else 3 if colluding else 2
        found = list(zip(names, seen, strict=True))[:count]
    if question.per_person > 1:
        of = f", {question.per_person} records"
        found += [(f"{who}{of}", group_mu(mu, question.per_person)) for who, mu in found if mu < math.inf]
    return found


def _row(question, answer, lead, who, mu):
    every = _records(question, answer)
    cells: tuple[str, ...] = ("no privacy", "", "", "")
    if mu < math.inf:
        chance = percent_text(1 / every, digits=2)
        last = f"{_singled(mu, every)} ({chance})"
        epsilon = at_most_text(gdp_epsilon(question.settings.delta, mu))
        cells = epsilon, _right(mu), _singled(mu, _AMONG), last
    shown = "".join(f"<td{_MORE if place > 2 else ''}>{cell}</td>" for place, cell in enumerate(cells))
    return f"<tr><th scope='row'>{html.escape(lead)}</th><td>{html.escape(who)}</td>{shown}</tr>"


def _records(question, answer):
    """How many records all sites have together, at least two."""
    return max(2, sum(joining.sizes_of(question, answer, question.sites(answer))))


def _right(mu):
    return hundred_text(50 + 50 * float(attack_risk.advantage(mu)))


def _singled(mu, among):
    """How often one of so many equally likely candidates is found, at most."""
    return percent_text(float(attack_risk.success(mu, 1 / among)), way="up")

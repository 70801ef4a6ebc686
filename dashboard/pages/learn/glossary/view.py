"""What the page Glossary shows, as a pure function of its plan."""

from __future__ import annotations

import html
from itertools import groupby
from urllib.parse import quote

from dashboard.components import source_code
from dashboard.components.formulas import formula
from dashboard.pages.learn.glossary.cards import CARDS, cards, link
from dashboard.pages.learn.glossary.model import GlossaryPlan
from dashboard.sheet.spec import Shown, View
from dashboard.state.glossary import TERMS, Term
from dashboard.state.html_text import rich

_GROUPS = ("Privacy", "Noise and schemes", "Who sees and who computes", "Measures of error", "Algorithms")


def view(plan: GlossaryPlan, shown: Shown) -> View:
    """The cards and the names of all terms, unless certain ones are wanted; and every term in full."""
    wanted = plan.search or plan.chosen is not None
    terms = listed(plan)
    return View(
        headline=f"<span role='status'>{_count(plan)}</span>",
        sections={"terms": "".join(_entry(term, source=term is plan.chosen) for term in terms)}
        | ({} if wanted else {"first": cards() + _index()}),
        table={
            name: [getattr(term, name) for term in terms]
            for name in ("name", "group", "text", "formula", "code")
        },
    )


def listed(plan: GlossaryPlan) -> list[Term]:
    """The terms in their order, the chosen one first."""
    return list(dict.fromkeys([*([plan.chosen] if plan.chosen else []), *plan.found]))


def _entry(term, *, source):
    links = [f"See also: {', '.join(map(link, term.see))}"] if term.see else []
    if term.code:
        links.insert(
            0, f"In code: <a href='?page=glossary&amp;term={quote(term.key)}'><code>{term.code}</code></a>"
        )
    parts = [f"<h2>{rich(term.name)}</h2><p>{term.text}</p>"]
    if term.formula:
        parts.append(f"{formula(term.formula)}<p class='where'>{rich(term.where)}</p>")
    if links:
        parts.append(f"<p>{'. '.join(links)}</p>")
    if term.code and source:
        parts.append(source_code.as_html((term.code,)))
    return "".join(parts)


def _count(plan):
    if plan.search:
        looked = html.escape(plan.search)
        if not plan.found:
            return f"No term mentions “{looked}”."
        return f"{len(plan.found)} of {len(TERMS)} terms mention “{looked}”"
    if plan.chosen is None:
        return "New here? Begin with these eight. Tap or point at one, and it moves again."
    return f"{len(plan.found)} terms. New here? Begin with {' · '.join(link(card.key, card.name) for card in CARDS)}."


def _index():
    """Links to all terms, by what they are about."""
    groups = groupby(sorted(TERMS, key=lambda term: _GROUPS.index(term.group)), key=lambda term: term.group)
    rows = (
        f"<dt>{html.escape(group)}</dt><dd>{' · '.join(link(t.key) for t in terms)}</dd>"
        for group, terms in groups
    )
    return f"<details><summary>All {len(TERMS)} terms</summary><dl>{''.join(rows)}</dl></details>"

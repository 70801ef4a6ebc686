"""The top words of every topic under every method, as a table. Every word is untrusted text and is escaped."""

from __future__ import annotations

import html

import numpy as np

from core.schemes import is_private
from dashboard.algorithms.topics.model import DOCUMENTS, WORDS, Plan, tops
from dashboard.algorithms.topics.naming import Name
from dashboard.compare import panels
from dashboard.compare.store import Results
from dashboard.state.html_text import rich
from dashboard.state.number_text import amount_text, number_text, percent_text
from dashboard.theme.scheme_style import coloured, label

FEW = 5  # Words that fit into a cell of the first screen.
_LOST = "<i>lost in noise</i>"


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and what marks and bold words say."""
    if not any(map(is_private, plan.shown)):
        return "Top words of each topic", "the most frequent first"
    found = (
        "over 50 % of its probability is"
        if plan.here["measure"] == "mass"
        else "6 or more of 10 top words are"
    )
    return "Top words of each topic", f"✓ {found} right; <b>bold</b>: a right word"


def value(plan: Plan, results: Results, method: str) -> str:
    """The mean of the measure over a method's releases; "" while it is not known."""
    spot, known = results.spots.get(method), results.spots.get(DOCUMENTS)
    if spot is None or known is None:
        return ""
    measure = plan.here["measure"]
    if measure == "found":
        total = len(known.reference.words)
        return f"{amount_text(spot.value, total)} of {total}"
    return percent_text(spot.value) if measure in ("overlap", "mass") else number_text(spot.value)


def words_table(plan: Plan, results: Results, *, count: int | None = None) -> str:
    """A row for each method with its number, a column for each topic; bold words are in the non-private topic, too.

    Without a `count` of words, two methods have room for all of them, and one for a list of them.
    """
    count = count or (FEW if len(plan.shown) > 2 else WORDS)
    known = results.spots.get(DOCUMENTS)
    names = known.names if known else [Name(f"topic {j + 1}") for j in range(plan.here["k"])]
    heads = "".join(f"<th scope='col'>{_name(name)}</th>" for name in names)
    rows = "".join(_row(plan, results, method, len(names), count) for method in plan.shown)
    size = (" whole" if count > FEW else "") + (" list" if len(plan.shown) == 1 else "")
    return (
        f"<div class='scroll words{size}' style='--n:{len(names)}'><table aria-label='Top words of each topic'>"
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _name(name):
    pointed = html.escape(name.origin or name.words, quote=True)
    return f"<b title='{pointed}'>{html.escape(name.words)}</b>"


def _row(plan, results, method, topics, count):
    spot, known = results.spots.get(method), results.spots.get(DOCUMENTS)
    number = html.escape(value(plan, results, method)) or "…"
    head = (
        f"<th scope='row' class='who'><strong>{number}</strong>{coloured(method, label(method), 'b')}"
        f"{panels.gloss(method)}</th>"
    )
    if spot is None or known is None:
        cells = f"<td colspan='{topics}' class='awaited'>computing …</td>"
    elif not len(spot.found.words):
        cells = f"<td colspan='{topics}' class='awaited'>{rich(spot.found.abstained or 'no topic')}</td>"
    else:
        right = tops(known.reference.words, WORDS)
        cells = "".join(_cell(plan, spot, known, right, topic, count) for topic in range(topics))
    return f"<tr data-method='{method}'>{head}{cells}</tr>"


def _cell(plan, spot, known, right, topic, count):
    """A topic of the drawn release: its words, and how much of it is right."""
    row, share = spot.place[topic], spot.right[topic]
    weights = spot.found.words[row] if row >= 0 else np.zeros(0)
    order = np.argsort(-weights, kind="stable")[:WORDS]
    listed = [_word(known.words[i], right[topic, i]) for i in order if weights[i] > 0]
    every = html.escape(" ".join(known.words[i] for i in order if weights[i] > 0), quote=True)
    whole = min(WORDS, len(known.words))
    much = percent_text(share, digits=2) if plan.here["measure"] == "mass" else f"{whole * share:.0f}/{whole}"
    mark = f"<small>{'✓ ' if share > 0.5 else ''}{much}</small>" if is_private(spot.method) else ""
    kind = "hit" if share > 0.5 or not is_private(spot.method) else "missed"
    return f"<td class='{kind}' title='{every}'><div>{mark}{' '.join(listed[:count]) or _LOST}</div></td>"


def _word(word, right):
    return f"<{'b' if right else 'span'}>{html.escape(word)}</{'b' if right else 'span'}>"

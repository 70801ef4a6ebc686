"""Table of the top words of each topic, method by method. Every word is untrusted text and is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from core.schemes import is_private
from dashboard.pages.analyse.topics.model import Background, Spot
from dashboard.pages.analyse.topics.naming import Name
from dashboard.state.html_text import rich
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS

WORDS, FEW, MOST_TOPICS = (
    10,
    3,
    12,
)  # As many words as are judged, and as many as a narrow column shows at first.
SHEET = beside(__file__, "words.css")
_RULE = {
    "mass": "<b>Filled</b>: found, over 50 % of its probability right.",
    "words": "<b>Filled</b>: found, over 5 of 10 top words right.",
}
_NARROW = 7  # From so many topics on, columns are narrow.
_ABOUT = {
    "docstrings": "A docstring is a text that explains a piece of a program, for example "
    "“sort(list): returns the list’s values in order”."
}
_WITHOUT_NOISE = "The larger a word, the more often its topic uses it."


def words_table(
    spots: Sequence[Spot],
    known: Background | None,
    methods: Sequence[str],
    *,
    topics: int,
    measure: str = "overlap",
    data: str = "",
) -> str:
    """A row for each method, a column for each topic; size: weight of a word, bold: also in the reference.

    Fewer rows have larger words; a single one lists them one below the other.

    Parameters
    ----------
    spots : sequence of Spot
        What is known so far; a method without one has an empty row.
    known : Background or None
        None before the documents are read.
    methods : sequence of str
        The rows, in order.
    topics : int
        The number of columns before the documents are read.
    data : str
        The name of the documents; those that need it are explained in one sentence.
    """
    names = _names(known, topics)
    # A fit may be ready before the documents are read: without them nothing says which words are right.
    of = {} if known is None else {spot.method: spot for spot in spots}
    top = [] if known is None else _top(known.reference)
    rows = "".join(_row(method, of.get(method), names, top, known, measure) for method in methods)
    private = any(map(is_private, methods))
    narrow = " narrow" if len(names) >= _NARROW else ""
    about = f"<p class='told'>{_ABOUT[data]}</p>" if data in _ABOUT else ""
    heads = "".join(_head(name, place, len(names)) for place, name in enumerate(names, 1))
    return (
        f"<div class='topics rows-{len(methods)}{narrow}'>{about}"
        f"<div class='told'><span>{_told(known, measure, private=private)}</span>{_ALL}</div>"
        f"<div class='scroll'><table aria-label='Top words of each topic' style='--n:{len(names)}'>"
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div></div>"
    )


_ALL = "<label class='all'><input type='checkbox'>all ten words</label>"


def _names(known, topics):
    if known is None:
        return [Name(f"topic {j + 1}", "…") for j in range(min(topics, MOST_TOPICS))]
    count = min(len(known.reference.words), MOST_TOPICS)
    return list(known.names[:count]) or [Name(f"topic {j + 1}") for j in range(count)]


def _top(reference):
    """The top words of every topic; one without probability is none."""
    best = reference.top_words(min(WORDS, reference.words.shape[1]))
    return [
        {word for word in row if topic[word] > 0} for row, topic in zip(best, reference.words, strict=True)
    ]


def _told(known, measure, *, private):
    more = ""
    if known is not None and len(known.reference.words) > MOST_TOPICS:
        more = f" The first {MOST_TOPICS} of {len(known.reference.words)} topics."
    if not private:
        return f"{_WITHOUT_NOISE}{more}"
    rule = _RULE["mass" if measure == "mass" else "words"]
    return f"{rule} <b>Bold</b>: right, as without noise.{more}"


def _head(name, place, count):
    """The topic's name; on a phone, which shows one topic at a time, also its place among them."""
    title = name.plain or name.words
    longest = max(map(len, title.split()), default=1)
    # Where there is a plain noun, what most documents belong to (names of programs) is for who points at it.
    origin = f"<small>{html.escape(name.origin)}</small>" if name.origin and not name.plain else ""
    pointed = f" title='{html.escape(name.origin, quote=True)}'" if name.origin and name.plain else ""
    arrows = f"{'← ' if place > 1 else ''}{place} of {count}{' →' if place < count else ''}"
    return (
        f"<th scope='col' style='--l:{longest}'{pointed}>{html.escape(title)}{origin}"
        f"<i class='place' aria-hidden='true'>{arrows}</i></th>"
    )


def _row(method, spot, names, top, known, measure):
    look = LOOKS[method]
    colour = look.colour if is_private(method) else "currentColor"
    scheme = html.escape(look.label, quote=True)
    head = (
        f"<th scope='row' style='--of:{colour}'><span class='swatch'></span><b>{html.escape(look.label)}</b>"
        f"{_score(method, spot, len(names))}</th>"
    )
    if spot is None:
        return f"<tr>{head}{''.join(_empty(name, scheme, colour) for name in names)}</tr>"
    if not len(spot.found.words):
        reason = rich(spot.found.abstained or "no topic")
        return f"<tr>{head}<td colspan='{len(names)}' class='lost' data-scheme='{scheme}'>{reason}</td></tr>"
    cells = "".join(
        f"{_opening(name, scheme, colour, found=not is_private(method) or spot.right[j] > 0.5)}"
        f"{_mark(method, spot.right[j], measure, len(known.words))}"
        f"{_cell(spot, j, top, known.words)}</td>"
        for j, name in enumerate(names)
    )
    return f"<tr>{head}{cells}</tr>"


def _opening(name, scheme, colour, *, found=False):
    topic = html.escape(name.words, quote=True)
    kind = "found" if found else "missed"  # Without noise every topic counts as found.
    return f"<td data-topic='{topic}' data-scheme='{scheme}' class='{kind}' style='--of:{colour}'>"


def _empty(name, scheme, colour):
    return f"{_opening(name, scheme, colour)}<span>…</span></td>"


def _score(method, spot, count):
    """How many topics a method finds in this release, as words and as squares."""
    if spot is None:
        return "<small>…</small>"
    if not is_private(method):
        return "<small>no noise</small>"
    if spot.found.abstained:
        return "<small>abstained</small>"
    invalid = "" if spot.found.guarantee.valid else "<small>guarantee not valid</small>"
    squares = "".join(f"<i class='{'on' if share > 0.5 else 'off'}'></i>" for share in spot.right[:count])
    total = len(spot.right)
    return f"<small>this time {spot.found_topics} of {total}</small><span class='squares'>{squares}</span>{invalid}"


def _mark(method, right, measure, vocabulary):
    """In the corner of a cell: how much of the topic was found."""
    if not is_private(method):
        return ""
    count = min(WORDS, vocabulary)
    much = f"{100 * right:.0f} %" if measure == "mass" else f"{count * right:.0f}/{count}"
    return f"<small class='much'>{much}</small>"


def _cell(spot, topic, top, words):
    row = spot.place[topic]
    if row < 0:
        return "<span class='lost'>lost in noise</span>"
    weights = spot.found.words[row]
    order = np.argsort(-weights, kind="stable")[:WORDS]
    order = order[weights[order] > 0]
    if not len(order):
        return "<span class='lost'>lost in noise</span>"
    largest = weights[order[0]]
    listed = " ".join(
        f"<span class='{'kept' if word in top[topic] else 'new'}{'' if place < FEW else ' rest'}' "
        f"style='--w:{np.sqrt(weights[word] / largest):.2f};--l:{len(words[word])}' "
        f"title='{100 * weights[word]:.2g} %'>{html.escape(words[word])}</span>"
        for place, word in enumerate(order)
    )
    if len(order) < min(WORDS, len(words)):
        listed += " <span class='lost rest'>no further words</span>"
    return f"<div class='list'>{listed}</div>"

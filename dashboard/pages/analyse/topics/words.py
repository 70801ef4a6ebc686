"""Table of the top words of each topic, method by method. Every word is untrusted text and is escaped."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np

from core.schemes import is_private
from dashboard.pages.analyse.topics.model import Background, Spot
from dashboard.pages.analyse.topics.naming import Name
from dashboard.state.html_text import rich
from dashboard.state.number_text import amount_text, number_text
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS

# As many words as are judged, and as many as a cell shows at first.
WORDS, FEW, MOST_TOPICS = 10, 3, 12
_FEW_METHODS = 4  # Columns, up to which each has words on a phone.
SHEET = beside(__file__, "words.css")
_RULE = {
    "mass": "found: over 50 % of its probability",
    "words": "found: 6 or more of 10 top words right",
}
_TOPIC = "Each row is a topic: words that go together."
# A corpus that needs it: what its documents are, and an example or more of it.
_ABOUT = {
    "docstrings": ("help texts of Python programs", ", such as “sort: orders the list’s values”"),
    "notes": ("invented notes of a hospital’s wards", ", of no real patient"),
}
_WITHOUT_NOISE = "The top words of each topic, the most frequent first."


def words_table(
    spots: Sequence[Spot],
    known: Background | None,
    methods: Sequence[str],
    *,
    topics: int,
    measure: str = "overlap",
    data: str = "",
    average: Mapping[str, float] | None = None,
) -> str:
    """A row for each topic, a column for each method; bold words are in the reference, too.

    On a phone a row's name and its non-private words are a line above the cells of the schemes; of more than three, which
    are configurations, those after the second have counts alone.

    Parameters
    ----------
    spots : sequence of Spot
        What is known so far; a method without one has an empty column.
    known : Background or None
        None before the documents are read.
    methods : sequence of str
        The columns, in order.
    topics : int
        The number of rows before the documents are read.
    data : str
        The name of the documents; those that need it are explained in the table's caption.
    average : mapping of str to float, optional
        How many topics a method finds on average: its head has this number where it is known.
    """
    names = _names(known, topics)
    # A fit may be ready before the documents are read: without them nothing says which words are right.
    of = {} if known is None else {spot.method: spot for spot in spots}
    private = [method for method in methods if is_private(method)]
    about = f"<p class='caption'>{_about(data, known)}{_TOPIC}</p>"
    waiting = " waiting" if private and not any(method in of for method in private) else ""
    size = "few" if 1 < len(methods) <= _FEW_METHODS else "many" if len(methods) > 1 else ""
    heads = "".join(
        _head(method, of.get(method), _place(method, private), average or {}) for method in methods
    )
    top = [] if known is None else _top(known.reference)
    rows = "".join(
        f"<tr>{_name(name)}"
        + "".join(
            _column(method, of.get(method), names, j, top, known, measure, private) for method in methods
        )
        + "</tr>"
        for j, name in enumerate(names)
    )
    return (
        f"<div class='topics methods-{len(methods)} {size}{waiting}'>{about}"
        f"<div class='told'><span>{_told(known, measure, private=bool(private))}</span>{_ALL}</div>"
        f"<div class='scroll'><table aria-label='Top words of each topic' style='--m:{len(methods)};--n:{len(names)}'>"
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div></div>"
    )


_ALL = "<label class='all'><input type='checkbox'>all ten words</label>"


def _about(data, known):
    """What the documents are, and how many; "" where a reader knows."""
    if data not in _ABOUT:
        return ""
    number = "" if known is None else f"{number_text(known.documents)} "
    what, more = _ABOUT[data]
    words = f"{number}{what}"
    return f"<b>{words[0].upper()}{words[1:]}</b><span>{more}</span>. "


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
    return f"<i class='box'>✓</i>{rule}<span class='also'><b>bold</b>: a right word</span>{more}"


def _name(name):
    title = name.plain or name.words
    # Where there is a plain noun, what most documents belong to (names of programs) is for who points at it.
    origin = f"<small>{html.escape(name.origin)}</small>" if name.origin and not name.plain else ""
    pointed = f" title='{html.escape(name.origin, quote=True)}'" if name.origin and name.plain else ""
    return f"<th scope='row'{pointed}>{html.escape(title)}{origin}</th>"


def _place(method, private):
    """The kind of a method's column: on a phone only the first two private ones have words."""
    if method not in private:
        return "plain"
    return "main" if method in private[:2] else "further"


def _head(method, spot, place, average):
    look = LOOKS[method]
    return (
        f"<th scope='col' class='{place}' style='--of:{_colour(method)}'><span class='swatch'></span>"
        f"<b>{html.escape(look.label)}</b>{_score(method, spot, average.get(method))}</th>"
    )


def _colour(method):
    return LOOKS[method].colour if is_private(method) else "currentColor"


def _column(method, spot, names, topic, top, known, measure, private):
    """A method's cell in the row of a topic; one without topics has a single cell, in the first row."""
    place, scheme = _place(method, private), html.escape(LOOKS[method].label, quote=True)
    if spot is not None and not len(spot.found.words):
        reason = rich(spot.found.abstained or "no topic")
        cell = f"<td rowspan='{len(names)}' class='lost {place}' data-scheme='{scheme}'>{reason}</td>"
        return "" if topic else cell
    right = None if spot is None else spot.right[topic]
    # Without noise every topic counts as found.
    kind = "missed" if right is None or (is_private(method) and right <= 0.5) else "found"
    words = "<span>…</span>" if spot is None else _cell(spot, topic, top, known.words)
    mark = "" if spot is None else _mark(method, right, measure, len(known.words))
    return (
        f"<td data-topic='{html.escape(names[topic].words, quote=True)}' data-scheme='{scheme}' "
        f"class='{kind} {place}' style='--of:{_colour(method)}'>{mark}{words}</td>"
    )


def _score(method, spot, mean):
    """How many topics a method finds: on average, or in the drawn release until that is known."""
    if spot is None:
        return "<small>…</small>"
    if not is_private(method):
        return "<small>no noise</small>"
    if spot.found.abstained:
        return "<small>abstained</small>"
    invalid = "" if spot.found.guarantee.valid else "<small>guarantee not valid</small>"
    total = len(spot.right)
    if mean is not None:
        return f"<small>{amount_text(mean, total)} of {total} on average</small>{invalid}"
    return f"<small class='one'><i>one release: </i>{spot.found_topics} of {total}</small>{invalid}"


def _mark(method, right, measure, vocabulary):
    """In the corner of a cell: whether the topic was found, and how much of it."""
    if not is_private(method):
        return ""
    count = min(WORDS, vocabulary)
    much = f"{100 * right:.0f} %" if measure == "mass" else f"{count * right:.0f}/{count}"
    tick = "✓ " if right > 0.5 else ""
    return f"<small class='much'>{tick}<i>{much}</i></small>"


def _cell(spot, topic, top, words):
    row = spot.place[topic]
    if row < 0:
        return "<span class='lost'>lost in noise</span>"
    weights = spot.found.words[row]
    order = np.argsort(-weights, kind="stable")[:WORDS]
    order = order[weights[order] > 0]
    if not len(order):
        return "<span class='lost'>lost in noise</span>"
    listed = " ".join(
        f"<span class='{'kept' if word in top[topic] else 'new'}{'' if place < FEW else ' rest'}' "
        f"title='{100 * weights[word]:.2g} %'>{html.escape(words[word])}</span>"
        for place, word in enumerate(order)
    )
    if len(order) < min(WORDS, len(words)):
        listed += " <span class='lost rest'>no further words</span>"
    return f"<div class='list'>{listed}</div>"

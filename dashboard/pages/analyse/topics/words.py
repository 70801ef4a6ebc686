"""Table of the top words of each topic, method by method. Every word is untrusted text and is escaped."""

from __future__ import annotations

import html

import numpy as np

from core.schemes import find, is_private
from dashboard.pages.analyse.topics.model import Background, Spot
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS

WORDS, MOST_TOPICS = 10, 12  # As many words as are judged.
SHEET = beside(__file__, "words.css")


def words_table(spots: list[Spot], known: Background) -> str:
    """A row for each method, a column for each topic; size: weight of a word, bold: also in the reference."""
    reference = known.reference
    shown = min(len(reference.words), MOST_TOPICS)
    top = [set(row) for row in reference.top_words(min(10, reference.words.shape[1]))]
    names = [
        f"topic {j + 1} · {100 * reference.alpha[j] / reference.alpha.sum():.0f} %" for j in range(shown)
    ]
    heads = "".join(f"<th scope='col'>{name}</th>" for name in names)
    rows = "".join(_row(spot, names, top, known) for spot in sorted(spots, key=_curated))
    more = f" The first {shown} of {len(reference.words)} topics." if len(reference.words) > shown else ""
    if any((np.count_nonzero(spot.found.words > 0, axis=1) < WORDS).any() for spot in spots):
        more = f" Where a topic shows fewer than ten words, all others have weight 0 in it.{more}"
    return (
        "<p><b>Bold</b>: also among the ten words found without noise. <span class='new'>Grey</span>: found only with "
        f"noise. Larger words have more weight in their topic.{more}</p>"
        f"<div class='scroll'><table aria-label='Top words of each topic'><thead><tr><th></th>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _curated(spot):
    """The private curator, whose words are nearly CAPE's, comes last."""
    return is_private(spot.method) and (found := find(spot.method)) is not None and found.curator


def _row(spot, names, top, known):
    look = LOOKS[spot.method]
    colour = look.colour if is_private(spot.method) else "currentColor"
    verdict = _verdict(spot)
    scheme = html.escape(f"{look.label} ({verdict})" if verdict else look.label, quote=True)
    head = (
        f"<th scope='row'><span class='swatch' style='background:{colour}'></span>{html.escape(look.label)}"
        f"<small>{verdict}</small></th>"
    )
    if not len(spot.found.words):
        reason = html.escape(spot.found.abstained or "no topic")
        return f"<tr>{head}<td colspan='{len(names)}' class='lost' data-scheme='{scheme}'>{reason}</td></tr>"
    cells = "".join(
        f"<td data-topic='{name}' data-scheme='{scheme}' style='--of:{colour};order:{j + 1}'>"
        f"{_cell(spot, j, top, known.words)}</td>"
        for j, name in enumerate(names)
    )
    return f"<tr>{head}{cells}</tr>"


def _cell(spot, topic, top, words):
    row = spot.place[topic]
    if row < 0:
        return "<span class='lost'>lost in noise</span>"
    weights = spot.found.words[row]
    order = np.argsort(-weights, kind="stable")[:WORDS]
    order = order[weights[order] > 0]
    largest = weights[order[0]]
    return " ".join(
        f"<span class='{'kept' if word in top[topic] else 'new'}' "
        f"style='font-size:{0.8 + 0.4 * np.sqrt(weights[word] / largest):.2f}em' "
        f"title='{100 * weights[word]:.2g} %'>{html.escape(words[word])}</span>"
        for word in order
    )


def _verdict(spot):
    if not is_private(spot.method):
        return "no noise"
    if spot.found.abstained:
        return "abstained"
    return "" if spot.found.guarantee.valid else "guarantee not valid"

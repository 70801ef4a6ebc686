"""The terms that come first: a moving drawing each, what it shows, and the page where it can be tried."""

from __future__ import annotations

import html
from dataclasses import dataclass
from urllib.parse import quote

from core import cape
from dashboard.pages.learn.glossary.drawings import SITES, drawing
from dashboard.state import packs
from dashboard.state.glossary import BY_KEY
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside

SHEET = beside(__file__, "cards.css")


@dataclass(frozen=True)
class Card:
    """A term's key, its name on the card, what the drawing says, and the name and title of the page that shows it.

    A page of a pack has none: the pack offers the link, for "glossary.KEY".
    """

    key: str
    name: str
    says: str
    page: str = ""
    title: str = ""


CARDS = (
    Card(
        "zero-sum",
        "Noise that cancels (zero-sum)",
        "The sites agree on this noise. Each bar is a site's and starts where the last one ended. Together they are\u00a00.",
        "protocol",
        "Protocol",
    ),
    Card(
        "cape",
        "CAPE",
        "Each site adds blue noise, which cancels in the average, and yellow noise, which stays: with more sites less.",
        "protocol",
        "Protocol",
    ),
    Card(
        "aggregator",
        "Aggregator's view",
        "The aggregator sees every message. All of CAPE's messages together reveal more about a record than one alone.",
    ),
    Card(
        "colluders",
        "Colluding sites",
        "They tell the aggregator their zero-sum noise (blue). Less noise then hides the others.",
    ),
    Card(
        "neighbours",
        "Neighbours",
        "Neighbours are two data sets that differ in one record: Ada's, or another in its place. They must be hard to tell "
        "apart.",
        "guarantee",
        "Guarantee",
    ),
    Card(
        "epsilon",
        "ε (epsilon)",
        "ε bounds what a release reveals about one record. With another in its place, any result is at most e^ε times as "
        "likely "
        "(1.1 times at ε\u00a0=\u00a00.1, 2.7 at 1), apart from δ. The closer the two curves, the less one learns.",
        "protocol",
        "Protocol",
    ),
    Card(
        "delta",
        "δ (delta)",
        "δ is a small probability beyond the bound of ε: the orange part, above e^ε times (dashed) the curve with another "
        "record in its place. In use it is far smaller.",
        "guarantee",
        "Guarantee",
    ),
    Card(
        "gain",
        "Gain",
        f"At the same privacy against the aggregator, CAPE's average of {SITES} equal sites (blue) has a "
        f"standard deviation {number_text(cape.honest_gain(SITES) ** 0.5)} times smaller than with independent noise "
        f"(variance: {number_text(cape.honest_gain(SITES))} times).",
        "gain",
        "Gain",
    ),
)


def cards() -> str:
    """The cards, as HTML."""
    return f"<div class='cards'>{''.join(_card(i, card) for i, card in enumerate(CARDS))}</div>"


def link(key: str, name: str | None = None) -> str:
    """A link to a term."""
    return f"<a href='?page=glossary&amp;term={quote(key)}'>{rich(name or BY_KEY[key].name)}</a>"


def _card(number, card):
    tries = (
        [f"<a class='try' href='?page={card.page}'>Try it: {html.escape(card.title)}</a>"]
        if card.page
        else []
    )
    # A tap focuses a card, so that its drawing moves on a phone as it does under a mouse.
    return (
        f"<div class='card' tabindex='-1' style='--turn:{number}'>{drawing(card.key)}"
        f"<div><h2>{link(card.key, card.name)}</h2><p>{rich(card.says)}</p>"
        f"{''.join(tries or packs.links(f'glossary.{card.key}'))}</div></div>"
    )

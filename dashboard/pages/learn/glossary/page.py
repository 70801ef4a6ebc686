"""Glossary: the terms of this field, each in plain words, as a formula, and with the code that computes it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

import panel as pn
import panel_material_ui as pmui
import param

from dashboard.components import source_code
from dashboard.components.formulas import sheltered
from dashboard.components.layout import FULL, LiveText
from dashboard.page.base import Page
from dashboard.page.model import Model
from dashboard.pages.learn.glossary.cards import CARDS, cards, link
from dashboard.pages.learn.glossary.cards import SHEET as CARD_SHEET
from dashboard.state.glossary import BY_KEY, TERMS, Term
from dashboard.state.html_text import rich
from dashboard.theme import css
from dashboard.theme.assets import beside

_GROUPS = ("Privacy", "Noise and schemes", "Who sees and who computes", "Measures of error", "Algorithms")
_FIELD = 48  # Pixels of the search, which needs scripts.
_LONGEST = 60  # Letters of a search.
_SHEET = css.FINE + beside(__file__, "glossary.css")


@dataclass(frozen=True)
class GlossaryPicture:
    """The chosen term, if any, and those that match the search."""

    chosen: Term | None
    found: tuple[Term, ...]
    search: str


class GlossaryModel(Model):
    """The search, and the term that is listed first."""

    term = param.Selector(default="", objects=["", *BY_KEY], doc="The term that is listed first.")
    search = param.String("", doc="Part of a term or of its explanation.")

    def picture(self) -> GlossaryPicture:
        """The terms to show."""
        if len(self.search) > _LONGEST:
            raise ValueError(f"search must have at most {_LONGEST} letters, got {len(self.search)}")
        wanted = self.search.strip().casefold()
        found = [t for t in TERMS if wanted in f"{t.name} {t.key} {t.text}".casefold()]
        # A match in the name comes before a match in the explanation.
        found.sort(key=lambda t: wanted not in f"{t.name} {t.key}".casefold())
        return GlossaryPicture(BY_KEY.get(self.term), tuple(found), self.search.strip())


class GlossaryPage(Page):
    """Terms with formulas and the functions that compute them."""

    name = "glossary"
    model_type = GlossaryModel
    hidden = ("term", "search")

    def compute(self) -> GlossaryPicture:
        return self.model.picture()

    def body(self):
        self._search = pmui.TextInput(
            label="Search",
            value=self.model.search,
            placeholder="a word or symbol",
            margin=(0, 0, 8, 0),
            width=360,
        )
        self._search.param.watch(self._take, "value_input")
        self._search.param.watch(self._take, "value")
        self._count = LiveText(_SHEET + CARD_SHEET)
        self._chosen = pn.pane.Markdown("", stylesheets=[_SHEET], visible=False, **FULL)
        self._code = LiveText(source_code.SHEET)
        self._terms = pn.pane.Markdown("", stylesheets=[_SHEET], **FULL)
        return pn.Column(self._search, self._chosen, self._code.pane, self._count.pane, self._terms, **FULL)

    def opening(self) -> str:
        """The terms in plain words; their formulas come with the live page."""
        picture = self.picture
        if picture is None:
            return ""
        terms = [*([picture.chosen] if picture.chosen else []), *picture.found]
        parts = [f"<h2>{rich(t.name)}</h2><p>{t.text}</p>" for t in dict.fromkeys(terms)]
        first = f"<style>{CARD_SHEET}</style>{_first(picture)}"
        field = f"<div style='height:{_FIELD}px'></div>"
        return f'{field}<p class="fine">{_count(picture)}</p>{first}<div class="fine">{"".join(parts)}</div>'

    def draw(self, picture: GlossaryPicture) -> None:
        chosen = picture.chosen
        self._chosen.object = _entry(chosen) if chosen else ""
        self._chosen.visible = chosen is not None
        self._code.show(source_code.as_html((chosen.code,)) if chosen and chosen.code else "")
        if self._search.value != self.model.search:
            self._search.value = self.model.search
        self._count.show(f"<p role='status'>{_count(picture)}</p>{_first(picture)}")
        self._terms.object = "\n\n".join(_entry(term) for term in picture.found if term is not chosen)

    def words(self, picture: GlossaryPicture) -> str:
        return ""

    def _take(self, event):
        if event.new != self.model.search:
            self.model.search = event.new


def _count(picture):
    if not picture.search:
        number = f"{len(picture.found)} terms"
        if picture.chosen is None:
            return "New here? Begin with these eight. Tap or point at one, and it moves again."
        return f"{number}. New here? Begin with {' · '.join(link(card.key, card.name) for card in CARDS)}."
    looked = html.escape(picture.search)
    if not picture.found:
        return f"No term mentions “{looked}”."
    return f"{len(picture.found)} of {len(TERMS)} terms mention “{looked}”"


def _first(picture):
    """The cards and the names of all terms; "" if certain terms are wanted."""
    return "" if picture.search or picture.chosen is not None else cards() + _index()


def _index():
    """Links to all terms, by what they are about."""
    groups = groupby(sorted(TERMS, key=lambda term: _GROUPS.index(term.group)), key=lambda term: term.group)
    rows = (
        f"<dt>{html.escape(group)}</dt><dd>{' · '.join(link(t.key) for t in terms)}</dd>"
        for group, terms in groups
    )
    return f"<details><summary>All {len(TERMS)} terms</summary><dl>{''.join(rows)}</dl></details>"


def _entry(term: Term) -> str:
    """One term as Markdown; it contains only text of the program, none of a user."""
    parts = [f"<h2>{rich(term.name)}</h2>", term.text]
    if term.formula:
        parts += [sheltered(f"$${term.formula}$$"), f"<p class='where'>{rich(term.where)}</p>"]
    links = [link(key) for key in term.see]
    last = []
    if term.code:
        last.append(
            f"In code: <a href='?page=glossary&amp;term={quote(term.key)}'><code>{term.code}</code></a>"
        )
    if links:
        last.append(f"See also: {', '.join(links)}")
    parts.append("<p>" + ". ".join(last) + "</p>" if last else "")
    return "\n\n".join(parts)

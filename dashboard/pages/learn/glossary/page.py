"""Glossary: the terms of this field, each in plain words, as a formula, and with the code that computes it."""

from __future__ import annotations

import panel as pn

from dashboard.components import source_code
from dashboard.components.layout import FULL
from dashboard.pages.learn.glossary.cards import SHEET
from dashboard.pages.learn.glossary.model import GlossaryModel, GlossaryPlan
from dashboard.pages.learn.glossary.view import entries, view
from dashboard.sheet.layout import CARDS
from dashboard.sheet.spec import Live, Sheet
from dashboard.theme.assets import beside

_SHEET = beside(__file__, "glossary.css")


class _Formulas(pn.pane.HTML):
    """A pane whose formulas the browser sets; `picture` is its text in the first answer."""

    picture = ""


class Terms(Live):
    """The terms in full.

    Attributes
    ----------
    view : viewable
    """

    def __init__(self, page):
        sheets = [CARDS + _SHEET + source_code.SHEET]
        self.view = _Formulas("", disable_math=False, stylesheets=sheets, **FULL)

    def show(self, plan: GlossaryPlan) -> None:
        """Show the terms of a plan; formulas come with the live page."""
        self.view.picture = entries(plan, formulas=False)
        text = entries(plan, formulas=True)
        if text != self.view.object:
            self.view.object = text


GLOSSARY = Sheet(
    name="glossary",
    model=GlossaryModel,
    view=view,
    places={"first": 6, "terms": 6},
    live={"terms": Terms},
    shared=(),
    primary="search",
    primary_above=True,
    hidden=("term",),
    sheet=SHEET + _SHEET,
)

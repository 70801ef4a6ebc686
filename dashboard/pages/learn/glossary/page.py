"""Glossary: the terms of this field, each in plain words, as a formula, and with the code that computes it."""

from __future__ import annotations

from dataclasses import replace

from dashboard.components import formulas, source_code
from dashboard.pages.learn.glossary.cards import SHEET
from dashboard.pages.learn.glossary.model import GlossaryModel
from dashboard.pages.learn.glossary.view import view
from dashboard.sheet.look import ROWS
from dashboard.sheet.spec import Sheet
from dashboard.theme.assets import beside

GLOSSARY = Sheet(
    name="glossary",
    model=GlossaryModel,
    view=view,
    places={"first": 6, "terms": 6},
    shared=(),
    sliders=("search",),
    hidden=("term",),
    look=replace(ROWS, search=True),
    sheet=SHEET + beside(__file__, "glossary.css") + source_code.SHEET + formulas.SHEET,
)

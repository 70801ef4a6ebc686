"""The help of a control: its meaning and its range."""

from __future__ import annotations

import html

import param

from dashboard.state.controls import SOME_SITES
from dashboard.state.glossary import CONTROLS
from dashboard.state.number_text import number_text
from dashboard.state.seeds import Seed
from dashboard.theme.assets import beside

SHEET = beside(__file__, "help.css")


def explained(parameter: param.Parameter) -> str:
    """A parameter's meaning, range and glossary term, as HTML; "" if it has no doc."""
    # Docs are wrapped source text; the browser shows them as one line.
    doc = " ".join((parameter.doc or "").split())
    if not doc:
        return ""
    parts = [f"<p>{html.escape(doc)}</p>"]
    if span := reach(parameter):
        parts.append(f"<p class='range'>{html.escape(span)}</p>")
    if parameter.name in CONTROLS:
        parts.append(f"<p><a href='?page=glossary&amp;term={CONTROLS[parameter.name]}'>Glossary</a></p>")
    label = html.escape(parameter.label, quote=True)
    return f"<div class='note' role='note' aria-label='{label}'>{''.join(parts)}</div>"


def reach(parameter: param.Parameter) -> str:
    """The range of a number in words; "" for other parameters."""
    if not isinstance(parameter, param.Number) or isinstance(parameter, param.Boolean):
        return ""
    low, high = parameter.bounds or (None, None)
    if low is None or high is None or low == high or isinstance(parameter, Seed):
        return ""
    if parameter.name in SOME_SITES:  # Its range moves with another slider, and this text does not.
        return "A whole number from 0 to one less than the number of sites."
    kind = "A whole number" if isinstance(parameter, param.Integer) else "A number"
    return f"{kind} from {number_text(low)} to {number_text(high)}."

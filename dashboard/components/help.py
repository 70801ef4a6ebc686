"""The question mark beside a control: its meaning and its range."""

from __future__ import annotations

import html

import panel as pn
import param

from dashboard.components.layout import FULL, LiveText
from dashboard.state.glossary import CONTROLS
from dashboard.state.number_text import number_text

_SHEET = """
:host { font-family: var(--bokeh-base-font); color: var(--mui-palette-text-primary); position: relative }
summary { list-style: none; cursor: pointer; box-sizing: border-box; width: 22px; height: 22px; margin: 3px 0 0 4px;
          border: 1px solid var(--mui-palette-text-secondary); border-radius: 50%; text-align: center;
          font: 600 13px/20px var(--bokeh-base-font); color: var(--mui-palette-text-secondary) }
summary::-webkit-details-marker { display: none }
summary:focus-visible { outline: 2px solid var(--mui-palette-primary-main); outline-offset: 2px }
details[open] summary, summary:hover { color: var(--mui-palette-primary-main); border-color: currentColor }
.note { position: absolute; z-index: 30; top: 30px; right: 0; width: min(270px, 80vw); box-sizing: border-box;
        padding: 10px 14px; font-size: 14px; line-height: 1.45; border-radius: 6px; box-shadow: 0 4px 18px #0004;
        background: var(--mui-palette-background-paper); border: 1px solid var(--mui-palette-divider) }
.note p { margin: 0 0 6px } .note p:last-child { margin: 0 } .range { color: var(--mui-palette-text-secondary) }
a { color: var(--mui-palette-primary-main) }
@media print { :host { display: none } }
"""


def helped(widget: pn.viewable.Viewable, parameter: param.Parameter) -> pn.viewable.Viewable:
    """A control with its help beside it; the control alone if the parameter has no doc."""
    text = explained(parameter)
    if not text:
        return widget
    return pn.Row(widget, LiveText(_SHEET, text=text, width=26).pane, **FULL)


def explained(parameter: param.Parameter) -> str:
    """A parameter's meaning, range and glossary term, as an HTML disclosure; "" if it has no doc."""
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
    return (
        f"<details class='help'><summary aria-label='Help: {label}' role='button'>?</summary>"
        f"<div class='note' role='note'>{''.join(parts)}</div></details>"
    )


def reach(parameter: param.Parameter) -> str:
    """The range of a number in words; "" for other parameters."""
    if not isinstance(parameter, param.Number) or isinstance(parameter, param.Boolean):
        return ""
    low, high = parameter.bounds or (None, None)
    if low is None or high is None or parameter.name.endswith("seed"):
        return ""
    kind = "A whole number" if isinstance(parameter, param.Integer) else "A number"
    return f"{kind} from {number_text(low)} to {number_text(high)}."

"""What stands below every page: the mathematics, and the source code that computes it.

Both come when they are opened: a formula asks for a library of 600 kB.
"""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from dashboard.components import source_code as code
from dashboard.components.formulas import sheltered
from dashboard.components.layout import FULL, LiveText
from dashboard.theme import css

_FOLD = {
    "& .MuiAccordion-root": {"boxShadow": "none", "borderTop": "1px solid var(--mui-palette-divider)"},
    "& .MuiAccordionSummary-root": {"padding": "0", "minHeight": "44px"},
    "& .MuiAccordionDetails-root": {"padding": "0 0 12px"},
    "& .MuiAccordion-root::before": {"display": "none"},
    "&.Mui-expanded": {"margin": "0 !important"},
    "@media print": {"&.MuiAccordion-root:not(.Mui-expanded)": {"display": "none"}},
}


def background(page) -> pn.viewable.Viewable | None:
    """The mathematics, and the source code that computes it."""
    parts, source = [], LiveText(code.SHEET)
    equation = pn.pane.Markdown(stylesheets=[css.FINE], **FULL)
    if page.equation:
        parts.append(("The mathematics", equation))
    if page.code:
        parts.append(("In code", source.pane))
    if not parts:
        return None
    box = _fold(*parts)

    def fetch(event):
        if page.equation and 0 in event.new and not equation.object:
            equation.object = sheltered(page.equation)
        if page.code and len(parts) - 1 in event.new and not source.text:
            source.show(code.as_html(page.code))

    box.param.watch(fetch, "active")
    return box


def _fold(*parts):
    """An accordion of parts under their titles."""
    return pmui.Accordion(
        *parts, sx=_FOLD, title_variant="body1", elevation=0, sizing_mode="stretch_width", margin=0
    )

"""Small layouts that pages share."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui
from panel.models.markup import HTML

FULL = {"sizing_mode": "stretch_width", "margin": 0}


def grid(*objects, least: int = 320, gap: int = 20) -> pn.Column:
    """Objects side by side, at least `least` pixels wide each, in as many rows as that takes."""
    sheet = f"""
    :host {{ display: grid; gap: 12px {gap}px; align-items: start;
             grid-template-columns: repeat(auto-fit, minmax(min(max({least}px, var(--least, 0px)), 100%), 1fr)) }}
    :host > * {{ min-width: 0 }}
    """
    return pn.Column(*objects, stylesheets=[sheet], **FULL)


class LiveText:
    """HTML that changes while a slider moves: the bare model behind a pane, many times cheaper to update.

    (A Bokeh Div would be as cheap here, but costs the browser a new layout of the whole page at every change.)

    Attributes
    ----------
    pane : panel.pane.Bokeh
        What the page shows.
    """

    def __init__(self, sheet: str, *, margin=0, text: str = ""):
        self._model = HTML(stylesheets=[sheet], sizing_mode="stretch_width", margin=margin, disable_math=True)
        self.pane = pn.pane.Bokeh(self._model, sizing_mode="stretch_width", margin=margin)
        self.show(text)

    @property
    def text(self) -> str:
        """The HTML that is shown."""
        return html.unescape(self._model.text)

    def show(self, text: str) -> None:
        """Show HTML; foreign text in it must be escaped already."""
        # The model decodes what it receives once, as panes encode it once.
        self._model.text = html.escape(text)


def bokeh_pane(plot) -> pn.pane.Bokeh:
    """A Bokeh figure as wide as its place."""
    return pn.pane.Bokeh(plot, **FULL)


def quiet_button(label: str, icon: str) -> pmui.Button:
    """A button beside others that mean as little or as much."""
    return pmui.Button(label=label, icon=icon, variant="text", size="small", color="default", margin=0)


# For a group of buttons: as wide as their words, in as many rows as that takes.
WRAP = {
    "flexDirection": "row",
    "flexWrap": "wrap",
    "& .MuiToggleButton-root": {"width": "auto", "flex": "0 1 auto", "paddingX": "14px"},
}

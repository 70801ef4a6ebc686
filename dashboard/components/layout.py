"""Small layouts that pages share."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui
from panel.models.markup import HTML

from dashboard.compat.widgets.bare_model import Bare

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
    """HTML that changes while a slider moves: the bare model, many times cheaper to update than a pane.

    (A Bokeh Div would be as cheap here, but costs the browser a new layout of the whole page at every change.)

    Parameters
    ----------
    width : int, optional
        Pixels; as wide as its place without.

    Attributes
    ----------
    pane : Bare
        What the page shows.
    """

    def __init__(self, sheet: str, *, margin=0, text: str = "", width: int | None = None):
        sizing = {"sizing_mode": "stretch_width"} if width is None else {"width": width}
        self._model = HTML(stylesheets=[sheet], margin=margin, disable_math=True, **sizing)
        self.pane = Bare(self._model)
        self.show(text)

    @property
    def text(self) -> str:
        """The HTML that is shown."""
        return html.unescape(self._model.text)

    def show(self, text: str) -> None:
        """Show HTML; foreign text in it must be escaped already."""
        # The model decodes what it receives once, as panes encode it once.
        self._model.text = html.escape(text)


def bokeh_pane(plot) -> Bare:
    """A Bokeh figure as wide as its place."""
    plot.update(**FULL)
    return Bare(plot)


def quiet_button(label: str, icon: str) -> pmui.Button:
    """A button beside others that mean as little or as much."""
    return pmui.Button(label=label, icon=icon, variant="text", size="small", color="default", margin=0)


# For a group of buttons: as wide as their words, in as many rows as that takes.
WRAP = {
    "flexDirection": "row",
    "flexWrap": "wrap",
    "& .MuiToggleButton-root": {"width": "auto", "flex": "0 1 auto", "paddingX": "14px"},
}

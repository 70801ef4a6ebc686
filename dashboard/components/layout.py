"""Small layouts that pages share."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui
from bokeh.models import LayoutDOM
from panel.io.model import remove_root
from panel.models.markup import HTML
from panel.reactive import Reactive

FULL = {"sizing_mode": "stretch_width", "margin": 0}


def grid(*objects, least: int = 320, gap: int = 20) -> pn.Column:
    """Objects side by side, each at least `least` pixels wide, in as many rows as necessary."""
    sheet = f"""
    :host {{ display: grid; gap: 12px {gap}px; align-items: start;
             grid-template-columns: repeat(auto-fit, minmax(min(max({least}px, var(--least, 0px)), 100%), 1fr)) }}
    :host > * {{ min-width: 0 }}
    """
    return pn.Column(*objects, stylesheets=[sheet], **FULL)


class Bare(Reactive):
    """A Bokeh model as a part of a page.

    Panel's own pane contains a row as well and watches forty parameters of both; it takes three times the memory of
    the model. Here only `visible` and `styles` can be changed; all other properties are changed on the model.

    Attributes
    ----------
    object : bokeh.models.LayoutDOM
    """

    _synced_params = ()

    def __init__(self, model: LayoutDOM):
        # The frame's theme appends its style sheets to these.
        sheets, styles = list(model.stylesheets), dict(model.styles)
        super().__init__(stylesheets=sheets, styles=styles, sizing_mode=model.sizing_mode)
        self.object = model
        self.param.watch(lambda event: setattr(model, event.name, event.new), ["styles", "visible"])

    def _get_model(self, doc, root=None, parent=None, comm=None):
        if self.object.document not in (None, doc):
            remove_root(self.object, doc)
        self._models[(root or self.object).ref["id"]] = self.object, parent
        self._design.apply_bokeh_theme_to_model(self.object)
        return self.object


class LiveText:
    """HTML that changes while a slider moves; it uses the bare model, which updates much faster than a pane.

    (A Bokeh Div would be as fast on the server, but the browser computes the layout of the whole page at every change.)

    Parameters
    ----------
    width : int, optional
        Pixels; default: the available width.

    Attributes
    ----------
    pane : Bare
        The model on the page.
    """

    def __init__(self, sheet: str, *, margin=0, text: str = "", width: int | None = None):
        sizing = {"sizing_mode": "stretch_width"} if width is None else {"width": width}
        self._model = HTML(stylesheets=[sheet], margin=margin, disable_math=True, **sizing)
        self.pane = Bare(self._model)
        self.show(text)

    @property
    def text(self) -> str:
        """The current HTML."""
        return html.unescape(self._model.text)

    def show(self, text: str) -> None:
        """Show HTML; foreign text in it must already be escaped."""
        # The model decodes its text once, since panes encode it once.
        self._model.text = html.escape(text)


def bokeh_pane(plot) -> Bare:
    """A Bokeh figure with the available width."""
    plot.update(**FULL)
    return Bare(plot)


def quiet_button(label: str, icon: str) -> pmui.Button:
    """A secondary button."""
    return pmui.Button(label=label, icon=icon, variant="text", size="small", color="default", margin=0)


# For a group of buttons: each as wide as its label, in as many rows as necessary.
WRAP = {
    "flexDirection": "row",
    "flexWrap": "wrap",
    "& .MuiToggleButton-root": {"width": "auto", "flex": "0 1 auto", "paddingX": "14px"},
}

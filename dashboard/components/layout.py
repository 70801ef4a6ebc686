"""Small layouts that pages share."""

from __future__ import annotations

import html
import io
from collections.abc import Callable

import panel_material_ui as pmui
from panel.models.markup import HTML

from dashboard.compat.widgets.bare_model import Bare
from dashboard.compat.widgets.light_component import Stack
from dashboard.compat.widgets.repeated_download import RepeatedDownload
from dashboard.components.buttons import Buttons, still

_LINE = """
:host { display: flex; flex-flow: row wrap; gap: 4px; align-items: center }
:host > * { flex: none; width: auto !important }
:host > .scroll-button { display: none }
"""
_BUTTON = {
    "fontSize": "14px",
    "lineHeight": "22.75px",
    "letterSpacing": "0.13px",
    "minHeight": "37px",
    "padding": "4px",
    "& .MuiButton-startIcon": {"margin": "0 8px 0 -2px"},
    "& .MuiButton-startIcon > *": {"fontSize": "12px !important", "width": "13px"},
}
FULL = {"sizing_mode": "stretch_width", "margin": 0}


def grid(*objects, least: int = 320, gap: int = 20, margin=0) -> Stack:
    """Objects side by side, each at least `least` pixels wide, in as many rows as necessary."""
    sheet = f"""
    :host {{ display: grid; gap: 12px {gap}px; align-items: start;
             grid-template-columns: repeat(auto-fit, minmax(min(max({least}px, var(--least, 0px)), 100%), 1fr)) }}
    :host > * {{ min-width: 0 }}
    :host > .scroll-button {{ display: none }}  /* Panel adds it to every column: it would take a place. */
    """
    return Stack(*objects, stylesheets=[sheet], sizing_mode="stretch_width", margin=margin)


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


def text_download(label: str, name: str, text: Callable[[], str]) -> RepeatedDownload:
    """A secondary button that saves the text of the moment as a file; it looks as those of `Buttons`."""
    found = RepeatedDownload(
        callback=lambda: io.StringIO(text()), filename=name, label=label, size="small", margin=0, sx=_BUTTON
    )
    # The constructor would take both for settings of the same property.
    found.param.update(variant="text", color="primary")
    return found


class ButtonLine(Stack):
    """Buttons and files to save in one line, and below it what they unfold.

    Parameters
    ----------
    row : Buttons
    *files : viewable
        What `text_download` makes.
    unfolds : sequence of viewable
    said : LiveText, optional
        What stands beside them.
    above, below : int
        Pixels.
    """

    def __init__(
        self, row: Buttons, *files, unfolds=(), said: LiveText | None = None, above: int = 0, below: int = 0
    ):
        self._row, self._files = row, files
        self._ends = f"{above}px 0 {below}px"
        beside = () if said is None else (said.pane,)
        line = Stack(row, *files, *beside, stylesheets=[_LINE], **FULL | {"margin": (above, 0, below, 0)})
        super().__init__(line, *unfolds, **FULL)

    @property
    def picture(self) -> str:
        """The line in the first answer."""
        drawn = [(b.label, b.look) for b in self._row.buttons if b.visible]
        drawn += [(file.label, "primary") for file in self._files if file.visible]
        return f"<div style='margin: {self._ends}'>{still(drawn)}</div>"


# For a group of buttons: each as wide as its label, in as many rows as necessary.
WRAP = {
    "flexDirection": "row",
    "flexWrap": "wrap",
    "& .MuiToggleButton-root": {"width": "auto", "flex": "0 1 auto", "paddingX": "14px"},
}

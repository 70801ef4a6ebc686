"""The toolbar above a picture: pin its curves, follow the runs."""

from __future__ import annotations

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.layout import FULL, LiveText
from dashboard.components.progress import progress
from dashboard.page.base import Page
from dashboard.theme import css
from dashboard.theme.assets import beside

# Buttons, and the progress of the runs at the right end.
_ROW = css.SCREEN + beside(__file__, "toolbar.css")
_NOTHING = "There is nothing to pin yet: no point of these settings has been computed."


class FigureToolbar:
    """The toolbar of a page's picture.

    Attributes
    ----------
    buttons : Buttons
        Its buttons.
    view : viewable or None
        The toolbar; None if it has no action.
    floats : bool
        Whether it lies at the right end of the slider's label, which follows it, on a wide screen.
    told : LiveText
        What its buttons said, to stand below it.
    """

    def __init__(self, page: Page):
        page.content()
        self.told = LiveText(css.FINE + css.SCREEN)
        self.buttons = Buttons(gap="4px 8px")
        if page.pins is not None:
            _pin_buttons(page, self.buttons, self._say)
        self.told.pane.object.css_classes = ["said"]
        runs = [] if page.runs is None else [progress(page.runs)]
        self.floats = page.primary is not None and bool(page.beside)
        kinds = ["tools", *(["floating"] if self.floats else [])]
        row = Stack(self.buttons, *runs, css_classes=kinds, stylesheets=[_ROW], **FULL)
        self.view = row if self.buttons.buttons or runs else None

    @property
    def said(self) -> str:
        """The message below the buttons, as HTML; "" for none."""
        return self.told.text

    def _say(self, text):
        self.told.show(f"<p role='status'>{text}</p>" if text else "")


def _pin_buttons(page, buttons, say):
    pins = page.pins
    pin = buttons.add("Pin these curves", "push_pin", act=lambda: page.pin() or say(_NOTHING))
    unpin = buttons.add("Unpin", "clear", act=pins.clear, visible=False)

    def follow(*events):
        pin.visible = page.said.step is None
        unpin.visible = bool(pins) and page.said.step is None
        say("")

    pins.watchers.append(follow)
    page.said.param.watch(follow, "step")

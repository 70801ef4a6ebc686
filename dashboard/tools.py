"""The row above a picture: keep a copy of its curves to compare other settings with."""

from __future__ import annotations

import panel as pn

from dashboard import styles
from dashboard.layouts import FULL, LiveText, quiet_button
from dashboard.page import Page
from dashboard.pins import Pins

_NOTHING = (
    "<p role='status'>There is nothing to pin yet: the first points of these settings are still to come.</p>"
)


def picture_tools(page: Page) -> pn.viewable.Viewable | None:
    """What can be done with a page's picture beside looking at it; None if nothing."""
    page.content()
    if page.pins is None:
        return None
    said = LiveText(styles.FINE)
    row = pn.FlexBox(*_pin_buttons(page, page.pins, said), gap="4px", margin=(2, 0))
    return pn.Column(row, said.pane, **FULL)


def _pin_buttons(page, pins: Pins, said: LiveText):
    pin, unpin = quiet_button("Pin these curves", "push_pin"), quiet_button("Unpin", "clear")
    unpin.visible = False

    def follow():
        unpin.visible = bool(pins)
        said.show("")

    pins.changed = follow
    pin.on_click(lambda event: pins.pin(page.settings_words()) or said.show(_NOTHING))
    unpin.on_click(lambda event: pins.clear())
    return pin, unpin

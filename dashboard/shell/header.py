"""The buttons in the header, which act on the whole session."""

from __future__ import annotations

import panel as pn

from dashboard.components.buttons import Buttons

_RIGHT = ".row { justify-content: flex-end }"


def header(app) -> list[pn.viewable.Viewable]:
    """The buttons of the header of an `App`."""
    buttons = Buttons(gap="0", sheets=[_RIGHT], sizing_mode="stretch_width")
    buttons.add("Lecture", "co_present", look="header", act=app.toggle_lecture)
    buttons.add("Ledger", "receipt_long", look="header", act=lambda: app.show(app.ledger_drawer))
    buttons.add("Settings file", "save_as", look="header", act=lambda: app.show(app.settings_dialog))
    return [buttons]

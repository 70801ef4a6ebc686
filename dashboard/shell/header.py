"""The buttons in the header, which act on the whole session."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

# On a phone the labels do not fit beside the title: only the icons, with names for screen readers, remain.
_QUIET = {
    "color": "#ffffff !important",
    "minWidth": "40px",
    "paddingX": "10px",
    "@media (max-width: 899px)": {
        "fontSize": 0,
        "& .MuiButton-icon": {"margin": 0},
        "& .MuiButton-icon *": {"fontSize": "22px !important"},
    },
}


def header(app) -> list[pn.viewable.Viewable]:
    """The buttons of the header of an `App`."""
    lecture = _button("Lecture", "co_present", app.toggle_lecture)
    ledger = _button("Ledger", "receipt_long", lambda: app.show(app.ledger_drawer))
    settings = _button("Settings file", "save_as", lambda: app.show(app.settings_dialog))
    return [pn.Row(pn.HSpacer(), lecture, ledger, settings, sizing_mode="stretch_width", margin=0)]


def _button(label, icon, act):
    button = pmui.Button(label=label, icon=icon, variant="text", size="small", margin=0, sx=_QUIET)
    button.on_click(lambda event: act())
    return button

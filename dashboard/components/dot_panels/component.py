"""The panels in the browser: dots glide from where they were to where a new result puts them."""

from __future__ import annotations

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.components.dot_panels.picture import TINTS, Picture
from dashboard.theme.assets import beside

SHEET = beside(__file__, "dot_panels.css")


class DotPanels(LightComponent):
    """Pictures side by side, in as many rows as the width requires."""

    events_from_browser = ()

    state = param.Dict({}, doc="What `Picture.state` returns; empty: nothing is drawn.")
    tints = param.List(list(TINTS), doc="Colours of groups.")

    _esm = beside(__file__, "dot_panels.js")
    _stylesheets = [SHEET]  # noqa: RUF012

    def __init__(self, **params):
        super().__init__(**{"sizing_mode": "stretch_width", **params})

    def begin(self, picture: Picture) -> None:
        """Show a picture without results, unless the same panels stand: they stay, pale, until the first result."""
        names = [panel.name for panel in picture.panels]
        if [panel["name"] for panel in self.state.get("panels", ())] != names:
            self.show(picture, afresh=True)

    def show(self, picture: Picture, *, afresh: bool = False) -> None:
        """Show a picture; the dots of a panel that is shown already move to their new places.

        A panel without content keeps what it shows, unless the picture begins `afresh`: its result is on its way.
        """
        state = picture.state
        if not afresh:
            kept = {panel["name"]: panel for panel in self.state.get("panels", ())}
            empty = {panel.name for panel in picture.panels if panel.empty}
            state["panels"] = [
                kept.get(panel["name"], panel) if panel["name"] in empty else panel
                for panel in state["panels"]
            ]
        self.state = state

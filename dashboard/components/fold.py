"""A text with a further text that unfolds below it, as one component."""

from __future__ import annotations

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.theme import css
from dashboard.theme.assets import beside

_SHEET = beside(__file__, "fold.css")


class Fold(LightComponent):
    """A text, and a title that unfolds another; foreign text in both must already be escaped."""

    events_from_browser = ()

    lead = param.String("", doc="HTML that is always shown.")
    title = param.String("", doc="The title.")
    text = param.String("", doc="HTML that the title unfolds.")

    _esm = beside(__file__, "fold.js")

    def __init__(self, title: str, **params):
        super().__init__(title=title, stylesheets=[css.FINE, _SHEET], sizing_mode="stretch_width", **params)

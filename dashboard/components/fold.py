"""What unfolds: a text below another, as one component; and parts of a page that a button shows."""

from __future__ import annotations

import param

from dashboard.compat.widgets.light_component import LightComponent, Stack
from dashboard.components.buttons import Buttons
from dashboard.components.layout import FULL
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


def unfolding(label: str, *parts) -> Stack:
    """A button that shows these parts below it, and hides them again."""
    inside, row = Stack(*parts, visible=False, **FULL), Buttons(margin=(12, 0, 4, 0))

    def turn():
        inside.visible = not inside.visible
        button.update(icon="expand_less" if inside.visible else "expand_more")

    button = row.add(label, "expand_more", look="outlined", act=turn)
    return Stack(row, inside, **FULL)

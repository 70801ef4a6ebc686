"""What unfolds: a text below another, as one component; and parts of a page that a button shows."""

from __future__ import annotations

from collections.abc import Callable

import param
from panel.viewable import Viewable

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.components.buttons import Buttons
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


def opener(row: Buttons, label: str, part: Viewable, *, before: Callable[[], None] = lambda: None) -> None:
    """Add a button that shows a part elsewhere, and hides it again; `before` is called before each change."""

    def turn():
        before()
        part.visible = not part.visible
        button.update(icon="expand_less" if part.visible else "expand_more")

    button = row.add(label, "expand_more", look="outlined", act=turn)

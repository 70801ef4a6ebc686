"""The component: a picture as HTML text, and what its user chooses in it."""

from __future__ import annotations

from collections.abc import Callable

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.theme.assets import beside

_MOST = 1000  # Numbers beyond it are nobody's choice.


class LivePicture(LightComponent):
    """A picture in HTML and SVG; the same text serves as the first picture of a page.

    The browser changes the elements that stand instead of making new ones: a CSS transition moves a bar from its old
    to its new length, and an input keeps the finger that drags it. An element with another `data-key` is made anew, so
    that its CSS animations begin again. An `input` with `data-name` and an element with `data-press`, which a click,
    Enter or the space bar chooses, send their number; one with `data-rise` scrolls the page to its top.

    Parameters
    ----------
    sheet : str
        Style sheet of the picture.
    chosen : callable, optional
        Called with a name and a whole number from 0 to 1000; it must still check both.
    """

    picture = param.String("", doc="HTML; foreign text in it must already be escaped.")

    _esm = beside(__file__, "live_picture.js")

    def __init__(
        self, *, sheet: str, chosen: Callable[[str, int], None] = lambda name, number: None, **params
    ):
        self._chosen = chosen
        super().__init__(stylesheets=[sheet], **{"sizing_mode": "stretch_width", **params})

    def received(self, message) -> None:
        """A choice in the picture."""
        if not isinstance(message, dict):
            return
        name, number = message.get("name"), message.get("number")
        whole = isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _MOST
        if isinstance(name, str) and whole:
            self._chosen(name, number)

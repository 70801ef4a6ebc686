"""The screen of a class: a component whose half in the browser draws the room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.components import protocol_play
from dashboard.packs.classroom.phone_page import page as phone_page
from dashboard.theme import colours
from dashboard.theme.assets import beside

_SHARED = ("timing.js", "drawing.js")  # Of the play of the protocol.
_PARTS = ("screen_phones.js", "screen_walk.js", "screen_averages.js", "screen_setup.js", "screen.js")
_COLOURS = {
    "zero-sum": colours.ZERO_SUM,
    "local": colours.LOCAL_NOISE,
    "cape": colours.CAPE,
    "conventional": colours.CONVENTIONAL,
    "guess": colours.GUESS,
    "header": colours.HEADER,
}


class ClassScreen(LightComponent):
    """What a class sees on the wall.

    Parameters
    ----------
    act : callable
        Called with what the lecturer does, a message from a browser.
    """

    state = param.Dict({}, doc="What `LiveClass` says of its room.")

    _esm = "\n".join(
        [beside(protocol_play.__file__, part) for part in _SHARED]
        + [beside(phone_page.__file__, "typed_number.js")]
        + [beside(__file__, part) for part in _PARTS]
    )
    _stylesheets = [  # noqa: RUF012
        ":host { " + " ".join(f"--{name}: {colour};" for name, colour in _COLOURS.items()) + " }",
        beside(__file__, "screen.css"),
    ]

    def __init__(self, *, act: Callable[[Any], None], **params):
        self._act = act
        super().__init__(**{"sizing_mode": "stretch_width", **params})

    def received(self, message) -> None:
        """What the lecturer presses."""
        self._act(message)

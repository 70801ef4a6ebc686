"""The component that animates one run of the protocol in the browser, with numbers that the server has drawn."""

from __future__ import annotations

from collections.abc import Callable

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.components.inputs import STEADY
from dashboard.components.protocol_play.still import still
from dashboard.theme import colours
from dashboard.theme.assets import beside

STEPS = {"1 values": 1, "2 shared": 2, "3 own": 3, "4 messages": 4, "5 average": 5}
_COLOURS = {
    "zero-sum": colours.ZERO_SUM,
    "local": colours.LOCAL_NOISE,
    "cape": colours.CAPE,
    "conventional": colours.CONVENTIONAL,
}
_PARTS = (
    "timing.js",
    "drawing.js",
    "scene.js",
    "acts.js",
    "bells.js",
    "sum_of_site.js",
    "rain.js",
    "slide.js",
    "controls.js",
)


class ProtocolPlay(LightComponent):
    """Sites, their noise, their messages and the averages, from the first value to the last average.

    Parameters
    ----------
    on_more, on_new_noise : callable
        Called without arguments when the user asks for further runs, or for new noise.
    on_share : callable
        Called with two shares of CAPE's zero-sum noise, in per cent, while the play removes that noise and adds it again:
        the one to show now, and the one at the end.
    """

    from_browser = ("step",)  # The step that the play has reached.
    events_from_browser = ("data_event",)  # Further runs, new noise.

    run = param.Dict(
        {},
        doc="What `dashboard.problems.protocol.played` returns, with `room`, how far bars and sums go at any share, and "
        "`rests`, whether the bells stand before the play, too, and `order`: of sum and messages where the last site drops "
        "out, 'before' or 'after', else ''; empty: nothing is drawn.",
    )
    step = param.Integer(1, bounds=(1, len(STEPS)), doc="The step at which the play stands.")
    slider = param.String("", doc="Label of the page's slider of zero-sum noise, which the play moves.")
    ends = param.Integer(len(STEPS), bounds=(2, len(STEPS)), doc="The step after which Play stops by itself.")

    _esm = "\n".join([STEADY, *(beside(__file__, part) for part in _PARTS)])
    _stylesheets = [  # noqa: RUF012
        ":host { " + " ".join(f"--{name}: {colour};" for name, colour in _COLOURS.items()) + " }",
        beside(__file__, "play.css"),
    ]

    def __init__(
        self,
        *,
        on_more: Callable[[], None],
        on_new_noise: Callable[[], None],
        on_share: Callable[[int, int], None],
        **params,
    ):
        self._on_more, self._on_new_noise, self._on_share = on_more, on_new_noise, on_share
        super().__init__(**{"sizing_mode": "stretch_width", **params})

    @property
    def picture(self) -> str:
        """HTML of the play for the first answer."""
        return still(self.run, step=self.step) if self.run else ""

    def _process_property_change(self, msg):
        """What a browser calls a step may be anything: only a step is taken."""
        step = msg.get("step")
        known = isinstance(step, int) and not isinstance(step, bool) and step in STEPS.values()
        return super()._process_property_change({k: v for k, v in msg.items() if k != "step" or known})

    def received(self, message) -> None:
        """A press on one of the two buttons, or a stop of the slide."""
        wish = message.get("wish") if isinstance(message, dict) else None
        if wish == "more":
            self._on_more()
        elif wish == "new noise":
            self._on_new_noise()
        elif wish == "share":
            share, home = message.get("share"), message.get("home")
            if _is_share(share) and _is_share(home):
                self._on_share(share, home)


def _is_share(found):
    return isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= 100

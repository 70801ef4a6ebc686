"""The card that stands in the place of a hidden picture: a question, and a scale with one marker."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.components.inputs import STEADY
from dashboard.theme import colours
from dashboard.theme.assets import beside


class GuessCard(LightComponent):
    """A question and a slider over the values of a scale; nothing is chosen before the marker moves.

    Attributes
    ----------
    place : int or None
        The place of the guess among the stops; None before the first.
    """

    question = param.String("", doc="Plain text.")
    stops = param.List([], doc="The texts of all values, in order.")
    marked = param.Integer(-1, doc="The place that the server knows; -1 for none.")

    _esm = beside(__file__, "guess_card.js") + STEADY
    _stylesheets = [  # noqa: RUF012
        f":host {{ --guess: {colours.GUESS} }}",
        beside(__file__, "guess_card.css"),
    ]

    def __init__(self, **params):
        super().__init__(**{"sizing_mode": "stretch_width", **params})
        self.place: int | None = None
        self.changed: Callable[[], None] = lambda: None

    def ask(self, question: str, stops: Sequence[str]) -> None:
        """Ask anew: an earlier guess is forgotten."""
        self.place = None
        self.param.update(question=question, stops=list(stops), marked=-1)

    def received(self, message) -> None:
        """A guess: a place among the stops."""
        place = message.get("place") if isinstance(message, dict) else None
        if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(self.stops):
            self.place = place
            with param.parameterized.discard_events(self):
                self.marked = place
            self.changed()

"""Pales what a page computed while it belongs to other settings than those that are set."""

from __future__ import annotations

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.page.view_state import ViewState
from dashboard.theme.assets import beside


class Staleness(LightComponent):
    """Marks a page's layout, which is this component's parent, as stale; style sheets say which of its parts are pale then.

    The browser marks it 0.3 s after a choice of its user, before the server has heard of it. Behind the choice it sends
    a number. The server deals with messages in their order: when it returns the number, either the new picture stands
    or `earlier` says that it takes longer.

    Parameters
    ----------
    state : ViewState
        Its flags say what still belongs to earlier settings.
    """

    heard = param.Integer(0, doc="Number of the user's latest choice that was dealt with.")
    earlier = param.String(
        "",
        doc='What is of earlier settings: "pale", the picture; "refused", all that stands; "leaves", the slide.',
    )

    _esm = beside(__file__, "staleness.js")

    def __init__(self, state: ViewState):
        super().__init__(styles={"display": "none"})

        def follow(*events):
            earlier = [flag for flag in ("pale", "leaves") if getattr(state, flag)]
            self.earlier = " ".join([*(["refused"] if state.problem else []), *earlier])

        state.param.watch(follow, ["pale", "leaves", "problem"])
        follow()

    def received(self, message) -> None:
        """The number of a choice; the messages before it were dealt with."""
        number = message.get("choice") if isinstance(message, dict) else None
        if isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**31:
            self.heard = number

"""What may come a moment after the main picture, so that the picture itself comes at once."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn

from dashboard.state import errors


class Deferred:
    """Do something a moment later, once, however often it is asked for meanwhile.

    Without a browser (scripts, tests), and while a page is first built, it is done at once.

    Parameters
    ----------
    action : callable without arguments
        It should look at the state of the moment in which it is called.
    milliseconds : int
        The moment: time enough for a browser to paint what was sent before.
    """

    def __init__(self, action: Callable[[], None], *, milliseconds: int = 40):
        self._action, self._milliseconds = action, milliseconds
        self._asked = False

    def __call__(self, *events) -> None:
        """Ask for it; `events` of parameters are ignored."""
        doc = pn.state.curdoc
        if doc is None or doc.session_context is None or not pn.state.loaded:
            self._action()
        elif not self._asked:
            self._asked = True
            doc.add_timeout_callback(self._act, self._milliseconds)

    def _act(self):
        self._asked = False
        try:
            with pn.io.hold(pn.state.curdoc):
                self._action()
        except Exception as error:
            errors.handle(error)

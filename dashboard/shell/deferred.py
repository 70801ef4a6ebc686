"""Deferred callbacks: run work shortly after the main figure has been sent to the browser."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn

from dashboard.state import errors


class Deferred:
    """Call an action after a delay; calls during the delay are merged into one.

    Without a browser (scripts, tests), and while a page is first built, the action runs immediately.

    Parameters
    ----------
    action : callable without arguments
        It should read the state at the time of its call.
    milliseconds : int
        The delay: enough for a browser to paint what was sent before.
    """

    def __init__(self, action: Callable[[], None], *, milliseconds: int = 40):
        self._action, self._milliseconds = action, milliseconds
        self._asked = False

    def __call__(self, *events) -> None:
        """Schedule the action; `events` of parameters are ignored."""
        doc = pn.state.curdoc
        if doc is None or doc.session_context is None or not pn.state.loaded:
            self._action()
        elif not self._asked:
            self._asked = True
            doc.add_timeout_callback(self._act, self._milliseconds)

    def now(self) -> None:
        """Run the action if it is scheduled; it is not called again."""
        if self._asked:
            self._asked = False
            self._action()

    def _act(self):
        if not self._asked:
            return
        self._asked = False
        try:
            with pn.io.hold(pn.state.curdoc):
                self._action()
        except Exception as error:
            errors.handle(error)

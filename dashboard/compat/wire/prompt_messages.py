"""What a session says leaves the server at once.

Bokeh writes a message in three pieces or more. The operating system holds each small piece back until the browser has
confirmed the one before, which it does after up to 40 ms, and never sooner than the network takes for the way.
"""

from __future__ import annotations

from functools import wraps

from panel.io.server import WSHandler

_OPEN = WSHandler.open


def send_at_once() -> None:
    """Hold no piece back. Calling this twice has no further effect."""
    WSHandler.open = _open


@wraps(_OPEN)
def _open(self, *given, **named):
    self.set_nodelay(True)
    return _OPEN(self, *given, **named)

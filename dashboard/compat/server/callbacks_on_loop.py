"""What a session does, it does in the server's event loop.

Bokeh 3.10 runs each callback and applies each change in a thread of a pool, while the document's lock is held. Other
sessions and the event loop then run beside it: what sessions share would need locks of its own, and a callback could
start nothing in the loop. Long work of the app runs in worker processes anyway.
"""

from __future__ import annotations

from bokeh.server import session


def keep_in_loop() -> None:
    """Install this; Bokeh 3.9 knows no other way. Calling it twice has no further effect."""
    if hasattr(session, "_run_in_executor"):
        session._run_in_executor = _call


async def _call(callback, *args, **named):
    return callback(*args, **named)

"""Whatever a browser asks for is done under its document's lock.

Panel handles an event without that lock if it comes while another change of the same session still waits, as a
click right after a slider does. It may then change widgets, whose messages it sends itself, but not Bokeh's own
models: our figures and live texts would raise halfway through, and leave controls and picture apart.
"""

from __future__ import annotations

from panel.reactive import Syncable


def keep_lock() -> None:
    """Have all events and changes from browsers wait for the lock; once is enough, twice does no harm."""
    # `panel.io.with_lock` marks a callback of one's own the same way.
    for handler in (Syncable._event_coroutine, Syncable._change_coroutine):
        handler.lock = True

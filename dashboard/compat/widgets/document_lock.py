"""Handles every event from a browser under the lock of its document.

Panel handles an event without that lock if another change of the same session is still pending, for example a
click directly after a slider. Such a callback may change Panel's widgets, but not Bokeh's own models: the app's
figures and texts would raise an error halfway, and controls and picture would disagree.
"""

from __future__ import annotations

from panel.reactive import Syncable


def keep_lock() -> None:
    """Make all events and changes from browsers wait for the lock. Calling it twice has no further effect."""
    # `panel.io.with_lock` marks an own callback in the same way.
    for handler in (Syncable._event_coroutine, Syncable._change_coroutine):
        handler.lock = True

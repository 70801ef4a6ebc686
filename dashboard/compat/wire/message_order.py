"""What a session says reaches its browser, and in the order in which it was said.

While a message is being written, Panel puts the next ones aside. It forgets those that come in the moment in which it
ends with the others, until something else is said. And what Bokeh sends by itself meanwhile passes them: an old value
then arrives after the new one, and stays on the page.
"""

from __future__ import annotations

from functools import wraps

from bokeh.server.session import ServerSession
from panel.io import document as panel_document

# What waits, by document. Panel 1.10 has another name for it; the older one goes with Panel 1.9.
_WAITING = "_WRITE_EVENTS" if hasattr(panel_document, "_WRITE_EVENTS") else "_WRITE_MSGS"
_DISPATCH = panel_document._dispatch_msgs
_PATCHED = ServerSession._document_patched


def keep_order() -> None:
    """Send everything, in order."""
    panel_document._dispatch_msgs = _dispatch
    ServerSession._document_patched = _patched


@wraps(_DISPATCH)
async def _dispatch(doc):
    await _DISPATCH(doc)
    if _waits(doc) and doc not in panel_document._WRITE_BLOCK:
        panel_document._WRITE_BLOCK[doc] = True
        panel_document._dispatch_write_task(doc, _dispatch, doc)


@wraps(_PATCHED)
def _patched(self, event):
    doc = self.document
    if not _waits(doc) and doc not in panel_document._WRITE_BLOCK:
        return _PATCHED(self, event)
    # The browser that made a change need not hear of it.
    teller = self._current_patch_connection if event.setter is self else None
    others = [connection for connection in tuple(self._subscribed_connections) if connection is not teller]
    if others:
        panel_document.schedule_write_events(doc, others, [event])


def _waits(doc):
    return doc in getattr(panel_document, _WAITING)

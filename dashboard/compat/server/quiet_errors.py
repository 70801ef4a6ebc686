"""Short error replies to a browser, without tracebacks, paths or the content of its message.

Bokeh replies to an error with a traceback, which names files of the server, and logs the whole message.
"""

from __future__ import annotations

import logging

from bokeh.server.protocol_handler import ProtocolHandler
from bokeh.server.session import ServerSession
from panel.io.server import WSHandler
from tornado.web import HTTPError, StaticFileHandler

from dashboard.compat.server.allowed_changes import Refused

_LOG = logging.getLogger("cape-lab")
MOST_PULLS = (
    5  # Number of times that one connection may request its whole document; BokehJS requests it once.
)
_SORRY = "The server could not do this."
_FILE = StaticFileHandler.get
_BROKEN, _OURS = 1002, 1011  # Codes of the websocket protocol: protocol error, server error.


def answer_errors_in_words() -> None:
    """Install these replies. Calling this twice has no further effect."""
    ProtocolHandler.handle = _handle
    StaticFileHandler.get = _get
    WSHandler._internal_error = lambda self, message: _close(self, _OURS)
    WSHandler._protocol_error = lambda self, message: _close(self, _BROKEN, message)


async def _get(self, path, include_body=True):
    """A file; an address with a zero byte, at which the system's functions raise, is that of none."""
    if "\0" in path:
        raise HTTPError(404)
    await _FILE(self, path, include_body=include_body)


async def _handle(self, message, connection):
    """Handle a message if it is one of the two kinds that a browser sends."""
    try:
        if message.msgtype == "PATCH-DOC":
            return await ServerSession.patch(message, connection)
        if message.msgtype != "PULL-DOC-REQ":
            raise Refused("a browser may ask for its document and patch it, nothing else")
        self._pulls = getattr(self, "_pulls", 0) + 1
        if self._pulls > MOST_PULLS:
            raise Refused(f"a connection is sent its document at most {MOST_PULLS} times")
        return await ServerSession.pull(message, connection)
    except Refused as problem:
        words = f"Refused: {problem}."
        _LOG.warning("a message of a browser was refused: %s", problem)
    except Exception as problem:
        words = _SORRY
        _LOG.warning(
            "a message of a browser could not be applied: %s %.300s", type(problem).__name__, problem
        )
    # Outside of `except`, since Bokeh adds the traceback of the exception being handled.
    return connection.error(message, words)


def _close(self, code, message=""):
    _LOG.warning("a connection was closed: %.300s", message or "the server failed")
    self.close(code, "refused")

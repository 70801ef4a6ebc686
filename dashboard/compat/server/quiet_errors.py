"""What goes wrong with a message is told to the browser in a few words, without tracebacks, paths or what it sent.

Bokeh answers an error with its traceback, which names files of the server, and writes the whole message to the log.
"""

from __future__ import annotations

import logging

from bokeh.server.protocol_handler import ProtocolHandler
from bokeh.server.session import ServerSession
from panel.io.server import WSHandler

from dashboard.compat.server.allowed_changes import Refused

_LOG = logging.getLogger("cape-lab")
MOST_PULLS = 5  # Whole documents that one connection is sent; BokehJS asks for one.
_SORRY = "The server could not do this."
_BROKEN, _OURS = 1002, 1011  # Codes of the websocket protocol: its rules were broken, the server has failed.


def answer_errors_in_words() -> None:
    """Have all errors answered so; once is enough, twice does no harm."""
    ProtocolHandler.handle = _handle
    WSHandler._internal_error = lambda self, message: _close(self, _OURS)
    WSHandler._protocol_error = lambda self, message: _close(self, _BROKEN, message)


async def _handle(self, message, connection):
    """Do what a message asks for, if it is one of the two that a browser sends."""
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
    # Outside of `except`, since Bokeh adds the traceback of what is being handled.
    return connection.error(message, words)


def _close(self, code, message=""):
    _LOG.warning("a connection was closed: %.300s", message or "the server failed")
    self.close(code, "refused")

"""A connection to a browser holds no piece of a message back."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest
from bokeh.protocol.exceptions import ProtocolError
from panel.io.server import WSHandler

from dashboard.compat.wire.prompt_messages import send_at_once


class Connection(WSHandler):
    """A connection that Bokeh itself refuses, for it does not speak its language."""

    selected_subprotocol, current_user, _token = "other", "anyone", None
    application = request = MagicMock()

    def __init__(self):
        self.asked = []

    def set_nodelay(self, value):
        self.asked.append(value)

    def close(self):
        """Nothing is open."""


def test_a_connection_sends_at_once_before_anything_is_said(monkeypatch):
    monkeypatch.setattr(WSHandler, "open", WSHandler.open)  # Put back at the end.
    send_at_once()
    connection = Connection()
    with pytest.raises(ProtocolError):
        connection.open()
    assert connection.asked == [True]

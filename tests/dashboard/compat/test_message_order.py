"""Messages to a browser whose connection is busy: none is forgotten, none passes another."""

from __future__ import annotations

import asyncio

import pytest
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.models import Div
from bokeh.protocol import Protocol
from bokeh.server.session import ServerSession
from panel.io import document as panel_document

from dashboard.compat.wire import message_order


class Socket:
    """A connection that takes every message at once and has written it when it is free."""

    def __init__(self):
        self.free, self.written = asyncio.Event(), []

    def write(self, message):
        self.written.append(message.content["events"][0]["new"])
        return self.free.wait()


class Connection:
    protocol = Protocol()

    def __init__(self):
        self._socket = Socket()

    def send_patch_document(self, event):
        return self._socket.write(self.protocol.create("PATCH-DOC", [event]))


@pytest.fixture
def ordered(monkeypatch):
    monkeypatch.setattr(panel_document, "_dispatch_msgs", message_order._DISPATCH)
    monkeypatch.setattr(ServerSession, "_document_patched", message_order._PATCHED)
    write = {Socket: lambda connection, msg: [connection._socket.write(msg)]}
    monkeypatch.setattr(panel_document, "extra_socket_handlers", write)
    message_order.keep_order()


def speak(talk):
    """Let a session say something while its connection is busy; returns the values that arrive."""

    async def run():
        div, connection = Div(), Connection()
        doc = Document()
        doc.add_root(div)
        session = ServerSession("one", doc, None, "token")
        session._subscribed_connections.add(connection)
        session._pending_writes = []

        def say(words):
            return ModelChangedEvent(doc, div, "text", words)

        panel_document.schedule_write_events(doc, [connection], [say("first")])
        for _ in range(5):
            await asyncio.sleep(0)
        talk(doc, session, connection, say)
        for _ in range(20):
            await asyncio.sleep(0)
        assert not session._pending_writes
        return connection._socket.written

    return asyncio.run(run())


def test_what_is_said_in_the_moment_in_which_the_last_message_is_written_arrives(ordered):
    def talk(doc, session, connection, say):
        connection._socket.free.set()
        panel_document.schedule_write_events(doc, [connection], [say("second")])

    assert speak(talk) == ["first", "second"]


def test_what_bokeh_sends_by_itself_does_not_pass_what_waits(ordered):
    def talk(doc, session, connection, say):
        panel_document.schedule_write_events(doc, [connection], [say("second")])
        session._document_patched(say("third"))
        connection._socket.free.set()

    assert speak(talk) == ["first", "second", "third"]


def test_the_browser_that_made_a_change_is_not_told_of_it(ordered):
    def talk(doc, session, connection, say):
        change = say("its own")
        change.setter, session._current_patch_connection = session, connection
        session._document_patched(change)
        connection._socket.free.set()

    assert speak(talk) == ["first"]

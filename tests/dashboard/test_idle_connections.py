"""Connections on which no request comes end, and those that are in use stay."""

from __future__ import annotations

import asyncio
import re

from bokeh.application import Application
from bokeh.server import server
from conftest import ROOT
from tornado.ioloop import IOLoop
from tornado.web import RequestHandler
from tornado.websocket import WebSocketHandler, websocket_connect

from dashboard.compat.server.idle_connections import LONGEST, end_idle_connections

SECONDS = 0.4


class Slow(RequestHandler):
    async def get(self):
        await asyncio.sleep(3 * SECONDS)
        self.write("at last")


class Quiet(WebSocketHandler):
    def on_message(self, text):
        self.write_message(text)


async def ends(port, text=b""):
    """What a connection that sends this, and then nothing, hears until it ends; and after how long."""
    begun = asyncio.get_running_loop().time()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    heard = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    return heard, asyncio.get_running_loop().time() - begun


def test_silent_connections_end_and_answers_and_websockets_do_not(monkeypatch):
    monkeypatch.setattr(server, "HTTPServer", server.HTTPServer)  # Restored at the end.
    end_idle_connections(SECONDS)

    async def main():
        patterns = [("/slow", Slow), ("/quiet", Quiet)]
        running = server.Server(
            {"/": Application()},
            port=0,
            address="127.0.0.1",
            io_loop=IOLoop.current(),
            extra_patterns=patterns,
        )
        running.start()
        port, head = running.port, b"\r\nHost: a\r\n"
        socket = await websocket_connect(f"ws://127.0.0.1:{port}/quiet")
        silent = [ends(port) for _ in range(20)]
        found = await asyncio.gather(
            *silent,
            ends(port, b"GET /slow HTTP/1.1" + head),
            ends(port, b"POST /slow HTTP/1.1" + head + b"Content-Length: 9\r\n\r\nhalf"),
            ends(port, b"GET /slow HTTP/1.1" + head + b"\r\n"),
        )
        *stopped, (answer, took) = found
        assert all(SECONDS / 2 < after < 3 * SECONDS for _, after in stopped)
        assert not any(heard.startswith(b"HTTP/1.1 200") for heard, _ in stopped)
        assert b"at last" in answer and took > 3 * SECONDS
        await socket.write_message("still here")
        assert await asyncio.wait_for(socket.read_message(), 10) == "still here"
        running.stop()

    asyncio.run(main())


def test_the_stated_time_is_that_of_the_code():
    (stated,) = re.findall(r"head of a request, .*?\| (\d+) s \|", (ROOT / "SECURITY.md").read_text())
    assert float(stated) == LONGEST

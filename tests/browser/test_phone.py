"""The page of a phone in a real browser, without the app: what it says when it cannot connect."""

from __future__ import annotations

import asyncio
import threading

import pytest
from conftest import free_port
from tornado.httpserver import HTTPServer
from tornado.web import Application

from core import Privacy
from dashboard.class_room import handlers
from dashboard.class_room.rooms import ROOMS
from dashboard.class_room.seats import Question

pytest.importorskip("playwright.sync_api")


class BehindProxy(handlers.Line):
    """A line whose request names another host than the browser's, as some proxies send it."""

    def prepare(self):
        self.request.headers["Host"] = "another.example"


class Served(threading.Thread):
    """The addresses of phones on a bare server, on an event loop of its own."""

    def __init__(self, origins=(), line=handlers.Line):
        super().__init__(daemon=True)
        (path, page), (line_path, _) = handlers.ROUTES
        self.application = Application([(path, page), (line_path, line)])
        self.application.websocket_origins = set(origins)
        self.port, self.stands = free_port(), threading.Event()

    def run(self):
        asyncio.run(self._serve())

    async def _serve(self):
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = HTTPServer(self.application)
        server.listen(self.port, "127.0.0.1")
        self.stands.set()
        await self._end.wait()
        server.stop()
        await server.close_all_connections()

    def __enter__(self):
        self.start()
        assert self.stands.wait(20)
        asked = Question("Hours", -100.0, 2000.0, Privacy(1.0, 1e-5), "generator")
        self.room = ROOMS.open(asked)
        self.address = f"http://127.0.0.1:{self.port}/class/{self.room.code}"
        return self

    def __exit__(self, *exception):
        self._loop.call_soon_threadsafe(self.room.close)
        self._loop.call_soon_threadsafe(self._end.set)
        self.join(20)


@pytest.mark.parametrize("named", [False, True])
def test_behind_a_proxy_that_changes_the_host_a_phone_joins_or_says_why_not(browser, named):
    with Served(line=BehindProxy) as served, browser.new_page() as tab:
        if named:
            served.application.websocket_origins = {f"127.0.0.1:{served.port}"}
        tab.goto(served.address)
        if named:
            tab.locator("#value").wait_for()
        else:
            tab.get_by_text(f"--allow-websocket-origin 127.0.0.1:{served.port}").wait_for(timeout=10_000)
            # It goes on trying: the line opens once the operator has allowed it.
            served.application.websocket_origins = {f"127.0.0.1:{served.port}"}
            tab.locator("#value").wait_for()

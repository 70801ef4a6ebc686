"""The page of a phone in a real browser, without the app: what it says when it cannot connect."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from conftest import free_port
from tornado.httpserver import HTTPServer
from tornado.web import Application

from core import Privacy
from dashboard.packs.classroom import handlers
from dashboard.packs.classroom.rooms import ROOMS
from dashboard.packs.classroom.seats import Question

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


def test_behind_a_proxy_that_changes_the_host_a_phone_says_why_it_cannot_join_until_it_may(browser):
    with Served(line=BehindProxy) as served, browser.new_page() as tab:
        tab.goto(served.address)
        tab.get_by_text(f"--allow-websocket-origin 127.0.0.1:{served.port}").wait_for()
        # It goes on trying: the line opens once the operator has allowed it.
        served.application.websocket_origins = {f"127.0.0.1:{served.port}"}
        tab.locator("#value").wait_for()


def until(tab, told):
    """Wait for a variable of the page; its policy lets no function wait inside."""
    end = time.monotonic() + 20
    while not tab.evaluate(told):
        assert time.monotonic() < end, told
        tab.wait_for_timeout(50)


NUMBERS = {
    "7,5": 7.5,
    "7.5": 7.5,
    " 12 ": 12.0,
    "-7,25": -7.25,
    "−0.5": -0.5,
    "+3": 3.0,
    ",5": 0.5,
    "7,": 7.0,
    "007": 7.0,
    "0,125": 0.125,
    "0.125": 0.125,
    "1.0000": 1.0,
    "1234,567": 1234.567,
    "12.3456": 12.3456,
    "1 000": 1000.0,
    "1\u202f234,5": 1234.5,
    "1'234.5": 1234.5,
    "1.234,5": 1234.5,
    "1,234.5": 1234.5,
    "1,234,567": 1234567.0,
    "1.234.567,25": 1234567.25,
    "-1.234.567": -1234567.0,
    "\uff17\uff0e\uff15": 7.5,
}
EITHER = {"1.000": (1000, 1), "1,000": (1000, 1), "-1.000": (-1000, -1), "12,345": (12345, 12.345)}
NEITHER = [
    "",
    " ",
    "x",
    "7 5",
    "7,5,3",
    "1,00,0",
    "1.000.00",
    "0.123.456",
    "1e3",
    "0x10",
    "Infinity",
    "7-5",
    "--7",
    ".",
]


def read_in_many_ways(tab):
    """What is typed is read in the ways of many countries, or asked about."""
    read = {text: tab.evaluate("typedNumber", text) for text in [*NUMBERS, *EITHER, *NEITHER]}
    assert {text: read[text].get("value") for text in NUMBERS} == NUMBERS
    assert all("value" not in read[text] and read[text]["problem"] for text in [*EITHER, *NEITHER])
    for text, wanted in EITHER.items():
        offered = read[text]["problem"].rstrip(".").split("Type ")[1].split(" or ")
        assert [tab.evaluate("typedNumber", one)["value"] for one in offered] == list(wanted)


def test_what_is_typed_on_a_german_phone_is_the_number_that_was_meant_or_is_asked_about(browser):
    context = browser.browser.new_context(locale="de-DE")
    with Served() as served, context.new_page() as tab:
        left = []
        tab.on("websocket", lambda line: line.on("framesent", lambda sent: left.append(str(sent))))
        tab.goto(served.address)
        read_in_many_ways(tab)
        for keys, wanted in (
            ("7,5", "7.5"),
            ("7.5", "7.5"),
            ("1.000", None),
            ("1,000", None),
            ("-3,5", "-3.5"),
        ):
            tab.locator("#value").wait_for()
            tab.locator("#value").fill("")
            tab.locator("#value").press_sequentially(keys)
            tab.get_by_role("button", name="ready").click()
            if wanted is None:
                tab.locator("#problem").get_by_text("1000").wait_for()
            else:
                tab.get_by_role("button", name="Change").wait_for()
                assert tab.evaluate("String(number)") == wanted
                tab.get_by_role("button", name="Change").click()
        assert not any("7.5" in text for text in left)
    context.close()


def test_a_phone_whose_place_was_taken_keeps_what_was_typed_and_joins_when_ready(browser, monkeypatch):
    monkeypatch.setattr("dashboard.packs.classroom.room.MOST_PHONES", 1)
    contexts = [browser.browser.new_context() for _ in range(2)]
    with Served() as served, contexts[0].new_page() as tab, contexts[1].new_page() as other:
        tab.goto(served.address)
        tab.locator("#value").fill("7,5")
        other.goto(served.address)
        other.locator("#value").wait_for()
        until(tab, "parked")
        assert tab.locator("#value").input_value() == "7,5"
        tab.get_by_role("button", name="ready").click()
        until(tab, "token !== ''")
        until(other, "parked")
        other.locator("#value").fill("8")
        other.get_by_role("button", name="ready").click()
        other.get_by_text("cannot join").wait_for()  # The one in place has a number.
        (seat,) = served.room.seats
        assert seat.ready
    for context in contexts:
        context.close()

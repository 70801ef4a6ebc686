"""The addresses of a phone: its page, its policy, and what a line refuses, on a bare Tornado server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import time

import pytest
from conftest import free_port
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.httpserver import HTTPServer
from tornado.web import Application
from tornado.websocket import websocket_connect
from wire import fetch

from core import Privacy
from dashboard.packs.classroom import handlers, ring
from dashboard.packs.classroom.address import address_of, qr_path
from dashboard.packs.classroom.phone_page.page import page
from dashboard.packs.classroom.rooms import ROOMS
from dashboard.packs.classroom.seats import Question


@pytest.fixture
def room():
    room = ROOMS.open(Question("Hours <b>slept</b>", 0.0, 12.0, Privacy(1.0, 1e-5), "generator"))
    yield room
    room.close()
    ROOMS.sweep()


@contextlib.asynccontextmanager
async def serving(origins=()):
    port = free_port()
    application = Application(list(handlers.ROUTES))
    application.websocket_origins = set(origins)  # As Bokeh's application has it.
    server = HTTPServer(application)
    server.listen(port, "127.0.0.1")
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop()
        await server.close_all_connections()


class Phone:
    """A line without a page."""

    def __init__(self, socket):
        self.socket = socket

    @classmethod
    async def at(cls, host, code, **headers):
        return cls(await websocket_connect(HTTPRequest(f"ws://{host}/class/{code}/line", headers=headers)))

    async def says(self, message):
        await self.socket.write_message(message if isinstance(message, str) else json.dumps(message))
        return self

    async def hears(self):
        text = await asyncio.wait_for(self.socket.read_message(), 10)
        return None if text is None else json.loads(text)

    async def ends(self):
        while await self.hears() is not None:
            pass
        return self.socket.close_code


def test_the_page_is_one_light_file_with_a_strict_policy_and_nothing_of_the_room(room):
    async def main():
        async with serving() as host:
            found = await fetch(f"http://{host}/class/{room.code[:4]}-{room.code[4:]}")
            missing = await fetch(f"http://{host}/class/aaaabbbb")
            return found, missing, await fetch(f"http://{host}/class/")

    found, missing, other = asyncio.run(main())
    assert found.code == 200 and len(found.body) <= 30_000 and found.body.decode() == page()
    assert "Hours" not in page() and "://" not in page()
    policy = found.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert found.headers["Cache-Control"] == "no-store"
    assert missing.code == 404 and b"There is no such room" in missing.body and other.code == 404


def test_a_phone_joins_hears_in_words_what_is_refused_and_leaves(room):
    async def main():
        async with serving() as host:
            phone = await Phone.at(host, room.code)
            for text in ("{", "[" * 900, '"join"', '{"t": "ready"}'):
                assert "joins first" in (await (await phone.says(text)).hears())["words"]
            await phone.says({"t": "join"})
            seat = await phone.hears()
            assert seat["t"] == "seat" and seat["question"] == "Hours <b>slept</b>"
            refused = await (await phone.says({"t": "noise", "y": 1, "round": 1})).hears()
            assert "step “noise”" in refused["words"] and refused["seated"]
            again = await (await Phone.at(host, room.code)).says({"t": "join", "token": seat["token"]})
            assert "One answer" in (await again.hears())["words"]
            assert len(room.seats) == 1
            phone.socket.close()
            while room.seats:
                await asyncio.sleep(0.01)

    asyncio.run(main())


def test_lines_are_bounded_in_size_rate_number_and_origin(room, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_LINES", 3)
    monkeypatch.setattr(handlers, "JOIN_WITHIN", 0.3)

    async def main():
        async with serving() as host:
            unknown = await Phone.at(host, "aaaabbbb")
            assert await unknown.ends() == handlers.UNKNOWN and "such room" in unknown.socket.close_reason
            # One of several processes: the phone tries again, and its page is there in each of them.
            with monkeypatch.context() as one_of_several:
                one_of_several.setattr(handlers, "several", lambda: True)
                elsewhere = await Phone.at(host, "aaaabbbb")
                assert (
                    await elsewhere.ends() == handlers.UNKNOWN and elsewhere.socket.close_reason == "several"
                )
                assert (await fetch(f"http://{host}/class/aaaabbbb")).code == 200
            with pytest.raises(HTTPClientError, match="403"):
                await Phone.at(host, room.code, Origin="https://elsewhere.example")
            large = await Phone.at(host, room.code)
            await large.says("x" * (handlers.MOST_BYTES + 1))
            assert await large.ends() is not None
            fast = await (await Phone.at(host, room.code)).says({"t": "join"})
            for _ in range(2 * handlers.AT_ONCE):
                await fast.says({"t": "beat"})
            assert await fast.ends() == handlers.FAST
            while room.seats:
                await asyncio.sleep(0.01)
            idle = [await Phone.at(host, room.code) for _ in range(5)]
            assert [await phone.ends() for phone in idle] == [handlers.FULL] * 2 + [handlers.IDLE] * 3

    asyncio.run(main())


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("lab.example.org", "https://lab.example.org:8443"),  # A proxy that leaves out the port.
        ("127.0.0.1:5006", "https://lab.example.org"),  # One that names no host but its own target.
        ("lab", "http://lab.example.org"),
    ],
)
@pytest.mark.parametrize("by_variable", [False, True])
def test_a_line_opens_from_where_the_app_does(room, monkeypatch, host, origin, by_variable):
    named = origin.partition("//")[2]
    normal = named if ":" in named else f"{named}:80"  # As Bokeh keeps it.
    if by_variable:
        monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", named)

    async def main():
        async with serving([] if by_variable else [normal]) as at:
            headers = {"Host": host, "Origin": origin}
            phone = await (await Phone.at(at, room.code, **headers)).says({"t": "join"})
            assert (await phone.hears())["t"] == "seat"
            page = await fetch(f"http://{at}/class/{room.code}", headers=headers)
            (rule,) = re.findall("connect-src ([^;]*);", page.headers["Content-Security-Policy"])
            assert {f"wss://{named}", f"ws://{named}", f"ws://{host}"} <= set(rule.split())
            for foreign in ("https://elsewhere.example", "null", f"{origin}.evil.example"):
                with pytest.raises(HTTPClientError, match="403"):
                    await Phone.at(at, room.code, Host=host, Origin=foreign)

    asyncio.run(main())


def test_a_phone_that_falls_silent_is_so_after_the_seconds_that_are_stated(room, monkeypatch):
    monkeypatch.setattr(handlers, "JOIN_WITHIN", 1.0)
    monkeypatch.setattr(handlers, "SILENT", 1.2)

    async def main():
        async with serving() as host:
            phone = await (await Phone.at(host, room.code)).says({"t": "join"})
            begun = time.monotonic()
            assert await phone.ends() == handlers.IDLE
            assert 1.1 < time.monotonic() - begun < 1.8

    asyncio.run(main())


def test_lines_that_have_joined_stay_whoever_comes(room, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_LINES", 4)
    homes = iter(range(1, 99))
    monkeypatch.setattr(handlers.Line, "origin", property(lambda line: line.request.headers["Home"]))

    async def main():
        async with serving() as host:
            joined = []
            for _ in range(3):  # The share of one address.
                joined.append(await (await Phone.at(host, room.code, Home="school")).says({"t": "join"}))
                assert (await joined[-1].hears())["t"] == "seat"
            others = [await Phone.at(host, room.code, Home=f"machine {next(homes)}") for _ in range(9)]
            assert [await phone.ends() for phone in others[:8]] == [handlers.FULL] * 8
            fourth = await Phone.at(host, room.code, Home="school")
            assert await fourth.ends() == handlers.FULL
            for phone in joined:
                await phone.says({"t": "ready", "ready": True})
            while sum(seat.ready for seat in room.seats) < 3:
                await asyncio.sleep(0.01)

    asyncio.run(main())


def test_a_seat_has_one_line_and_lines_make_room_for_others(room, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_LINES", 4)
    monkeypatch.setattr("dashboard.packs.classroom.room.MOST_PHONES", 2)

    async def main():
        async with serving() as host:
            first = await (await Phone.at(host, room.code)).says({"t": "join"})
            token = (await first.hears())["token"]
            await first.says({"t": "ready", "ready": True})
            former = first
            for _ in range(8):
                resumed = await Phone.at(host, room.code)
                await resumed.says({"t": "join", "token": token, "resume": True})
                assert (await resumed.hears())["token"] == token
                assert (await former.hears())["t"] == "moved" and await former.ends() == 1000
                former = resumed
            waiting = [await Phone.at(host, room.code) for _ in range(8)]
            crowd = [await (await Phone.at(host, room.code)).says({"t": "join"}) for _ in range(8)]
            assert [await phone.ends() for phone in waiting[:5]] == [handlers.FULL] * 5
            for phone in crowd[:-1]:
                assert [(await phone.hears())["t"] for _ in range(2)] == ["seat", "parked"]
                assert await phone.ends() == 1000
            assert (await crowd[-1].hears())["t"] == "seat"
            assert len(room.seats) == 2 and room.seats[0].token == token

    asyncio.run(main())


def test_closing_a_room_tells_its_phones_and_ends_their_lines(room):
    async def main():
        async with serving() as host:
            phone = await (await Phone.at(host, room.code)).says({"t": "join"})
            await phone.hears()
            room.close("Over.")
            assert await phone.hears() == {"t": "closed", "words": "Over."}
            assert await phone.ends() == 1000

    asyncio.run(main())


@pytest.mark.parametrize(
    ("page", "base", "secure"),
    [
        (
            "https://lab.example.org/cape-lab/dashboard?page=protocol",
            "https://lab.example.org/cape-lab/class/",
            True,
        ),
        ("http://192.0.2.7:5006/dashboard", "http://192.0.2.7:5006/class/", False),
        # Nothing listens at port 9 of this machine's own address.
        ("http://localhost:9/dashboard#x", "http://localhost:9/class/", True),
    ],
)
def test_the_address_of_a_room_is_beside_that_of_the_page(page, base, secure):
    found = asyncio.run(address_of(page))
    assert (found.base, found.secure) == (base, secure)


def test_a_port_that_a_browser_names_is_not_tried_and_that_of_the_server_is_known():
    with socket.create_server(("", 0)) as other:
        other.setblocking(False)
        port = other.getsockname()[1]
        assert asyncio.run(address_of(f"http://localhost:{port}/dashboard")).base.startswith(
            "http://localhost:"
        )
        with pytest.raises(BlockingIOError):
            other.accept()

    async def own():
        server = HTTPServer(Application([]))
        server.listen(port := free_port(), "0.0.0.0")
        try:
            return await address_of(f"http://localhost:{port}/dashboard")
        finally:
            server.stop()

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        if out.connect_ex(("192.0.2.1", 9)):
            pytest.skip("this machine has no address in a network")
    assert asyncio.run(own()).reachable


def test_a_public_key_is_written_in_one_way():
    key = ring.KeyPair().public
    assert ring.public_key(key).hex() == key
    compressed = ("03" if int(key[-1], 16) % 2 else "02") + key[2:66]
    for other in (compressed, compressed + " " * 64, compressed.upper(), f" {key[:-1]}", key[:-2], None, 3):
        with pytest.raises(ValueError, match="masks"):
            ring.public_key(other)


@pytest.mark.parametrize("page", ["javascript:alert(1)", "", "http://a b/", "https://x/" + "y" * 500])
def test_an_address_that_is_none_is_refused(page):
    with pytest.raises(ValueError, match="address"):
        asyncio.run(address_of(page))


def test_a_qr_code_has_its_finder_patterns_and_a_quiet_zone():
    path, side = qr_path("http://192.168.1.5:5006/class/kxwq-4t7m")
    assert side >= 29 and path.startswith("M4 4h7v1h-7z")
    assert f"M{side - 11} 4h7v1h-7z" in path

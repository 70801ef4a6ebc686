"""Attacks on a real server, bounded in size and time: open sessions are answered, memory and log stay bounded.

Nothing of the server's files or of another session comes back. One process serves all of them.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bokeh.util.token import generate_jwt_token, generate_session_id, get_session_id
from conftest import ROOT, free_port, wait_for
from processes import alive, descendants, until
from tornado.httpclient import HTTPClientError
from tornado.websocket import WebSocketClosedError
from wire import Wire, fetch, moved, sweeping, token_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
MARK = "mark-of-a-file-of-the-server"
SVG = f"<svg xmlns='http://www.w3.org/2000/svg'><text>{MARK}</text></svg>"
LEAKS = ("Traceback", 'File "', str(ROOT), "site-packages", MARK)
FRAME = {
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
MOST_GROWTH = 150  # Megabytes that any one attack may add; the bomb would add 400 and more.


class Server:
    """A server that was started for attacks, and one session that stays open beside them."""

    def __init__(self, folder: Path):
        self.folder, self.log = folder, folder / "log.txt"
        self.loop = asyncio.Runner()
        self._value = 10

    def __enter__(self):
        port = free_port()
        command = [sys.executable, "-m", "dashboard", "--no-show", "--liveness", "--port", str(port)]
        command += ["--workers", "1"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "BOKEH_RESOURCES": "server"}
        with self.log.open("w") as out:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=environment)
        self.address = f"http://127.0.0.1:{port}"
        wait_for(self.address + "/dashboard", self.process, self.log)
        self.open = self.run(Wire(self.address).open())
        begun = time.monotonic()
        self.run(fetch(self.address + "/dashboard?page=gain"))
        self.build = time.monotonic() - begun
        self.quiet = max(self.answer() for _ in range(3))
        return self

    def __exit__(self, *exception):
        self.loop.close()
        self.process.kill()
        self.process.wait(timeout=20)

    def run(self, work, seconds: float = 120):
        """The result of a coroutine, which is given up after a time."""

        async def bounded():
            return await asyncio.wait_for(work, seconds)

        return self.loop.run(bounded())

    def answer(self) -> float:
        """Seconds until the open session is answered."""
        return self.run(self.answered())

    async def answered(self) -> float:
        """The same, beside other work."""
        self._value = 10 + (self._value + 1) % 20
        return await self.open.answered(self._value)

    def megabytes(self) -> float:
        """Resident memory of the server."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("attacked")) as running:
        yield running


@contextlib.contextmanager
def unharmed(server, *, megabytes=MOST_GROWTH, letters=100_000):
    """After the attack the open session is answered, memory and log are within their bounds."""
    before, log = server.megabytes(), server.log.stat().st_size
    yield
    # A busy machine answers late without any attack.
    assert server.answer() < 1 + 5 * server.quiet
    assert server.megabytes() - before < megabytes
    assert server.log.stat().st_size - log < letters


@pytest.fixture(scope="module")
def intruder(server):
    """A session of someone who sends what no browser does."""
    wire = server.run(Wire(server.address).open())
    yield wire
    wire.socket.close()


def packed(data: bytes) -> dict:
    return {"type": "bytes", "data": base64.b64encode(data).decode()}


def test_no_request_chooses_its_session(server):
    own = server.open.token
    name = get_session_id(own)
    for path, query, headers in (
        ("/dashboard?page=gain", f"&bokeh-session-id={name}", {}),
        ("/dashboard?page=gain", f"&bokeh-token={own}", {"Bokeh-Session-Id": name}),
        ("/dashboard?page=gain", "&bokeh-session-id=chosen", {}),
    ):
        answer = server.run(fetch(server.address + path + query, headers=headers))
        assert answer.code == 200
        found = get_session_id(token_of(answer.body))
        assert found != name and "chosen" not in found and len(found) > 40


@pytest.mark.parametrize("signed", (False, True))
def test_a_token_that_the_server_did_not_sign_opens_nothing(server, signed):
    key = b"0" * 64
    forged = generate_jwt_token(generate_session_id(key, signed), key, signed)
    with unharmed(server):
        for token in (forged, "x", "e30", forged[:-2] + "AA"):
            with pytest.raises((ConnectionError, HTTPClientError, AssertionError)):
                server.run(Wire(server.address).connect(token))


def test_packed_bytes_have_one_budget(server, intruder):
    model, value = intruder.slider()
    bomb = gzip.compress(bytes(400_000_000), 9)
    with unharmed(server):
        for data in (bomb, gzip.compress(b"1") + bomb, gzip.compress(b"1") * 1000, b"no gzip", bomb[:-9]):
            reply = server.run(intruder.move(model, packed(data)))
            assert reply["kind"] == "ERROR" and not any(leak in str(reply) for leak in LEAKS)
        halves = [packed(gzip.compress(bytes(3 << 20), 9))] * 2
        assert server.run(intruder.move(model, halves))["kind"] == "ERROR"
    assert server.run(intruder.move(model, value + 1))["kind"] == "OK"


def test_a_message_has_a_bounded_size_in_however_many_frames(server, intruder):
    async def frames():
        wire = await Wire(server.address).connect(intruder.token)
        await wire.socket.write_message(
            json.dumps({"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 10**6})
        )
        for text in ("{}", json.dumps({"events": []})):
            await wire.socket.write_message(text)
        for _ in range(40):
            await wire.socket.write_message(json.dumps({"id": "a"}))
            await wire.socket.write_message(bytes(1 << 18), binary=True)
        while await wire._part():
            pass

    with unharmed(server), pytest.raises((ConnectionError, WebSocketClosedError)):
        server.run(frames())


def test_no_property_of_a_browser_opens_a_file_of_the_server(server, intruder):
    pipe, picture = server.folder / "pipe", server.folder / "picture.svg"
    os.mkfifo(pipe)
    picture.write_text(SVG)
    tools = [tool["id"] for tool in intruder.models("HoverTool")]
    plot = intruder.models("Figure")[0]["id"]
    assert tools
    with unharmed(server):
        for tool in tools:
            for path in (picture, pipe, server.folder / "none.png"):
                reply = server.run(intruder.set(tool, "icon", str(path)))
                assert reply["kind"] == "OK"  # Dropped without a word.
        icon = {"type": "object", "name": "HoverTool", "id": "evil1", "attributes": {"icon": str(picture)}}
        div = {"type": "object", "name": "Div", "id": "evil2", "attributes": {"text": MARK}}
        slider, value = intruder.slider()
        for events in (
            [{"kind": "RootAdded", "model": div}],
            [{"kind": "RootRemoved", "model": {"id": plot}}],
            [{"kind": "TitleChanged", "title": MARK}],
            [moved(slider, icon)],
            [moved(slider, {"id": plot})],
            [moved(slider, [[{"a": icon}]])],
            [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": icon}],
            [{"kind": "Unheard"}],
            [7],
        ):
            reply = server.run(intruder.patch(*events))
            assert reply["kind"] == "ERROR", events
            assert not any(leak in str(reply) for leak in LEAKS)
        # A model written out whole is taken for its id alone; the server has no model of this id.
        unknown = {"kind": "ModelChanged", "model": icon, "attr": "icon", "new": str(picture)}
        assert server.run(intruder.patch(unknown))["kind"] == "OK"
        reply = server.run(
            intruder.ask("PUSH-DOC", {"doc": {"title": MARK, "roots": [div], "version": "3.9.2"}})
        )
        assert reply["kind"] == "ERROR"
        assert server.run(intruder.ask("SERVER-INFO-REQ", {}))["kind"] == "ERROR"
        again = json.dumps(server.run(intruder.ask("PULL-DOC-REQ", {})))
        assert MARK not in again and "evil" not in again and str(server.folder) not in again
        assert not any(MARK in text for text in intruder.came)
        assert intruder.slider() == (slider, value)


def test_errors_tell_nothing_of_the_server(server, intruder):
    slider, _ = intruder.slider()
    deep = json.loads("[" * 60 + "]" * 60)
    array = {"type": "ndarray", "array": [1], "dtype": "U100000000", "shape": [1], "order": "little"}
    typed = [{"type": "number"}, {"type": "symbol", "name": "x"}, {"type": "map", "entries": [1]}, array]
    odd = [moved(slider, new) for new in (deep, [0] * 150_000, *typed)]
    odd += [{"kind": "ModelChanged", "model": 7, "attr": "value", "new": 1}, {"kind": "ModelChanged"}]
    with unharmed(server):
        for event in odd:
            reply = server.run(intruder.patch(event))
            assert reply["kind"] == "ERROR" and not reply.get("traceback")
            assert len(reply["text"]) < 200 and not any(leak in str(reply) for leak in LEAKS)
        for content in ("[]", "{}", '{"events": 7}'):
            assert server.run(intruder.ask("PATCH-DOC", content))["kind"] == "ERROR"


def test_tags_and_bad_patches_fill_neither_memory_nor_log(server, intruder):
    plot = intruder.models("Figure")[0]["id"]
    slider, _ = intruder.slider()
    long = ["x" * 600_000]
    with unharmed(server, megabytes=60):
        for i in range(10):
            assert server.run(intruder.set(plot, "tags", [*long, i]))["kind"] == "OK"
            assert server.run(intruder.move(slider, {"type": "x", "long": long}))["kind"] == "ERROR"
        for _ in range(250):
            server.run(intruder.patch({"kind": "Unheard"}))


def test_events_that_no_component_sends_are_dropped(server, intruder):
    plot = intruder.models("Figure")[0]["id"]
    slider, _ = intruder.slider()
    with unharmed(server):
        for model, name, more in (
            (plot, "tap", [["x", 1]]),
            (plot, "data_event", [["data", 1]]),
            (slider[0], "no such event", []),
            ("p999999", "dom_event", []),
        ):
            values = {"type": "map", "entries": [["model", {"id": model}], *more]}
            data = {"type": "event", "name": name, "values": values}
            event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": data}
            assert server.run(intruder.patch(event))["kind"] == "OK"


def test_a_storm_of_openings_leaves_open_sessions_answered(server):
    """More ask for a page than may wait; who goes again is not built for."""
    path = b"GET /dashboard?page=gain HTTP/1.1\r\nHost: " + server.address[7:].encode() + b"\r\n\r\n"
    port = int(server.address.rsplit(":", 1)[1])

    async def storm():
        sockets = []
        for _ in range(80):
            one = socket.create_connection(("127.0.0.1", port))
            one.sendall(path)
            one.setblocking(False)
            sockets.append(one)
        times = [await server.answered() for _ in range(3)]
        heads = []
        for one in sockets:
            with contextlib.suppress(BlockingIOError):
                heads.append(one.recv(4096).decode())
            one.close()
        return times, heads

    times, heads = server.run(storm())
    assert max(times) < 1 + 2 * server.build + 5 * server.quiet  # A building, and the answer itself.
    refused = [head for head in heads if head.startswith("HTTP/1.1 503")]
    assert len(refused) >= 80 - 60 - 10 and all("Retry-After: " in head for head in refused)
    assert server.run(fetch(server.address + "/dashboard?page=gain")).code == 200


def test_every_answer_carries_the_headers(server):
    for path, code in (("/dashboard", 200), ("/dashboard/static/favicon.svg", 200), ("/nothing", 404)):
        answer = server.run(fetch(server.address + path))
        assert answer.code == code
        assert {name: answer.headers.get(name) for name in FRAME} == FRAME
        rules = dict(rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; "))
        assert rules["object-src"] == rules["base-uri"] == "'none'" and rules["frame-ancestors"] == "'self'"
        assert rules["connect-src"].split()[0] == "'self'" and "*" not in rules["connect-src"]


@pytest.mark.parametrize(
    "path", ["/dashboard/static/a%00b", "/static/js/%00", "/static/extensions/panel/%00.js"]
)
def test_an_address_with_a_zero_byte_is_that_of_no_file(server, path):
    assert server.run(fetch(server.address + path)).code == 404


def test_foreign_sites_get_no_script(server):
    """Neither the script that would embed the app, nor leave to read a page."""
    own = server.address.replace("127.0.0.1", "localhost")
    for path, code in (("/dashboard/autoload.js?bokeh-autoload-element=x", 404), ("/dashboard", 200)):
        for origin in ("https://evil.example", "null", own):
            answer = server.run(fetch(server.address + path, headers={"Origin": origin, "Cookie": "a=b"}))
            assert answer.code == code
            assert not any(name.startswith("Access-Control") for name in answer.headers)


def test_an_address_neither_imports_a_module_nor_builds_a_session_unseen(server):
    answer = server.run(fetch(server.address + "/components/this/x/_css/y"))
    assert answer.code == 404 and "Beautiful is" not in server.log.read_text()
    answer = server.run(fetch(server.address + "/liveness?endpoint=/nothing"))
    assert answer.code == 200 and json.loads(answer.body) == {"/liveness": True}


def test_nothing_of_the_attacks_ends_the_server(server):
    """Ran after them: the session that stood open throughout still answers."""
    assert server.answer() < 1 + 5 * server.quiet
    assert server.process.poll() is None
    assert server.log.stat().st_size < 1_000_000


def test_workers_end_with_a_server_that_is_killed_while_a_sweep_runs(server):
    """Ran last."""
    server.run(sweeping(server.address))
    below = descendants(server.process.pid)
    assert below
    server.process.kill()
    until(lambda: server.process.poll() is not None and not any(map(alive, below)))

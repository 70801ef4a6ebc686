"""Several processes of one server: they end with the first, take each other's tokens, and slow wrong passwords down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from urllib.parse import urlencode

import pytest
from conftest import ROOT, free_port
from processes import alive, descendants, until
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect
from wire import answers, fetch, token_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processes")
    accounts = folder / "accounts.json"
    accounts.write_text(json.dumps({"ada": "right"}))
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port), "--num-procs", "2"]
    command += ["--basic-auth", str(accounts), "--cookie-secret", "a secret of this test", "--liveness"]
    with (folder / "log.txt").open("w") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=out, env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
    process.address = f"http://127.0.0.1:{port}"
    process.log = folder / "log.txt"
    until(lambda: answers(process.address) or process.poll() is not None, seconds=300)
    yield process
    for pid in [process.pid, *descendants(process.pid)]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=20)


# The smallest server that has these parts: an empty application in two processes.
SMALL = """
import sys
from bokeh.application import Application
from bokeh.server.server import Server
from bokeh.settings import settings
from dashboard.compat.server.child_processes import end_with_parent, listen_to_parent
from dashboard.compat.server.session_ids import choose_session_ids
choose_session_ids()
end_with_parent()
keys = {"secret_key": settings.secret_key_bytes(), "sign_sessions": True}
server = Server({"/dashboard": Application()}, port=int(sys.argv[1]), num_procs=2, **keys)
server.start()
listen_to_parent()
server.run_until_shutdown()
"""


def test_two_processes_take_each_others_tokens_and_end_with_the_first():
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SMALL, str(port)], cwd=ROOT)
    address = f"http://127.0.0.1:{port}"

    async def visits():
        for _ in range(
            8
        ):  # Each of these may come to either process; both take the token, whichever signed it.
            page = await fetch(address + "/dashboard")
            place = f"{address.replace('http:', 'ws:')}/dashboard/ws"
            connected = await websocket_connect(place, subprotocols=["bokeh", token_of(page.body)])
            assert '"ACK"' in await asyncio.wait_for(connected.read_message(), 60)
            connected.close()

    try:
        until(lambda: serves(address))
        asyncio.run(visits())
        parts = descendants(process.pid)
        assert len(parts) >= 2
        process.send_signal(signal.SIGTERM)
        until(lambda: process.poll() is not None and not any(map(alive, parts)))
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait(20)


def serves(address):
    """Whether a page is answered."""
    with contextlib.suppress(OSError):
        return asyncio.run(fetch(address + "/dashboard", seconds=5)).code == 200
    return False


async def sign_in(address, name, password, claimed="192.0.2.1"):
    body = urlencode({"username": name, "password": password})
    # Without a proxy in front the server does not believe which address somebody claims to have.
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Real-IP": claimed,
        "X-Forwarded-For": claimed,
    }
    return await fetch(address + "/login", body=body, headers=headers)


async def connect(address, token, cookie):
    """Connect to a session and get its document; style sheets come from the server, whichever process built it."""
    place = HTTPRequest(f"{address.replace('http:', 'ws:')}/dashboard/ws", headers={"Cookie": cookie})
    connected = await websocket_connect(place, subprotocols=["bokeh", token], max_message_size=1 << 28)
    assert '"ACK"' in await asyncio.wait_for(connected.read_message(), 60)
    for part in ('{"msgid": "1", "msgtype": "PULL-DOC-REQ"}', "{}", "{}"):
        await connected.write_message(part)
    found = [await asyncio.wait_for(connected.read_message(), 60) for _ in range(5)]
    assert '"PULL-DOC-REPLY"' in found[2] and "https://cdn." not in found[4]
    connected.close()


@pytest.mark.slow
def test_all_processes_take_a_token_and_wrong_passwords_have_to_wait(server):
    async def all_of_it():
        first = await sign_in(server.address, "ada", "right")
        assert first.code == 302 and "error" not in first.headers["Location"]
        cookie = "; ".join(c.split(";")[0] for c in first.headers.get_list("Set-Cookie"))
        page = await fetch(server.address + "/dashboard?page=gain", headers={"Cookie": cookie})
        assert page.code == 200
        # Each of these may come to either process; both take the token, whichever signed it.
        for _ in range(5):
            await connect(server.address, token_of(page.body), cookie)
        assert (await fetch(server.address + "/dashboard")).code == 302  # To the login.
        return [await sign_in(server.address, "ada", f"wrong {i}", f"192.0.2.{i}") for i in range(30)]

    tries = asyncio.run(all_of_it())
    waits = [int(answer.headers["Retry-After"]) for answer in tries if answer.code == 429]
    # Five free tries in each of two processes.
    assert [answer.code for answer in tries[:5]] == [302] * 5
    assert len(waits) >= 20 and all(0 < seconds <= 900 for seconds in waits)


@pytest.mark.slow
def test_all_processes_end_with_the_first(server):
    parts = descendants(server.pid)
    assert len(parts) >= 2

    os.kill(server.pid, signal.SIGTERM)
    until(lambda: server.poll() is not None, seconds=40)
    until(lambda: not any(map(alive, parts)), seconds=40)
    assert not answers(server.address)
    assert server.returncode == 0

"""Several processes of one server: they end with the first, take each other's tokens, and slow wrong passwords down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from conftest import ROOT, free_port
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
    until(lambda: answers(process.address) or process.poll() is not None)
    yield process
    for pid in [process.pid, *children(process.pid)]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=20)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(folder.name))
    return found


def until(condition, *, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


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


def test_all_processes_end_with_the_first(server):
    parts = children(server.pid)
    assert len(parts) == 2

    os.kill(server.pid, signal.SIGTERM)
    until(lambda: server.poll() is not None, seconds=40)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in parts), seconds=40)
    assert not answers(server.address)
    assert server.returncode == 0

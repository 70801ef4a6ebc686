"""A server with worker processes: its workers and its parser end with it, however it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, free_port
from wire import Wire, answers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
LIMIT = 120


def descendants(pid):
    """All processes below one that still run."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(folder.name)] = int(parent)
    found, below = [], [pid]
    while below:
        parent = below.pop()
        children = [child for child, other in parents.items() if other == parent]
        found += children
        below += children
    return found


def until(condition, *, seconds=LIMIT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


async def sweeping(address):
    """A session whose sweep runs: its progress is told."""
    wire = await Wire(address).open("?page=pca&data=low_rank&repeats=200")
    while "data-press='runs'" not in (await wire._message())[2]:
        pass


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_server_while_a_sweep_runs(how, tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
    command += ["--liveness", "--workers", "1"]
    log = tmp_path / "log.txt"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, preexec_fn=_listen)
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}") or server.poll() is not None)
        asyncio.run(asyncio.wait_for(sweeping(f"http://127.0.0.1:{port}"), LIMIT))
        below = descendants(server.pid)
        assert below, log.read_text()
        begun = time.monotonic()
        os.kill(server.pid, how)
        until(lambda: server.poll() is not None and not any(map(alive, below)), seconds=60)
        assert time.monotonic() - begun < 40  # It waits for no running sweep.
        assert how == signal.SIGKILL or server.returncode == 0, log.read_text()
    finally:
        server.kill()
        server.wait(20)


def _listen():
    # Tests that were started in the background ignore it, and hand this on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def alive(pid):
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

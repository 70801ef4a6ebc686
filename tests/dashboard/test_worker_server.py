"""A server with worker processes: its workers and its parser end with it, however it is asked to end.

`test_attacks` kills one that does not get to know of it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from conftest import ROOT, free_port
from processes import alive, descendants, until
from wire import answers, sweeping

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_server_while_a_sweep_runs(how, tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
    command += ["--liveness", "--workers", "1"]
    log = tmp_path / "log.txt"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, preexec_fn=_listen)
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}") or server.poll() is not None)
        asyncio.run(asyncio.wait_for(sweeping(f"http://127.0.0.1:{port}"), 120))
        below = descendants(server.pid)
        assert below, log.read_text()
        os.kill(server.pid, how)
        # It waits for no running sweep.
        until(lambda: server.poll() is not None and not any(map(alive, below)), seconds=60)
        assert server.returncode == 0, log.read_text()
    finally:
        server.kill()
        server.wait(20)


def _listen():
    # Tests that were started in the background ignore it, and hand this on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


CURVES = ("pca", "components")


def test_a_server_that_has_run_for_a_while_answers_with_whole_curves(tmp_path):
    """The table of their numbers in the first answer to anybody; `test_known_once` has all pages, in one process."""
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
    command += ["--liveness", "--workers", "1"]
    log = tmp_path / "log.txt"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out)
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}") or server.poll() is not None)
        left = set(CURVES)
        end = time.monotonic() + 500
        while left and time.monotonic() < end:
            time.sleep(5)
            left = {name for name in left if AWAITED in answer(port, name)}
        assert not left, log.read_text()
    finally:
        server.terminate()
        server.wait(60)


AWAITED = "not yet computed"


def answer(port, name):
    """The answer to a request of a page."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/dashboard?page={name}", timeout=120) as found:
        return found.read().decode()

"""A server ends when it is told to, whoever reads what it prints; and by itself where it was left alone."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

import pytest
from conftest import ROOT, free_port
from processes import alive, until
from wire import answers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# The smallest server that has these parts.
SMALL = """
import sys
from bokeh.application import Application
from bokeh.server.server import Server
from dashboard.compat.server.sure_end import end_if_abandoned, end_surely
end_surely()
server = Server({"/dashboard": Application()}, port=int(sys.argv[1]))
server.start()
end_if_abandoned(0.2)
server.io_loop.add_callback(print, "up", flush=True)
server.run_until_shutdown()
"""
# Starts it, reads that it is up, says who it is, and goes.
LEAVES = """
import subprocess, sys
code, port = sys.argv[1:]
started = subprocess.Popen([sys.executable, "-c", code, port], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
started.stdout.readline()
print(started.pid)
"""


def test_sigterm_ends_a_server_whose_output_nobody_reads():
    command = [sys.executable, "-c", SMALL, str(free_port())]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"up\n"
        process.stdout.close()
        process.stderr.close()
        process.send_signal(signal.SIGTERM)
        until(lambda: process.poll() is not None, seconds=30)
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait(20)


def test_a_server_whose_parent_is_gone_and_whose_output_nobody_reads_ends():
    command = [sys.executable, "-c", LEAVES, SMALL, str(free_port())]
    pid = int(subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=True).stdout)
    try:
        until(lambda: not alive(pid), seconds=30)
    finally:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_the_app_ends_though_nobody_reads_its_output():
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--liveness", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}") or process.poll() is not None, seconds=300)
        process.stdout.close()
        process.stderr.close()
        process.send_signal(signal.SIGTERM)
        until(lambda: process.poll() is not None, seconds=20)
    finally:
        process.kill()
        process.wait(20)

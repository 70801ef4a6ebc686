"""What is left of a table in the memory of a server and its workers, read as its operator could read it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]
PROGRAM = ROOT / "tests" / "marked_session.py"


def readable(pid: int) -> set[bytes]:
    """The marks of rows that stand in a process's memory."""
    found: set[bytes] = set()
    with contextlib.suppress(OSError), open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            place, rights, *_ = line.split()
            low, high = (int(end, 16) for end in place.split("-"))
            if rights.startswith("rw"):
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    memory.seek(low)
                    found.update(re.findall(rb"marked-(\d{5})-", memory.read(high - low)))
    return found


def test_at_most_one_row_in_a_hundred_can_be_read_after_a_session():
    places = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = {**os.environ, "CAPE_LAB_WORKERS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": places}
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, PROGRAM], env=environment, text=True, **pipes)
    try:
        before, after = (looked(process) for _ in range(2))
    finally:
        process.kill()
        process.wait(20)
    assert before[process.pid] == 20_000 and len(before) == 3  # With a worker and the parser.
    assert len(after) == 2 and sum(after.values()) <= 200


def looked(process):
    """How many marks each process holds when the program says so."""
    pids = [process.pid, *json.loads(process.stdout.readline())["pids"]]
    found = {pid: len(readable(pid)) for pid in pids}
    process.stdin.write("\n")
    process.stdin.flush()
    return found

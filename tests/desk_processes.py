"""Desks and aggregator as processes of their own, by their commands, over folders or sockets."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

DESK = [sys.executable, "-m", "core.desk"]
ROOT = Path(__file__).parents[1]


@contextlib.contextmanager
def programs(commands) -> Iterator[list[subprocess.Popen]]:
    """Commands of `core.desk` that run side by side; those that still run at the end are stopped."""
    started = [
        subprocess.Popen(
            [*DESK, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
        )
        for command in commands
    ]
    try:
        yield started
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait(20)
            one.stdout.close()


def wait_for(paths, seconds: float = 120) -> None:
    """Wait until all these files are there."""
    end = time.time() + seconds
    while not all(path.exists() for path in paths):
        if time.time() > end:
            raise TimeoutError(f"{[path.name for path in paths if not path.exists()]} did not come")
        time.sleep(0.05)

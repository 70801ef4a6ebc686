"""Processes that a test started, and those below them: who runs, and waiting until something holds."""

from __future__ import annotations

import time
from pathlib import Path


def descendants(pid: int) -> list[int]:
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


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(condition, *, seconds: float = 120) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)

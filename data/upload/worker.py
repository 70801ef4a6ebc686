"""Main program of the parsing process: reads files one after another from its input, within its own limits.

It ends when its input does, when it has waited long, and after a file that took much memory.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

from data import upload
from data.columns import survey
from data.upload import wire
from data.upload.table import Limits, UploadError

try:
    import resource
except ImportError:  # There are no limits to set on this system: sizes are bounded instead.
    resource = None  # type: ignore[assignment]

IDLE = 300  # Seconds after which a process that waits for a file ends.
KEPT = 64_000_000  # Bytes: a process that took more for a file ends, and gives them back.
_TIMES = 2  # What is made of a file takes up to so many times its size while it is read.


def main(memory: int) -> None:
    """Answer requests; `memory` is how many bytes more than now this process may take."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Nothing but answers goes to the other side.
    _bound(memory)
    before, alarm = _peak(), _Alarm()
    wire.send(answers, {"ready": True})
    with contextlib.suppress(
        wire.Ended, OSError
    ):  # Windows has no word of its own for a pipe that nobody reads.
        while _peak() - before < KEPT:
            alarm.set(IDLE)
            request = wire.receive(requests)
            alarm.set(request["most"])  # Should the other side be gone.
            wire.send(answers, {"ready": True})
            _answer(requests, answers, request, _limits(request["limits"], memory))
            if resource is None and request["size"] > KEPT // _TIMES:
                break  # What it took is not known.


def _limits(given, memory):
    """The limits of a request; where the system bounds no memory, what is made of a file is bounded by it."""
    limits = Limits(**given)
    return limits if resource else replace(limits, expanded=min(limits.expanded, memory // _TIMES))


def _answer(requests, answers, request, limits):
    content = requests.read(request["size"])
    if len(content) < request["size"]:
        raise wire.Ended
    try:
        found = upload.read(content, request["name"], limits=limits)
        del content
        if isinstance(found, upload.Table):
            found = replace(found, facts=survey(found.frame))
    except UploadError as error:
        wire.send(answers, {"found": "error", "words": str(error)})
    except MemoryError:
        wire.send(answers, {"found": "too much"})
        raise wire.Ended from None  # What is left of this process's memory is of no use.
    except Exception as error:
        wire.send(answers, {"found": "failure", "words": type(error).__name__})
    else:
        wire.send_found(answers, found)


def _bound(memory):
    """Bound the memory of this process, forbid it to write files, and leave no picture of it when it fails."""
    if resource is None:
        return
    pages = Path("/proc/self/statm")
    now = int(pages.read_text().split()[0]) * resource.getpagesize() if pages.exists() else 2 * _peak()
    bounds = {"RLIMIT_AS": now + memory, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    for name, most in bounds.items():
        with contextlib.suppress(ValueError, OSError):  # A system may refuse a limit, or have a lower one.
            resource.setrlimit(getattr(resource, name), (most, most))


def _peak():
    """The most memory that this process has taken so far, in bytes."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class _Alarm:
    """Ends this process some seconds after it was last set, whatever the process does then.

    Without SIGALRM a thread does, which waits for calls that keep Python's lock; the other side's watch does not.
    """

    def __init__(self):
        self._timer = None

    def set(self, seconds):
        if hasattr(signal, "alarm"):
            signal.alarm(int(seconds))
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(seconds, os._exit, (1,))
        self._timer.daemon = True
        self._timer.start()

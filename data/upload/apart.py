"""Parsing of files in a separate process with limits of memory and time.

A parser holds Python's lock for as long as a C function of it takes, and memory it took may never come back:
in a server both would be at the expense of everyone else.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from data import upload
from data.text import Documents
from data.upload import wire
from data.upload.table import Limits, Table, UploadError

MEMORY = 1_200_000_000  # Bytes that the process may take for one file, the file included.
SMALL, SECONDS_SMALL = 1_000_000, 5  # Bytes of a file that is small, and what it may take.
SECONDS, BYTES_A_SECOND = 20, 1_000_000  # What any other may take, and how much longer a large one.
MOST_HERE = (
    10_000_000  # Bytes of a file, and four times as many of a table, that are parsed without a process.
)
_BUSY = 4  # So many times as long may a file take where other programs take the processor.
_START = 60.0  # Seconds that a process may take to start, on a busy machine.
_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from data.upload import worker; worker.main(int(sys.argv[2]))"
)
# Keys pressed in a terminal end the server, which ends this.
_APART: dict[str, Any] = (
    {"start_new_session": True}
    if hasattr(os, "setsid")
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
)
# What writing to a process that has ended, and reading from it, may raise; Windows says "invalid argument".
_GONE = (wire.Ended, OSError)


class Cancelled(Exception):
    """Raised if the parsing of a file was cancelled."""


@dataclass(frozen=True)
class Parsed:
    """What was read of a file, and about how many bytes of this process it takes."""

    found: Table | Documents
    memory: int


class Parser:
    """A process that parses files, one at a time; started when first needed, and again after it ended.

    Parameters
    ----------
    memory : int
        Bytes that it may take for one file, the file included. Systems without such limits bound what is made of a
        file instead, which is counted beforehand, by half of it.
    seconds : float, optional
        How long a file may compute; default: `time_for` its size. It is four times as long on a machine that does
        other things.
    """

    def __init__(self, *, memory: int = MEMORY, seconds: float | None = None):
        self._memory, self._seconds = memory, seconds
        self._turn, self._start = threading.Lock(), threading.Lock()
        self._process: subprocess.Popen | None = None
        self._ready = self._reading = self._spent = self._closed = False

    @property
    def pid(self) -> int | None:
        """The process that waits or works; None if there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def warm(self) -> None:
        """Start the process, which takes about a second, while a file is still on its way."""
        with contextlib.suppress(OSError, Cancelled):
            self._running()

    def read(
        self,
        pieces: Sequence[bytes],
        name: str,
        *,
        limits: Limits | None = None,
        cancelled: threading.Event | None = None,
    ) -> Parsed:
        """Parse a file as `data.upload.read` does; waits, and lets other threads run meanwhile.

        Parameters
        ----------
        pieces : list of bytes
            The file, in order. They are taken from the list as they are handed over.
        name : str
        limits : Limits, optional
        cancelled : threading.Event, optional
            When set, the process is killed.

        Raises
        ------
        UploadError
            As for `data.upload.read`; also if the file takes more memory or time than it may.
        Cancelled
            If `cancelled` was set, or the parser was closed.
        """
        limits, cancelled = limits or Limits(), cancelled or threading.Event()
        size = sum(map(len, pieces))
        if size > limits.size:
            raise UploadError(upload.too_large(size, name, limits))
        with self._turn, self._busy():
            try:
                process = self._greeted(_request(size, name, limits, self._seconds), cancelled)
            except OSError:
                return _read_here(pieces, name, limits)
            return self._parsed(process, pieces, upload.shown_name(name), self._time(size), cancelled)

    def rest(self) -> None:
        """End the process once it reads nothing, so that its memory keeps nothing of a file; the next file has a new one."""
        with self._start:
            self._spent = True
            if not self._reading:
                self._end()

    def close(self) -> None:
        """End the process for good: what it reads is given up, and no other one starts."""
        with self._start:
            self._closed = True
            self._end()

    @contextlib.contextmanager
    def _busy(self):
        self._reading = True
        try:
            yield
        finally:
            with self._start:
                self._reading = False
                if self._spent:
                    self._end()

    def _end(self):
        process, self._process, self._spent = self._process, None, False
        if process is not None:
            process.kill() if self._reading else _kill(process)  # Who reads from it closes its streams.

    def _time(self, size):
        return self._seconds or time_for(size)

    def _running(self):
        with self._start:
            if self._closed:
                raise Cancelled
            if self._process is None or self._process.poll() is not None:
                if self._process is not None:
                    _kill(self._process)
                self._process, self._ready = _started(self._memory), False
            return self._process

    def _greeted(self, request, cancelled):
        """Start a request in the process, replacing it once if it ended while idle."""
        for _ in range(2):
            process = self._running()
            with (
                _Watch(process, cancelled, _START) as watch,
                contextlib.suppress(*_GONE),
            ):
                if not self._ready:
                    wire.receive(process.stdout)
                    self._ready = True
                wire.send(process.stdin, request)
                wire.receive(process.stdout)
                return process
            if cancelled.is_set():
                raise Cancelled
            _kill(process)
            if watch.late:
                break
        raise OSError("no process starts")

    def _parsed(self, process, pieces, title, seconds, cancelled):
        with _Watch(process, cancelled, seconds) as watch, contextlib.suppress(*_GONE):
            for i, piece in enumerate(pieces):
                process.stdin.write(piece)
                pieces[i] = b""  # Held there from now on.
            process.stdin.flush()
            heading = wire.receive(process.stdout)
            if heading["found"] in ("table", "documents"):
                return Parsed(*wire.receive_found(process.stdout, heading))
            raise UploadError(_words(heading, title))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)  # What ended it is known when it has ended.
        _kill(process)
        if cancelled.is_set() or self._closed:
            raise Cancelled
        if watch.late:
            raise UploadError(f"{title} takes more than {seconds:g} seconds to read, and was given up.")
        # Where memory is bounded, libraries that cannot take more of it abort.
        ended = "too much" if process.returncode == -getattr(signal, "SIGABRT", 6) else "ended"
        raise UploadError(_words({"found": ended}, title))


class _Watch:
    """Kills a process when it is cancelled or late, for as long as a `with` lasts.

    On a busy machine an honest file takes several times as long as alone: what counts is what the process computes.
    """

    def __init__(self, process, cancelled, seconds):
        self._process, self._cancelled, self._seconds = process, cancelled, seconds
        self._begun, self._before = time.monotonic(), _processor(process)
        self._over = threading.Event()
        self.late = False

    def __enter__(self):
        self._thread = threading.Thread(target=self._look, name="parser watch", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception):
        self._over.set()
        self._thread.join()

    def _is_late(self):
        wall, now = time.monotonic() - self._begun, _processor(self._process)
        if self._before is None or now is None:
            return wall > self._seconds
        return now - self._before > self._seconds or wall > _BUSY * self._seconds

    def _look(self):
        while not self._over.wait(0.05):
            self.late = self._is_late()
            if self.late or self._cancelled.is_set():
                self._process.kill()
                return


def _processor(process) -> float | None:
    """Seconds that a process has computed; None where they cannot be read."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return None


def time_for(size: int) -> float:
    """Seconds of a processor that a file of `size` bytes may take: about ten times what is usual."""
    return SECONDS_SMALL if size < SMALL else SECONDS + size / BYTES_A_SECOND


def longest(size: int) -> float:
    """Seconds after which a file of `size` bytes is read or given up, the start of a process included."""
    return _START + _BUSY * time_for(size)


def _request(size, name, limits, seconds):
    most = _BUSY * (seconds or time_for(size)) + 5
    return {"size": size, "name": name, "limits": asdict(limits), "most": most}


def _started(memory):
    if not sys.executable:
        raise OSError("no Python to start")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-c", _BEGIN, json.dumps(sys.path), str(memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **threads},
        **_APART,
    )


def _kill(process):
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            stream.close()


def _read_here(pieces, name, limits):
    """Parse a small file in this process, because no other can be had."""
    most = min(limits.size, MOST_HERE)
    if sum(map(len, pieces)) > most:
        raise UploadError(
            f"{upload.shown_name(name)} has more than {most / 1e6:.0f} MB, which is the most that is read where no "
            "process can be started for it."
        )
    limits = replace(limits, expanded=min(limits.expanded, 4 * MOST_HERE))
    return Parsed(upload.read(b"".join(pieces), name, limits=limits), limits.expanded)


def _words(heading, title):
    """Why a file was not read."""
    if heading["found"] == "error":
        return heading["words"]
    if heading["found"] == "too much":
        return f"{title} takes more memory to read than one file may. Hand in fewer rows or columns."
    if heading["found"] == "ended":
        return f"{title} was not read: the process that read it was ended. Hand it in again."
    return f"{title} cannot be read ({heading['words']})."

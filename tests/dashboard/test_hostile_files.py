"""Files made to freeze or to fill a server: refused in words, while its event loop goes on."""

from __future__ import annotations

import asyncio
import io
import os
import resource
import struct
import threading
import zipfile
from pathlib import Path

import pytest

from dashboard.algorithms.topics.own_text import OwnText
from dashboard.components.upload import PIECE
from dashboard.own_table import file as own_file
from dashboard.own_table.state import OwnData
from data.upload.apart import Parser

SECONDS, MEMORY = 10, 600_000_000  # Of processor time; bytes of all processes together above the idle server.
LARGE, SMALLER = 198_000_000, 20_000_000
SLOW = ("a million columns", "short texts", "the longest line", "most lines")


def of_pieces(piece, size):
    """A file of pieces that each take their own memory, as they do when they come."""
    return [bytes(bytearray(piece * (PIECE // len(piece)))) for _ in range(size // PIECE)]


def npz(kind, shape, size):
    line = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("x.npy", "w") as stream,
    ):
        stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line)
        for _ in range(size // PIECE):
            stream.write(bytes(PIECE))
    return [buffer.getvalue()]


def columns(count):
    return [b",".join([b"1"] * count) + b"\n" + b",".join([b"1"] * count)]


HOSTILE = {
    "digits": (
        "a.csv",
        lambda: [b"a,b\nx," + b"9" * 131_000 + b"\ny," + b"9" * 131_000],
        "no column of numbers",
    ),
    "quotation marks": ("a.csv", lambda: of_pieces(b'"', 20_000_000), "characters in line 1"),
    "columns": ("a.csv", lambda: columns(20_000), "20\u202f000"),
    "a million columns": ("a.csv", lambda: columns(10**6), "1\u202f000\u202f000"),
    "texts of no letter": ("a.npz", lambda: npz("<U0", "(1000000000,)", 0), "texts without a letter"),
    "one line": ("a.csv", lambda: of_pieces(b"1,", SMALLER), "in line 1"),
    "short lines": ("a.txt", lambda: of_pieces(b"a \n", SMALLER), "2\u202f000\u202f000"),
    "short texts": ("a.npz", lambda: npz("<U2", "(1000000,45)", 360 * PIECE), "400 MB"),
    "the longest line": ("a.csv", lambda: of_pieces(b"1,", LARGE), "in line 1"),
    "most lines": ("a.txt", lambda: of_pieces(b"a \n", LARGE), "2\u202f000\u202f000"),
}


def taken(pid):
    """Bytes of memory that a process takes."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:  # It has ended.
        return 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in HOSTILE]
)
def test_hostile_files_are_refused_soon_in_little_memory_and_block_nobody(name, monkeypatch):
    file, make, words = HOSTILE[name]
    parser, own = Parser(), OwnText() if file.endswith("txt") else OwnData()
    monkeypatch.setattr(own_file, "PARSER", parser)
    before, spent = taken(os.getpid()), processor_time()
    pieces = make()
    most, over = [0], threading.Event()

    def look():
        while not over.wait(0.01):
            most[0] = max(most[0], taken(os.getpid()) + (taken(parser.pid) if parser.pid else 0))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        waited = asyncio.run(handed_in(own, file, pieces))
    finally:
        over.set()
        looking.join()
        parser.close()
    assert words in own.problem
    assert most[0] - before < MEMORY
    assert processor_time() - spent < SECONDS
    assert waited < 1  # So long a page that is open waited for its next answer, at most.


async def handed_in(own, file, pieces):
    """Hand a file in; returns for how long the event loop stood still, in seconds."""
    loop, longest = asyncio.get_running_loop(), 0.0
    own.receive(file, pieces)
    last = loop.time()
    while own.runs.state == "running":
        await asyncio.sleep(0.01)
        longest, last = max(longest, loop.time() - last), loop.time()
    return longest


def processor_time():
    """Of the processes that this one started and that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_who_leaves_while_a_file_is_read_has_its_process_killed_and_leaves_no_trace(monkeypatch, caplog):
    parser, own = Parser(), OwnText()
    monkeypatch.setattr(own_file, "PARSER", parser)
    free = own_file.ROOM.free

    async def visit():
        own.receive("a.txt", of_pieces(b"some words of a line \n", 40_000_000))
        while parser.pid is None:
            await asyncio.sleep(0.01)
        own.end()
        process = parser.pid
        for _ in range(1000):
            if parser.pid != process:
                break
            await asyncio.sleep(0.01)
        assert parser.pid != process
        await asyncio.sleep(0.1)

    asyncio.run(visit())
    parser.close()
    assert own.used is None and own.problem == "" and own_file.ROOM.free == free
    assert caplog.records == []

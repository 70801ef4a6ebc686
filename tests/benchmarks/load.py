"""Many sessions on one process: how soon a slider is answered, who waits how long, how much memory is held.

    python -m tests.benchmarks.load
    python -m tests.benchmarks.load --only visitors

Clients without a browser speak the app's own protocol over websockets, so what is measured is the server; painting
in a browser comes on top (`painted.py`). Run it on a machine that is otherwise idle: the load average is printed.

Aims on two cores, one process: 50 sessions that each move a slider of Guarantee every 2 s, 95 of 100 moves answered
within 300 ms; 20 sessions that sweep on Principal components, each with its first point within 3 s; at most 3 MB an
idle session; memory flat over 10 rounds of 20 sessions.

The part `visitors` opens 60 sessions of one address at once, on a server that has run for a minute, and the same of a
bare page (`bare_page.py`): processor seconds a session, of the server and its workers, until the last one has its
complete curve; the last answer; the last complete curve. Ratios are to the bare page's last answer and last live page.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from conftest import free_port, wait_for  # noqa: E402

_DATA = r'"attr":\s*"data"'
_POINT = r'"mean",\s*\[\s*[^\]\s]'  # At least one point of a curve.
_READY = {"type": "event", "name": "document_ready", "values": {"type": "map", "entries": []}}
# A session that its browser left is dropped after a second, so that the rounds need not wait for it.
_FORGET = ("--unused-session-lifetime", "1000", "--check-unused-sessions", "500")
_PATIENCE = {"connect_timeout": 900, "request_timeout": 900}  # Seconds, on a busy machine.
_STANDS = 5.0  # Seconds until a session idles.
VISITORS, RUN_BEFORE = 60, 60.0  # Sessions at once, and the seconds that the server has run.
# Addresses, and what a live page says once its curve is complete.
_BANDS = "Bands: 95 %"
OPENED = {"pca": ("?page=pca", _BANDS), "regression": ("?page=regression", _BANDS)}
_GONE = 8.0  # Seconds until sessions have expired, and garbage was collected five seconds later.


class Client:
    """One session, as a browser has it."""

    def __init__(self, port: int, app: str = "dashboard"):
        self._address = f"127.0.0.1:{port}/{app}"
        self._count = itertools.count(1000)
        self.page = self.document = ""
        self.answered = 0.0  # When the page had come.
        self._coming: asyncio.Future | None = None

    async def open(self, query: str) -> Client:
        """Load a page, connect, pull the document, and say that it stands."""
        http = AsyncHTTPClient(force_instance=True, max_clients=1)
        request = HTTPRequest(f"http://{self._address}{query}", **_PATIENCE)
        self.page = (await http.fetch(request)).body.decode()
        self.answered = time.monotonic()
        http.close()
        token = re.search(r'"token":\s*"([^"]+)"', self.page).group(1)
        request = HTTPRequest(f"ws://{self._address}/ws", **_PATIENCE)
        self._socket = await websocket_connect(
            request, subprotocols=["bokeh", token], max_message_size=1 << 28
        )
        await self._next("ACK")
        await self._send("PULL-DOC-REQ", {})
        self.document = await self._next("PULL-DOC-REPLY")
        event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": _READY}
        await self._send("PATCH-DOC", {"events": [event]})
        return self

    async def complete(self, what: str) -> None:
        """Wait until the document, or a message, has this text."""
        text = self.document
        while what not in text:
            text = await self._next("PATCH-DOC")

    async def set(self, slider: tuple[str, str], value) -> None:
        """Move a slider, or a slider over stops to one of them, as a browser does."""
        panel, name = slider
        data = {"type": "map", "entries": [["name", name], ["value", value]]}
        values = {"type": "map", "entries": [["model", {"id": panel}], ["data", data]]}
        message = {"type": "event", "name": "data_event", "values": values}
        event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": message}
        await self._send("PATCH-DOC", {"events": [event]})

    async def painted(self, what: str = _DATA) -> None:
        """Wait for the next message that brings new numbers to a figure."""
        while not re.search(what, await self._next("PATCH-DOC")):
            pass

    async def drain(self, seconds: float) -> None:
        """Read what comes for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                await asyncio.wait_for(self._next("PATCH-DOC"), left)
            except TimeoutError:
                return

    def slider(self, label: str) -> tuple[str, str]:
        """The panel that holds a slider, and the slider's name there, by the start of its label."""
        for found in _objects(json.loads(self.document)):
            data = found.get("attributes", {}).get("data")
            parts = data.get("attributes", {}) if isinstance(data, dict) else {}
            if "state" not in parts:  # Drawings have a specification, too.
                continue
            for spec, state in zip(parts["spec"], parts["state"], strict=True):
                spec, state = (dict(one["entries"]) for one in (spec, state))
                if state["label"].startswith(label):
                    return found["id"], spec["name"]
        raise LookupError(label)

    def close(self) -> None:
        """Leave as a browser does."""
        if self._coming:
            self._coming.cancel()
        self._socket.close()

    async def _send(self, kind, content):
        header = {"msgid": str(next(self._count)), "msgtype": kind}
        for part in (header, {}, content):
            await self._socket.write_message(json.dumps(part))

    async def _next(self, kind):
        """The content of the next message of a kind, as text."""
        while True:
            # Whoever stops waiting must not leave a message half read.
            self._coming = self._coming or asyncio.ensure_future(self._message())
            found, content = await asyncio.shield(self._coming)
            self._coming = None
            if found == "ERROR":
                raise RuntimeError(content[:500])
            if found == kind:
                return content

    async def _message(self):
        """Kind and content of the next message."""
        header = json.loads(await self._read())
        await self._read()
        content = await self._read()
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._read()
        return header["msgtype"], content

    async def _read(self):
        message = await self._socket.read_message()
        if message is None:
            raise ConnectionError("the server closed the connection")
        return message


def _objects(node):
    """All objects of a document's JSON."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


async def open_all(port: int, count: int, query) -> list[Client]:
    """Open sessions one after the other; `query` makes the address of each."""
    return [await Client(port).open(query(i)) for i in range(count)]


async def moves(port: int, *, sessions: int, seconds: float, every: float = 2.0) -> list[float]:
    """Milliseconds from a slider's move to the new curve, of sessions that each move once in `every` seconds."""
    clients = await open_all(port, sessions, lambda i: f"?page=guarantee&epsilon={0.5 + 0.01 * i:.2f}")
    await asyncio.gather(*(client.drain(2.0) for client in clients))

    async def one(client, start):
        slider, times, value = client.slider("Sites S"), [], 10
        await client.drain(start)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            begun, value = time.monotonic(), 5 + (value + 7) % 40
            await client.set(slider, value)
            await asyncio.wait_for(client.painted(), 30)
            times.append(1000 * (time.monotonic() - begun))
            await client.drain(max(0.0, every - (time.monotonic() - begun)))
        return times

    found = await asyncio.gather(*(one(c, every * i / sessions) for i, c in enumerate(clients)))
    for client in clients:
        client.close()
    return [t for times in found for t in times]


async def first_points(port: int, *, sessions: int) -> list[float]:
    """Seconds from a slider's move to the first new point, all sessions at once while the sweeps of all run."""
    clients = await open_all(port, sessions, lambda i: f"?page=pca&noise_seed={i + 1}&repeats=200")
    await asyncio.gather(*(client.drain(2.0) for client in clients))

    async def one(client):
        begun, slider = time.monotonic(), client.slider("Privacy ε")
        await client.set(slider, 20)
        await asyncio.wait_for(client.painted(_POINT), 120)
        return time.monotonic() - begun

    times = await asyncio.gather(*map(one, clients))
    for client in clients:
        client.close()
    return times


async def one_round(port: int, process: int, *, sessions: int, query: str) -> tuple[float, float]:
    """Megabytes that each further session takes while it idles, and those of the server when all have left."""
    half = sessions // 2
    clients = await open_all(port, half, lambda i: query)
    await asyncio.gather(*(client.drain(_STANDS) for client in clients))
    before = megabytes(process)
    clients += await open_all(port, sessions - half, lambda i: query)
    await asyncio.gather(*(client.drain(_STANDS) for client in clients[half:]))
    each = (megabytes(process) - before) / (sessions - half)
    for client in clients:
        client.close()
    await asyncio.sleep(_GONE)
    return each, megabytes(process)


def megabytes(process: int) -> float:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def bounded(work, seconds: float):
    """The result of a coroutine, which is given up after a time."""
    return asyncio.run(asyncio.wait_for(work, seconds))


def memory(port: int, process: int) -> None:
    """Measure and print what sessions hold, and whether it comes back."""
    print("rounds of 20 idle sessions (aim: flat), megabytes when all have left:", end=" ", flush=True)
    found, end = [], time.monotonic() + 500
    while len(found) < 10 and time.monotonic() < end:
        try:
            found.append(bounded(one_round(port, process, sessions=20, query="?page=guarantee"), 200))
        except TimeoutError:
            break
        print(f"{found[-1][1]:.0f}", end=" ", flush=True)
    # Later rounds use anew what earlier ones left: the first tells what a session takes.
    print("" if len(found) == 10 else f"(stopped after {len(found)} of 10: too slow a machine)")
    if found:
        print(f"idle session: {found[0][0]:.2f} MB (aim 3)", flush=True)


def answers(port: int, process: int) -> None:
    """Measure and print how soon sessions are answered."""
    times = bounded(moves(port, sessions=50, seconds=30), 150)
    p95 = statistics.quantiles(times, n=20)[-1]
    middle = statistics.median(times)
    print(
        f"{len(times)} moves of 50 sessions: median {middle:.0f} ms, p95 {p95:.0f} ms (aim 300)", flush=True
    )
    waits = bounded(first_points(port, sessions=20), 90)
    print(
        f"first point of 20 sweeps: median {statistics.median(waits):.2f} s, last {max(waits):.2f} s (aim 3)"
    )


@dataclass(frozen=True)
class Crowd:
    """Sessions that were opened at once.

    Attributes
    ----------
    processor : float
        Processor seconds of the server and its workers a session.
    answer, whole : float
        Seconds until the last one had its answer, and until the last live page had its complete curve.
    warm : int
        How many had the complete curve with their live page.
    """

    processor: float
    answer: float
    whole: float
    warm: int


async def crowd(
    port: int, process: int, query: str, *, sessions: int, app: str = "dashboard", whole: str = ""
) -> Crowd:
    """Open an address in sessions at once; a live page with the text `whole` has its complete curve."""
    begun, spent = time.monotonic(), processor(process)
    clients = [Client(port, app) for _ in range(sessions)]

    async def one(client):
        await client.open(query)
        warm = whole in client.document
        await client.complete(whole)
        return time.monotonic() - begun, warm

    found = await asyncio.gather(*map(one, clients))
    spent = processor(process) - spent
    answer = max(client.answered for client in clients) - begun
    for client in clients:
        client.close()
    await asyncio.sleep(_GONE)
    return Crowd(spent / sessions, answer, max(at for at, _ in found), sum(warm for _, warm in found))


def processor(process: int) -> float:
    """Processor seconds of a process and of those that it started."""
    parent, ticks = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # It ended.
            fields = entry.read_text().rpartition(")")[2].split()
            parent[int(entry.parent.name)] = int(fields[1])
            ticks[int(entry.parent.name)] = int(fields[11]) + int(fields[12])
    family = {process}
    while more := {child for child, of in parent.items() if of in family} - family:
        family |= more
    return sum(ticks.get(one, 0) for one in family) / os.sysconf("SC_CLK_TCK")


def visitors(port: int, process: int, *, sessions: int = VISITORS) -> None:
    """Measure and print what it costs that many open one address at once."""
    time.sleep(RUN_BEFORE)
    with bare_server() as (bare_port, bare_process):
        bounded(Client(bare_port, "bare_page").open(""), 300)  # The first one imports the libraries.
        bare = bounded(crowd(bare_port, bare_process, "", app="bare_page", sessions=sessions), 1200)
    print(
        f"{'page':12} {'processor s':>11} {'÷ bare':>7} {'answer ÷ bare':>14} {'curve ÷ bare':>13} {'warm':>5}"
    )
    print(
        f"{'bare':12} {bare.processor:11.3f} {1:7.2f} {1:14.2f} {1:13.2f}   ({bare.answer:.1f} s, {bare.whole:.1f} s)"
    )
    for name, (query, whole) in OPENED.items():
        found = bounded(crowd(port, process, query, whole=whole, sessions=sessions), 2400)
        print(
            f"{name:12} {found.processor:11.3f} {found.processor / bare.processor:7.2f} "
            f"{found.answer / bare.answer:14.2f} {found.whole / bare.whole:13.2f} {found.warm:5}",
            flush=True,
        )


@contextlib.contextmanager
def bare_server():
    """Port and process of a bare page that a plain server of the framework serves."""
    port, page = free_port(), Path(__file__).parent / "bare_page.py"
    command = [
        sys.executable,
        "-m",
        "panel",
        "serve",
        str(page),
        "--port",
        str(port),
        "--address",
        "127.0.0.1",
        *_FORGET,
    ]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        with log.open("w") as out:
            server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out)
        try:
            wait_for(f"http://127.0.0.1:{port}/bare_page", server, log)
            yield port, server.pid
        finally:
            ended(server)


def ended(server: subprocess.Popen) -> None:
    """Stop a server."""
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


PARTS = {"memory": memory, "answers": answers, "visitors": visitors}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--log", default=None, help="where the server writes what it has to say")
    parser.add_argument(
        "--visitors", type=int, default=VISITORS, help="sessions that open one address at once"
    )
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    parts = PARTS | {"visitors": partial(visitors, sessions=options.visitors)}
    for name, part in parts.items():
        if options.only in (None, name):
            try:
                measure(part, options.log)
            except (TimeoutError, ConnectionError, RuntimeError) as error:
                print(f"{name}: given up, {type(error).__name__} {error}", flush=True)
    print(f"load average {os.getloadavg()[0]:.1f}")


def measure(part, log: str | None) -> None:
    """Start an app of one process, measure a part, and stop it."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(log or Path(folder) / "log.txt")
        command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port), *_FORGET]
        with log.open("w") as out:
            server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out)
        try:
            wait_for(f"http://127.0.0.1:{port}/dashboard/static/favicon.svg", server, log)
            part(port, server.pid)
        finally:
            ended(server)


if __name__ == "__main__":
    main()

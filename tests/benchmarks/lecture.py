"""A class: sixty sessions open in ten seconds, forty move a slider, twenty sweep; and twenty sweeps at once.

    python -m tests.benchmarks.lecture                      # one server and two, with 1, 2 and 4 workers each
    python -m tests.benchmarks.lecture --servers 1 --workers 2 --sessions 30 --seconds 20

Clients without a browser speak the app's own protocol over websockets, so what is measured is the server. Each session
opens a page and takes its document. Then two of three sessions move the slider of Guarantee every 2 s, and the others
start a sweep on Principal components. The program prints the opening, the answers and the first points as percentiles,
processor time a session, and the memory of all processes (shared pages are counted once).

The last part starts the same sweep in twenty sessions that stand, and takes the wall time until all are done, divided
by that of a server which computes in a thread. The aim with two workers is at most 0.6 on two idle cores. Clients
run on the same machine, so the load average is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from conftest import free_port, wait_for  # noqa: E402

from tests.benchmarks.load import _POINT, Client, bounded  # noqa: E402

EVERY = 2.0  # Seconds between two moves of a slider.
OPENING = 10.0  # Seconds within which all sessions begin to open.
DONE = r"\d+ runs? done"
SWEEP = "?page=pca&data=digits&repeats={repeats}&noise_seed={seed}"


@contextlib.contextmanager
def servers(count: int, workers: str) -> Iterator[list[tuple[int, int]]]:
    """Servers side by side, as behind a proxy: port and process of each."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        started = []
        for i in range(count):
            port, log = free_port(), Path(folder) / f"log{i}.txt"
            command = [
                sys.executable,
                "-m",
                "dashboard",
                "--no-show",
                "--port",
                str(port),
                "--workers",
                workers,
            ]
            out = stack.enter_context(log.open("w"))
            server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out)
            stack.callback(_stop, server)
            started.append((port, server, log))
        for port, server, log in started:
            wait_for(f"http://127.0.0.1:{port}/dashboard/static/favicon.svg", server, log)
            asyncio.run(_warm(port))
        yield [(port, server.pid) for port, server, _ in started]


async def _warm(port):
    """Open a session that sweeps, so that all is imported."""
    client = await Client(port).open(SWEEP.format(repeats=1, seed=1))
    await asyncio.wait_for(client.painted(DONE), 300)
    client.close()


def _stop(server):
    server.terminate()
    try:
        server.wait(30)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


async def lecture(ports: list[int], *, sessions: int, seconds: float) -> dict[str, list[float]]:
    """Seconds of opening, of answers to a slider, and to the first point of a sweep."""
    found: dict[str, list[float]] = {"opening": [], "answer": [], "first point": []}
    stand = asyncio.Barrier(sessions)

    async def one(i):
        await asyncio.sleep(OPENING * i / sessions)
        sweeps = i % 3 == 2
        query = (
            SWEEP.format(repeats=10, seed=i + 1) if sweeps else f"?page=guarantee&epsilon={0.5 + i / 100:.2f}"
        )
        begun = time.monotonic()
        client = await Client(ports[i % len(ports)]).open(query)
        found["opening"].append(time.monotonic() - begun)
        draining = asyncio.create_task(client.drain(600))
        await stand.wait()
        draining.cancel()
        await asyncio.gather(draining, return_exceptions=True)
        if sweeps:
            await _sweep(client, found["first point"], seconds)
        else:
            await _move(client, found["answer"], seconds, first=EVERY * i / sessions)
        client.close()

    await asyncio.gather(*(one(i) for i in range(sessions)))
    return found


async def _move(client, times, seconds, *, first):
    slider, value = client.slider("Sites S"), 10
    await client.drain(first)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begun, value = time.monotonic(), 5 + (value + 7) % 40
        await client.set(slider, value)
        await asyncio.wait_for(client.painted(), 60)
        times.append(time.monotonic() - begun)
        await client.drain(max(0.0, EVERY - (time.monotonic() - begun)))


async def _sweep(client, times, seconds):
    begun = time.monotonic()
    await _set_sites(client, 7)
    await asyncio.wait_for(client.painted(_POINT), 180)
    times.append(time.monotonic() - begun)
    await client.drain(max(0.0, seconds - times[-1]))


async def _set_sites(client, value):
    await client.set(client.slider("Sites S"), value)


async def sweeps(ports: list[int], *, count: int, repeats: int) -> float:
    """Seconds in which so many sessions that stand complete a sweep each, all begun at once."""
    clients = []
    for i in range(count):
        query = SWEEP.format(repeats=repeats, seed=i + 1).replace("repeats", "sites=4&repeats")
        clients.append(await Client(ports[i % len(ports)]).open(query))
    await asyncio.gather(*(asyncio.wait_for(client.painted(DONE), 900) for client in clients))
    begun = time.monotonic()
    await asyncio.gather(*(_set_sites(client, 6) for client in clients))
    # The line of a run that has just begun may still say what the last one has done.
    await asyncio.gather(*(asyncio.wait_for(client.painted(r"\d+ of \d+ runs"), 900) for client in clients))
    await asyncio.gather(*(asyncio.wait_for(client.painted(DONE), 900) for client in clients))
    taken = time.monotonic() - begun
    for client in clients:
        client.close()
    return taken


def tree(process: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found = [process]
    for parent in found:
        found += [child for child, other in parents.items() if other == parent]
    return found


def processor(pids: list[int]) -> float:
    """Seconds of processor time that processes and what is below them have taken."""
    ticks = 0
    for pid in pids:
        for one in tree(pid):
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(pids: list[int]) -> tuple[float, float]:
    """Megabytes of the servers, and of all that is below them."""
    parts = []
    for group in (pids, [one for pid in pids for one in tree(pid)[1:]]):
        kilobytes = 0
        for pid in group:
            with contextlib.suppress(OSError):
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        parts.append(kilobytes / 1000)
    return parts[0], parts[1]


def shown(times: list[float]) -> str:
    """Percentiles as text."""
    if len(times) < 2:
        return "none"
    cuts = statistics.quantiles(times, n=20)
    return f"p50 {statistics.median(times):.2f} s, p95 {cuts[-1]:.2f} s, last {max(times):.2f} s"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--workers", nargs="+", default=["1", "2", "4"])
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--sweeps", type=int, default=20, help="sweeps at once; 0: leave this part out")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--no-lecture", action="store_true", help="only the sweeps")
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for count in options.servers if not options.no_lecture else ():
        for workers in options.workers:
            _lecture(count, workers, options)
    if options.sweeps:
        _sweeps(options)
    print(f"load average {os.getloadavg()[0]:.1f}")


def _lecture(count, workers, options):
    with servers(count, workers) as started:
        pids, ports = [pid for _, pid in started], [port for port, _ in started]
        before = processor(pids)
        try:
            times = bounded(lecture(ports, sessions=options.sessions, seconds=options.seconds), 900)
        except (TimeoutError, ConnectionError, RuntimeError) as error:
            print(f"{count} servers, {workers} workers: given up, {type(error).__name__} {error}", flush=True)
            return
        each = (processor(pids) - before) / options.sessions
        server, below = memory(pids)
    print(f"{count} servers, {workers} workers each, {options.sessions} sessions:")
    for name, found in times.items():
        print(f"  {name}: {shown(found)}")
    print(f"  processor time {each:.2f} s a session; memory {server:.0f} MB servers, {below:.0f} MB workers")
    sys.stdout.flush()


def _sweeps(options):
    taken = {}
    for workers in ("threads", *options.workers):
        with servers(1, workers) as ((port, pid),):
            before = processor([pid])
            taken[workers] = bounded(sweeps([port], count=options.sweeps, repeats=options.repeats), 1800)
            spent = processor([pid]) - before
        ratio = taken[workers] / taken["threads"]
        print(
            f"{options.sweeps} sweeps at once, workers {workers}: {taken[workers]:.1f} s, {ratio:.2f} of a thread "
            f"(processor time with the opening {spent:.1f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()

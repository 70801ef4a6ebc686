"""What a session costs the server: processor time to build it, its models, its document and its memory.

    python -m tests.benchmarks.sessions
    python -m tests.benchmarks.sessions --only protocol pca --profile 40
    python -m tests.benchmarks.sessions --only pca regression --known

Builds sessions in one process as the server builds them for a request, without a socket. Every page is measured in
turns with a bare page of the same framework (`bare_page.py`: the frame, one slider, one figure) in a process of its
own, which knows nothing of the app and its patches, and its time is printed as a ratio to the bare page's. Processor
time counts, and of several builds the median, so other programs on the machine disturb it little. Jobs of a page's
sweep do not run, since nothing waits for them here; on a server they start once the session is built. With `--known`
the curves with which pages open are known, as after the idle work of a server: what it costs that they are in the answer.

Aims: Protocol at most 1, Principal components at most 3.5.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import multiprocessing
import os
import pstats
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace

from bokeh.application.handlers.document_lifecycle import DocumentLifecycleHandler
from bokeh.server.contexts import ApplicationContext
from bokeh.util.token import generate_jwt_token
from panel.io.application import build_single_handler_application
from tornado.ioloop import IOLoop

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from dashboard.pages import PAGES  # noqa: E402
from dashboard.session.warm import warm_up  # noqa: E402

KEPT = 5
AIMS = {"protocol": 1.0, "pca": 3.5}
_ADDRESS = {"protocol": "http", "host": "127.0.0.1", "uri": "/", "path": "/"}


class Server:
    """Builds sessions of an app as the server does."""

    def __init__(self, path: Path):
        self._application = build_single_handler_application(str(path))
        self._application.add(DocumentLifecycleHandler())
        self._context = ApplicationContext(self._application, io_loop=IOLoop.current(), url="/")
        self._count = 0

    async def build(self, **query: str):
        """A new session for a query; returns it and the processor time of building it, in seconds."""
        self._count += 1
        name = f"{id(self)} {self._count}"
        arguments = {key: [value.encode()] for key, value in query.items()}
        request = SimpleNamespace(arguments=arguments, cookies={}, headers={}, **_ADDRESS)
        begun = time.process_time()
        session = await self._context.create_session_if_needed(name, request, generate_jwt_token(name))
        return session, time.process_time() - begun

    async def end(self, session) -> None:
        """Drop a session, as the server does some time after its browser left."""
        await self._context._discard_session(session, lambda session: True)


def megabytes() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def built(server: Server, times: list[float], sizes: dict, **query: str) -> None:
    """Build a session and drop it; note its time and its size."""
    gc.collect()
    session, seconds = await server.build(**query)
    times.append(seconds)
    sizes["models"] = len(session.document.models)
    await server.end(session)


async def memory(server: Server, count: int, **query: str) -> float:
    """Megabytes that each of `count` sessions holds while all exist."""
    first = [(await server.build(**query))[0] for _ in range(2)]
    gc.collect()
    before = megabytes()
    more = [(await server.build(**query))[0] for _ in range(count)]
    gc.collect()
    each = (megabytes() - before) / count
    for session in (*first, *more):
        await server.end(session)
    return each


class Bare:
    """The bare page, built in a process of its own, as a plain app of the framework builds it."""

    def __enter__(self):
        spawned = multiprocessing.get_context("spawn")
        self._here, there = spawned.Pipe()
        self._process = spawned.Process(target=_build_bare_pages, args=(there,))
        self._process.start()
        return self

    def __exit__(self, *exception):
        self._here.send(None)
        self._process.join()

    def ask(self, what: str):
        """`build`: seconds and models of one session; `memory`: megabytes of each of `KEPT` sessions."""
        self._here.send(what)
        return self._here.recv()


def _build_bare_pages(pipe):
    async def answer():
        server = Server(Path(__file__).parent / "bare_page.py")
        times, sizes = [], {}
        await built(server, times, sizes)
        while what := pipe.recv():
            if what == "memory":
                pipe.send(await memory(server, KEPT))
            else:
                await built(server, times, sizes)
                pipe.send((times[-1], sizes["models"]))

    asyncio.run(answer())


async def measure(names: list[str], bare: Bare, *, rounds: int, kept: int, known: bool) -> None:
    """Measure and print every page beside the bare one."""
    app = Server(ROOT / "dashboard" / "main.py")
    openings = warm_up()  # As the server does before the first visitor comes.
    for opening in openings:
        if known and opening.sharing.page in names:
            opening.compute(lambda call: True)
    print(f"{'page':14} {'ms':>7} {'÷ bare':>7} {'aim':>5} {'models':>7} {'MB':>6}")
    for name in names:
        here, there, found = [], [], {}
        await built(app, [], {}, page=name)
        for _ in range(rounds):
            seconds, models = bare.ask("build")
            there.append(seconds)
            await built(app, here, found, page=name)
        each = await memory(app, kept, page=name) if kept else float("nan")
        ratio = statistics.median(here) / statistics.median(there)
        aim = f"{AIMS[name]:.1f}" if name in AIMS else ""
        print(
            f"{name:14} {1000 * statistics.median(here):7.0f} {ratio:7.2f} {aim:>5} {found['models']:7} {each:6.2f}",
            flush=True,
        )
    each = bare.ask("memory") if kept else float("nan")
    print(f"{'bare':14} {1000 * statistics.median(there):7.0f} {1:7.2f} {'':5} {models:7} {each:6.2f}")


async def profile(names: list[str], lines: int) -> None:
    """Print where the time of building each page goes."""
    app = Server(ROOT / "dashboard" / "main.py")
    for name in names:
        await built(app, [], {}, page=name)
        profiler = cProfile.Profile()
        profiler.enable()
        for _ in range(5):
            await built(app, [], {}, page=name)
        profiler.disable()
        print(f"\n{name}: five builds")
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(lines)


def main() -> None:
    """Measure all pages, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=None, help="names of pages, as in their addresses")
    parser.add_argument(
        "--rounds", type=int, default=7, help="builds of each page, of which the median counts"
    )
    parser.add_argument(
        "--kept", type=int, default=KEPT, help="sessions held at once to measure memory; 0: none"
    )
    parser.add_argument("--known", action="store_true", help="compute first the curves with which pages open")
    parser.add_argument("--profile", type=int, default=0, metavar="LINES", help="print a profile instead")
    options = parser.parse_args()
    names = options.only or [kind.name for kind in PAGES]
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if options.profile:
        return asyncio.run(profile(names, options.profile))
    with Bare() as bare:
        asyncio.run(measure(names, bare, rounds=options.rounds, kept=options.kept, known=options.known))


if __name__ == "__main__":
    main()

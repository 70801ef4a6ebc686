"""What each patch that is there for speed saves: a session's processor time without it ÷ with all of them.

    python -m tests.benchmarks.patches [--rounds 15] [--pages gain protocol]

A patch is taken away in a process of its own, which builds the same pages as the one that has all of them, and writes
the answer to a request. The processes take turns, and the least of several times counts, which other programs on the
machine disturb least. The table of
`dashboard/compat/README.md` names the gain of the patches that this module knows; the others are there for what is
right or safe, and have a test that fails without them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import multiprocessing
import random
import time
from collections.abc import Callable
from functools import partial

from tests.benchmarks.sessions import ROOT, Server, warm_up

_WIDGETS = "dashboard.compat.widgets"


def _without_call(module: str, name: str) -> None:
    setattr(importlib.import_module(module), name, lambda: None)


def _without_light() -> None:
    light = importlib.import_module(f"{_WIDGETS}.light_component")
    taken = {
        light.Light: ("_synced_params", "_process_param_change"),
        light.Stack: ("_linked_properties",),
        light.LightComponent: ("_linked_properties", "_get_properties", "_get_children"),
    }
    for kind, names in taken.items():
        for name in names:
            delattr(kind, name)


def _without_bare() -> None:
    import panel as pn

    importlib.import_module(f"{_WIDGETS}.bare_model").Bare = pn.pane.Bokeh


PATCHES: dict[str, Callable[[], None]] = {
    "all of them": lambda: None,
    "widgets/model_defaults": partial(_without_call, f"{_WIDGETS}.model_defaults", "remember_defaults"),
    "widgets/light_component": _without_light,
    "widgets/bare_model": _without_bare,
    "wire/resource_bundle": partial(_without_call, "dashboard.compat.wire.resource_bundle", "keep_bundle"),
}


def _builds(patch: str, pages: list[str], pipe) -> None:
    """Build sessions without a patch, one for every page that is asked for; answer with the seconds of each."""
    PATCHES[patch]()
    importlib.import_module("dashboard.compat.wire.resource_bundle").keep_bundle()
    from panel.io.resources import Resources
    from panel.io.server import server_html_page_for_session

    async def answer():
        app = Server(ROOT / "dashboard" / "main.py")
        warm_up()
        while page := pipe.recv():
            gc.collect()
            session, built = await app.build(page=page)
            begun = time.process_time()
            server_html_page_for_session(
                session, resources=Resources(mode="server", root_url="/"), title="CAPE Lab"
            )
            pipe.send((built, time.process_time() - begun))
            await app.end(session)

    asyncio.run(answer())


def measure(pages: list[str], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Seconds of processor time by patch that is missing and page."""
    spawned = multiprocessing.get_context("spawn")
    found = {patch: {page: [] for page in pages} for patch in PATCHES}
    workers = {}
    for patch in PATCHES:
        here, there = spawned.Pipe()
        process = spawned.Process(target=_builds, args=(patch, pages, there))
        process.start()
        workers[patch] = here, process
    for turn in range(rounds + 1):
        for page in pages:
            for patch, (pipe, _) in random.sample([*workers.items()], len(workers)):
                pipe.send(page)
                seconds = sum(pipe.recv())
                if turn:  # The first build of a page imports.
                    found[patch][page].append(seconds)
    for pipe, process in workers.values():
        pipe.send(None)
        process.join()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=15, help="sessions of each page, of which the fastest counts"
    )
    parser.add_argument("--pages", nargs="+", default=["gain", "protocol"], help="names of pages")
    options = parser.parse_args()
    found = measure(options.pages, options.rounds)
    whole = {page: min(times) for page, times in found["all of them"].items()}
    print(f"{'without':30}" + "".join(f"{page:>14}" for page in options.pages))
    for patch, times in found.items():
        cells = (
            f"{1000 * min(times[page]):6.0f} ms {min(times[page]) / whole[page]:4.2f}"
            for page in options.pages
        )
        print(f"{patch:30}" + "".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()

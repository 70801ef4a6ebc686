"""The checkpoint of the pages: a slider's move to pixels, its bytes, and what a session costs, beside a bare page.

    python -m tests.benchmarks.checkpoint [--rounds 3]

The bare page (`bare_update.py`: one slider, one figure, one update in place) is served beside the app and measured in
every round, before the pages; the ratios are to it, of the medians over all rounds. A move is over for the eye when the
first picture of the new value is painted, and settled when no picture changes any more for a while. Bytes are those that
the server sends until then. Models are those that the browser holds once the whole page stands. What a session costs,
and its models at first, is measured by `sessions.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from conftest import CHROMIUM_ARGUMENTS, STANDS, found_chromium  # noqa: E402

from tests.benchmarks import sessions  # noqa: E402
from tests.benchmarks.first_visit import served  # noqa: E402
from tests.benchmarks.painted import processor_time  # noqa: E402

PRESSES, REST = 12, 600  # REST: milliseconds without a change after which a move has settled.
# Page, settings, the slider that moves, and to which side it has room; the bare page is first.
PAGES = (
    ("bare", "", "bare", "Right"),
    ("pca", "?page=pca&epsilon=2&k=16&sites=40&repeats=1", "Privacy ε", "Left"),
    ("gain", "?page=gain&sites=30", "Sites S", "Left"),
    ("regression", "?page=regression&repeats=1", "Privacy ε", "Left"),
    ("months", "?page=months", "Privacy ε", "Left"),
)
# A picture is a source of a figure or what a component draws; Bokeh and the browser paint two frames later.
_CLOCK = """() => {
  window.changes = []
  document.addEventListener("keydown", () => { window.pressed = performance.now(); window.changes = [] }, true)
  Bokeh.documents[0].on_change((event) => {
    if (!["data", "picture", "spec"].includes(event.attr)) return
    requestAnimationFrame(() => requestAnimationFrame(() => window.changes.push(performance.now() - window.pressed)))
  })
}"""


def moves(tab, address: str, label: str, side: str) -> list[tuple[float, ...]]:
    """Of each press: milliseconds to the first and the last picture, of the browser's work, bytes; and its models."""
    wire, frames = tab.context.new_cdp_session(tab), []
    wire.send("Network.enable")
    wire.on(
        "Network.webSocketFrameReceived", lambda event: frames.append(len(event["response"]["payloadData"]))
    )
    wire.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto(address)
    tab.wait_for_function(STANDS, timeout=180_000)
    thumb = tab.get_by_role("slider", name=label).first
    thumb.press(f"Arrow{side}")
    tab.wait_for_timeout(6000)  # Until a sweep of few runs is over.
    tab.evaluate(_CLOCK)
    models = tab.evaluate("() => Bokeh.documents[0]._all_models.size")
    found = []
    for _ in range(PRESSES):
        frames.clear()
        busy = processor_time(wire)
        thumb.press(f"Arrow{side}")
        tab.wait_for_function("() => window.changes.length", timeout=60_000)
        before = 0
        while (changes := tab.evaluate("() => window.changes")) and len(changes) > before:
            before = len(changes)
            tab.wait_for_timeout(REST)
        busy = 1000 * (processor_time(wire) - busy)
        found.append((changes[0], changes[-1], busy, float(sum(frames)), models))
    wire.detach()
    return found


def report(found: dict[str, list]) -> None:
    """Print medians, and their ratios to the bare page."""
    print("page          n  first picture   ÷ bare   last   ÷ bare   browser   ÷ bare   bytes a move  models")
    middle = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)]
        for name, rows in found.items()
    }
    for name, (first, last, busy, size, models) in middle.items():
        bare = middle["bare"]
        print(
            f"{name:11} {len(found[name]):3} {first:10.0f} ms {first / bare[0]:8.2f} {last:6.0f} {last / bare[1]:8.2f} "
            f"{busy:6.0f} ms {busy / bare[2]:8.2f} {size:14,.0f} {models:7.0f}"
        )


def main() -> None:
    """Print both tables."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all pages")
    rounds = parser.parse_args().rounds
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    found = defaultdict(list)
    bare = Path(__file__).with_name("bare_update.py")
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), bare) as plain,
        served(Path(folder), ROOT / "dashboard") as app,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=found_chromium(), args=CHROMIUM_ARGUMENTS)
        for _ in range(rounds):
            for name, query, label, side in PAGES:
                tab = chromium.new_page(viewport={"width": 1400, "height": 900})
                found[name] += moves(tab, plain if name == "bare" else app + query, label, side)
                tab.close()
        chromium.close()
    report(found)
    with sessions.Bare() as other:
        names = [name for name, *_ in PAGES[1:]]
        asyncio.run(sessions.measure(names, other, rounds=2 * rounds + 1, kept=0, known=True))
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

"""A first visit: bytes, the first picture, the live page, and thirty visitors at once, beside a bare page.

    python -m tests.benchmarks.first_visit [page ...]

The bare page (`bare_update.py`: one slider, one figure) is served by a plain server of the same framework, in a
process of its own. The ratios are to it, in the same run. Aims: at most 1.5 MB on a first visit of Protocol; the first
picture, which is the static one, at most 0.7 s after the answer's first byte on pages of Learn and 1 s on all; the
live page with a warm cache at most 1.1 (Protocol), 1.3 (PCA) and 1.4 (Topics) times the bare one; the last answer of
thirty requests at once at most 1.2 (Protocol) and 1.6 (PCA) times the bare one.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tornado.httpclient import AsyncHTTPClient

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from conftest import CHROMIUM_ARGUMENTS, STANDS, found_chromium, free_port, wait_for  # noqa: E402

AT_ONCE, VISITS = 30, 3
PAGES = ("protocol", "pca", "topics")
_PAINT = """() => {
  const answer = performance.getEntriesByType("navigation")[0].responseStart
  const paint = performance.getEntriesByName("first-contentful-paint")[0]
  return [paint ? paint.startTime - answer : NaN, performance.now() - answer]
}"""


@contextmanager
def served(folder: Path, app: Path):
    """The address of an app, served in a process of its own."""
    port, log = free_port(), folder / f"{app.stem}.txt"
    command = [
        sys.executable,
        "-m",
        "panel",
        "serve",
        str(app),
        "--port",
        str(port),
        "--address",
        "127.0.0.1",
    ]
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out)
    try:
        address = f"http://127.0.0.1:{port}/{app.stem}"
        wait_for(address, server, log)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def first_visit(chromium, address: str) -> tuple[int, int, list[float], list[float]]:
    """Bytes over http of a first visit and of its websocket; then milliseconds of visits with a warm cache.

    Returns
    -------
    sent, told : int
    painted, stands : list of float
        From the answer's first byte to the first contentful paint, and to the live page.
    """
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    tab, sizes, frames = context.new_page(), [], []
    wire = context.new_cdp_session(tab)
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    wire.on(
        "Network.webSocketFrameReceived", lambda event: frames.append(len(event["response"]["payloadData"]))
    )
    tab.goto(address)
    tab.wait_for_function(STANDS, timeout=120_000)
    tab.wait_for_timeout(3000)  # Fonts come last.
    sent, told = int(sum(sizes)), sum(frames)
    painted, stands = [], []
    for _ in range(VISITS):
        tab.goto(address)
        tab.wait_for_function(STANDS, timeout=120_000, polling=20)
        paint, live = tab.evaluate(_PAINT)
        painted.append(paint)
        stands.append(live)
    context.close()
    return sent, told, painted, stands


def last_answer(address: str) -> float:
    """Seconds until the last of many requests at once is answered."""

    async def all_at_once():
        client = AsyncHTTPClient(force_instance=True, max_clients=AT_ONCE)
        begun = time.monotonic()
        await asyncio.gather(*(client.fetch(address, request_timeout=300) for _ in range(AT_ONCE)))
        return time.monotonic() - begun

    # Playwright runs an event loop in the main thread.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, all_at_once()).result()


def main() -> None:
    """Print the table."""
    from playwright.sync_api import sync_playwright

    names = sys.argv[1:] or PAGES
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        "               first visit  (websocket)   first picture    live page   ÷ bare   30 at once   ÷ bare"
    )
    bare = Path(__file__).with_name("bare_update.py")
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), bare) as plain,
        served(Path(folder), ROOT / "dashboard") as app,
        sync_playwright() as playwright,
    ):
        path = found_chromium()
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        base = None
        for name in ("bare", *names):
            address = plain if name == "bare" else f"{app}?page={name}"
            sent, told, painted, stands = first_visit(chromium, address)
            last, live = last_answer(address), statistics.median(stands)
            base = base or (live, last)
            print(
                f"{name:12s} {sent / 1e6:8.2f} MB  ({told / 1e6:5.2f} MB)  {statistics.median(painted):10.0f} ms  "
                f"{live:8.0f} ms  {live / base[0]:6.2f}  {last:9.1f} s  {last / base[1]:6.2f}",
                flush=True,
            )
        chromium.close()
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

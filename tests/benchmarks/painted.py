"""From a slider's key press to painted pixels, on the pages that answer at once.

    python tests/benchmarks/painted.py

Starts the app and, beside it, a bare in-place Bokeh update (bare_update.py), opens them in headless Chromium
and prints the median and the 95th percentile of each, the processor time of the browser's main thread a press
(which other programs on the machine disturb little), and both ratios to the bare update. The aim for Gain and
Guarantee is a median of at most 100 ms on two idle cores.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from conftest import CHROMIUM_ARGUMENTS, STANDS, found_chromium, free_port, wait_for  # noqa: E402

PRESSES = 30
PAGES = (
    ("bare in-place update", "bare_update", "bare"),
    ("Gain", "dashboard?page=gain&sites=5", "Sites S"),
    ("Guarantee", "dashboard?page=guarantee&noise=1.5", "Noise of one message"),
    ("Protocol", "dashboard?page=protocol&step=5&epsilon=0.001", "Privacy ε"),
)
# The clock stops two frames after the last change of the main figure's data: Bokeh paints in the first.
_CLOCK = """
() => {
  const plot = [...Bokeh.documents[0]._all_models.values()].find((m) => m.type === "Figure")
  const sources = new Set(plot.renderers.map((r) => r.data_source))
  window.painted = 0
  window.pressed = 0
  document.addEventListener("keydown", () => { window.pressed = performance.now(); window.painted = 0 }, true)
  for (const source of sources)
    source.properties.data.change.connect(() => requestAnimationFrame(() => requestAnimationFrame(() => {
      window.painted = performance.now()
    })))
}
"""


def measure(tab, address: str, label: str) -> tuple[list[float], float]:
    """Milliseconds from key to pixels, for each press, and of processor time, on average."""
    tab.goto(address)
    tab.wait_for_function(STANDS)
    thumb = tab.get_by_role("slider", name=label)
    thumb.press("ArrowRight")
    tab.wait_for_timeout(1500)
    tab.evaluate(_CLOCK)
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    busy = -processor_time(session)
    times = []
    for _ in range(PRESSES):
        thumb.press("ArrowRight")
        tab.wait_for_function("() => window.painted > window.pressed", polling=20)
        tab.wait_for_timeout(250)  # Let whatever follows the main figure come to rest.
        times.append(tab.evaluate("() => window.painted - window.pressed"))
    busy += processor_time(session)
    session.detach()
    return times, 1000 * busy / PRESSES


def processor_time(session) -> float:
    """Seconds that the tab's main thread has worked."""
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return metrics["TaskDuration"]


def main() -> None:
    """Print the table."""
    from playwright.sync_api import sync_playwright

    port = free_port()
    bare = Path(__file__).with_name("bare_update.py")
    command = [sys.executable, "-m", "panel", "serve", str(ROOT / "dashboard"), str(bare)]
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        server = subprocess.Popen(
            [*command, "--port", str(port), "--address", "127.0.0.1"], cwd=ROOT, stdout=log, stderr=log
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/dashboard", server, Path(log.name))
            with sync_playwright() as playwright:
                path = found_chromium()
                chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
                tab = chromium.new_page(viewport={"width": 1400, "height": 900})
                report(tab, f"http://127.0.0.1:{port}")
                chromium.close()
        finally:
            server.terminate()
            server.wait()


def report(tab, address: str) -> None:
    """Measure every page, the bare update first and last."""
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"key press to painted pixels, {PRESSES} presses each; {load}")
    base = None
    for name, query, label in (*PAGES, PAGES[0]):
        times, busy = measure(tab, f"{address}/{query}", label)
        times.sort()
        median, p95 = statistics.median(times), times[int(0.95 * len(times))]
        base = base or (median, busy)
        print(
            f"{name:24s} p50 {median:6.0f} ms   p95 {p95:6.0f} ms   {median / base[0]:5.2f} × bare   "
            f"browser {busy:5.0f} ms   {busy / base[1]:5.2f} × bare",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""From a key press on the PCA and Plan pages to the first point painted for the new settings.

    python tests/benchmarks/first_point.py

Prints median and maximum of several presses for the settings whose change costs differently: ε draws noise alone,
S deals the records anew and recomputes every second moment. The aim is 0.5 s on two idle cores up to S d² = 10⁷.
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

PRESSES = 8
CASES = (
    ("digits, ε", "page=pca&data=digits&sites=10", "Privacy ε"),
    ("digits, S", "page=pca&data=digits&sites=10", "Sites"),
    ("low rank d = 200, ε", "page=pca&data=low_rank&sites=10&k=50", "Privacy ε"),
    ("low rank d = 200, S", "page=pca&data=low_rank&sites=10&k=50", "Sites"),
    ("low rank d = 200, S = 50, ε", "page=pca&data=low_rank&sites=50&k=50", "Privacy ε"),
    ("plan, digits, target", "page=plan&problem=pca&level=0.1", "Allowed"),
    (
        "plan, regression, target",
        "page=plan&problem=regression&data=linear&free=samples&level=0.1",
        "Allowed",
    ),
    ("plan, average, target", "page=plan&problem=averaging&free=sites&level=0.01", "Allowed"),
)
# Each new picture begins with the ring of a first method at the present settings.
_CLOCK = """
() => {
  const models = [...Bokeh.documents[0]._all_models.values()]
  const figures = models.filter((m) => m.type === "Figure")
  window.pressed = window.painted = 0
  document.addEventListener("keydown", () => { window.pressed = performance.now(); window.painted = 0 }, true)
  for (const source of new Set(figures.flatMap((f) => f.renderers.map((r) => r.data_source))))
    source.properties.data.change.connect(() => requestAnimationFrame(() => requestAnimationFrame(() => {
      if (!window.painted) window.painted = performance.now()
    })))
}
"""


def measure(tab, address: str, label: str) -> list[float]:
    """Milliseconds to the first painted change of the main figure, for each press."""
    tab.goto(address)
    tab.wait_for_function(STANDS)
    thumb = tab.get_by_role("slider", name=label).first
    tab.wait_for_timeout(4000)
    tab.evaluate(_CLOCK)
    times = []
    for i in range(PRESSES):
        thumb.press("ArrowLeft" if i % 2 else "ArrowRight")
        tab.wait_for_function("() => window.painted > window.pressed", polling=20, timeout=60_000)
        times.append(tab.evaluate("() => window.painted - window.pressed"))
        tab.wait_for_timeout(700)
    return times


def main() -> None:
    """Print the table."""
    from playwright.sync_api import sync_playwright

    port = free_port()
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/dashboard", server, Path(log.name))
            print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            with sync_playwright() as playwright:
                path = found_chromium()
                chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
                for name, query, label in CASES:
                    tab = chromium.new_page(viewport={"width": 1400, "height": 900})
                    times = measure(tab, f"http://127.0.0.1:{port}/dashboard?{query}", label)
                    print(
                        f"{name:30s} median {statistics.median(times):6.0f} ms   max {max(times):6.0f} ms",
                        flush=True,
                    )
                    tab.close()
                chromium.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()

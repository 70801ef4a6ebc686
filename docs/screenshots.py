"""Take the pictures of the README and the guide: python docs/screenshots.py [page …].

Starts the app on a free port, opens each page in headless Chromium once its run is done, and writes
docs/<page>.png.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
# Page, its query, and how much of it is shown (pixels).
PICTURES = {
    "pca": ("?page=pca&epsilon=1&delta=0.01&sites=5&k=8", 1400, 1060),
    "averaging": ("?page=averaging", 1400, 900),
    "guarantee": ("?page=guarantee", 1400, 900),
}


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(address: str, seconds: float = 60) -> None:
    """Return when the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(address, timeout=10).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"nothing answers at {address}")


def take(browser, address: str, name: str) -> None:
    """Open one page, wait until no run is under way, and save its picture."""
    query, width, height = PICTURES[name]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{address}/dashboard{query}")
    page.wait_for_selector("h1", timeout=60_000)
    page.wait_for_timeout(2000)
    if page.get_by_role("progressbar").count():
        page.get_by_text(re.compile(r"\d done$|runs done$")).first.wait_for(timeout=300_000)
    page.wait_for_timeout(1500)
    page.screenshot(path=ROOT / "docs" / f"{name}.png")
    page.close()


def main(names) -> None:
    """Take the named pictures, or all."""
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/dashboard")
        with sync_playwright() as playwright:
            found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
            path = os.environ.get("CHROMIUM", found)
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
            for name in names or PICTURES:
                take(browser, address, name)
            browser.close()
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main(sys.argv[1:])

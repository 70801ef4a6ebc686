"""Take the picture of Compare for the README: python docs/screenshots.py

It starts the app on a free port, opens the page in headless Chromium, waits until its run is done, and writes
docs/pca.png.
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
TARGET = ROOT / "docs" / "pca.png"
QUERY = "?page=pca&epsilon=2&sites=40&k=16"
WIDTH, HEIGHT = 1400, 900  # How much of the page is shown, in pixels.


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


def take(browser, address: str) -> None:
    """Open the page, wait until no run is under way, and save its picture."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(f"{address}/dashboard{QUERY}")
    page.wait_for_selector("h1", timeout=60_000)
    page.get_by_text(re.compile("runs done$")).first.wait_for(timeout=300_000)
    page.wait_for_timeout(1500)
    page.screenshot(path=TARGET)
    page.close()


def main() -> None:
    """Serve the app and take the picture."""
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
            take(browser, address)
            browser.close()
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main()

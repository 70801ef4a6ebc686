"""What stands in sight on every page, and what moves when a page goes live.

    python tests/benchmarks/sight.py [FOLDER] [--size 1400x900 …] [--dark] [--pages pca,gain …]

Starts the app, opens every page in headless Chromium and prints for each: words and controls in the window, sizes of
type (in pixels), and by how many pixels a part's corner moves between the first answer and the live page at rest. With
FOLDER it keeps a picture of each. A word has a letter or a digit; a control can be pressed, moved or filled in.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from conftest import CHROMIUM_ARGUMENTS, STANDS, found_chromium, free_port, wait_for  # noqa: E402

SIZES = ("1400x900", "1920x1080", "1280x720", "420x900")
# Of all text and all controls in the window that can be seen.
SEEN = """() => {
  const PRESSED = "button, select, summary, input, a[href], textarea, [role=tab], [role=button]"
  const sizes = {}, said = [], controls = new Set()
  const inside = (b) =>
    b.width > 1 && b.height > 1 && b.bottom > 0 && b.right > 0 && b.top < innerHeight && b.left < innerWidth
  const shown = (part) => part.checkVisibility({opacityProperty: true, visibilityProperty: true})
  // What is cut by a box around it is not seen.
  const cut = (part, box) => {
    for (let at = part; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) {
      const style = getComputedStyle(at)
      if (style.clipPath === "inset(50%)") return true
      if (style.overflow === "visible" && !style.contain.includes("paint")) continue
      const outer = at.getBoundingClientRect()
      if (box.top >= outer.bottom - 1 || box.bottom <= outer.top + 1) return true
      if (box.left >= outer.right || box.right <= outer.left) return true
    }
    return false
  }
  const visit = (root) => {
    for (const part of root.querySelectorAll("*")) {
      if (part.shadowRoot) visit(part.shadowRoot)
      if (["STYLE", "SCRIPT", "TEMPLATE", "OPTION"].includes(part.tagName) || part.localName === "title") continue
      if (!shown(part)) continue
      const box = part.getBoundingClientRect()
      if (part.matches(PRESSED) && inside(box) && !cut(part, box)) controls.add(part)
      const style = getComputedStyle(part)
      if (style.fontFamily.includes("Material")) continue
      for (const node of part.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const at = range.getBoundingClientRect()
        if (!inside(at) || cut(part, at)) continue
        said.push(node.data)
        const size = Math.round(10 * parseFloat(style.fontSize)) / 10
        sizes[size] = (sizes[size] ?? 0) + 1
      }
    }
  }
  visit(document.body)
  const words = said.join(" ").split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word))
  return {words: words.length, controls: controls.size, sizes}
}"""
# Where parts stand that the first answer and the live page have; those of the live page are in roots of their own.
PLACES = """() => {
  const first = document.getElementById("first-picture"), found = {}
  const kinds = ["tabs", "tabs-place", "first-line", "side", "data", "head", "result", "curve", "formulas", "headline",
    "promise", "guarantee", "chip", "ink", "at", "who", ...[0, 1, 2, 3, 4, 5, 6].map((n) => `part-${n}`)]
  const wholes = ["tabs", "first-line", "side", "data", "head", "result", "curve", "formulas"]
  const numbers = {}
  const visit = (root) => {
    for (const part of root.querySelectorAll("*")) {
      const classes = part.classList, box = part.getBoundingClientRect()
      if (box.width && box.height && part.checkVisibility()) {
        const names = kinds.filter((kind) => classes.contains(kind))
        if (part.matches(".item:has(> .body > :is(input[type=range], .track))")) names.push("slider")
        for (const kind of names) {
          const name = kind === "tabs-place" ? "tabs" : kind, place = numbers[name] = (numbers[name] ?? -1) + 1
          // The live page has wrappers of the same class; the first stands for all.
          const whole = wholes.includes(name) || name.startsWith("part-")
          if (whole && place) continue
          const [x, y, w, h] = [box.left, box.top, box.width, box.height]
          found[`${name} ${place}`] = ["side", "data", "slider"].includes(name) ? [x, y] : [x, y, x + w, y + h]
        }
      }
      if (part.shadowRoot) visit(part.shadowRoot)
    }
  }
  visit(first ?? document.body)
  return found
}"""


# Where each text of the page stands that has no number: numbers go on while runs come in.
TEXTS = """() => {
  const found = {}, outside = "header, nav, .numbers, [role=dialog], [role=listbox]"
  const visit = (root) => {
    for (const part of root.querySelectorAll("*")) {
      if (part.shadowRoot) visit(part.shadowRoot)
      if (["STYLE", "SCRIPT", "TEMPLATE", "OPTION"].includes(part.tagName) || part.closest(outside)) continue
      if (!part.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue
      for (const node of part.childNodes) {
        const text = node.nodeType === Node.TEXT_NODE ? node.data.trim().replace(/\\s+/g, " ") : ""
        if (!/\\p{L}/u.test(text) || /\\d/.test(text)) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const {left, top, right, bottom} = range.getBoundingClientRect()
        if (right - left > 1 && bottom - top > 1) (found[text] ??= []).push([left, top, right, bottom])
      }
    }
  }
  visit(document.getElementById("first-picture")?.querySelector("main") ?? document.body)
  return found
}"""


def shifted(first: dict, live: dict) -> dict[str, float]:
    """By how many pixels a corner of each text moved that stands equally often in both."""
    found: dict[str, float] = {}
    for text, places in first.items():
        if len(places) == len(live.get(text, ())):
            pairs = zip(chain(*places), chain(*live[text]), strict=True)
            found[text] = max(abs(a - b) for a, b in pairs)
    return found


def moved(first: dict, live: dict) -> dict[str, float]:
    """By how many pixels a corner of each part moved that stands in both."""
    both = [name for name in first if name in live]
    return {name: max(abs(a - b) for a, b in zip(first[name], live[name], strict=True)) for name in both}


class Held:
    """A tab whose scripts come when they are let: the first answer stands until then."""

    def __init__(self, tab):
        self.tab, self._held, self._free = tab, [], False
        tab.route("**/*bokeh*.js*", self._hold)

    def _hold(self, route):
        if self._free:
            route.continue_()
        else:
            self._held.append(route)

    def open(self, address: str) -> dict:
        """Open an address; where the parts of its first answer stand."""
        self._free = False
        self.tab.goto(address, wait_until="commit", timeout=120_000)
        self.tab.locator("#first-picture main").first.wait_for()
        self.tab.evaluate("document.fonts.ready.then(() => 0)")
        self.tab.wait_for_timeout(300)
        return self.tab.evaluate(PLACES)

    def go_live(self) -> None:
        """Let the scripts come, and wait until the live page stands."""
        self._free = True
        for _ in range(400):
            if self._held:
                break
            self.tab.wait_for_timeout(20)
        for route in self._held:
            route.continue_()
        self._held = []
        self.tab.wait_for_function(STANDS, timeout=120_000)


def main() -> None:
    """Print a line a page and size."""
    from playwright.sync_api import sync_playwright

    from dashboard.pages import LISTED

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--size", nargs="*", default=[SIZES[0]])
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--pages", default=",".join(page.name for page in LISTED))
    parser.add_argument("--rest", type=int, default=5000, help="milliseconds until a page is at rest")
    options = parser.parse_args()
    theme = "dark" if options.dark else "light"
    port, log = free_port(), Path(tempfile.mkdtemp()) / "server.log"
    address = f"http://127.0.0.1:{port}"
    with log.open("w") as out:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "panel",
                "serve",
                "dashboard",
                "--port",
                str(port),
                "--address",
                "127.0.0.1",
            ],
            cwd=ROOT,
            stdout=out,
            stderr=out,
        )
    try:
        wait_for(address, server, log)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=found_chromium(), args=CHROMIUM_ARGUMENTS)
            for size in options.size:
                width, height = map(int, size.split("x"))
                for name in options.pages.split(","):
                    context = chromium.new_context(
                        viewport={"width": width, "height": height},
                        color_scheme=theme,
                        reduced_motion="reduce",
                    )
                    tab = context.new_page()
                    held = Held(tab)
                    first = held.open(f"{address}/dashboard?page={name}")
                    said = tab.evaluate(TEXTS)
                    held.go_live()
                    tab.wait_for_timeout(options.rest)
                    seen, away = tab.evaluate(SEEN), moved(first, tab.evaluate(PLACES))
                    away |= shifted(said, tab.evaluate(TEXTS))
                    worst = {part: round(by, 1) for part, by in away.items() if by > 0.5}
                    sizes = " ".join(sorted(seen["sizes"], key=float))
                    print(
                        f"{size} {name:13} words {seen['words']:4} controls {seen['controls']:3} "
                        f"type {len(seen['sizes']):2} ({sizes}) moves {max(away.values(), default=0):.0f} {worst}",
                        flush=True,
                    )
                    if options.folder:
                        os.makedirs(options.folder, exist_ok=True)
                        tab.screenshot(path=f"{options.folder}/{name}_{size}_{theme}.png")
                    context.close()
            chromium.close()
    finally:
        server.terminate()


if __name__ == "__main__":
    main()

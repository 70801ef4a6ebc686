"""The first screen of *Compare*, wide and narrow, light and dark: what it must show lies inside and is not covered."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api")

# The corners of the elements that contain a text, or of those that a selector names, and whether they are on top there.
SEEN = """(wanted) => {
  const all = [], collect = (root) => root.querySelectorAll("*").forEach((part) => {
    all.push(part)
    if (part.shadowRoot) collect(part.shadowRoot)
  })
  collect(document)
  const top = (x, y) => {
    let at = document.elementFromPoint(x, y)
    while (at?.shadowRoot?.elementFromPoint(x, y) && at.shadowRoot.elementFromPoint(x, y) !== at)
      at = at.shadowRoot.elementFromPoint(x, y)
    return at
  }
  const contains = (part, found) => {
    for (let at = found; at; at = at.parentNode ?? at.host) if (at === part) return true
    return false
  }
  return wanted.filter((text) => !all.some((part) => {
    const named = part.getAttribute("aria-label") ?? (part.children.length < 4 ? part.textContent : "")
    if (!named.replaceAll("\u00a0", " ").includes(text)) return false
    const box = part.getBoundingClientRect()
    if (!box.width || box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) return false
    const found = top(box.left + box.width / 2, box.top + box.height / 2)
    return contains(part, found) || contains(found, part)
  }))
}"""
WIDE = (
    *("Privacy ε", "Privacy δ", "Sites S", "Records a site", "Components k"),  # The widgets of the mission …
    *("Topics", "Regression"),  # … and the algorithm,
    *("93.6 %", "83.2 %", "63.7 %", "100 %"),  # every scheme's number,
    *("Captured energy", "G(n) = 40", "H(n) = 1", "δ against ε of CAPE", "Who else learns what"),
)
NARROW = ("93.6 %", "83.2 %", "63.7 %", "Privacy ε", "CAPE keeps", "Algorithm")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "wanted"), [(1400, WIDE), (420, NARROW)], ids=["wide", "narrow"])
def test_the_first_screen_shows_the_comparison(browser, server, width, wanted, dark):
    context = browser.browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    try:
        page = context.new_page()
        page.goto(f"{server}/dashboard", wait_until="domcontentloaded")
        page.wait_for_function(f"() => ({SEEN})({list(wanted)!r}).length === 0", timeout=60_000)
        assert page.evaluate(SEEN, ["nothing of the kind"]) == ["nothing of the kind"]
        page.locator("canvas").first.wait_for(timeout=60_000)  # The live page takes its place.
        page.wait_for_function(f"() => ({SEEN})({list(wanted)!r}).length === 0", timeout=60_000)
    finally:
        context.close()

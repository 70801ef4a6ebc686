"""Every page judged by axe, light and dark, and one walked through by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser.visit import Visit

from dashboard.pages import PAGES

pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python", reason="axe-core comes with the extra test")

AXE = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
# Violations that keep people out: which, where, and why.
RUN = """async (dark) => {
  // In the dark a page differs by its colours alone.
  const rules = dark ? {runOnly: {type: "rule", values: ["color-contrast"]}} : {}
  const found = await axe.run(document, {resultTypes: ["violations"], ...rules})
  return found.violations.filter((v) => ["serious", "critical"].includes(v.impact)).flatMap((v) =>
    v.nodes.map((n) => [v.id, n.target.flat().pop(), n.html.slice(0, 160), n.failureSummary.slice(0, 300)].join(" | ")))
}"""
GO = """(query) => {
  history.pushState({}, "", query)
  dispatchEvent(new PopStateEvent("popstate"))
}"""
DARK = """(wanted) => {
  const frame = Bokeh.documents[0].roots().find((root) => root.data?.dark_theme !== undefined).data
  return frame.dark_theme === wanted
}"""
# Where the keyboard is, and whether one sees it.
FOCUS = """() => {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  if (!at || at === document.body) return null
  const marks = [at, at.closest(".Mui-focusVisible, .Mui-focused"), at.parentElement].filter(Boolean)
  const seen = marks.some((e) => {
    const style = getComputedStyle(e)
    const named = /Mui-focus/.test(e.className)
    return named || style.boxShadow !== "none" || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
  })
  const name = at.getAttribute("aria-label") || at.innerText || at.tagName
  return [name.split("\\n").pop(), seen]
}"""


ON_THE_WAY = ("Everyday: ε = 1", "Privacy ε", "Noise multiplier τ/Δ", "Copy link")


@pytest.fixture(scope="module", params=(False, True), ids=("light", "dark"))
def visit(browser, server, request):
    with Visit(browser, server, dark=request.param) as visit:
        visit.open("?page=start")
        visit.wait_until(lambda: visit.tab.evaluate(DARK, request.param))
        visit.tab.evaluate(AXE)
        visit.dark = request.param
        yield visit


@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.name)
def test_axe_finds_nothing_serious(visit, kind):
    # One repeat: axe judges the page, not the sweep that competes with it for the machine.
    visit.tab.evaluate(GO, f"?page={kind.name}" + ("&repeats=1" if "repeats" in kind.shared else ""))
    heading = visit.tab.get_by_role("heading", name=kind.heading or kind.title, level=1, exact=True)
    heading.first.wait_for()
    for _ in range(12):
        visit.tab.wait_for_timeout(500)  # Names come a moment after the last change, and colours fade in.
        found = visit.tab.evaluate(RUN, visit.dark)
        if not found:
            break
    assert found == []


def test_the_keyboard_alone_reaches_presets_slider_and_actions_and_shows_where_it_is(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=guarantee")
        numbers = visit.wait_until(visit.numbers)
        reached = []
        for _ in range(90):
            visit.tab.keyboard.press("Tab")
            place = visit.tab.evaluate(FOCUS)
            if place is None:
                break
            reached.append(place)
            if place[0] == "Everyday: ε = 1":
                visit.tab.keyboard.press("Enter")
                visit.wait_until(lambda: visit.numbers() != numbers)
        names = [name for name, _ in reached]
        places = [names.index(text) for text in ON_THE_WAY]
        assert places == sorted(places)
        assert [name for name, seen in reached if not seen] == []

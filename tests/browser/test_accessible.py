"""Every page judged by axe, light and dark, and one walked through by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser.visit import Visit, cheap

from dashboard.pages import PAGES

pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python", reason="axe-core comes with the extra test")

AXE = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
# The rules whose violation keeps people out; those that axe itself calls experimental are not run.
RULES = """() => axe._audit.rules.filter((rule) => rule.enabled && ["serious", "critical"].includes(rule.impact)
  && !rule.tags.some((tag) => ["experimental", "deprecated"].includes(tag))).map((rule) => rule.id)"""
# What they find: which, where, and why.
RUN = """async (rules) => {
  const found = await axe.run(document, {resultTypes: ["violations"], runOnly: {type: "rule", values: rules}})
  return found.violations.flatMap((v) => v.nodes.map((n) =>
    [v.id, n.target.flat().pop(), n.html.slice(0, 160), n.failureSummary.slice(0, 300)]))
}"""
GO = """(query) => {
  history.pushState({}, "", query)
  dispatchEvent(new PopStateEvent("popstate"))
}"""
DARK = """(wanted) => {
  const frame = Bokeh.documents[0].roots().find((root) => root.data?.dark_theme !== undefined).data
  return frame.dark_theme === wanted
}"""
# How bright the ground of the page is, from 0 to 1.
GROUND = """() => {
  const roots = [document]
  for (const root of roots)
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.localName !== "h1") continue
      let at = element
      while (at && getComputedStyle(at).backgroundColor === "rgba(0, 0, 0, 0)")
        at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host
      const colour = getComputedStyle(at ?? document.body).backgroundColor.match(/[0-9.]+/g)
      return Math.max(...colour.slice(0, 3)) / 255
    }
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
        rules = visit.tab.evaluate(RULES)
        assert len(rules) > 50 and "color-contrast" in rules
        # In the dark a page differs by its colours alone.
        visit.dark, visit.rules = request.param, ["color-contrast"] if request.param else rules
        yield visit


@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.name)
def test_axe_finds_nothing_serious(visit, kind):
    # Axe judges the page, and not the sweep that competes with it for the machine.
    visit.tab.evaluate(GO, cheap(kind))
    heading = visit.tab.get_by_role("heading", name=kind.heading or kind.title, level=1, exact=True)
    heading.first.wait_for()
    rules = visit.rules
    for _ in range(12):
        visit.tab.wait_for_timeout(500)  # Names come a moment after the last change, and colours fade in.
        found = visit.tab.evaluate(RUN, rules)
        if not found:
            break
        rules = sorted({rule for rule, *_ in found})  # The others found nothing.
    assert found == []
    assert (visit.tab.evaluate(GROUND) < 0.2) is visit.dark  # What was judged was dark indeed.


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

"""What opens, by a bare address and by a link: the comparison on one screen, and a live page where its first picture was."""

from __future__ import annotations

import re

import pytest
from conftest import STANDS

from browser.visit import WAIT

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
    *("Captured energy", "G(n) = 40", "H(n) = 1", "δ against ε of CAPE", "Who learns more"),
    *("one site alone", "See it in one minute"),  # The sentence, and for whom all of it is new.
)
NARROW = ("93.6 %", "83.2 %", "63.7 %", "Privacy ε", "Algorithm", "See it in one minute")


# How many frames of the live page were light.
NOTE_LIGHT = """
window.light = 0
const note = () => {
  const live = window.Bokeh?.index?.roots?.length && !document.getElementById("first-picture")
  if (live && Math.min(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)) > 128) light += 1
  requestAnimationFrame(note)
}
requestAnimationFrame(note)
"""
# The families of all text that stands, but those of signs and of code.
FAMILIES = """() => {
  const found = new Set(), collect = (root) => root.querySelectorAll("*").forEach((part) => {
    const says = [...part.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim())
    if (says && part.checkVisibility()) found.add(getComputedStyle(part).fontFamily.split(",")[0])
    if (part.shadowRoot) collect(part.shadowRoot)
  })
  collect(document.body)
  return [...found].sort()
}"""
LIBRARIES = ("tabulator", "luxon", "mathjax")  # They come with the first page that shows what needs them.
# Parts of a page, in its first picture and in the live one: of a sheet, and of a picture that the page draws itself.
PARTS = {
    "gain": (".headline", ".part-0", ".part-1"),
    "limits": (".headline", ".ring", ".row .beam", ".row .number"),
}
NEAR = 12  # Pixels: without the app's fonts words are a little wider or narrower.


@pytest.fixture
def opened(browser):
    """Opens a tab without anything that was loaded before, and notes its errors."""
    contexts, errors = [], []

    def tab(**options):
        contexts.append(browser.browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield tab
    for context in contexts:
        context.close()
    assert errors == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "wanted"), [(1400, WIDE), (420, NARROW)], ids=["wide", "narrow"])
def test_the_first_screen_shows_the_comparison(browser, server, width, wanted, dark):
    browser.clear_cookies()  # A first visit.
    page, asked = browser.new_page(), []
    page.set_default_timeout(WAIT)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(NOTE_LIGHT)
    page.goto(f"{server}/dashboard", wait_until="domcontentloaded")
    page.wait_for_function(f"() => ({SEEN})({list(wanted)!r}).length === 0", polling=200)
    assert page.evaluate(SEEN, ["nothing of the kind"]) == ["nothing of the kind"]
    page.locator("canvas").first.wait_for()  # The live page takes its place.
    page.wait_for_function(STANDS)
    page.wait_for_function(f"() => ({SEEN})({list(wanted)!r}).length === 0", polling=200)
    # A first visit in the dark never shows a light page.
    assert (page.evaluate("light") == 0) is dark
    # Text of a family that the library's style sheets define would vanish while they load.
    page.wait_for_function(f"() => ({FAMILIES})().includes('Letters')", polling=200)
    assert {*page.evaluate(FAMILIES)} <= {'"Material Icons"', "Letters", "monospace"}
    assert [url for url in asked if not url.startswith((server, "data:", "blob:"))] == []
    if (width, dark) == (1400, False):
        choose_algorithms(page)
    assert [url for url in asked if any(name in url for name in LIBRARIES)] == []
    page.close()


def choose_algorithms(page):
    """One choice of the algorithm leads to the words of topics, and to the error of recovered centres."""
    page.get_by_role("tab", name="Topics").click()
    page.get_by_role("table", name="Top words of each topic").wait_for()
    page.get_by_role("tab", name="Clusters").click()
    page.get_by_text("Recovery error").locator("visible=true").first.wait_for()
    page.wait_for_function("() => location.search.includes('page=components')")


@pytest.mark.parametrize("name", [pytest.param("gain", marks=pytest.mark.slow), "limits"])
def test_the_live_page_comes_to_stand_where_the_first_picture_was(opened, server, name):
    page = opened(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    held, free = [], []  # The scripts come when the test lets them.
    scripts = re.compile(r"/bokeh[^/]*\.js")
    page.route(scripts, lambda route: route.continue_() if free else held.append(route))
    page.goto(f"{server}/dashboard?page={name}", wait_until="commit")
    page.locator("#first-picture .slider").first.wait_for()
    page.evaluate("document.fonts.ready")
    first = places(page, name)
    assert not page.locator("#live-page").inner_text()
    if name == "limits":
        slider = page.locator("#first-picture").get_by_role("slider", name=re.compile("Sites that collude"))
        slider.focus()
        for _ in range(3):
            slider.press("ArrowRight")
    while not held:
        page.wait_for_timeout(50)
    free.append(True)
    for route in held:
        route.continue_()
    page.wait_for_function(STANDS)
    for _ in range(WAIT // 1000):  # A moment after it stands, the last fonts and heights have come.
        live = places(page, name)
        away = max(abs(a - b) for a, b in zip(first, live, strict=True))
        if away < NEAR:
            break
        page.wait_for_timeout(200)
    assert away < NEAR, (first, live)
    if name == "limits":
        nothing_is_lost(page)


def places(page, name):
    """Left, top and width of the first of each of the page's parts that are seen, in one list."""
    boxes = [page.locator(f"{part} >> visible=true").first.bounding_box() for part in PARTS[name]]
    return [round(box[key]) for box in boxes for key in ("x", "y", "width")]


def nothing_is_lost(page):
    """What was chosen before the live page stood counts, and so does what is chosen within one moment."""
    page.get_by_text("Sites that collude: 3").wait_for()
    page.keyboard.press("ArrowRight")  # The slider has kept the focus.
    page.get_by_text("Sites that collude: 4").wait_for()
    sites = [page.get_by_role("button", name=f"Site {number}: honest").element_handle() for number in (5, 6)]
    page.evaluate(
        "(sites) => { for (const site of sites) site.dispatchEvent(new Event('click', {bubbles: true})) }",
        sites,
    )
    page.get_by_text("Sites that collude: 6").wait_for()

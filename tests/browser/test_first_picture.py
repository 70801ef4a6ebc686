"""The first picture in a browser: without scripts, and in the place where the live page comes to stand."""

from __future__ import annotations

import re

import pytest
from browser.visit import WAIT
from conftest import STANDS

pytest.importorskip("playwright.sync_api")

_NEAR = 12  # Pixels: without the app's fonts words are a little wider or narrower.
_PARTS = {  # Of pictures that the page draws itself.
    "limits": (".ring", ".row .beam", ".row .number"),
    "sites": (".rows .beam", ".average .beam"),
    "audit": (".gauge .beam", ".plot"),
    "secure_sum": (".site .beam", ".row.sum"),
    "glossary": (".card", ".card svg"),
    "gain": (".headline", ".part-0", ".part-1"),
    "guarantee": (".headline", ".part-0", ".part-2"),
}


def _places(tab, page):
    """Left, top, width and height of the first of each of the page's parts that are seen, in one list."""
    boxes = [tab.locator(f"{part} >> visible=true").first.bounding_box() for part in _PARTS[page]]
    return [round(box[key]) for box in boxes for key in ("x", "y", "width", "height")]


@pytest.mark.parametrize(
    ("page", "width"),
    (
        *(("limits", 1400), ("limits", 420), ("sites", 1400), ("audit", 420), ("secure_sum", 1400)),
        *(("glossary", 1400), ("glossary", 420), ("gain", 1400), ("gain", 420), ("guarantee", 1400)),
    ),
)
def test_a_picture_of_html_stays_where_it_was_drawn_first(server, browser, page, width):
    tab = browser.browser.new_context(
        viewport={"width": width, "height": 900}, reduced_motion="reduce"
    ).new_page()
    held, free = [], []  # The live page waits until the test lets it come.
    tab.route(re.compile(r"/bokeh[^/]*\.js"), lambda route: route.continue_() if free else held.append(route))
    tab.goto(f"{server}/dashboard?page={page}", wait_until="commit", timeout=WAIT)
    said = ", ".join(f"#first-picture .{kind}" for kind in ("fine", "words", "told"))
    tab.locator(said).last.wait_for(state="attached", timeout=WAIT)
    tab.wait_for_timeout(500)
    first = _places(tab, page)
    free.append(True)
    for route in held:
        route.continue_()
    tab.wait_for_function(STANDS, timeout=WAIT)
    for _ in range(50):  # A moment after it stands, the last fonts and heights have come.
        live = _places(tab, page)
        away = max(abs(a - b) for a, b in zip(first, live, strict=True))
        if away < _NEAR:
            break
        tab.wait_for_timeout(100)
    tab.context.close()
    assert away < _NEAR, (first, live)


def test_libraries_come_with_the_first_page_that_has_them(server, browser):
    tab, asked = browser.browser.new_page(), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{server}/dashboard?page=protocol", timeout=WAIT)
    tab.wait_for_function(STANDS, timeout=WAIT)
    assert not [url for url in asked if "tabulator" in url or "luxon" in url or "mathjax" in url]
    tab.goto(f"{server}/dashboard?page=sites", timeout=WAIT)
    tab.wait_for_function(STANDS, timeout=WAIT)
    tab.get_by_role("button", name="Change the sites").click(timeout=WAIT)
    tab.locator(".tabulator-cell:visible").first.wait_for(timeout=WAIT)
    assert [url for url in asked if "tabulator.min.js" in url]
    tab.close()


@pytest.mark.parametrize(
    ("width", "height", "page", "hints"),
    ((1920, 1080, "power_noise", ("as privacy adds it", "37 false patterns")),),
)
def test_rows_of_pictures_stay_when_the_live_page_comes(server, browser, width, height, page, hints):
    size, address = {"width": width, "height": height}, f"{server}/dashboard?page={page}"
    tops = []
    for scripts in (False, True):
        tab = browser.browser.new_context(viewport=size, java_script_enabled=scripts).new_page()
        tab.goto(address, timeout=WAIT)
        if scripts:
            tab.wait_for_function(STANDS, timeout=WAIT)
            tab.wait_for_timeout(3000)  # A moment after it stands, the last fonts and heights have come.
        rows = [tab.get_by_text(hint, exact=True).first for hint in hints]
        tops.append([row.bounding_box(timeout=WAIT)["y"] for row in rows])
        tab.context.close()
    assert max(abs(a - b) for a, b in zip(*tops, strict=True)) < _NEAR, tops


_NOTE_LIGHT = """
window.light = 0
const note = () => {
  const live = window.Bokeh?.index?.roots?.length && !document.getElementById("first-picture")
  if (live && Math.min(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)) > 128) light += 1
  requestAnimationFrame(note)
}
requestAnimationFrame(note)
"""


def test_a_first_visit_in_the_dark_never_shows_a_light_page(server, browser):
    tab = browser.browser.new_context(color_scheme="dark").new_page()
    tab.add_init_script(_NOTE_LIGHT)
    tab.goto(f"{server}/dashboard?page=findings", timeout=WAIT)
    tab.wait_for_function(STANDS, timeout=WAIT)
    tab.wait_for_timeout(500)
    dark, light = tab.evaluate("[document.documentElement.hasAttribute('data-dark'), light]")
    tab.context.close()
    assert dark and light == 0

"""The first picture in a browser: without scripts, and in the place where the live page comes to stand."""

from __future__ import annotations

import pytest
from browser.visit import WAIT
from conftest import STANDS

pytest.importorskip("playwright.sync_api")

_STATIC = """() => {
  const [outer, frame] = [".picture", ".picture .frame"].map((s) => document.querySelector(s).getBoundingClientRect())
  return [outer.x, outer.y, outer.width, outer.height, frame.x, frame.y, frame.width, frame.height]
}"""
_LIVE = """() => {
  const figure = [...Bokeh.documents[0]._all_models.values()].find((m) => m.type === "Figure")
  const view = figure && Bokeh.index.find_one(figure)
  if (!view) return null  // A figure below the text comes a moment later.
  const outer = view.el.getBoundingClientRect(), frame = view.frame.bbox
  return [outer.x, outer.y, outer.width, outer.height, outer.x + frame.left, outer.y + frame.top, frame.width, frame.height]
}"""
_NEAR = 12  # Pixels: without the app's fonts words are a little wider or narrower.


@pytest.mark.parametrize(("width", "page"), ((1400, "gain"), (420, "gain"), (1400, "guarantee")))
def test_the_live_page_comes_to_stand_where_the_static_picture_was(server, browser, width, page):
    size = {"width": width, "height": 900}
    address = f"{server}/dashboard?page={page}"
    plain = browser.browser.new_context(viewport=size, java_script_enabled=False).new_page()
    plain.goto(address, timeout=WAIT)
    static = plain.evaluate(_STATIC)
    assert plain.get_by_role("heading", level=1).is_visible() and plain.locator(".words").inner_text()
    assert not plain.locator("#live-page").inner_text()
    tab, errors = browser.browser.new_context(viewport=size).new_page(), []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(address, timeout=WAIT)
    tab.wait_for_function(STANDS, timeout=WAIT)
    for _ in range(WAIT // 100):  # A moment after it stands, the last fonts and heights have come.
        live = tab.evaluate(_LIVE)
        away = max(abs(a - b) for a, b in zip(static, live, strict=True)) if live else float("inf")
        if away < _NEAR:
            break
        tab.wait_for_timeout(100)
    assert not errors
    assert away < _NEAR, (static, live)
    for one in (plain, tab):
        one.context.close()


def test_libraries_come_with_the_first_page_that_has_them(server, browser):
    tab, asked = browser.browser.new_page(), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{server}/dashboard?page=start", timeout=WAIT)
    tab.wait_for_function(STANDS, timeout=WAIT)
    assert not [url for url in asked if "tabulator" in url or "luxon" in url or "mathjax" in url]
    tab.goto(f"{server}/dashboard?page=sites", timeout=WAIT)
    tab.wait_for_function(STANDS, timeout=WAIT)
    tab.locator(".tabulator-cell:visible").first.wait_for(timeout=WAIT)
    assert [url for url in asked if "tabulator.min.js" in url]
    tab.close()

"""The first line of *Compare* in a real browser: what it says, how long it stays, where it leads."""

from __future__ import annotations

import pytest

from browser.visit import WAIT

pytest.importorskip("playwright.sync_api")

LINE = "Each adds noise; under CAPE most of it cancels."
SEE = "See it in one minute"
# What a press at some places reaches: of the first answer, as long as it stands, and then of the live page.
REACHED = """
window.reached = []
const deepest = (root, x, y) => {
  const hit = root.elementFromPoint(x, y)
  return hit?.shadowRoot && hit.shadowRoot !== root ? (deepest(hit.shadowRoot, x, y) ?? hit) : hit
}
const look = () => {
  const picture = document.getElementById("first-picture")
  for (const [x, y] of [[120, 90], [100, 217], [200, 400], [200, 700], [350, 300]]) {
    const hit = deepest(document, x, y)
    if (picture ? !picture.contains(hit) : hit.matches("nav *, [class*=Backdrop]")) reached.push(hit.outerHTML)
  }
  if (reached.length < 9) requestAnimationFrame(look)
}
addEventListener("DOMContentLoaded", () => requestAnimationFrame(look))
"""


@pytest.fixture
def visitor(browser):
    """Someone who was never here: their browser keeps nothing yet."""
    context = browser.browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(WAIT)
    yield context.new_page()
    context.close()


def line(tab):
    return tab.get_by_text(LINE).filter(visible=True)


def test_it_says_the_number_of_sites_that_is_set_and_stays_dismissed(visitor, server):
    visitor.goto(f"{server}/dashboard?page=average&sites=7")
    visitor.get_by_text("Seven hospitals compute one result").filter(visible=True).wait_for()
    visitor.get_by_role("slider", name="Sites S").press("ArrowRight")
    visitor.get_by_text("Eight hospitals compute one result").filter(visible=True).wait_for()
    visitor.get_by_role("button", name="Dismiss").click()
    line(visitor).wait_for(state="detached")
    visitor.reload()
    visitor.get_by_role("slider", name="Sites S").wait_for()
    assert line(visitor).count() == 0
    other = visitor.context.new_page()  # Another page of the same browser.
    other.goto(f"{server}/dashboard?page=pca&schemes=cape")
    other.get_by_role("slider", name="Sites S").wait_for()
    assert line(other).count() == 0


def test_its_button_starts_the_play_and_the_settings_come_back(visitor, server):
    visitor.goto(f"{server}/dashboard?page=average")
    sites = visitor.get_by_role("slider", name="Sites S")
    before = sites.get_attribute("aria-valuetext")
    assert line(visitor).count() == 1
    visitor.get_by_role("button", name=SEE).click()
    play = visitor.locator(".play")
    play.get_by_text("Each knows only its own dot").wait_for()  # The first of its steps.
    play.get_by_role("button", name="Pause").wait_for()
    assert sites.get_attribute("aria-valuetext") != before  # Protocol opens with settings of its own.
    visitor.get_by_role("link", name="Compare").click()
    visitor.get_by_role("tab", name="Average").click()
    visitor.get_by_text("Errors of 100 averages").wait_for()
    assert sites.get_attribute("aria-valuetext") == before


def test_back_leads_from_the_play_to_the_page_of_the_bare_address(visitor, server):
    visitor.goto(f"{server}/dashboard")
    visitor.get_by_role("button", name=SEE).click()
    visitor.wait_for_url("**page=protocol**")
    visitor.locator(".play").wait_for()
    visitor.go_back()
    visitor.get_by_role("tab", name="PCA", selected=True).wait_for()
    visitor.get_by_role("slider", name="Components k").wait_for()


def test_a_lecture_does_not_show_it(visitor, server):
    visitor.goto(f"{server}/dashboard?page=pca&lecture=1&schemes=cape")
    visitor.get_by_role("button", name="Next").wait_for()
    assert line(visitor).count() == 0


def test_what_is_seen_of_a_narrow_window_is_what_a_press_reaches(browser, server):
    context = browser.browser.new_context(viewport={"width": 420, "height": 900}, has_touch=True)
    try:
        tab = context.new_page()
        tab.set_default_timeout(WAIT)
        tab.add_init_script(REACHED)
        tab.goto(f"{server}/dashboard?page=average")
        tab.wait_for_function("() => !document.getElementById('first-picture')")
        tab.wait_for_timeout(300)
        assert tab.evaluate("reached") == []
        tab.get_by_role("button", name=SEE).click()
        tab.locator(".play").wait_for()
    finally:
        context.close()

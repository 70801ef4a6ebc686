"""The Findings page in a real browser: rows open in place, numbers come, links lead to and fro."""

import re

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")


def row(visit, title):
    return visit.tab.get_by_role("button", name=re.compile("^" + re.escape(title)))


def test_a_row_opens_in_place_with_its_numbers_and_closes_again(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=findings&paper=Cape&kind=overstated")
        head = row(visit, "Far out, the δ of Theorem 1")
        head.click()
        inside = visit.tab.get_by_role("region", name="Far out")
        inside.get_by_text("1.58·10⁻¹⁸", exact=True).wait_for()
        assert head.get_attribute("aria-expanded") == "true"
        assert visit.wait_until(lambda: "finding=delta-tail" in visit.tab.url)
        # The open row is in sight, its figure is drawn, and its button is dressed.
        visit.wait_until(lambda: 0 <= head.bounding_box()["y"] < 800)
        visit.wait_until(lambda: inside.locator(".bk-Figure").is_visible())
        live = inside.get_by_role("button", name="See it live")
        assert live.evaluate("e => getComputedStyle(e).borderTopWidth") == "1px"
        head.press("Enter")
        visit.wait_until(lambda: head.get_attribute("aria-expanded") == "false")
        inside.wait_for(state="hidden")
        assert visit.errors == [] and visit.foreign == []


def test_a_link_opens_a_finding_that_fits_a_phone_and_leads_to_its_live_page_and_back(browser, server):
    with Visit(browser, server, width=390, dark=True) as visit:
        visit.open("?page=findings&finding=honest-gain")
        visit.tab.get_by_text("4.53", exact=True).wait_for()
        visit.wait_until(lambda: 0 <= row(visit, "At the same guarantee").bounding_box()["y"] < 700)
        visit.wait_until(lambda: visit.sideways() == 0)
        visit.tab.get_by_role("button", name="See it live").click()
        visit.tab.get_by_role("heading", name="Gain", level=1).wait_for()
        visit.wait_until(lambda: visit.slider("Colluding sites").get_attribute("aria-valuenow") == "3")
        visit.tab.go_back()
        visit.tab.get_by_text("4.53", exact=True).wait_for()
        assert visit.errors == []

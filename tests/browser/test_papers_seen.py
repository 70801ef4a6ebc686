"""Papers in a real browser: a card is clicked, the figure is drawn, the live page opens with its settings."""

from __future__ import annotations

import re

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")


def test_a_card_brings_its_figure_and_a_button_the_live_page(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=papers&figure=Cape-Fig6a")
        visit.tab.get_by_text(re.compile("our run under its conventions")).wait_for()
        visit.tab.get_by_role("button", name=re.compile("^Figure 6\\(b\\)")).click()
        visit.tab.get_by_role("heading", name="[Cape] Figure 6(b)").wait_for()
        visit.wait_until(lambda: "figure=Cape-Fig6b" in visit.tab.url)
        visit.tab.get_by_role("button", name="corrected").click()
        visit.tab.get_by_text(re.compile("Mending turns")).wait_for()
        assert visit.sideways() == 0
        visit.tab.get_by_role("button", name="Open it live").click()
        visit.tab.get_by_role("heading", level=1, name="Guarantee").wait_for()
        visit.wait_until(lambda: "sites=30" in visit.tab.url)
        assert visit.errors == []
        assert visit.foreign == []

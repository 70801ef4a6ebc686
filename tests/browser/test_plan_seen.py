"""Plan in a real browser: answers that stream in, a question that changes, on a phone too."""

from __future__ import annotations

import re

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")


def test_answers_stream_in_and_another_question_is_answered_at_once(browser, server):
    with Visit(browser, server, height=1400) as visit:
        visit.record().open("?page=plan&sites=5&samples=300&k=8&schemes=cape,conventional&most=24")
        visit.tab.get_by_text("steps done").wait_for()
        # On a slow machine all of it may be over before the page is found open.
        assert any(re.search(r"ε: .* to .* … \(CAPE, so far\)", text) for text in visit.shown())
        assert any(re.fullmatch(r"[1-9]\d* of \d+ steps", text) for text in visit.shown())
        words = visit.tab.get_by_text("captured energy").last.inner_text()
        assert "ε\u00a0≈" in words and "conventional" in words
        visit.tab.get_by_text("right of 100 guesses").wait_for()
        visit.tab.get_by_text("Data seed").wait_for()
        visit.tab.get_by_text("Column to predict").wait_for(state="hidden")
        numbers = visit.numbers()
        visit.tab.get_by_role("button", name="How many hospitals must join?").click()
        visit.tab.get_by_text("miss the average by at most 0.005").wait_for()
        assert visit.numbers() != numbers
        visit.tab.get_by_text("Use your own table").wait_for(state="hidden")
        visit.tab.get_by_role("button", name="Nₛ", exact=True).click()
        visit.wait_until(lambda: "free=samples" in visit.tab.url)
        visit.tab.set_viewport_size({"width": 390, "height": 900})
        visit.wait_until(lambda: visit.sideways() == 0)
        assert visit.errors == []
        assert visit.foreign == []

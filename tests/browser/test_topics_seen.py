"""The topics page in a real browser: real text reads like topics and falls apart, hostile text stays text."""

from __future__ import annotations

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")

SCAN = 3000  # Tenths of a second: the docstrings are read once, on two busy cores.


def words(visit):
    """The table of top words as text, "" before there is one."""
    table = visit.tab.get_by_role("table", name="Top words of each topic")
    return table.inner_text() if table.count() else ""


def complete(visit):
    text = words(visit)
    return text if all(name in text for name in ("CAPE", "conventional", "local")) else ""


def test_docstrings_read_like_topics_and_change_with_epsilon(browser, server):
    with Visit(browser, server) as visit:
        visit.open(
            "?page=topics&data=docstrings&topics=5&vocabulary=200&sites=5&epsilon=3&delta=1e-06&repeats=1"
        )
        before = visit.wait_until(lambda: complete(visit), tries=SCAN)
        for word in ("array", "class", "file", "return"):
            assert word in before.split()
        bold = visit.tab.locator("td span.kept").count()
        visit.push("Privacy", "ArrowLeft", times=20)
        after = visit.wait_until(lambda: words(visit) != before and complete(visit), tries=600)
        assert after
        visit.wait_until(lambda: visit.tab.locator("td span.kept").count() < bold, tries=100)
        assert visit.errors == []
        assert visit.foreign == []


def test_hostile_text_is_shown_as_text_and_binary_is_refused(browser, server):
    hostile = "<img src=x onerror=window.hacked=1> imgtag onerror window hacked plain words here again"
    with Visit(browser, server) as visit:
        visit.open("?page=topics&topics=2&vocabulary=100&sites=2&repeats=1&epsilon=10")
        visit.wait_until(lambda: complete(visit), tries=300)
        chooser = visit.tab.locator("input[type=file]").first
        chooser.set_input_files(
            {"name": "data.txt", "mimeType": "text/plain", "buffer": b"\x00\xff\x01" * 400}
        )
        visit.tab.get_by_text("is not text").wait_for()
        lines = "\n".join([hostile, "other topics about apples pears plums and figs entirely"] * 300)
        name = "<img src=x onerror=window.hacked=1>.txt"
        chooser.set_input_files({"name": name, "mimeType": "text/plain", "buffer": lines.encode()})
        visit.wait_until(lambda: "onerror" in words(visit), tries=600)
        assert visit.tab.evaluate("window.hacked") is None
        assert visit.errors == []

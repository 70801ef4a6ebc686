"""The Components page in a real browser: runs stream in, the axis changes its scale, presets show their lesson."""

from __future__ import annotations

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")
SMALL = "?page=components&dimension=10&k=3&samples=500&sites=3&repeats=1"
SCALE = """() => { for (const model of Bokeh.documents[0]._all_models.values())
                     if (model.type === "Figure") return model.x_scale.type }"""


def finished(visit):
    return visit.tab.get_by_text("runs done").first.is_visible()


def test_a_run_streams_and_the_axis_follows_what_it_shows(browser, server):
    with Visit(browser, server) as visit:
        visit.open(SMALL)
        visit.wait_until(lambda: finished(visit), tries=300)
        assert visit.tab.get_by_text("components from noise").first.is_visible()
        assert visit.tab.get_by_text("What leaks if the moments are not symmetrised").is_visible()
        assert visit.tab.evaluate(SCALE) == "LogScale"
        before = visit.numbers()
        visit.tab.get_by_role("button", name="budget share", exact=True).click()
        visit.wait_until(lambda: visit.tab.evaluate(SCALE) == "LinearScale", tries=300)
        visit.wait_until(lambda: visit.numbers() != before)
        visit.tab.get_by_text("The least error so far").wait_for()
        assert visit.errors == [] and visit.foreign == []


def test_what_does_not_fit_is_said_and_the_picture_stays(browser, server):
    with Visit(browser, server) as visit:
        visit.open(SMALL)
        visit.wait_until(lambda: finished(visit), tries=300)
        before = visit.numbers()
        visit.push("Components k", "End")
        visit.tab.get_by_text("k must be at most 10, the width of the records").first.wait_for()
        assert visit.numbers() == before
        assert visit.errors == []

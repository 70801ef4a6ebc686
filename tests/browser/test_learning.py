"""Regression and Network in a real browser: presets, stopping, pictures that sharpen."""

from __future__ import annotations

import re

import pytest
from browser.visit import Visit

pytest.importorskip("playwright.sync_api")

SMALL = "samples=60&sites=3&repeats=1"


def test_a_preset_brings_real_records_with_their_names(browser, server):
    with Visit(browser, server) as visit:
        visit.open(f"?page=regression&{SMALL}&dimension=5")
        visit.tab.get_by_text(re.compile("CAPE loses")).wait_for()
        visit.tab.get_by_role("button", name="442 patients are few").click()
        visit.tab.get_by_text(re.compile("Diabetes progression, CAPE loses")).wait_for()
        # Features of synthetic records mean nothing here, and their control goes.
        visit.wait_until(
            lambda: not visit.slider("Features d").count() or not visit.slider("Features d").is_visible()
        )
        visit.wait_until(lambda: "data=diabetes" in visit.tab.url)
        assert visit.errors == []
        assert visit.foreign == []


def test_training_is_watched_stopped_between_steps_and_goes_on(browser, server):
    images = """() => { let found = 0
      for (const model of Bokeh.documents[0]._all_models.values())
        if (model.type === "ColumnDataSource" && model.data.image !== undefined) found += model.data.image.length
      return found }"""
    with Visit(browser, server) as visit:
        visit.open("?page=network&samples=1000&sites=10&repeats=50&steps=100")
        visit.wait_until(lambda: visit.tab.evaluate(images) >= 4)
        visit.tab.get_by_role("button", name="Stop").click()
        visit.tab.get_by_text(re.compile(r"\d+ of \d+ runs, stopped")).wait_for()
        visit.tab.get_by_role("button", name="Go on").click()
        visit.tab.get_by_role("button", name="Stop").wait_for()
        assert visit.errors == []


def test_a_diverging_step_size_is_said_in_words(browser, server):
    with Visit(browser, server) as visit:
        visit.open(f"?page=network&{SMALL}&epsilon=0.001&delta=1e-12&learning_rate=50&clip=10&steps=500")
        notice = visit.tab.get_by_role("alert").filter(has_text="The run stopped")
        notice.wait_for()
        assert "learning_rate must be smaller or epsilon larger" in notice.inner_text()
        assert visit.errors == []

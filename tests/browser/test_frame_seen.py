"""Pinned curves and hidden answers in a browser."""

from __future__ import annotations

import itertools
import math

import pytest
from browser.visit import Visit

from dashboard.plotting.log_ticks import GAP, LABEL, MAJOR

pytest.importorskip("playwright.sync_api")


def legend(visit):
    """Legend entries of all figures."""
    return visit.tab.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()].filter((m) => m.type === "LegendItem")
                 .map((m) => (m.label?.value ?? "").trim())"""
    )


def test_a_pinned_curve_stays_while_a_slider_moves_and_goes_when_unpinned(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=gain")
        visit.tab.get_by_role("button", name="Pin these curves").click()
        visit.wait_until(lambda: "pinned: as now" in legend(visit))
        visit.push("Sites S", times=3)
        visit.wait_until(lambda: "pinned: Sites S = 10" in legend(visit))
        painted = visit.main_picture.screenshot()
        visit.tab.get_by_role("button", name="Unpin").click()
        visit.wait_until(lambda: visit.main_picture.screenshot() != painted)
        visit.tab.get_by_role("button", name="Unpin").wait_for(state="hidden")
        assert visit.errors == []


def test_an_answer_is_hidden_guessed_by_tap_and_by_keyboard_and_revealed(browser, server):
    with Visit(browser, server) as visit:
        visit.open("?page=guarantee")
        told = visit.tab.get_by_text("truly has")
        told.wait_for()
        open_picture = visit.main_picture.screenshot()
        switch = visit.tab.get_by_role("button", name="Hide the answer")
        switch.focus()
        visit.tab.keyboard.press("Enter")
        told.wait_for(state="hidden")
        said = visit.tab.get_by_role("status").filter(has_text="Hidden.")
        said.wait_for()
        visit.wait_until(lambda: visit.main_picture.screenshot() != open_picture)
        box = visit.main_picture.bounding_box()
        visit.tab.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        said.filter(has_text="1 of 5").wait_for()
        visit.tab.get_by_role("textbox", name="Your guess").fill("0.7")
        visit.tab.keyboard.press("Enter")
        said.filter(has_text="2 of 5").wait_for()
        visit.tab.get_by_role("button", name="Reveal").focus()
        visit.tab.keyboard.press("Enter")
        told.wait_for()
        judged = visit.tab.get_by_role("status").filter(has_text="Guesses of CAPE")
        visit.wait_until(lambda: "too" in judged.inner_text() and "B 0.7" in judged.inner_text())
        assert visit.errors == []


@pytest.mark.parametrize("side", GAP)
@pytest.mark.parametrize(
    ("low", "high"),
    [(1e-30, 2), (1e-3, 10), (0.9, 35), (2.5, 37), (2, 9), (3.1, 3.9), (180, 240), (0.0123, 0.0137)],
)
def test_a_logarithmic_axis_has_round_ticks_that_do_not_touch(browser, low, high, side):
    length, tab = 300, browser.new_page()
    data = {"cb_data": {"start": low, "end": high}, "plot": {side: length}, "side": side, "gap": GAP[side]}
    run = "([a, code]) => new Function(...Object.keys(a), code)(...Object.values(a))"
    ticks = tab.evaluate(run, [data, MAJOR])
    labels = tab.evaluate(
        "([ticks, code]) => ticks.map((tick) => new Function('tick', 'ticks', code)(tick, ticks))",
        [ticks, LABEL],
    )
    tab.close()
    assert len(ticks) >= 3 and low <= ticks[0] * (1 + 1e-9) and ticks[-1] <= high * (1 + 1e-9)
    places = [length * math.log(tick / low) / math.log(high / low) for tick in ticks]
    assert min(b - a for a, b in itertools.pairwise(places)) > 0.9 * GAP[side]
    assert len(set(labels)) == len(labels) and max(map(len, labels)) <= 7

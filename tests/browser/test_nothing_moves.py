"""Nothing moves where the live page comes to stand in the place of the first answer."""

from __future__ import annotations

import pytest
from benchmarks.sight import PLACES, SIZES, TEXTS, Held, moved, shifted

from browser.visit import WAIT

pytest.importorskip("playwright.sync_api")

COMPARED = ("pca", "average", "components", "topics", "regression", "network", "power")
OTHERS = (
    *("papers", "findings", "power_stream", "power_noise", "protocol", "gain", "guarantee", "glossary"),
    *("sites", "limits", "months", "secure_sum", "audit", "plan"),
)
SMALLEST = 0.6  # Pixels: less is a rounding of the screen.


def cases(names, quick_name) -> list:
    """Every page at every size; one of them on a desk and on a phone in every run of the tests."""
    found = []
    for size in SIZES:
        for name in names:
            quick = (size, name) in ((SIZES[0], quick_name), (SIZES[-1], quick_name))
            found.append(
                pytest.param(size, name, marks=[] if quick else pytest.mark.slow, id=f"{name}-{size}")
            )
    return found


@pytest.mark.parametrize(("size", "name"), cases(COMPARED, "pca"))
def test_the_live_page_stands_where_the_first_answer_stood(browser, server, size, name):
    width, height = map(int, size.split("x"))
    context = browser.browser.new_context(viewport={"width": width, "height": height})
    try:
        tab = context.new_page()
        tab.set_default_timeout(WAIT)
        held = Held(tab)
        first = held.open(f"{server}/dashboard?page={name}")
        assert {"first-line 0", "headline 0", "result 0", "curve 0", "slider 0", "chip 0"} <= first.keys()
        held.go_live()
        tab.wait_for_timeout(500)
        away = moved(first, tab.evaluate(PLACES))
        assert {part: by for part, by in away.items() if by > SMALLEST} == {}
    finally:
        context.close()


@pytest.mark.parametrize(("size", "name"), cases(OTHERS, "plan"))
def test_every_part_and_every_text_stays_where_it_was(browser, server, size, name):
    width, height = map(int, size.split("x"))
    context = browser.browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    try:
        tab = context.new_page()
        tab.set_default_timeout(WAIT)
        held = Held(tab)
        parts = held.open(f"{server}/dashboard?page={name}")
        texts = tab.evaluate(TEXTS)
        assert len(parts) >= 5 and len(texts) > 20
        held.go_live()
        tab.wait_for_timeout(500)
        away = shifted(texts, tab.evaluate(TEXTS))
        assert len(away) > 0.8 * len(texts)  # What stands on both.
        away |= moved(parts, tab.evaluate(PLACES))
        assert {part: by for part, by in away.items() if by > SMALLEST} == {}
    finally:
        context.close()

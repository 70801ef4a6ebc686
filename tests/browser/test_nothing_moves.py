"""Nothing moves where the live page comes to stand in the place of the first answer."""

from __future__ import annotations

import pytest
from benchmarks.sight import PLACES, SIZES, Held, moved

from browser.visit import WAIT

pytest.importorskip("playwright.sync_api")

COMPARED = ("pca", "average", "components", "topics", "regression", "network", "power")
SMALLEST = 0.6  # Pixels: less is a rounding of the screen.


def cases() -> list:
    """Every tab of Compare at every size; two of them in every run of the tests."""
    found = []
    for size in SIZES:
        for name in COMPARED:
            quick = (size, name) in ((SIZES[0], "pca"), (SIZES[-1], "pca"))
            found.append(
                pytest.param(size, name, marks=[] if quick else pytest.mark.slow, id=f"{name}-{size}")
            )
    return found


@pytest.mark.parametrize(("size", "name"), cases())
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

"""Whoever the target holds against learns what it allows, on every algorithm."""

import pytest
from compared import compares, record

from dashboard.pages import PAGES
from dashboard.state.controls import Controls

CASES = [
    (kind, against)
    for kind in PAGES
    if compares(kind)
    for against in (("message", "aggregator") if "adversary" in kind.shared else ("message",))
]


@pytest.mark.parametrize(("kind", "against"), CASES, ids=lambda case: getattr(case, "name", case))
def test_cape_spends_the_whole_target_on_its_observer_and_no_more(kind, against):
    page = kind(Controls(**{**kind.opens, "epsilon": 0.7, "delta": 1e-4, "adversary": against}))
    found = record(page).law.observed(page.compute(), "cape")
    # Where a site sends several messages that depend on results between them, a message by itself keeps the target.
    alone = against == "message" and found.alone is not None
    delta = float(found.delta(0.7, "alone" if alone else against))
    assert delta == pytest.approx(1e-4, rel=1e-6)
    assert not alone or float(found.delta(0.7, "message")) > 1.001 * delta

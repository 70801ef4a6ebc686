"""The order of a curve's runs: its coarse shape comes first, and every run comes."""

from itertools import pairwise

import pytest

from dashboard.page.sweep_plan import SweepPlan, coarse_first
from dashboard.pages import PAGES
from dashboard.state.controls import Controls

SWEPT = [kind for kind in PAGES if kind(Controls()).sweep is not None]


@pytest.mark.parametrize("count", range(15))
def test_ends_and_middle_come_first_and_every_point_once(count):
    order = coarse_first(range(count))
    assert sorted(order) == list(range(count))
    assert order[:2] == [0, count - 1][:count]
    if count > 2:
        assert order[2] == (count - 1) // 2
    for shown in range(2, count):
        gaps = list(pairwise(sorted(order[:shown])))
        widest = max(high - low for low, high in gaps)
        filled = next((low, high) for low, high in gaps if low < order[shown] < high)
        assert filled[1] - filled[0] == widest


@pytest.mark.parametrize("kind", SWEPT, ids=lambda kind: kind.name)
def test_the_first_runs_of_a_page_span_its_axis(kind):
    plan = kind(Controls()).compute()
    assert isinstance(plan, SweepPlan)
    values = [cell[plan.axis] for cell in plan.cells]
    seen = []
    for batch in plan.batches:
        for job in batch:
            value = dict(job.settings)[plan.axis]
            if value in values and value not in seen:
                seen.append(value)
    assert sorted(seen) == sorted(set(values))
    said = {plan.here[plan.axis], *plan.around}  # A page may say the means there, and then runs them first.
    first = [value for value in seen if value not in said][:2]
    assert {*first} <= {values[0], values[-1], values[(len(values) - 1) // 2]}

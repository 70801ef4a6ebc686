"""The order of a curve's runs, in which its coarse shape comes first, and which of several releases is drawn."""

from itertools import pairwise

import pytest
from compared import compares

from dashboard.pages import PAGES
from dashboard.runs.sweep_plan import SweepPlan, coarse_first, typical
from dashboard.state.controls import Controls

SWEPT = [kind for kind in PAGES if compares(kind) and kind(Controls()).compute().batches]


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
    assert {*seen[:2]} <= {values[0], values[-1], values[(len(values) - 1) // 2]}


@pytest.mark.parametrize(
    ("figures", "drawn"),
    [
        ([0.7], 0),
        ([1.0, 0.0, 0.52, 0.5], 3),
        ([0.1, 0.3], 0),  # Equally near but for rounding: 0.3 - 0.2 is less than 0.2 - 0.1.
        ([3, 3, 2, 3, 3], 0),
        ([0, 3, 2, 2], 2),
    ],
)
def test_the_drawn_release_is_the_one_nearest_to_the_mean(figures, drawn):
    assert typical(figures) == drawn


def test_of_ones_own_table_the_first_release_is_drawn():
    assert typical([5.0, 1.0, 1.1], own=True) == 0

"""The page Noise: its pictures, curve and thresholds are core's, and its view depends on plan, results and theme alone."""

import math
import re
import threading
from functools import partial

import numpy as np
import power_pages
import pytest
from power_pages import run_script
from sheets import NoisePage

from core import power
from dashboard.packs.papers.power_noise import model
from dashboard.packs.papers.power_noise.model import NoiseModel, share, threshold
from dashboard.packs.papers.power_noise.view import fakes, reached, view
from dashboard.pages import LISTED
from dashboard.session.app import App
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state import number_text
from dashboard.state.controls import Controls
from data.synthetic.tensors import tensor_components

opened = partial(power_pages.opened, NoisePage)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(model, "SIZES", (0.05, 0.5, 3.0))
    monkeypatch.setattr(model, "WIDTHS", (10, 20, 200))


def pictured(**values):
    """A plan with the runs of its pictures, and what is known of it."""
    controls = Controls(**({"repeats": values.pop("repeats")} if "repeats" in values else NoisePage.opens))
    plan = NoiseModel(controls, **values).plan()
    return plan, Results(plan, {plan.pictured: model.spots(plan.pictured, threading.Event())})


def counts(section):
    """How many patterns are said to be found, a row each."""
    return re.findall(r"<strong>(?:mean )?([\d.]+) of \d</strong>", section)


def signs(section):
    """The marks under the pictures."""
    return re.findall(r"<figcaption>([^<]+)</figcaption>", section)


def test_disturbances_are_counted_and_thresholds_said(short, capsys):
    page = opened({"d": 20, "components": 1, "iterations": 10})
    table = page.table()
    assert len(table) == 12 and set(table.runs) == {2}
    small, large = table[table["size"] == 0.05], table[table["size"] == 3.0]
    assert (small.success == 1).all() and (large.success < 1).all()
    assert page.results.complete and page.runs.total == 25
    script = run_script(page)
    merged = table.merge(script, on=["kind", "d", "size"])
    assert len(merged) == len(table)
    np.testing.assert_array_equal(merged.success_x, merged.success_y)
    chart = page.shown.charts["curve"]
    assert chart.line("1/d").x == [1 / 20] * 2 and chart.rules == (0.9,)
    for band in chart.bands:  # Too few runs for a band.
        assert band.low == band.high
    for kind, rates in table.groupby("kind").success:
        reach = model.threshold_text(threshold(rates.tolist()))
        assert reach in chart.line(model_label(kind)).value and reach in page.shown.sections["orders"]
    found = page.shown.sections["found"]
    assert "19 of them" in found
    for at, kind in enumerate(model.PICTURED):  # As the core finds them.
        each = [int((recovered(page.plan, kind, repeat) > 0.9).sum()) for repeat in range(2)]
        assert counts(found)[at] == number_text.amount_text(np.mean(each), 1)
        away = [abs(count - np.mean(each)) for count in each]  # The typical run is drawn.
        assert (signs(found)[at] == "✓") == bool(each[away.index(min(away))])


def model_label(kind):
    return {"adversarial": "one way", "round": "random", "weak": "off patterns", "quiet": "false patterns"}[
        kind
    ]


def test_only_what_a_setting_changes_is_run_again(short):
    page = opened({"d": 20, "components": 1, "iterations": 10})
    page.set({"size": 0.05})
    assert page.runs.total == 1 and len(page.table()) == 12 and page.arrived()
    assert counts(page.shown.sections["found"]) == ["1", "1"]
    page.set({"size": 0.9})
    assert page.runs.total == 0  # It is still known.
    page.controls.repeats = 3
    assert page.runs.total == 1 + 12 and set(page.table().runs) == {3}  # The third run of each point.
    page.set({"axis": "d", "size": 0.2})
    table = page.table()
    assert set(table[table.kind == "weak"].d) == {10, 20}
    assert set(table[table.kind == "quiet"].d) == {10, 20, 200}
    assert number_text.equals("d", 200) in page.shown.sections["orders"]
    assert page.shown.charts["curve"].rules == (20,)


def test_results_of_another_plan_stand_until_those_of_this_one_come():
    plan, before = pictured(d=16, components=1, repeats=1, size=0.05)
    now = NoiseModel(Controls(repeats=1), d=16, components=1, size=3.0).plan()
    waiting = Results(now, {}, (now.pictured,), frozenset({now.pictured}), before)
    assert waiting.stale and not waiting.complete and before.complete and not before.stale
    assert view(now, Shown(results=waiting)).headline == view(plan, Shown(results=before)).headline
    assert view(now, Shown(results=waiting)).charts["curve"].rules == (3.0,)
    nothing = view(now, Shown(results=Results(now, {}, (now.pictured,))))
    assert not counts(nothing.sections["found"]) and not signs(nothing.sections["found"])


def recovered(plan, kind, repeat):
    truth = tensor_components(
        plan.components, dimension=plan.d, strength=1.0, least=1.0, rng=np.random.default_rng(1)
    )
    return power.recovered(
        power.ComponentTensor(truth.values, truth.vectors),
        kind,
        plan.size,
        rng=np.random.default_rng([1, power.KINDS.index(kind), repeat]),
        restarts=plan.restarts,
        iterations=plan.iterations,
    )


def test_shares_and_thresholds():
    assert share([True] * 10) == (1.0, pytest.approx(0.7225, abs=1e-3), 1.0)
    p, low, high = share([True, False])
    assert 0 <= low < p == 0.5 < high <= 1
    sizes = model.SIZES
    assert threshold([1.0] * 5 + [0.0] * 6) == pytest.approx(math.sqrt(sizes[4] * sizes[5]), rel=5e-3)
    assert threshold([1.0] * 11) == math.inf and threshold([0.0] * 11) == -math.inf


def test_a_play_marks_the_sizes_at_which_half_of_the_runs_lose_no_pattern():
    sizes = {}
    for size in NoisePage.spec.play["over"]:
        plan, results = pictured(size=size)
        assert reached(plan, Results(plan)) is None  # Not yet of this size.
        for kind, whole in reached(plan, results).who.items():
            sizes.setdefault(kind, []).extend([size] * whole)
    assert sizes == {
        "under random noise": [0.3, 0.5, 0.7, 0.9],
        "under false patterns": [0.3],
    }


def test_random_noise_hides_least_in_the_example_that_says_so():
    page = NoisePage(Controls(**NoisePage.opens))
    page.set(next(preset.values for preset in page.presets if preset.name == "Two patterns, d = 60"))
    plan, found = page.compute(), {}
    for kind in power.KINDS:
        found[kind] = sum((recovered(plan, kind, repeat) > 0.9).sum() for repeat in range(10))
    assert all(found["round"] > count for kind, count in found.items() if kind != "round")


@pytest.mark.parametrize("size", [0.7, 0.9, 1.2])
def test_random_noise_hides_fewer_patterns_than_fakes_of_its_strength(size):
    plan, results = pictured(size=size)
    random, false = (results[plan.pictured][kind].found for kind in ("round", "quiet"))
    said = re.findall(r"<b>([\d.]+)\u00a0of\u00a03</b>", view(plan, Shown(results=results)).headline)
    assert random > false and said == [number_text.amount_text(count, 3) for count in (random, false)]


def test_what_a_search_found_in_place_of_a_pattern_is_called_a_fake_if_it_is_one():
    plan, results = pictured()
    spot = results[plan.pictured]["quiet"]
    shown = view(plan, Shown(results=results))
    assert signs(shown.sections["found"]) == ["✓"] * 3 + ["✗ false", "✗ false", "✓"]
    assert fakes(spot) == [True, True, False] and "2 results" in shown.words
    drawn, true = spot.search.vectors, plan.truth(40).vectors
    nearest = []
    for repeat in range(10):  # One of them is drawn.
        planted = power.disturbance("quiet", true, plan.size, rng=plan.rng("quiet", repeat))
        nearest.append(np.abs(drawn @ planted.vectors.T).max(axis=1))
    assert max(min(one[:2]) for one in nearest) > 0.9 and all(one[2] < 0.9 for one in nearest)


def test_tabs_stay_in_their_places():
    app, tabs = App({"page": "glossary"}), ["papers", "findings", "power_stream", "power_noise"]
    for name in tabs:
        assert [kind.name for kind in app.pages[name].tabs] == tabs
    compared = [entry.name for entry in LISTED if entry.group == "Compare"]
    assert [kind.name for kind in app.pages["power"].tabs] == compared

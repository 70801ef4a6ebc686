"""The page of the published search under noise of four kinds without a browser."""

import math
import threading
from functools import partial

import numpy as np
import power_pages
import pytest
from power_pages import run_script

from core import power
from dashboard.pages import LISTED
from dashboard.pages.decide.power_noise import model, pictures
from dashboard.pages.decide.power_noise.model import share, threshold
from dashboard.pages.decide.power_noise.page import NoisePage
from dashboard.session.app import App
from dashboard.state import number_text
from dashboard.state.controls import Controls
from data.synthetic.tensors import tensor_components

opened = partial(power_pages.opened, NoisePage)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(model, "SIZES", (0.05, 0.5, 3.0))
    monkeypatch.setattr(model, "WIDTHS", (10, 20, 200))


def test_disturbances_are_counted_and_thresholds_said(short, capsys):
    page = opened({"d": 20, "components": 1, "iterations": 10})
    table = page.table()
    assert len(table) == 12 and set(table.runs) == {2}
    small, large = table[table["size"] == 0.05], table[table["size"] == 3.0]
    assert (small.success == 1).all() and (large.success < 1).all()
    assert page._promises["adversarial"].location == 1 / 20
    bands = page.curve.columns["round"]
    assert bands["low"] == bands["mean"] == bands["high"] and "Too few for bands" in page._table.object
    script = run_script(page)
    merged = table.merge(script, on=["kind", "d", "size"])
    assert len(merged) == len(table)
    np.testing.assert_array_equal(merged.success_x, merged.success_y)
    words = page.words(page.picture)
    assert "At noise 0.9," in words and "Means of 2 runs;" in words and ": 10 steps" in words
    named = {row["label"]: row["hint"] for row in page.tiles.spec["rows"][1:]}
    assert named == {"random": "as privacy adds it", "false patterns": "19 of them"}
    assert "sees the tensor plus noise" in page.tiles.spec["title"]
    assert "<b>False patterns</b>: 19 of" in words and ", here 0.9 of" in words
    assert "<b>One way</b>:" in page._table.object and "<b>Off patterns</b>:" in page._table.object
    runs, rows = page.runs.total, page.tiles.spec["rows"]
    for row, kind in zip(rows[1:], model.PICTURED, strict=True):  # As the core finds them.
        counts = [int((recovered(page.picture, kind, repeat) > 0.9).sum()) for repeat in range(2)]
        assert row["note"] == f"mean {number_text.amount_text(np.mean(counts), 1)} of 1"
        away = [abs(count - np.mean(counts)) for count in counts]  # The typical run is drawn.
        assert sum(mark == "✓" for mark in row["marks"]) == counts[away.index(min(away))]
    page.set({"size": 0.05})  # Only the pictures are drawn anew.
    assert page.runs.total == 1 < runs and len(page.table()) == 12
    assert [row["note"] for row in page.tiles.spec["rows"][1:]] == ["mean 1 of 1"] * 2
    assert (
        "<b>1\u00a0of\u00a01</b> pattern under both" in page.words(page.picture) and page.said.pale is False
    )
    page.runs.state = "running"  # A playing slider does not wait for the curve.
    assert page.arrived()
    page.runs.state = "finished"
    page.controls.repeats = 1  # One run is not printed bold.
    assert "in this run the power method finds 1\u00a0of\u00a01 pattern" in page.words(page.picture)
    page.controls.repeats = 2
    page.set({"axis": "d", "size": 0.2})
    table = page.table()
    assert set(table[table.kind == "weak"].d) == {10, 20} and set(table[table.kind == "quiet"].d) == {
        10,
        20,
        200,
    }
    assert number_text.equals("d", 200) in page._table.object and not page._promises["weak"].visible


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


def test_a_play_tells_the_sizes_at_which_half_of_the_runs_lose_no_pattern():
    page, sizes = NoisePage(Controls(**NoisePage.opens)), {}
    page.content()
    for size in page.plays_over:
        page.set({"size": size})
        plan = page.compute()
        assert page.reached(plan) is None  # Not yet of this size.
        page._spots = model.spots(plan, threading.Event())
        said = page.reached(plan)
        for kind, whole in said.who.items():
            sizes.setdefault(kind, []).extend([size] * whole)
    assert said.what == "all 3 patterns were found in at least half of 10 runs" and said.quantity == "noise"
    assert sizes == {
        "under random noise": [0.3, 0.5, 0.7, 0.9],
        "under false patterns": [0.3],
    }
    page.set({"components": 1})
    page.controls.repeats = 1
    plan = page.compute()
    page._spots = model.spots(plan, threading.Event())
    assert page.reached(plan).what == "the pattern was found"


def test_random_noise_hides_least_in_the_example_that_says_so():
    page = NoisePage(Controls(**NoisePage.opens))
    page.set(next(preset.values for preset in page.presets if preset.name == "Two patterns, d = 60"))
    plan, found = page.compute(), {}
    for kind in power.KINDS:
        found[kind] = sum((recovered(plan, kind, repeat) > 0.9).sum() for repeat in range(10))
    assert all(found["round"] > count for kind, count in found.items() if kind != "round")


@pytest.mark.parametrize("size", [0.7, 0.9, 1.2])
def test_random_noise_hides_fewer_patterns_than_fakes_of_its_strength(size):
    page = NoisePage(Controls(**NoisePage.opens))
    page.set({"size": size})
    page._spots = model.spots(page.compute(), threading.Event())
    random, fakes = (page._spots.kinds[kind].found for kind in ("round", "quiet"))
    words = page.words(page.plan or page.compute())
    assert random > fakes and "Here random noise, as privacy adds it, harms less." in words
    assert f"<b>{number_text.amount_text(random, 3)}\u00a0of\u00a03</b> patterns under random noise" in words


def test_what_a_search_found_in_place_of_a_pattern_is_called_a_fake_if_it_is_one():
    page = NoisePage(Controls(**NoisePage.opens))
    page.content()
    plan = page.compute()
    page._spots = model.spots(plan, threading.Event())
    _, random, fakes = pictures.tiles(page._spots, plan)["rows"]
    assert random.marks == ["✓"] * 3 and fakes.marks == ["✗ false", "✗ false", "✓"]
    assert "In the pictures, 2 results are themselves false patterns" in page.words(plan)
    drawn, true = page._spots.kinds["quiet"].search.vectors, plan.truth(40).vectors
    nearest = []
    for repeat in range(10):  # One of them is drawn.
        planted = power.disturbance("quiet", true, plan.size, rng=plan.rng("quiet", repeat))
        nearest.append(np.abs(drawn @ planted.vectors.T).max(axis=1))
    assert max(min(one[:2]) for one in nearest) > 0.9 and all(one[2] < 0.9 for one in nearest)


@pytest.mark.parametrize("name", ["papers", "findings", "power_stream", "power_noise"])
def test_tabs_stay_in_their_places(name):
    page = App({}).pages[name]
    assert [kind.name for kind in page.tabs] == ["papers", "findings", "power_stream", "power_noise"]
    assert [kind.name for kind in App({}).pages["power"].tabs] == [
        entry.name for entry in LISTED if entry.group == "Compare"
    ]

"""The three pages of the power method without a browser."""

import base64
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import power
from core.privacy import gdp_epsilon
from dashboard.pages.analyse.power import model
from dashboard.pages.analyse.power.page import PowerPage
from dashboard.pages.analyse.power_noise import model as power_noise
from dashboard.pages.analyse.power_noise.model import share, threshold
from dashboard.pages.analyse.power_noise.page import NoisePage
from dashboard.pages.analyse.power_stream.page import StreamPage
from dashboard.session.app import App
from dashboard.state import number_text
from dashboard.state.controls import Controls
from data.synthetic.tensors import tensor_components


def opened(kind, values=(), **shared):
    controls = Controls()
    controls.param.update(repeats=2, **shared)
    page = kind(controls)
    page.content()
    page.set(dict(values))
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page


def run_script(page):
    namespace = {}
    exec(page.script(), namespace)
    return pd.DataFrame(namespace["columns"])


@pytest.fixture
def short(monkeypatch):
    axes = model.AXES
    for axis, values in {"epsilon": (0.01, 10.0), "d": (20, 40, 1000), "strength": (10, 1e5)}.items():
        monkeypatch.setitem(axes, axis, replace(axes[axis], values=values))
    monkeypatch.setattr(power_noise, "SIZES", (0.05, 0.5, 3.0))
    monkeypatch.setattr(power_noise, "WIDTHS", (10, 20, 200))


def test_private_components_return_as_epsilon_grows(short, capsys):
    page = opened(PowerPage, {"d": 30}, epsilon=0.5, delta=1e-6)
    table = page.table()
    assert set(table.scheme) == set(model.METHODS)
    mean = table.set_index(["scheme", "epsilon"])["mean"]
    for method in model.METHODS:
        assert mean[method, 10.0] > mean[method, 0.01]
    assert mean["alg3_exact", 10.0] > 0.9
    assert len(page._marks["alg3_exact"].data["cosine"]) == 3
    published = next(a for a in model.accounts(page.picture) if a.calibration == "published")
    ratio = number_text.number_text(published.ratio, digits=2)
    assert f"{ratio} times" in page._search.text
    assert page.content().spec["rows"][3]["hint"] == f"{ratio}\u00a0× as much"
    script = run_script(page).set_index(["scheme", "epsilon"])["mean"]
    pd.testing.assert_series_equal(script.sort_index(), mean.sort_index(), check_names=False)
    spec = page.content().spec  # One row of pictures for the truth, and one for each method.
    runs = pd.DataFrame(page.sweep.rows.values())
    counts = runs[runs.epsilon == 0.5].groupby("scheme").found.agg(list)
    means = {m: np.mean(counts[m]) for m in model.METHODS}
    for method, one in page.sweep.spots.items():  # The typical run is drawn.
        away = [abs(count - means[method]) for count in counts[method]]
        assert len(away) == 2 and abs((one.cosines > 0.9).sum() - means[method]) == min(away)
    once, steps, _ = counts = [
        number_text.amount_text(means[m], 3) for m in ("input", "alg3_exact", "alg3_published")
    ]
    assert [row["note"] for row in spec["rows"]][1:] == [f"mean {count} of 3" for count in counts]
    for row, method in zip(spec["rows"][1:], ("input", "alg3_exact", "alg3_published"), strict=True):
        for mark, cosine in zip(row["marks"], page.sweep.spots[method].cosines, strict=True):
            angle = math.degrees(math.acos(cosine))
            left = "✗" if angle > 84 else f"✗ {math.ceil(angle)}°"
            assert mark == ("✓" if cosine > 0.9 else left)
    assert spec["marked"] and spec["rows"][0]["marks"] == []
    title = spec["title"].replace("\u00a0", " ")
    assert "<polygon" in spec["drawing"] and "30 × 30 × 30 counts" in title
    assert "any three of 30 squares come together. The search must find the 3 patterns" in title
    assert len({row["pixels"] for row in spec["rows"]}) == 4 and spec["shape"] == [6, 5]
    words = page.words(page.picture).replace("\u00a0", " ")
    found = f"<b>{once} of 3</b> patterns with noise once, on every count, <b>{steps} of 3</b> with noise each step."
    assert f"<p>At ε = 0.5 the search finds {found}" in words
    named = [row["label"] for row in spec["rows"]]
    assert {"noise once", "noise each step"} < {*named}  # As the sentence calls them.
    assert "Means of 2 releases; the pictures show those nearest to them." in words
    assert "adds noise to every count, then searches" in words and "63 such results share ε." in words
    assert any("nearest to the mean" in one for one in page.said.guarantee.not_private)
    curve = table.pivot(
        index="epsilon", columns="scheme", values="mean"
    )  # Printed passes 0.9 between the last two points.
    low, high = curve.alg3_published[0.5], curve.alg3_published[10.0]
    passed = 0.5 * 20 ** ((0.9 - low) / (high - low))
    assert (
        f"{number_text.number_text(passed, digits=2)} as the paper computes its noise." in page._search.text
    )
    assert model.needed(page.sweep.means.assign(mean=0.5), page.picture)["input"] == math.inf
    assert model.needed(page.sweep.means.assign(mean=0.95), page.picture)["input"] == pytest.approx(0.01)
    assert model.needed(page.sweep.means[1:], page.picture) == {}
    before = page.runs.total
    page.controls.epsilon = 0.7  # Only the new present settings are run.
    assert page.runs.total < before
    page.controls.repeats = 1  # One run has no average.
    assert "(one run)." in page.words(page.picture) and "of\u00a03</b>" not in page.words(page.picture)
    assert {row["note"] for row in page.content().spec["rows"][1:]} <= {f"{n} of 3" for n in range(4)}
    assert page.said.guarantee.sentence.startswith("All pairs together have ε")


def test_input_perturbation_stops_where_the_tensor_cannot_be_formed(short):
    page = opened(PowerPage, {"axis": "d", "d": 1000}, epsilon=2.0, delta=1e-6)
    table = page.table()
    assert set(table[table.scheme == "input"].d) == {20, 40}
    assert set(table[table.scheme == "alg3_exact"].d) == {20, 40, 1000}
    assert "would need 8 GB" in page.words(page.picture)


def test_the_accounts_of_the_page_are_those_of_the_core(short):
    page = opened(PowerPage, {"d": 10, "restarts": 2, "iterations": 4}, epsilon=1.0, delta=1e-6)
    found = {a.calibration: a for a in model.accounts(page.picture)}
    assert list(found) == list(power.CALIBRATIONS)
    assert found["exact"].ratio == 1 and found["exact"].epsilon == pytest.approx(1)
    assert found["published"].ratio > 5
    assert "30 noisy releases" in page._accounts.object


@pytest.mark.parametrize(("neighbours", "kept", "ratio"), [("entry", 0.0857, 9.5), ("published", 0.136, 6.2)])
def test_words_about_the_printed_constants_follow_the_neighbours(short, neighbours, kept, ratio):
    values = {"neighbours": neighbours, "d": 20, "restarts": 3, "iterations": 6, "axis": "d"}
    page = opened(PowerPage, values, epsilon=1.0, delta=1e-5)
    words = page.words(page.picture)
    assert (
        f"{ratio} times" in page._search.text
        and "Protected is <b>one count, not one person's records</b>" in words
    )
    assert f"{kept}." in page.said.guarantee.sentence
    published = next(a for a in model.accounts(page.picture) if a.calibration == "published")
    job = next(
        j for j in page.picture.jobs if j.scheme == "alg3_published" and dict(j.settings) == page.picture.here
    )
    assert gdp_epsilon(1e-5, model.mu_of(page.picture.problem, job)) == pytest.approx(published.epsilon)


def test_a_failing_setting_is_said():
    page = PowerPage(Controls())
    assert page.model.param.restarts.bounds[0] == 1
    with pytest.raises(ValueError, match="restarts"):
        page.model.restarts = 0


def test_the_stream_shows_what_deflation_loses_and_what_is_held(capsys):
    page = opened(StreamPage, {"read": 33})
    assert page.runs.total == 33
    words = page.words(page.picture).replace("\u00a0", " ")
    assert "<b>3 of 3</b>" in words and "<b>1 of 3</b>: it finds the same one again, in negative." in words
    last = {p.deflation: p for p in page._points}
    assert last["corrected"].error < 0.3 < 0.5 < last["published"].error
    assert last["corrected"].held < last["corrected"].read / 20
    table, script = page.table(), run_script(page)
    assert list(script.deflation) == list(table.deflation)
    np.testing.assert_array_equal(script.component, table.component)
    np.testing.assert_allclose(script.error, table.error, rtol=1e-9)
    held = {p.held for p in page._points}
    assert max(held) - min(held) < 1000


def test_patterns_come_out_of_the_stream_one_after_the_other():
    page = opened(StreamPage)  # The forms differ already, and which finds all is open.
    assert [row["marks"] for row in page.tiles.spec["rows"][2:]] == [["✓", "✓"], ["✓", "✗ 89°"]]
    page.set({"read": 10})
    first = page.words(page.picture).replace("\u00a0", " ")
    assert (
        "both searches have found <b>1 of 3</b> patterns. Play reads more" in first
        and "which search finds all?" in first
    )
    assert [row["marks"] for row in page.tiles.spec["rows"][2:]] == [["✓"], ["✓"]]
    assert page.tiles.spec["title"].startswith("3 patterns of 64 squares hide in the records")
    page.set({"read": 33})
    last = page.words(page.picture).replace("\u00a0", " ")
    assert "after all 33 batches, the corrected search has found <b>3 of 3</b>" in last and "?" not in last
    assert page.said.most == {"read": 33} and page.plays_from == 0 and page.plays_to_end
    assert [row["marks"] for row in page.tiles.spec["rows"]] == [
        [],
        [],
        ["✓", "✓", "✓"],
        ["✓", "✗ 89°", "✗ 90°"],
    ]
    page.set({"read": 10})  # Where both forms have found one.
    opening = page.words(page.picture).replace("\u00a0", " ")
    assert (
        "In this run, after 10 of 33 batches, both searches have found <b>1 of 3</b> patterns. Play"
        in opening
    )
    assert [row["note"] for row in page.tiles.spec["rows"][2:]] == ["1 of 3", "1 of 3"]
    hints = [row["hint"] for row in page.tiles.spec["rows"][2:]]
    assert hints == ["takes away what it found", "takes away too much"]
    page.set({"scale": 0.3})
    assert page.tiles.spec["rows"][3]["hint"] == "takes away too little"
    page.set({"scale": 10.0})
    page.set({"read": 14})  # The printed form stands at what it has found before.
    assert "goes wrong: it finds the same one again, in negative." in page.words(page.picture)
    assert "finds all?" not in page.words(page.picture)  # It has been seen.
    printed = tile(page.tiles.spec["rows"][3])
    assert printed[0][:, 3:5].mean() > printed[0].mean() and printed[1][:, 3:5].mean() < printed[1].mean()
    page.set({"read": 33})
    runs, whole = page.runs.total, len(page.table())

    def shown():
        rows = page.tiles.spec["rows"]
        return (
            [row["note"] for row in rows[2:]],
            [row["pixels"] for row in rows[2:]],
            page.words(page.picture),
        )

    (corrected, published), ends, _ = shown()
    assert (corrected, published) == ("3 of 3", "1 of 3") and all(ends)
    page.set({"read": 10})  # What was read is drawn; nothing is run again.
    (corrected, published), pixels, words = shown()
    assert (corrected, published) == ("1 of 3", "1 of 3") and "after 10 of 33 batches" in words
    assert "<b>1 of 3</b>" in words.replace("\u00a0", " ") and pixels != ends
    assert page.runs.total == runs and len(page.table()) == whole
    points, page._points = page._points, page._points[:8]  # While fewer are read than the slider says.
    page.draw(page.picture)
    assert shown()[0] == ["", ""] and page.words(page.picture) == "<p>Reading the records …</p>"
    page._points = points
    page.set({"read": 0})
    assert shown()[:2] == (["", ""], ["", ""]) and "after 0 of 33 batches" in page.words(page.picture)
    page.set({"read": 33})
    assert shown()[1] == ends


def tile(row):
    """The pixels of a row's three pictures."""
    return np.frombuffer(base64.b64decode(row["pixels"]), np.uint8).reshape(3, 8, 8).astype(float)


def test_the_stream_begins_anew_when_asked_again():
    page = opened(StreamPage, {"d": 20, "components": 1, "iterations": 3, "per_step": 100})
    before = [p.error for p in page._points]
    page._points = []
    page.runs.again()
    assert [p.error for p in page._points] == before
    page.controls.noise_seed = 5
    assert [p.error for p in page._points] != before


def test_disturbances_are_counted_and_thresholds_said(short, capsys):
    page = opened(NoisePage, {"d": 20, "components": 1, "iterations": 10})
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
    assert "random on each number" in words and "<p>At noise 0.9, the search finds on average " in words
    assert "Means of 2 runs; the pictures show those nearest to them." in words
    named = {row["label"]: row["hint"] for row in page.tiles.spec["rows"][1:]}
    assert (
        named["fakes"] == "19 false patterns"
        and "The search sees the cube plus noise" in page.tiles.spec["title"]
    )
    assert (
        "<b>Fakes</b>: 19 patterns that are not in the data, of weight 0.9 where the hidden have 1." in words
    )
    assert all(f"<b>{name.capitalize()}</b>:" in words for name in named)
    assert set(power_noise.PICTURED) == set(power.KINDS)
    runs, rows = page.runs.total, page.tiles.spec["rows"]
    for row, kind in zip(rows[1:], power_noise.PICTURED, strict=True):  # As the core finds them.
        counts = [int((recovered(page.picture, kind, repeat) > 0.9).sum()) for repeat in range(2)]
        assert row["note"] == f"mean {number_text.amount_text(np.mean(counts), 1)} of 1"
        away = [abs(count - np.mean(counts)) for count in counts]  # The typical run is drawn.
        assert row["marks"].count("✓") == counts[away.index(min(away))]
    strong = darkness(rows)
    page.set({"size": 0.05})  # Only the pictures are drawn anew.
    assert page.runs.total == 1 < runs and len(page.table()) == 12
    assert [row["note"] for row in page.tiles.spec["rows"][1:]] == ["mean 1 of 1"] * 4
    assert "<b>1\u00a0of\u00a01</b>" in page.words(page.picture) and page.said.pale is False
    page.runs.state = "running"  # A playing slider does not wait for the curve.
    assert page.arrived()
    page.runs.state = "finished"
    # The noise of each kind is drawn as strong as it is; the cube is the same.
    faint = darkness(page.tiles.spec["rows"])
    assert faint[0] == strong[0] and (strong[1:] > 2 * faint[1:]).all()
    page.controls.repeats = 1  # One run is not printed bold.
    assert "in this run the search finds 1\u00a0of\u00a01 pattern" in page.words(page.picture)
    page.controls.repeats = 2
    page.set({"axis": "d", "size": 0.2})
    table = page.table()
    assert set(table[table.kind == "weak"].d) == {10, 20} and set(table[table.kind == "quiet"].d) == {
        10,
        20,
        200,
    }
    assert number_text.equals("d", 200) in page._table.object and not page._promises["weak"].visible


def darkness(rows):
    """The mean shade of each row's layer."""
    layers = [np.frombuffer(base64.b64decode(row["layer"]), np.uint8) for row in rows]
    assert {layer.size for layer in layers} == {20 * 20}
    return np.array([layer.mean() - 128 for layer in layers])


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
    sizes = power_noise.SIZES
    assert threshold([1.0] * 5 + [0.0] * 6) == pytest.approx(math.sqrt(sizes[4] * sizes[5]), rel=5e-3)
    assert threshold([1.0] * 11) == math.inf and threshold([0.0] * 11) == -math.inf


@pytest.mark.parametrize("name", ["power", "power_stream", "power_noise"])
def test_tabs_stay_in_their_places(name):
    page = App({}).pages[name]
    assert [kind.name for kind in page.tabs] == ["power", "power_stream", "power_noise"]
    assert [kind.name for kind in App({}).pages["pca"].tabs] == ["pca"]

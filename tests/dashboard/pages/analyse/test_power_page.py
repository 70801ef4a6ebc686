"""The page of the private power method without a browser."""

import math
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from power_pages import opened, run_script

from core import power
from core.privacy import gdp_epsilon
from dashboard.pages.analyse.power import model
from dashboard.pages.analyse.power.page import PowerPage
from dashboard.state import number_text
from dashboard.state.controls import Controls


@pytest.fixture
def short(monkeypatch):
    axes = model.AXES
    for axis, values in {"epsilon": (0.01, 10.0), "d": (20, 40, 1000), "strength": (10, 1e5)}.items():
        monkeypatch.setitem(axes, axis, replace(axes[axis], values=values))


def test_private_components_return_as_epsilon_grows(short, capsys):
    page = opened(PowerPage, {"d": 30}, epsilon=0.5, delta=1e-6, sites=5)
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
    script = run_script(page).set_index(["scheme", "epsilon"])["mean"]
    pd.testing.assert_series_equal(script.sort_index(), mean.sort_index(), check_names=False)
    spec = page.content().spec  # One row of pictures for the truth, and one for each method.
    runs = pd.DataFrame(page.sweep.rows.values())
    counts = runs[runs.epsilon == 0.5].groupby("scheme").found.agg(list)
    means = {m: np.mean(counts[m]) for m in model.METHODS}
    for method, one in page.sweep.spots.items():  # The typical run is drawn.
        away = [abs(count - means[method]) for count in counts[method]]
        assert len(away) == 2 and abs((one.search.cosines > 0.9).sum() - means[method]) == min(away)
    order = ("cape", "conventional", "alg3_exact")
    cape, conventional, steps = counts = [number_text.amount_text(means[m], 3) for m in order]
    assert [row["note"] for row in spec["rows"]][1:] == [f"mean {count} of 3" for count in counts]
    for row, method in zip(spec["rows"][1:], order, strict=True):
        cosines = page.sweep.spots[method].search.cosines
        assert row["marks"] == ["✓" if cosine > 0.9 else "✗" for cosine in cosines]
    assert spec["marked"] and spec["rows"][0]["marks"] == []
    title = spec["title"].replace("\u00a0", " ")
    assert (
        "5 sites count which three of 30 words stand together. Their sum, 30 × 30 × 30 numbers, hides 3 patterns (topics)"
        in title
    )
    assert "Every search starts at random pixels." in title and spec["searched"] and 6 <= spec["steps"] <= 20
    assert "✓ found (cosine over 0.9)" in title
    assert len({row["pixels"] for row in spec["rows"]}) == 4 and spec["shape"] == [6, 5]
    words = page.words(page.picture).replace("\u00a0", " ")
    assert (
        "<p>At ε = 0.5, if only the result or one message is seen, CAPE finds on average "
        f"<b>{cape} of 3</b> patterns, the conventional scheme <b>{conventional} of 3</b>, "
        f"a curator with noise each step {steps} of 3." in words
    )
    named = [row["label"] for row in spec["rows"]]
    assert named == ["hidden in the sum", "CAPE", "conventional", "noise each step"]
    assert "2.2 × CAPE's" in spec["rows"][2]["hint"].replace("\u00a0", " ")
    assert "Means of 2 releases; the pictures show those nearest to them." in words
    fold = page._search.text
    assert "63 such results share ε" in fold and "less than 26° off" in fold
    assert any("nearest to the mean" in one for one in page.said.guarantee.not_private)
    curve = table.pivot(
        index="epsilon", columns="scheme", values="mean"
    )  # Printed passes 0.9 between the last two points.
    low, high = curve.alg3_published[0.5], curve.alg3_published[10.0]
    passed = 0.5 * 20 ** ((0.9 - low) / (high - low))
    assert (
        f"{number_text.number_text(passed, digits=2)} for noise each step as it is published."
        in page._search.text
    )
    assert model.needed(page.sweep.means.assign(mean=0.5), page.picture)["cape"] == math.inf
    assert model.needed(page.sweep.means.assign(mean=0.95), page.picture)["cape"] == pytest.approx(0.01)
    assert model.needed(page.sweep.means[1:], page.picture) == {}
    before = page.runs.total
    page.controls.epsilon = 0.7  # Only the new present settings are run.
    assert page.runs.total < before
    page.controls.repeats = 1  # One run has no average.
    assert "(one run)." in page.words(page.picture) and "of\u00a03</b>" not in page.words(page.picture)
    assert {row["note"] for row in page.content().spec["rows"][1:]} <= {f"{n} of 3" for n in range(4)}
    said = page.said.guarantee
    assert (
        said.sentence.startswith("Each site's message alone meets ε")
        and "released sum alone" in said.sentence
    )
    assert "All results of noise each step together have ε" in said.sentence
    assert [row.scheme for row in said.exposures] == ["cape", "conventional"]


def test_noise_once_stops_where_the_tensor_cannot_be_formed(short):
    page = opened(PowerPage, {"axis": "d", "d": 1000}, epsilon=2.0, delta=1e-6)
    table = page.table()
    assert set(table[table.scheme == "cape"].d) == set(table[table.scheme == "conventional"].d) == {20, 40}
    assert set(table[table.scheme == "alg3_exact"].d) == {20, 40, 1000}
    words = page.words(page.picture)
    assert "would need 8 GB" in words and "<p>At ε = 2, a curator" in words.replace("\u00a0", " ")
    assert "if only" not in words and not page.said.guarantee.exposures


def test_the_accounts_of_the_page_are_those_of_the_core(short):
    page = opened(PowerPage, {"d": 10, "restarts": 2, "iterations": 4}, epsilon=1.0, delta=1e-6)
    found = {a.calibration: a for a in model.accounts(page.picture)}
    assert list(found) == list(power.CALIBRATIONS)
    assert found["exact"].ratio == 1 and found["exact"].epsilon == pytest.approx(1)
    assert found["published"].ratio > 5
    assert "30 noisy releases" in page._accounts.object


@pytest.mark.parametrize(("neighbours", "kept", "ratio"), [("entry", 0.0857, 9.5), ("published", 0.137, 6.2)])
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


@pytest.fixture(scope="module")
def opening():
    """The page as a bare link opens it, with the runs of its pictures."""
    page = PowerPage(Controls(**PowerPage.opens))
    page.content()
    return page


def spots_of(page, **controls):
    page.controls.param.update(**controls)
    return {fit.name: fit.make(threading.Event()) for fit in model.fits(page.compute())}


def test_the_page_opens_where_cape_finds_all_patterns_and_the_others_do_not(opening):
    found = {name: spot.found for name, spot in spots_of(opening).items()}
    assert found["cape"] == 3 and max(found["conventional"], found["alg3_exact"]) < 2


def test_more_sites_cost_the_conventional_scheme_alone(opening):
    few, many = spots_of(opening, sites=5), spots_of(opening, sites=20)
    np.testing.assert_array_equal(few["cape"].search.vectors, many["cape"].search.vectors)  # The same noise.
    np.testing.assert_array_equal(few["alg3_exact"].search.vectors, many["alg3_exact"].search.vectors)
    assert many["conventional"].found < few["conventional"].found


def test_a_failing_setting_is_said():
    page = PowerPage(Controls())
    assert page.model.param.restarts.bounds[0] == 1
    with pytest.raises(ValueError, match="restarts"):
        page.model.restarts = 0

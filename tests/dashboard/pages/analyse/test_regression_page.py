"""The Regression page without a browser: what it computes, keeps, says, and refuses in words."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from pictures import drawn, finished

from core import Privacy, functional, privacy, schemes
from dashboard.pages.analyse.regression import model
from dashboard.pages.analyse.regression.model import AXES, WIDTHS, judged
from dashboard.pages.analyse.regression.page import RegressionPage
from dashboard.pages.analyse.regression.predictions import kept_text
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import pictured
from data.upload import sample

EPSILONS = (0.1, 1.0, 10.0)


@pytest.fixture
def page(monkeypatch):
    for axis, values in {"epsilon": EPSILONS, "samples": (50, 500), "delta": (1e-6, 1e-2)}.items():
        monkeypatch.setitem(AXES, axis, replace(AXES[axis], values=values))
    controls = Controls()
    controls.param.update(repeats=3, sites=4, samples=500)
    page = RegressionPage(controls)
    page.set({"dimension": 6, "curators": ["dpfm", "objpert"]})
    return finished(page)


def shown():
    """The mechanisms that the page runs when nobody chose: schemes that are not offered are left out."""
    return [m for m in functional.MECHANISMS if (scheme := schemes.find(m)) is None or scheme.offered]


def test_every_mechanism_is_drawn_along_epsilon_and_more_privacy_costs_more(page):
    curves = drawn(page)
    assert set(curves) == set(shown())
    for name, curve in curves.items():
        assert list(curve["x"]) == list(EPSILONS)
        assert np.isfinite(curve["mean"]).all()
        if name != "nonprivate":
            assert curve["mean"][0] > curve["mean"][-1]
    assert curves["cape"]["mean"][1] < curves["local"]["mean"][1]


def test_a_page_opens_with_the_schemes_alone_and_runs_the_chosen_epsilon_first():
    plan = RegressionPage(Controls()).compute()
    assert not {"dpfm", "objpert"} & set(plan.shown)
    first = [dict(job.settings)["epsilon"] for batch in plan.batches[:3] for job in batch]
    assert set(first) == {plan.here["epsilon"]}
    assert {job for batch in plan.batches for job in batch} == set(plan.jobs)


def test_every_dot_is_a_record_with_the_released_prediction(page):
    panels = {panel["name"]: panel for panel in page.panels.state["panels"]}
    assert set(panels) == {"nonprivate", "cape", "conventional", "local"} & set(shown())
    statistics = judged(page.picture)
    found = page.sweep.spots["cape"]
    lost = [functional.figures(statistics, w)["lost"] for w in found.coefficients]
    w = found.coefficients[
        np.argmin(np.abs(np.array(lost) - found.figures["lost"]))
    ]  # The nearest to the mean.
    x, y = statistics.moments.features[:260], statistics.moments.target[:260]
    edge = 0.08 * (y.max() - y.min())
    places = 1000 * (np.stack([y, x @ w]) - y.min() + edge) / (y.max() - y.min() + 2 * edge)
    across, down = map(np.array, panels["cape"]["dots"])
    assert len(across) == len(y) == 260
    np.testing.assert_allclose(across, places[0], atol=0.5)
    np.testing.assert_allclose(1000 - down, places[1].clip(0, 1000), atol=0.5)
    assert "At ε = 1, if only the result or one message is seen, CAPE is" in page.said.words.replace(
        "\u00a0", " "
    )
    share = panels["cape"]["verdict"]
    assert share.endswith("\u00a0% as good") and share.removesuffix(" as good") in page.said.words
    low = 1000 * (y.mean() - y.min() + edge) / (y.max() - y.min() + 2 * edge)
    assert page.panels.state["level"] == [[0, 1000], [pytest.approx(1000 - low, abs=1)] * 2], (
        "the mean for all"
    )
    assert [kept_text(share) for share in (0.0024, 0.033)] == ["about 0\u00a0%", "3\u00a0%"]
    assert (
        "an invented patient: true score →, predicted from 6 measurements ↑" in page.panels.state["told"][0]
    )
    page.controls.epsilon = 0.1
    moved = {panel["name"]: panel for panel in page.panels.state["panels"]}
    assert moved["cape"]["dots"][0] == panels["cape"]["dots"][0] and moved["cape"] != panels["cape"]
    assert moved["nonprivate"] == panels["nonprivate"]


@pytest.mark.parametrize("data", ["linear", "logistic", "diabetes"])
def test_another_site_leaves_the_drawn_patients_as_they_are(page, data):
    page.set({"data": data, "sites": 4, "samples": 80})
    before = page.sweep.spots["nonprivate"].records
    page.set({"sites": 5})
    after = page.sweep.spots["nonprivate"].records
    assert after.total == before.total + 80
    np.testing.assert_array_equal(after.target[:260], before.target[:260])
    np.testing.assert_array_equal(after.features[:260], before.features[:260])


def test_dots_of_labels_stand_in_two_strips(page):
    page.set({"data": "logistic"})
    (panel,) = (panel for panel in page.panels.state["panels"] if panel["name"] == "cape")
    across, groups = np.array(panel["dots"][0]), np.array(panel["groups"])
    assert (across[groups == 0] < 500).all() and (across[groups == 1] > 500).all()
    height = 1000 - np.array(panel["dots"][1])
    assert height[groups == 1].mean() > height[groups == 0].mean()


def test_moving_epsilon_keeps_the_curve_and_fits_anew(page):
    before, fits = drawn(page), page.sweep.spots["cape"].coefficients
    page.controls.epsilon = 0.1
    assert drawn(page) == before
    assert page.runs.total == 1 + len(
        set(shown()) - set(pictured(shown()))
    )  # What the panels show is one job.
    assert (page.sweep.spots["cape"].coefficients != fits).all()


def test_the_measure_is_another_view_of_the_same_runs(page):
    for measure in ("error", "excess", "loss"):
        page.model.measure = measure
        assert page.runs.total == 0  # The same runs and fits: nothing is computed again.
        table = page.table()
        rows = [r for job, r in page.sweep.rows.items() if r["scheme"] == "cape" and r["epsilon"] == 1.0]
        mean = np.mean([r[measure] for r in rows]) * (100 if measure == "excess" else 1)
        assert table.set_index(["scheme", "epsilon"])["mean"]["cape", 1.0] == pytest.approx(mean)
    page.model.measure = "excess"
    assert page._zero.location == pytest.approx(100)
    page.model.measure = "loss"
    assert page._zero.location == pytest.approx(judged(page.picture).base)


def test_the_script_leaves_the_numbers_of_the_table(page):
    for values in (
        {},
        {"measure": "excess"},
        {"data": "logistic", "axis": "samples"},
        {"calibration": "published"},
    ):
        page.set(values)
        found = {}
        exec(compile(page.script(), "script", "exec"), found)
        columns, axis = found["columns"], page.model.axis
        pairs = zip(columns["scheme"], columns[axis], columns["mean"], strict=True)
        theirs = {(s, x): mean for s, x, mean in pairs}
        table = page.table()
        assert len(table) >= 10
        for s, x, mean in zip(table.scheme, table[axis], table["mean"], strict=True):
            assert theirs[s, x] == pytest.approx(mean)


@pytest.mark.parametrize("settings", [{}, {"data": "breast_cancer", "sites": 3}, {"measure": "lost"}])
def test_the_kept_share_follows_from_the_losses_beside_it(page, settings):
    page.set({"epsilon": 10.0, **settings})
    fine = page.counted.text.replace("\u00a0", " ")
    zero, loss, again, best, share = map(
        float, re.search(r"\(([\d.]+) − ([\d.]+)\) / \(([\d.]+) − ([\d.]+)\) = ([\d.]+) %", fine).groups()
    )
    assert zero == again and 100 * (zero - loss) / (zero - best) == pytest.approx(share, abs=1)
    statistics, fits = judged(page.picture), page.sweep.spots["cape"].coefficients
    assert loss == pytest.approx(np.mean([statistics.moments.empirical(w) for w in fits]), rel=1e-3)
    assert best == pytest.approx(statistics.best, rel=1e-3)
    assert f"CAPE is <b>{share:g}\u00a0%</b> as good as the fit without noise" in page.said.words


def test_words_name_what_is_worse_than_predicting_nothing(page):
    page.set({"epsilon": 0.01, "repair": "none", "noise": 0.0, "repeats": 10})
    assert (
        "the conventional scheme and one site alone (local) are worse than predicting the mean."
        in page.said.words
    )
    verdicts = {panel["name"]: panel["verdict"] for panel in page.panels.state["panels"]}
    assert verdicts["local"] == "worse than the mean"
    page.set({"repeats": 2})
    assert "are no better than predicting the mean." in page.said.words, "two releases have no interval"
    page.set({"repeats": 3})
    assert "random slope" not in page.said.words, "what has no panel is not in the sentence above the curve"
    page.set({"epsilon": 10.0, "repair": "shrink", "samples": 5000})
    assert "worse" not in page.said.words


def test_the_published_switch_takes_all_conventions_and_tells_its_true_delta(page):
    page.controls.calibration = "published"
    options = dict(page.compute().problem.options)
    assert options["form"] == options["calibration"] == "published"
    assert options["repair"] == "none"
    found = page.said.guarantee
    mu = 1.5 * privacy.gaussian_mu(Privacy(1.0, 1e-5), calibration="published")
    (local,) = (row for row in found.exposures if row.scheme == "local")
    assert local.public == pytest.approx(privacy.gdp_delta(1.0, mu))
    assert any("whole budget" in point for point in found.not_private)


def test_curators_stand_apart_from_the_schemes_in_the_guarantee(page):
    assert "noisy loss and random slope: pure" in page.said.guarantee.sentence
    page.model.curators = []
    assert "pure" not in page.said.guarantee.sentence
    assert set(drawn(page)) == set(shown()) - {"dpfm", "objpert"}
    page.controls.schemes = ["nonprivate"]
    assert "only the non-private fit is shown" in page.said.words
    page.controls.schemes = []
    assert "choose at least one" in page.said.problem


@pytest.mark.parametrize("data", ["diabetes", "breast_cancer"])
def test_real_records_carry_their_names(page, data):
    page.set({"data": data, "sites": 3})
    assert page.runs.state == "finished", page.runs.message
    assert page.said.absent == ["dimension", "response", "labels", "dots", "noise", "dropouts"]
    labels = page.details._coefficients.xaxis.major_label_overrides
    assert "intercept" in labels.values()
    assert all(np.isfinite(curve["mean"]).all() for curve in drawn(page).values())


def test_fewer_records_than_asked_for_are_taken_as_they_are(page):
    page.set({"data": "diabetes", "sites": 50, "samples": 100_000})
    assert page.runs.state == "finished", page.runs.message
    assert page.picture.here["samples"] == 442 // 50


def test_the_noise_against_the_width_is_that_of_the_mechanisms():
    controls = Controls()
    controls.param.update(epsilon=0.5, sites=4, samples=250)
    noise = model.noise(controls.snapshot(), "linear", 1000, 4)
    place = WIDTHS.index(8)
    rng = np.random.default_rng(0)
    x = rng.random((1000, 8))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    sites = [(part, part[:, 0]) for part in np.split(x, 4)]
    for mechanism in ("pooled", "cape", "conventional", "local", "dpfm"):
        fit = functional.fit(sites, mechanism=mechanism, privacy=Privacy(0.5, 1e-5), rng=rng)
        assert noise[mechanism][place] == pytest.approx(fit.square_std)
    published = functional.fit(sites, mechanism="dpfm", privacy=Privacy(0.5, 1e-5), rng=rng, form="published")
    assert noise["dpfm published"][place] == pytest.approx(published.square_std)


def test_answers_and_noise_are_on_the_terms_of_the_guarantee():
    """Held against the aggregator, CAPE's noise is larger in the released coefficients and in the noise figure."""
    controls = Controls(epsilon=0.5, sites=4, samples=250, schemes=["cape", "secure"], repeats=2)
    page = RegressionPage(controls)
    ratio = {}
    for adversary in ("message", "aggregator"):
        controls.adversary = adversary
        plan = page.model.plan()
        found = model.spot(plan, "cape")
        again = plan.problem.fit(
            model.judged(plan), "cape", Privacy(0.5, 1e-5), plan.job_here("cape").rng, plan.here
        )
        np.testing.assert_array_equal(found.coefficients[0], again.coefficients)
        noise = model.noise(plan.settings, "linear", 1000, 4)
        assert set(noise) == {"cape", "secure", "dpfm", "dpfm published"}
        assert noise["cape"][WIDTHS.index(20)] == pytest.approx(again.square_std)
        ratio[adversary] = again.square_std
    assert ratio["aggregator"] / ratio["message"] == pytest.approx(math.sqrt(8 / 5))


def test_the_noise_figure_shows_the_chosen_schemes(page):
    page.set({"schemes": ["cape", "secure"], "adversary": "aggregator"})
    assert page.runs.state == "finished", page.runs.message
    legend = page.details.figures[2].legend[0]
    named = {item.label.value.strip() for item in legend.items if item.visible}
    assert named == {"CAPE", "secure aggregation", "noisy loss", "noisy loss, published"}
    page.set({"schemes": ["cape", "conventional"], "adversary": "message"})
    named = {item.label.value.strip() for item in legend.items if item.visible}
    assert named == {"CAPE = pooled", "conventional", "noisy loss", "noisy loss, published"}


def test_leaving_the_page_stops_its_work(page):
    page.closed()
    page.controls.noise_seed = 5
    assert page.runs.state == "finished"
    page.opened()
    assert math.isfinite(page.sweep.spots["cape"].figures["loss"])


def test_ones_own_table_is_predicted_from_its_other_columns(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / sample.SAMPLE_NAME).write_text(sample.sample_csv(rng=np.random.default_rng(1)))
    page.own_table.data.take_sample()
    page.own_table.data.use()
    assert page.runs.state == "finished", page.runs.message
    assert page.said.problem == ""
    plan = page.picture
    assert plan.source.sizes == (1500, 900, 400, 200)
    assert plan.source.features == (*list(sample.RANGES)[:-1], "intercept")
    assert not {"response", "labels"} & set(page.said.absent)
    sites, truth = plan.problem.load(plan.here)
    assert truth is None
    for x, y in sites:
        assert np.linalg.norm(x, axis=1).max() <= 1
        assert np.abs(y).max() <= 1
    assert page.sweep.spots["cape"].figures["loss"] < judged(plan).zero
    assert plan.measure == "lost"
    assert (
        page.panels.state["under"]
        == "As good as the fit without noise: 100 %. As the mean for everyone: 0 %."
    )
    figures, best = page.sweep.spots["cape"].figures, judged(plan).best
    base = np.concatenate([y for _, y in sites]).var()
    assert figures["lost"] == pytest.approx((figures["loss"] - best) / (base - best))
    found = {}
    exec(compile(page.script(), "script", "exec"), found)
    columns, table = found["columns"], page.table()
    theirs = dict(zip(zip(columns["scheme"], columns["epsilon"], strict=True), columns["mean"], strict=True))
    for s, x, mean in zip(table.scheme, table.epsilon, table["mean"], strict=True):
        assert theirs[s, x] == pytest.approx(mean)
    assert f"predicting <b>&#x27;{list(sample.RANGES)[-1]}&#x27;</b>" in page.words(page.picture)
    panels = page.panels.state["panels"]
    assert {len(panel["dots"][0]) for panel in panels} == {
        len(plan.source.features)
    }  # Coefficients, no records.
    assert "not drawn" in page.panels.state["told"][0]
    page.set({"labels": True, "response": 3})
    assert "predicting <b>&#x27;weight_kg&#x27;</b>" in page.words(page.picture)
    sites, _ = page.picture.problem.load(page.picture.here)
    assert set(np.concatenate([y for _, y in sites])) == {0.0, 1.0}
    assert "weight_kg" not in page.picture.source.features
    page.model.axis = "samples"
    assert "are given" in page.said.problem
    page.set({"data": "linear", "axis": "epsilon"})
    assert "response" in page.said.absent


def test_nothing_of_ones_own_table_stays(page):
    page.own_table.data.take_sample()
    page.own_table.data.use()
    kept = page.own_table.problems.copy()
    assert kept
    page.own_table.end()
    assert page.picture is None
    assert not page.own_table.problems
    assert page.model.own_table is None


def closed(**values):
    """The page with these settings, and nothing run."""
    found = RegressionPage(Controls())
    found.set(values)
    return found


@pytest.mark.parametrize("data", ["linear", "diabetes", "breast_cancer"])
def test_bounds_that_were_read_off_the_records_are_said_in_the_sentence(data):
    page = closed(data=data, sites=3)
    plan = page.model.plan()
    found = page.promise(plan)
    read_off = any("read off these records" in point for point in found.not_private)
    assert read_off == bool(plan.source.note)
    assert found.sentence.startswith("Not covered: bounds were computed from the records") == read_off


def test_bounds_computed_from_ones_own_table_are_said_in_the_sentence():
    page = closed()
    page.own_table.data.take_sample()
    page.own_table.data.use()
    assert page.model.table.public_bounds
    assert "Not covered" not in page.guarantee(page.model.plan()).sentence
    page.own_table.data.take_from_data()
    page.own_table.data.use()
    assert not page.model.table.public_bounds
    sentence = page.guarantee(page.model.plan()).sentence
    assert sentence.startswith("Not covered: bounds were computed from the records")

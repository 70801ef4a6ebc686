"""Regression on *Compare*: numbers against core and scikit-learn, what is drawn, and one's own table."""

import re

import numpy as np
import pytest
from compared import RegressionPage, guaranteed, record, unprotected
from pictures import Shared, finished
from sklearn.metrics import r2_score, roc_auc_score

from core import Privacy, functional, privacy, sweep
from core.schemes import OFFERED, is_private
from dashboard.algorithms.regression.comparison import REGRESSION
from dashboard.algorithms.regression.drawing import score_text
from dashboard.algorithms.regression.model import AXES
from dashboard.compare import choices
from dashboard.compare.view import seen
from dashboard.state.controls import Controls
from data.upload import sample

SETTINGS = (
    {"epsilon": 0.5, "delta": 1e-3, "data": "logistic"},
    {"epsilon": 0.9, "adversary": "colluders", "colluding": 2, "data": "diabetes"},
    {"epsilon": 0.8, "calibration": "published"},
)


def made():
    page = RegressionPage(Controls(repeats=3, sites=4, samples=500))
    page.set({"dimension": 6})
    return finished(page)


SHARED = Shared(made)


@pytest.fixture
def page(monkeypatch):
    for axis, values in {"epsilon": (0.1, 1.0, 10.0), "samples": (50, 500), "delta": (1e-6, 1e-2)}.items():
        monkeypatch.setitem(AXES, axis, AXES[axis].__class__(**{**vars(AXES[axis]), "values": values}))
    with SHARED.lent() as page:
        yield page


def judged(plan):
    """The records of a plan, averaged."""
    return sweep.statistics(plan.problem, plan.here)


def by_hand(page, method):
    """Every fit of a method at the present settings, by core alone."""
    here, held = page.plan.here, judged(page.plan).moments
    terms = {n: here[n] for n in ("against", "colluding") if n in here}
    target = Privacy(here["epsilon"], here["delta"])
    return [
        functional.fit(held, mechanism=method, privacy=target, rng=job.rng, **dict(page.plan.problem.options), **terms)
        for job in page.plan.jobs_here(method)
    ]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS)
def test_scores_errors_and_noise_equal_core_called_by_hand(page, settings):
    page.set(settings)
    held, spots, observed = judged(page.plan), page.results.spots, seen(REGRESSION, page.plan)
    x, y = held.moments.features, held.moments.target
    for method in ("cape", "conventional", "local"):
        fits, figures = by_hand(page, method), spots[method].figures
        score = roc_auc_score if page.plan.score == "auc" else r2_score
        assert figures[page.plan.score] == pytest.approx(
            np.mean([score(y, x @ f.coefficients) for f in fits])
        )
        errors = [np.linalg.norm(held.truth - f.coefficients) / len(held.truth) for f in fits]
        assert figures["error"] == pytest.approx(np.mean(errors))
        assert observed[method].std == pytest.approx(fits[0].square_std)
        assert observed[method].message == pytest.approx(fits[0].release.mu_message)
        assert observed[method].aggregator == pytest.approx(fits[0].release.mu_aggregator)
        assert score_text(figures[page.plan.score]) in page.shown.headline
        assert score_text(figures[page.plan.score]) in page.shown.sections["result"]


def test_two_classes_open_with_auc_and_a_number_with_r2(page):
    assert [name for name, _ in choices.measures(record(page), page)][:2] == ["explained", "error"]
    assert page.plan.measure == "explained" and page.shown.charts["curve"].y.label.startswith("R²")
    page.set({"measure": "auc"})  # A number has none.
    assert page.plan.measure == "explained" and page.runs.total == 0
    page.set({"data": "logistic", "measure": "suited"})
    assert page.plan.measure == "auc" and "explained" not in dict(choices.measures(record(page), page))
    page.press("measure", 1)
    assert page.plan.measure == "error" and page.runs.total == 0  # Another view of the same runs.
    rows = [r for r in page.results.rows.values() if r["scheme"] == "cape" and r["epsilon"] == 1.0]
    mean = page.table().set_index(["scheme", "epsilon"])["mean"]["cape", 1.0]
    assert mean == pytest.approx(np.mean([r["error"] for r in rows]))


def test_more_privacy_costs_more_and_the_needed_epsilon_is_where_the_curve_crosses(page):
    page.set({"curators": ["dpfm", "objpert"]})
    table = page.table().set_index(["scheme", "epsilon"])["mean"].unstack()
    assert set(table.index) == {*OFFERED, "dpfm", "objpert"}
    private = table[[is_private(m) for m in table.index]]
    assert (private[0.1] < private[10.0]).all() and table.loc["cape", 1.0] > table.loc["local", 1.0]
    reached = REGRESSION.reached(page.plan, page.results).who
    best = page.results.spots["nonprivate"].figures["explained"]
    assert reached["CAPE"] == (round(page.results.spots["cape"].figures["explained"] / best, 2) >= 0.9)
    assert {"CAPE", "dp-fm", "objPert"} <= set(reached)
    assert score_text(0.9 * best) in page.shown.sections["curve_words"]


def dots(page, method):
    """Places of a method's dots: across and upwards, from 0 to 1000."""
    place = list(page.plan.shown).index(method)
    path = re.findall(r"class='dots' d='([^']*)'", page.shown.sections["result"])[place]
    across, down = np.array(re.findall(r"M(\d+) (\d+)h0", path), dtype=float).T
    return across, 1000 - down


def test_every_dot_is_a_record_with_the_released_prediction(page):
    held, spot = judged(page.plan), page.results.spots["cape"]
    lost = [functional.figures(held, w)["lost"] for w in spot.coefficients]
    w = spot.coefficients[np.argmin(np.abs(np.array(lost) - np.mean(lost)))]  # The nearest to the mean.
    x, y = held.moments.features[:260], held.moments.target[:260]
    edge = 0.08 * (y.max() - y.min())
    places = 1000 * (np.stack([y, x @ w]) - y.min() + edge) / (y.max() - y.min() + 2 * edge)
    across, up = dots(page, "cape")
    np.testing.assert_allclose(across, places[0], atol=0.5)
    np.testing.assert_allclose(up, places[1].clip(0, 1000), atol=0.5)
    plain = dots(page, "nonprivate")
    page.controls.epsilon = 0.1
    assert (dots(page, "cape")[1] != up).any()
    np.testing.assert_array_equal(dots(page, "nonprivate"), plain)


def test_dots_of_labels_stand_in_two_strips(page):
    page.set({"data": "logistic"})
    held = judged(page.plan).moments
    label, scores = held.target[:260], held.features[:260] @ page.results.spots["cape"].drawn
    across, up = dots(page, "cape")
    assert (across[label == 0] < 500).all() and (across[label == 1] > 500).all()
    assert roc_auc_score(label, up) == pytest.approx(
        roc_auc_score(label, scores), abs=1e-3
    )  # What is told is drawn.


@pytest.mark.parametrize("data", ["logistic", "diabetes"])
def test_another_site_leaves_the_drawn_patients_as_they_are(page, data):
    page.set({"data": data, "sites": 4, "samples": 80})
    before = page.results.spots["nonprivate"].records
    page.set({"sites": 5})
    after = page.results.spots["nonprivate"].records
    assert after.total == before.total + 80
    np.testing.assert_array_equal(after.target[:260], before.target[:260])
    np.testing.assert_array_equal(after.features[:260], before.features[:260])


def test_the_published_switch_takes_all_conventions_and_tells_its_true_delta(page):
    page.controls.calibration = "published"
    options = dict(page.compute().problem.options)
    assert options["form"] == options["calibration"] == "published" and options["repair"] == "none"
    found = page.state.guarantee
    mu = 1.5 * privacy.gaussian_mu(Privacy(1.0, 1e-5), calibration="published")
    (local,) = (row for row in found.exposures if row.scheme == "local")
    assert local.public == pytest.approx(privacy.gdp_delta(1.0, mu))
    assert len(found.not_private) > len(record(page).unprotected(page.plan, None))
    assert seen(REGRESSION, page.plan)["local"].public == pytest.approx(mu)


def test_curators_are_chips_and_stand_apart_from_the_schemes_in_the_guarantee(page):
    page.set({"curators": ["dpfm", "objpert"]})
    places = {name: place for place, (name, _) in enumerate(choices.offered(record(page), page))}
    assert "dp-fm and objPert:" in page.state.guarantee.sentence
    page.press("method", places["dpfm"])
    assert page.model.curators == ["objpert"] and "dp-fm" not in page.state.guarantee.sentence
    page.press("method", places["objpert"])
    page.press("method", places["dpfm"])
    assert page.model.curators == ["dpfm"] and "dpfm" in page.results.spots
    assert {row.scheme for row in page.state.guarantee.exposures} == set(OFFERED) - {"nonprivate"}
    page.set({"curators": [], "schemes": ["nonprivate"]})
    assert page.state.problem == "" and "0.9" in page.shown.headline
    page.controls.schemes = []
    assert "choose at" in page.state.problem


@pytest.mark.parametrize("data", ["diabetes", "breast_cancer"])
def test_real_records_carry_their_names(page, data):
    page.set({"data": data, "sites": 3})
    assert page.runs.state == "finished", page.runs.message
    assert page.state.absent == ["dimension", "response", "labels", "dots", "noise", "dropouts"]
    assert "intercept" in page.shown.sections["further"] and np.isfinite(page.table()["mean"]).all()


def test_fewer_records_than_asked_for_are_taken_as_they_are(page):
    page.set({"data": "diabetes", "sites": 50, "samples": 100_000})
    assert page.runs.state == "finished", page.runs.message
    assert page.plan.here["samples"] == 442 // 50


def test_ones_own_table_is_predicted_from_its_other_columns(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page.set({"schemes": ["nonprivate", "cape"], "repeats": 2})
    (tmp_path / sample.SAMPLE_NAME).write_text(sample.sample_csv(rng=np.random.default_rng(1)))
    page.own_table.data.take_sample()
    page.own_table.data.use()
    assert page.runs.state == "finished", page.runs.message
    plan, last = page.plan, list(sample.RANGES)[-1]
    assert page.state.problem == "" and plan.measure == "explained"
    assert plan.source.sizes == (1500, 900, 400, 200)
    assert plan.source.features == (*list(sample.RANGES)[:-1], "intercept")
    assert not {"response", "labels"} & set(page.state.absent)
    held, spot = judged(plan), page.results.spots["cape"]
    x, y = held.moments.features, held.moments.target
    assert np.linalg.norm(x, axis=1).max() <= 1 and np.abs(y).max() <= 1
    assert spot.figures["explained"] == pytest.approx(
        np.mean([r2_score(y, x @ w) for w in spot.coefficients])
    )
    found: dict = {}
    exec(compile(page.script(), "script", "exec"), found)
    columns = found["columns"]
    theirs = dict(zip(zip(columns["scheme"], columns["epsilon"], strict=True), columns["mean"], strict=True))
    ours = page.table().set_index(["scheme", "epsilon"])["mean"].to_dict()
    without = {
        at: mean for at, mean in ours.items() if not is_private(at[0])
    }  # The noise of others is drawn anew.
    assert {at: theirs[at] for at in without} == pytest.approx(without) and set(ours) == set(theirs)
    assert f"&#x27;{last}&#x27;" in page.shown.headline
    assert len(dots(page, "cape")[0]) == len(plan.source.features)  # Coefficients, no records.
    page.model.dots = True
    assert len(dots(page, "cape")[0]) == 260
    page.set({"labels": True, "response": 3})
    assert "weight_kg" in page.shown.headline and "weight_kg" not in page.plan.source.features
    assert page.plan.measure == "auc" and set(judged(page.plan).moments.target) == {0.0, 1.0}
    page.model.axis = "samples"
    assert "are given" in page.state.problem
    page.set({"data": "linear", "axis": "epsilon"})
    assert "response" in page.state.absent


def test_nothing_of_ones_own_table_stays(page):
    page.own_table.data.take_sample()
    page.own_table.data.use()
    assert page.own_table.problems
    page.own_table.end()
    assert page.plan is None and page.results is None and page.shown is None
    assert not page.own_table.problems and page.model.own_table is None


@pytest.mark.parametrize("data", ["linear", "diabetes", "breast_cancer"])
def test_bounds_that_were_read_off_the_records_are_said_in_the_sentence(data):
    page = RegressionPage(Controls())
    page.set({"data": data, "sites": 3})
    plan = page.model.plan()
    noted = [one for one in unprotected(page, plan) if one.kind == "ranges"]
    assert bool(noted) == bool(plan.source.note)
    assert guaranteed(page, plan).sentence.startswith("Not covered:") == bool(noted)


def test_bounds_computed_from_ones_own_table_are_said_in_the_sentence():
    page = RegressionPage(Controls())
    page.own_table.data.take_sample()
    page.own_table.data.use()
    assert "Not covered" not in guaranteed(page, page.model.plan()).sentence
    page.own_table.data.take_draft(page.own_table.data.draft.cleared())
    page.own_table.data.take_from_data()
    page.own_table.data.use()
    assert guaranteed(page, page.model.plan()).sentence.startswith("Not covered:")
    page.own_table.end()

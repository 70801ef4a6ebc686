"""Clusters on *Compare*: recovery errors, noise and δ against core, where crosses stand, and one's own table."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from compared import ClustersPage, cost, record
from pictures import Shared, drawn, finished

from core import Privacy, decomposition, metrics, sweep
from core.privacy import gdp_delta, gdp_mu
from core.schemes import OFFERED, SCHEMES
from dashboard.algorithms.clusters.comparison import CLUSTERS
from dashboard.algorithms.clusters.model import AXES, ClustersModel, spot
from dashboard.compare.store import Results
from dashboard.compare.view import seen
from dashboard.own_table.description import Choice
from dashboard.problems.components import load
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

EPSILONS = (0.01, 10.0)
SHOWN = {method for method in decomposition.METHODS if method not in SCHEMES or method in OFFERED}
SETTINGS = (
    {"model": "topics", "epsilon": 3.0, "share": 0.3},
    {"model": "gaussians", "sites": 6, "adversary": "aggregator", "dimension": 20},
    {"model": "gaussians", "calibration": "published", "samples": 2000},
)


def made():
    page = ClustersPage(Controls(repeats=2, sites=3, k=3, delta=1e-2, samples=1000))
    page.set({"model": "topics", "dimension": 10})
    return finished(page)


SHARED = Shared(made)


@pytest.fixture
def page(monkeypatch):
    short = {
        "epsilon": EPSILONS,
        "delta": (1e-6, 1e-2),
        "sites": (2, 5),
        "samples": (200, 2000),
        "share": (0.05, 0.4, 0.95),
    }
    for axis, values in short.items():
        monkeypatch.setitem(AXES, axis, replace(AXES[axis], values=values))
    with SHARED.lent() as page:
        yield page


@pytest.mark.parametrize("settings", SETTINGS)
def test_errors_noise_and_delta_equal_core_called_by_hand(page, settings):
    page.set(settings)
    here, observed = page.plan.here, seen(CLUSTERS, page.plan)
    sites, components, _ = load(here)
    if here["model"] == "gaussians":
        components = components / np.linalg.norm(components, axis=1, keepdims=True)
    options = decomposition.PUBLISHED if "calibration" in settings else {}
    terms = {name: here[name] for name in ("against", "colluding") if name in here}
    for scheme in ("cape", "conventional", "local", "pooled"):
        found = [
            decomposition.fit(
                sites, here["k"], model=here["model"], scheme=scheme, rng=job.rng, vocabulary=here["dimension"],
                privacy=Privacy(here["epsilon"], here["delta"]), **options | {"share": here["share"]} | terms,
            )
            for job in page.plan.jobs_here(scheme)
        ]  # fmt: skip
        spot = page.results.spots[scheme]
        errors = [metrics.matched_error(components, one.components) for one in found]
        assert spot.figures["matched"] == pytest.approx(np.mean(errors), rel=1e-9)
        one, said = found[0], observed[scheme]
        assert said.std == pytest.approx(float(np.max(one.second.std)), rel=1e-6)
        assert said.public == pytest.approx(one.mu_public, rel=1e-6)
        assert said.message == pytest.approx(one.mu_message, rel=1e-6)
        assert said.aggregator == pytest.approx(one.mu_aggregator, rel=1e-6)


def test_every_method_is_drawn_along_epsilon_and_noise_costs_accuracy(page):
    curves = drawn(page)
    assert set(curves) == SHOWN
    assert curves["cape"]["mean"][-1] < curves["cape"]["mean"][0]
    assert curves["nonprivate"]["mean"][0] < curves["random"]["mean"][0]


def test_another_measure_is_of_the_same_runs(page):
    matched = drawn(page)["local"]["mean"]
    page.press("measure", 1)
    nearest = drawn(page)["local"]["mean"]
    assert page.plan.measure == "error" and page.runs.total == 0
    assert all(a <= b + 1e-12 for a, b in zip(nearest, matched, strict=True))
    page.press("measure", 2)
    assert drawn(page)["local"]["mean"] != nearest and page.runs.total == 0


@pytest.mark.parametrize("axis", ("samples", "sites", "delta"))
def test_the_curve_runs_along_other_settings(page, axis):
    page.press("axis", list(AXES).index(axis))
    points = drawn(page)["cape"]
    assert page.runs.state == "finished" and len(points["x"]) >= 2 and points["x"] == sorted(points["x"])


def test_the_best_share_of_every_scheme_is_told(page):
    page.press("axis", list(AXES).index("share"))
    best = {m: c["x"][int(np.argmin(c["mean"]))] for m, c in drawn(page).items()}
    told = page.shown.sections["curve_words"]
    assert f"<b>{number_text(best['cape'])}</b> (CAPE)" in told
    page.set({"schemes": ["nonprivate"], "model": "gaussians"})
    assert "(AVN)" in page.shown.sections["curve_words"]


def _shown(svg):
    """What one square shows: places of rings, crosses and the circles, and which circles are solid."""
    rings = re.findall(r"class='ring' cx='(\d+)' cy='(\d+)'", svg)
    marks = re.findall(r"class='cross' d='M(\d+) (\d+)h(\d+)", svg)
    near = re.findall(r"class='near( hit)?' cx='\d+' cy='\d+' r='(\d+)'", svg)
    places = [(int(x) + int(w) // 2, int(y)) for x, y, w in marks]
    return (
        np.array(rings, dtype=int),
        np.array(places),
        np.array([int(r) for _, r in near]),
        [bool(h) for h, _ in near],
    )


@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("epsilon", [0.04, 5.0])
def test_a_cross_is_in_a_circle_exactly_if_its_centre_is_found(k, epsilon):
    """Always so, not by chance: for every seed."""
    controls = Controls(repeats=1, sites=3, k=k, epsilon=epsilon, samples=500)
    controls.schemes = ["nonprivate", "cape", "conventional", "local"]
    model, hits = ClustersModel(controls), 0
    for seed in (1, 2):
        controls.noise_seed = seed
        plan = model.plan()
        results = Results(plan, {m: spot(plan, m) for m in plan.shown})
        svgs = CLUSTERS.result.draw(plan, results).split("<svg")[1:]
        assert len(svgs) == len(plan.shown) == 6
        for method, svg in zip(plan.shown, svgs, strict=True):
            rings, crosses, near, hit = _shown(svg)
            inside = np.linalg.norm(crosses[:, None] - rings, axis=2) < near
            np.testing.assert_array_equal(inside, np.diag(hit), err_msg=f"{method}, seed {seed}")
            assert f"{sum(hit)} of {k} found" in svg
            hits += sum(hit)
    assert hits > 0


@pytest.mark.usefixtures("page")  # With its short axes.
def test_the_first_picture_draws_typical_releases():
    """Of five releases those that find as many centres as are found on average."""
    page = ClustersPage(Controls())
    page.set(dict(page.opens))
    finished(page)
    svgs = dict(zip(page.plan.shown, page.shown.sections["result"].split("<svg")[1:], strict=True))
    for method, svg in svgs.items():
        assert abs(sum(_shown(svg)[3]) - page.results.spots[method].figures["found"]) <= 0.5
    assert _shown(svgs["cape"])[3] == [True] * 3 and _shown(svgs["conventional"])[3] == [False, True, True]
    assert "CAPE finds 3 of 3" in re.sub(r"<[^>]*>", "", page.shown.headline).replace("\u00a0", " ")
    assert "1/30" in page.shown.sections["curve_words"]
    assert any("nearest to" in point for point in page.shown.guarantee.not_private)


def test_documents_are_sorted_and_longer_ones_are_other_records(page):
    assert (
        page.shown.sections["result"].count("sorted right") >= len(SHOWN)
        and "class='near" not in page.shown.sections["result"]
    )
    topics = page.results.spots["cape"].figures["matched"]
    page.model.length = 10
    assert page.results.spots["cape"].figures["matched"] != topics


def test_the_play_knows_who_found_all(page):
    page.set({"model": "gaussians", "epsilon": 10.0, "samples": 5000})
    who = record(page).reached(page.plan, page.results).who
    found = {m: page.results.spots[m].figures["found"] == 3 for m in ("cape", "conventional", "local")}
    assert list(who.values()) == list(found.values()) and who["CAPE"]
    page.set({"model": "topics"})
    assert record(page).reached(page.plan, page.results) is None


def test_bad_settings_are_said_and_the_last_picture_stays(page):
    last = page.shown.sections["result"]
    page.controls.k = 11
    assert "at most 10" in page.state.problem and page.shown.sections["result"] == last
    page.controls.k = 3
    assert page.state.problem == ""
    page.set({"samples": 100_000, "sites": 50, "length": 30})
    assert "· Nₛ · words must" in page.state.problem


def test_the_guarantee_is_that_of_both_releases_together(page):
    demand = Privacy(1.0, 0.01)
    truth = sweep.statistics(page.plan.problem, page.plan.here)
    for calibration, options in (("exact", {}), ("published", decomposition.PUBLISHED)):
        page.controls.calibration = calibration
        found = decomposition.fit(
            truth.moments, 3, scheme="cape", privacy=demand, rng=np.random.default_rng(1), **options
        )
        row = {row.scheme: row for row in page.shown.guarantee.exposures}["cape"]
        assert row.public == pytest.approx(gdp_delta(1.0, found.mu_public), rel=1e-5)
        assert row.aggregator == pytest.approx(gdp_delta(1.0, found.mu_aggregator), rel=1e-5)
    # Halved ε and δ with the classical formula spend far less than the demand.
    assert found.mu_public < gdp_mu(demand)


def test_avn_claims_the_delta_that_its_noise_keeps(page):
    """At 5 of ε = 10 the classical formula with a sensitivity √2 too small misses δ = 0.01 by far."""
    page.set({"model": "gaussians", "epsilon": 10.0, "calibration": "published"})
    truth = sweep.statistics(page.plan.problem, page.plan.here)
    found = decomposition.fit(
        truth.moments, 3, model="gaussians", scheme="avn", privacy=Privacy(10.0, 0.01),
        rng=np.random.default_rng(1), **decomposition.PUBLISHED,
    )  # fmt: skip
    moved = np.sqrt(2) / sum(m.samples for m in truth.moments)
    kept = float(gdp_delta(5.0, moved / np.max(found.second.std)))
    assert kept > 0.02
    assert f"δ\u00a0=\u00a0{number_text(kept, way='up')})" in page.shown.guarantee.sentence
    assert cost(page, page.plan.job_here("avn")).pure == pytest.approx(5.0)


def test_records_depend_on_the_data_seed_alone():
    settings = {
        "model": "topics", "dimension": 10, "length": 3, "sites": 2, "samples": 50, "k": 3, "data_seed": 4,
    }  # fmt: skip
    (one, topics, weights), (other, *_) = load(settings), load(settings)
    np.testing.assert_array_equal(one[1].words, other[1].words)
    assert topics.shape == (3, 10) and weights.sum() == pytest.approx(1)
    np.testing.assert_array_equal(load({**settings, "samples": 70})[1], topics)


CENTRES = np.array([[3.0, 0.0, 0.0, 0.5], [0.0, 3.0, 0.5, 0.0]])


@pytest.fixture
def own(monkeypatch, tmp_path):
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.1, 10.0)))
    monkeypatch.chdir(tmp_path)
    controls = Controls(repeats=2, sites=3, k=2, delta=1e-2, samples=200)
    controls.schemes = ["nonprivate", "cape"]
    page = ClustersPage(controls)
    page.model.param.update(random=False, avn=False)
    page.content()
    return page


def with_table(page, tmp_path, *, site_column=None, k=2, public=True, **values):
    rng = np.random.default_rng(3)
    rows = CENTRES[rng.integers(2, size=900)] + 0.3 * rng.standard_normal((900, 4))
    body = [",".join(f"{v:.4f}" for v in row) + f",{'xyyzz'[i % 5]}" for i, row in enumerate(rows)]
    content = "\n".join(["a,b,<i>c</i>,d,home", *body]).encode()
    (tmp_path / "mix <b>$.csv").write_bytes(content)
    table = upload.read(content, "mix <b>$.csv")
    names = ("a", "b", "<i>c</i>", "d")
    columns = [Column(name, lower=-5.0, upper=5.0, public=public) for name in names]
    described = Description((*columns, Column("home", "category", used=False)), site_column or "")
    page.own_table.data.chosen = Choice("mix <b>$.csv", described)
    page.set({"k": k, **values})
    page.own_table.data.used = described_table(table, described)
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page.plan


def test_own_centres_without_noise_are_the_clusters_and_noise_moves_them(own, tmp_path):
    plan = with_table(own, tmp_path)
    truth = sweep.statistics(plan.problem, plan.here).components
    wanted = CENTRES / np.linalg.norm(CENTRES, axis=1, keepdims=True)
    assert np.abs(truth @ wanted.T).max(axis=1) == pytest.approx(1, abs=0.02)
    assert own.results.spots["nonprivate"].figures["matched"] == pytest.approx(0, abs=1e-9)
    means = own.table().set_index(["scheme", "epsilon"])["mean"]
    assert means["cape", 0.1] > 2 * means["cape", 10.0] > 0
    assert {"dimension", "length"} <= set(own.state.absent) and "deviation" not in own.state.absent
    assert "class='dot'" not in own.shown.sections["result"] and "&lt;b&gt;" in own.shown.headline


def test_noise_and_delta_of_an_own_table_equal_core(own, tmp_path):
    plan = with_table(own, tmp_path, deviation=0.06)
    truth = sweep.statistics(plan.problem, plan.here)
    found = decomposition.fit(
        truth.moments, 2, model="gaussians", scheme="cape", privacy=Privacy(1.0, 1e-2),
        rng=np.random.default_rng(1),
    )  # fmt: skip
    said = seen(CLUSTERS, plan)["cape"]
    assert said.std == pytest.approx(float(np.max(found.second.std)), rel=1e-6)
    assert said.aggregator == pytest.approx(found.mu_aggregator, rel=1e-6)


def test_sites_of_unequal_size_come_from_the_column(own, tmp_path):
    plan = with_table(own, tmp_path, site_column="home", axis="samples")
    assert own.model.axis == "epsilon"
    assert sorted(plan.here["samples"]) == [180, 360, 360] and plan.here["sites"] == 3
    own.model.axis = "sites"
    assert "their records" in own.state.problem


def test_only_public_bounds_and_a_public_spread_are_covered(own, tmp_path):
    with_table(own, tmp_path)
    assert own.shown.guarantee.sentence.startswith("Not covered")
    assert any("σ², taken from" in point for point in own.shown.guarantee.not_private)
    own.model.deviation = 0.06
    assert not own.shown.guarantee.sentence.startswith("Not covered")


def test_the_script_reads_the_file_and_gives_the_same_numbers(own, tmp_path):
    with_table(own, tmp_path)
    source, scope = own.script(), {"__name__": "copied"}
    exec(compile(source, "copied", "exec"), scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = own.table().set_index(["scheme", "epsilon"])["mean"]
    assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12, abs=1e-12)


def test_too_many_own_centres_are_refused_in_words(own, tmp_path):
    with_table(own, tmp_path)
    own.controls.k = 5
    assert "at most 4" in own.state.problem
    own.model.deviation = 1.0
    own.controls.k = 2
    assert "show 2 components" in own.runs.message


def test_nothing_of_the_table_stays_when_it_is_forgotten(own, tmp_path):
    plan = with_table(own, tmp_path)
    held = sweep.statistics(plan.problem, plan.here)
    own.own_table.data.used = None
    assert own.plan.own is None and own.plan.problem != plan.problem
    assert sweep.statistics(plan.problem, plan.here) is not held
    sweep.forget(plan.problem)

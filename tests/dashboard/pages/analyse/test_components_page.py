"""The Components page without a browser: what it computes, keeps, and refuses in words."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pictures import drawn, finished

from core import Privacy, decomposition, sweep
from core.privacy import gdp_delta, gdp_mu
from core.schemes import OFFERED, SCHEMES
from dashboard.pages.analyse.components import leak as leaks
from dashboard.pages.analyse.components.clusters import clusters
from dashboard.pages.analyse.components.leak import leak
from dashboard.pages.analyse.components.model import AXES, WIDTHS, ComponentsModel, spot
from dashboard.pages.analyse.components.page import ComponentsPage
from dashboard.problems.components import load
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS, pictured

EPSILONS = (0.01, 10.0)
SHOWN = {method for method in decomposition.METHODS if method not in SCHEMES or method in OFFERED}


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
    controls = Controls()
    controls.param.update(repeats=2, sites=3, k=3, delta=1e-2, samples=1000)
    page = ComponentsPage(controls)
    page.set({"model": "topics", "dimension": 10})
    return finished(page)


def test_every_method_is_drawn_along_epsilon(page):
    curves = drawn(page)
    assert set(curves) == SHOWN
    assert all(len(curve["x"]) == len(EPSILONS) for curve in curves.values())
    assert curves["cape"]["mean"][-1] < curves["cape"]["mean"][0]
    assert curves["nonprivate"]["mean"][0] < curves["random"]["mean"][0]


def test_heat_maps_slices_and_spectrum_stand_beside_the_curve(page):
    spots = page.sweep.spots
    assert len(page.details._components._source.data["image"]) == 1 + len(spots)
    assert len(page.details._slices._source.data["image"]) == sum(len(s.tensor) for s in spots.values())
    plain = spots["nonprivate"]
    diagonal = np.einsum("iii->i", plain.tensor)
    assert (plain.tensor**2).sum() == pytest.approx((diagonal**2).sum(), rel=0.1)
    assert plain.edge == 0 and spots["cape"].edge > 0
    assert page.details._spectra["cape"][1].data["value"][0] == spots["cape"].edge
    for words in ("3 of 3", "matched error"):
        assert words in page.details._table.object


@pytest.mark.parametrize("model", ["gaussians", "topics"])
def test_crosses_stand_where_a_scheme_finds_what_the_rings_mark(page, model):
    page.set({"model": model})
    state, known = page.panels.state, page.sweep.spots["cape"]
    panels = {panel["name"]: panel for panel in state["panels"]}
    assert set(panels) == {"nonprivate", "cape", "conventional", "local"} & SHOWN
    rings = np.array(state["rings"])
    assert rings.min(axis=1) + rings.max(axis=1) == pytest.approx(1000, abs=2), "the rings are in the middle"
    middle = rings.mean(axis=1, keepdims=True)
    rings, found = rings - middle, np.array(panels["cape"]["found"]) - middle
    # True components stand on a circle, evenly, the first at the top.
    np.testing.assert_allclose(np.linalg.norm(rings, axis=0), -rings[1, 0], atol=1.5)
    np.testing.assert_allclose(rings.sum(axis=1), 0, atol=2)
    back = np.linalg.pinv(known.true) @ (rings.T / -rings[1, 0])
    plane = known.components @ back
    near = np.arange(3)
    if model == "gaussians":  # Half way to the next one is 1/√2: the true ones are orthogonal.
        way, miss = (
            plane - rings.T / -rings[1, 0],
            np.linalg.norm(known.true - known.components, axis=1),
        )
        plane = rings.T / -rings[1, 0] + way * (1.5**0.5 * miss / np.linalg.norm(way, axis=1))[:, None]
        near = np.flatnonzero(miss < 0.5**0.5)  # The others are outside of all circles.
    np.testing.assert_allclose(found.T[near] / -rings[1, 0], plane[near], atol=0.03)
    dots, groups = np.array(panels["nonprivate"]["dots"]) - middle, np.array(panels["nonprivate"]["groups"])
    assert 150 < len(groups) <= 320
    true = page.sweep.spots["nonprivate"].sorted.groups
    many = np.bincount(true, minlength=3)
    assert 1 < 15 * many[0] < many.max(), "the smallest has 1/30 of the records of the largest"
    for i in set(groups) - {-1}:
        assert np.argmax(rings.T @ dots[:, groups == i].mean(axis=1)) == i
    verdict = panels["cape"]["verdict"]
    if model == "topics":
        assert verdict.split()[0] in page.said.words and panels["cape"]["right"] == []
        return
    count = verdict.removesuffix(" on average")
    assert f"CAPE finds on average <b>{count}</b> centres" in page.said.words.replace("\u00a0", " ")
    counts = [job.run()["found"] for job in page.plan.jobs_here("cape")]
    assert count == f"{np.mean(counts):.2g} of 3" and len(counts) == 2
    page.controls.repeats = 1
    count = next(p["verdict"] for p in page.panels.state["panels"] if p["name"] == "cape").removesuffix(
        " found"
    )
    assert f"CAPE finds <b>{count}</b> centres in this release" in page.said.words.replace("\u00a0", " ")
    panels = {panel["name"]: panel for panel in page.panels.state["panels"]}
    # The true centres are orthogonal: half way to the next one is 1/√2.
    near = np.linalg.norm(known.true - known.components, axis=1) < 0.5**0.5
    assert count == f"{near.sum()} of 3" and panels["cape"]["right"] == list(np.flatnonzero(near))


@pytest.mark.parametrize("k", [1, 2, 3, 10])
@pytest.mark.parametrize("epsilon", [0.04, 0.5, 5.0])
def test_a_cross_is_in_a_circle_exactly_if_its_centre_is_found(k, epsilon):
    """Always so, not by chance: for every seed."""
    controls = Controls()
    controls.param.update(repeats=1, sites=3, k=k, epsilon=epsilon, samples=500)
    model, hits = ComponentsModel(controls), 0
    for seed in range(1, 9):
        controls.noise_seed = seed
        plan = model.plan()
        state = clusters(
            plan, {m: spot(plan, m) for m in ("nonprivate", "cape", "conventional", "local")}
        ).state
        for panel in state["panels"]:
            found, rings = np.array(panel["found"]).T, np.array(state["rings"]).T
            inside = np.linalg.norm(found[:, None] - rings, axis=2) < np.array(state["near"])
            right = np.isin(np.arange(k), panel["right"])
            np.testing.assert_array_equal(inside, np.diag(right), err_msg=f"{panel['name']}, seed {seed}")
            assert panel["verdict"].startswith(f"{right.sum()} of {k}")
            assert set(panel["groups"]) - {-1} <= {i % 8 for i in np.flatnonzero(right)}, "others are grey"
            hits += right.sum()
    assert hits > 0


def test_the_first_picture_draws_typical_releases_and_names_the_cluster_that_is_lost():
    """Of five releases those that find as many centres as the heads say on average."""
    page = ComponentsPage(Controls())
    page.set(dict(page.opens))
    finished(page)
    panels = {panel["name"]: panel for panel in page.panels.state["panels"]}
    for panel in panels.values():
        mean = float(panel["verdict"].split()[0])
        assert abs(len(panel["right"]) - mean) <= 0.5
    assert panels["cape"]["right"] == [0, 1, 2] and panels["conventional"]["right"] == [1, 2]
    said = page.said.words.replace("\u00a0", " ")
    assert (
        "CAPE finds on average <b>3 of 3</b> centres, the conventional scheme <b>2 of 3</b> (not the smallest),"
        in said
    )
    below = page._bands.text  # Below the curve: the first screen has one grey line.
    assert "The smallest cluster has 1/30 of the points of the largest." in below and "1/30" not in said
    groups = np.bincount(panels["nonprivate"]["groups"])
    assert groups[0] == groups.min() and groups.max() > 20 * groups[0]
    assert any("nearest to the mean" in point for point in page.said.guarantee.not_private)


def test_the_legend_says_how_many_dimensions_are_drawn_in_two(page):
    page.set({"model": "gaussians", "dimension": 20})
    assert page.panels.state["told"][0] == "● point: 20 dimensions, drawn in 2"
    page.set({"dimension": 10})
    assert page.panels.state["told"][0] == "● point: 10 dimensions, drawn in 2"


def test_the_sentence_changes_with_the_panels_and_says_for_whom_its_epsilon_holds(page):
    page.said.words = "of the settings before"
    page.show(page.picture)
    panels = {panel["name"]: panel["verdict"] for panel in page.panels.state["panels"]}
    for name in ("cape", "conventional"):
        assert f"<b>{panels[name].removesuffix(' sorted right')}</b>" in page.said.words.replace(
            "\u00a0", " "
        )
    assert "if only the result or one message is seen, CAPE" in page.said.words
    page.set({"adversary": "aggregator"})
    assert "even if all messages are seen, CAPE" in page.said.words
    page.set({"adversary": "message", "calibration": "published"})
    assert "At a nominal ε = 1, as published, if only the result" in page.said.words.replace("\u00a0", " ")


@pytest.mark.parametrize(("measure", "factor"), [("matched", 100), ("error", 1)])
def test_below_the_curve_stand_its_means(page, measure, factor):
    page.set({"model": "gaussians", "measure": measure, "epsilon": 10.0})
    said = page._bands.text.replace("\u00a0", " ")
    assert "On average over 2 releases, " in said
    assert "Means of 2 releases; + and ✓ are of those nearest to them." in page.said.words
    numbers = re.search(r" ([\d.]+)(?: %)? \(CAPE\), ([\d.]+)(?: %)? \(conventional", said).groups()
    for name, number in zip(("cape", "conventional"), numbers, strict=True):
        assert float(number) == pytest.approx(factor * drawn(page)[name]["mean"][-1], rel=0.05)


def test_moving_epsilon_keeps_the_curve_and_fits_anew(page):
    before, spot = drawn(page)["cape"], page.sweep.spots["cape"].figures
    page.controls.epsilon = 0.01
    assert drawn(page)["cape"] == before
    assert page.runs.total == 1 + len(SHOWN - set(pictured(SHOWN)))  # What the panels show is one job.
    assert page.sweep.spots["cape"].figures != spot


def test_moving_epsilon_draws_no_records_again(page, monkeypatch):
    drawn_anew, original = [], leaks.synthetic.single_topic

    def watched(samples, **law):
        drawn_anew.append(samples)
        return original(samples, **law)

    monkeypatch.setattr(leaks.synthetic, "single_topic", watched)
    page.controls.epsilon = 0.3
    page.controls.noise_seed = 5
    assert page.runs.state == "finished", page.runs.message
    assert set(drawn_anew) <= {400}  # The small corpus of the leak.


def test_the_error_can_be_that_of_the_paper_or_of_the_weights(page):
    matched = drawn(page)["local"]["mean"]
    page.model.measure = "error"
    nearest = drawn(page)["local"]["mean"]
    assert all(a <= b + 1e-12 for a, b in zip(nearest, matched, strict=True))
    page.model.measure = "weights"
    assert drawn(page)["local"]["mean"] != nearest
    assert page.runs.total == 0  # Another measure of the same runs and fits: nothing is computed again.


@pytest.mark.parametrize("axis", ("samples", "sites", "delta"))
def test_the_curve_runs_along_other_settings(page, axis):
    page.model.axis = axis
    points = drawn(page)["cape"]
    assert len(points["x"]) >= 2
    assert points["x"] == sorted(points["x"])
    assert page.runs.state == "finished"


def test_the_best_share_is_ringed_and_named(page):
    page.model.axis = "share"
    rings, curves = page.rings.data, drawn(page)
    best = {LOOKS[m].colour: (c["x"][int(np.argmin(c["mean"]))], min(c["mean"])) for m, c in curves.items()}
    found = dict(zip(rings["colour"], zip(rings["x"], rings["y"], strict=True), strict=True))
    unringed = {LOOKS[m].colour for m in ("nonprivate", "random")}
    assert found == {colour: at for colour, at in best.items() if colour not in unringed}
    assert "share" in page.said.words
    page.set({"schemes": ["nonprivate"], "model": "gaussians"})
    assert "(vector noise)" in page.said.words
    page.set({"schemes": list(OFFERED), "model": "topics"})
    page.model.axis = "epsilon"
    assert list(page.rings.data["x"]) == []


def test_gaussians_and_longer_documents_are_other_records(page):
    topics = page.sweep.spots["cape"].figures["matched"]
    page.model.length = 10
    assert page.sweep.spots["cape"].figures["matched"] != topics
    page.model.model = "gaussians"
    assert page.runs.state == "finished", page.runs.message
    np.testing.assert_allclose(np.linalg.norm(page.sweep.spots["cape"].components, axis=1), 1)
    assert any("exceeded the bound" in point for point in page.said.guarantee.not_private)


def test_bad_settings_are_said_and_the_last_picture_stays(page):
    before = drawn(page)
    page.controls.k = 11
    assert "k must be at most 10" in page.said.problem
    assert drawn(page) == before
    page.controls.k = 3
    assert page.said.problem == ""
    page.set({"samples": 100_000, "sites": 50, "length": 30})
    assert "S · Nₛ · words must be at most" in page.said.problem


def test_the_script_gives_the_numbers_of_the_table(page):
    scope = {}
    exec(page.script(), scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12)


def test_the_guarantee_is_that_of_both_releases_together(page):
    page.model.axis = "delta"  # The present point stays at δ = 0.01.
    exact = {row.scheme: row for row in page.said.guarantee.exposures}
    assert exact["pooled"].public == pytest.approx(0.01, rel=1e-6)
    demand = Privacy(1.0, 0.01)
    truth = sweep.statistics(page.plan.problem, page.plan.here)
    for published in (False, True):
        page.controls.calibration = "published" if published else "exact"
        options = decomposition.PUBLISHED if published else {}
        found = decomposition.fit(
            truth.moments, 3, scheme="cape", privacy=demand, rng=np.random.default_rng(1), **options
        )
        row = {row.scheme: row for row in page.said.guarantee.exposures}["cape"]
        assert row.public == pytest.approx(gdp_delta(1.0, found.mu_public), rel=1e-5)
        assert row.aggregator == pytest.approx(gdp_delta(1.0, found.mu_aggregator), rel=1e-5)
    # Halved ε and δ with the classical formula spend far less than the demand.
    assert found.mu_public < gdp_mu(demand)


def test_avn_claims_the_delta_that_its_noise_keeps(page):
    """At 5 of ε = 10 the classical formula with a sensitivity √2 too small misses δ = 0.01 by far."""
    page.set({"model": "gaussians", "epsilon": 10.0})
    assert "Vector noise: (ε\u00a0=\u00a010, δ\u00a0=\u00a00.01)" in page.said.guarantee.sentence
    page.controls.calibration = "published"
    plan = page.plan
    truth = sweep.statistics(plan.problem, plan.here)
    found = decomposition.fit(
        truth.moments, 3, model="gaussians", scheme="avn", privacy=Privacy(10.0, 0.01),
        rng=np.random.default_rng(1), **decomposition.PUBLISHED,
    )  # fmt: skip
    moved = np.sqrt(2) / sum(m.samples for m in truth.moments)
    kept = float(gdp_delta(5.0, moved / np.max(found.second.std)))
    assert kept > 0.02
    assert f"δ\u00a0=\u00a0{number_text(kept)}), but one curator" in page.said.guarantee.sentence


def test_published_gaussians_count_the_sensitivity_they_take_too_small(page):
    page.set({"model": "gaussians", "calibration": "published"})
    plan = page.plan
    truth = sweep.statistics(plan.problem, plan.here)
    found = decomposition.fit(
        truth.moments, 3, model="gaussians", scheme="cape", privacy=Privacy(1.0, 0.01),
        rng=np.random.default_rng(1), **decomposition.PUBLISHED,
    )  # fmt: skip
    row = {row.scheme: row for row in page.said.guarantee.exposures}["cape"]
    assert row.public == pytest.approx(gdp_delta(1.0, found.mu_public), rel=1e-5)


def test_the_leak_shows_whole_numbers_where_each_entry_drowns(page):
    found = leak(0.01, 1e-5, data_seed=1, noise_seed=1)
    gap = found.upper - found.lower
    assert len(gap) == 45 and found.std > 300
    assert np.abs(gap - np.round(gap)).max() < 1e-6
    assert np.abs(gap).max() >= 1
    assert np.abs(found.fresh - np.round(found.fresh)).mean() > 0.1
    tokens = leaks.synthetic.single_topic(
        400, dimension=10, components=3, rng=np.random.default_rng(1)
    ).tokens
    i, j = found.pairs[int(np.abs(gap).argmax())]
    ahead = ((tokens[:, 0] == i) & (tokens[:, 1] == j)).sum() - (
        (tokens[:, 0] == j) & (tokens[:, 1] == i)
    ).sum()
    assert round(gap[int(np.abs(gap).argmax())]) == ahead
    assert "whole numbers" in page.details._sentence.object


def test_what_is_sent_is_drawn_for_every_width(page):
    lines = page.details._lines_sent
    assert list(lines["published"].data["d"]) == list(WIDTHS)
    assert lines["projected"].data["sent"][-1] < lines["published"].data["sent"][-1] / 1000


def test_every_preset_shows_its_picture(page):
    for preset in page.presets:
        page.set({**preset.values, "repeats": 1, "samples": 500})
        assert page.runs.state == "finished", (preset.name, page.runs.message)
        assert page.said.problem == "" and page.said.guarantee is not None


def test_records_depend_on_the_data_seed_alone():
    settings = {
        "model": "topics", "dimension": 10, "length": 3, "sites": 2, "samples": 50, "k": 3, "data_seed": 4,
    }  # fmt: skip
    (one, topics, weights), (other, *_) = load(settings), load(settings)
    np.testing.assert_array_equal(one[1].words, other[1].words)
    assert topics.shape == (3, 10) and weights.sum() == pytest.approx(1)
    assert len(load({**settings, "samples": 70})[1]) == 3
    np.testing.assert_array_equal(load({**settings, "samples": 70})[1], topics)


def test_while_the_first_fits_come_the_text_says_what_it_said_and_other_records_keep_pale_pictures(
    page, monkeypatch
):
    said = page.said.words
    monkeypatch.setattr(type(page.runs), "start", lambda self, jobs, *, paint: None)
    told, parts = page._bands.text, page.more().objects[-2:]
    page.controls.epsilon = 0.5
    assert page.said.words == said and page.panels.state["panels"][0]["found"][0]
    assert page._bands.text == told, "the means of the settings before stand"
    assert all("0.3" in part.styles["opacity"] for part in parts), "and are pale, as the table is"
    page.controls.data_seed = 7
    assert "Computing the first centres" in page.said.words and page.said.old
    assert page.panels.state["panels"][0]["found"][0]
    page.set({"schemes": ["cape"]})
    assert [panel["name"] for panel in page.panels.state["panels"]] == ["cape"]

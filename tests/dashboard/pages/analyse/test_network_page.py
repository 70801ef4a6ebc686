"""The Network page without a browser: trainings that are watched, the curve, the budget, stopping at once."""

import math
import re
import threading

import numpy as np
import pandas as pd
import pytest
from pictures import drawn, finished

from core import privacy, sweep
from core.privacy import Privacy
from core.schemes import OFFERED
from dashboard.page import openings
from dashboard.pages.analyse.network import model
from dashboard.pages.analyse.network import page as page_module
from dashboard.pages.analyse.network.model import NetworkModel, Watch, opening
from dashboard.pages.analyse.network.page import NetworkPage
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text, percent_text

EPSILONS = (0.1, 10.0)
SMALL = {"repeats": 2, "sites": 3, "samples": 60}


def _whole(share):
    return percent_text(share, digits=2)


@pytest.fixture
def page(monkeypatch):
    for module in ("page", "model"):
        monkeypatch.setattr(f"dashboard.pages.analyse.network.{module}.EPSILONS", EPSILONS)
    page = NetworkPage(Controls(**SMALL))
    page.model.steps = 12
    return finished(page)


def plan(**values):
    own = {name: values.pop(name) for name in list(values) if name in NetworkModel.own()}
    return NetworkModel(Controls(**{**SMALL, **values}), **{"steps": 12, **own}).plan()


def test_every_scheme_is_trained_to_the_end_and_drawn_along_epsilon(page):
    assert {s: w.step.number for s, w in page.sweep.spots.items()} == dict.fromkeys(page.picture.shown, 12)
    for watched in page.sweep.spots.values():
        source, line = page.details._lines[watched.scheme]
        assert line.visible
        np.testing.assert_allclose(source.data["y"], watched.losses)
    assert all(list(curve["x"]) == list(EPSILONS) for curve in drawn(page).values())
    assert len(set(drawn(page)["nonprivate"]["mean"])) == 1
    # The axis is fixed, but for a training worse than a coin: its point is seen, too.
    least, axis = min(min(curve["mean"]) for curve in drawn(page).values()), page.curve.figure.y_range
    assert axis.end == 101 and axis.start <= min(45, least) and axis.start >= min(45, least - 8)


def test_boundaries_are_pictures_of_the_networks(page):
    boundary = page.details._boundaries["cape"]
    image = boundary._image.data["image"][0]
    expected = page.sweep.spots["cape"].step.network.probability(boundary._cells)
    np.testing.assert_allclose(image.ravel(), expected, atol=1e-6)
    assert image.shape == (70, 70)
    assert boundary.figure.title.text.startswith("CAPE\n")


def test_the_training_is_seen_again_step_by_step(page):
    boundary = page.details._boundaries["cape"]
    end, words = boundary._image.data["image"][0], page.said.words
    assert page.replay.step == 12 and "after" not in words
    page.replay.view.received({"name": "step", "value": 3, "turn": 7})
    assert (
        "after 3 steps" in page.said.words and page.replay.view.answered == 7
    )  # The playing slider goes on.
    assert page.replay.at()["cape"].step.number == 3 and "after 3 of them CAPE is" in page.said.words
    assert len(page.details._lines["cape"][0].data["y"]) == 3
    assert (boundary._image.data["image"][0] != end).any()
    page.replay.step = 12
    assert (boundary._image.data["image"][0] == end).all() and page.said.words == words
    page.model.steps = 47
    assert (
        page.replay.step == 47 and (47 - page.replay.param.step.bounds[0]) % page.replay.param.step.step == 0
    )


def test_what_arrives_unevenly_is_shown_at_one_step_that_all_have_done(page):
    frozen, never = page.plan, threading.Event()
    watch, seen = Watch(frozen), []
    assert page.replay.view.busy == ""
    page.replay.begin(frozen)
    for to in (1, 2, 5, 12):
        for scheme in frozen.shown:
            page.replay.add(scheme, watch.advance(scheme, to, never))
            page.draw(frozen)
            numbers = {one.step.number for one in page.replay.at().values()}
            assert numbers == {page.replay.step} and page.replay.param.step.bounds[1] == 12
            page.replay.step = 12  # Further than the training: the slider goes back to it.
            assert numbers == {page.replay.step}
            end = page.replay.step == 12
            assert end or f"after {page.replay.step} step" in page.said.words
            seen.append(page.replay.step)
            # While the slider follows the training, there is no *Play* beside it.
            assert (page.replay.view.busy == "training …") == (page.replay.step < 12)
    assert seen == sorted(seen) and seen[-1] == 12
    page.replay.begin(frozen)
    page.replay.ended()  # Stopped before its first step.
    assert page.replay.view.busy == "not trained"


def test_before_the_first_step_stands_the_random_network_of_all_schemes():
    page = NetworkPage(Controls(**SMALL))
    page.model.steps = 20
    page.content()
    assert page.begin(page.compute())  # No run has begun.
    plan = page.model.plan()
    held_out = sweep.statistics(plan.problem, plan.here)[1]
    share = _whole(plan.problem.begin(2).accuracy(*held_out))
    assert f"the same random network, right on {share} of unseen records" in page.said.words
    assert page.replay.step == 0 and "one training" not in page.said.words
    # What the server draws of it is in the answer to the request.
    drawn = page.still()
    assert drawn.count("<image") == 4 and drawn.count("not trained yet") == 4
    assert len(set(re.findall('href="([^"]+)"', drawn))) == 1  # All begin with the same network.


def test_the_slider_goes_back_to_the_network_before_the_first_step(page):
    page.model.steps = 20
    trained = page.details._boundaries["cape"]._image.data["image"][0]
    page.replay.step = 0
    assert "Before step 1 all schemes have the same random network" in page.said.words
    assert (page.details._boundaries["cape"]._image.data["image"][0] != trained).any()
    assert not len(page.details._now.data["x"])  # Nothing of the budget is spent.
    assert "not trained yet" in page.details._boundaries["cape"].figure.title.text
    page.replay.step = 20
    assert (page.details._boundaries["cape"]._image.data["image"][0] == trained).all()


def test_a_first_visit_has_trained_networks_nearest_to_the_means_and_can_play_them():
    frozen = NetworkPage(Controls(**SMALL, epsilon=0.2)).compute()
    rows, watched = opening(frozen, threading.Event())
    openings.keep_rows(rows)
    openings.keep(page_module._opening(frozen), lambda: watched)
    page, spent = NetworkPage(Controls(**SMALL, epsilon=0.2)), []
    page.spend = spent.extend
    page.content()
    page.begin(page.compute())  # No run has begun.
    openings.forget()
    drawn, plan = page.still(), page.picture
    assert page.replay.step == plan.steps and page.replay.view.busy == "" and not page.said.pale
    assert drawn.count("right on average") == 3 and len(set(re.findall('href="([^"]+)"', drawn))) == 4
    assert "on average right on <b>" in page.said.words and "those nearest to them" in page.said.words
    shares = [rows[job]["test"] for job in plan.jobs_here("cape")]
    assert min(np.abs(shares - np.mean(shares))) == pytest.approx(
        abs(page.replay.at()["cape"].test - np.mean(shares))
    )
    assert {cost.method for cost in spent} == {"pooled", "cape", "conventional", "local"}
    assert any("which of several releases" in one.words for one in page.unprotected(plan))


def test_a_play_ends_with_the_step_from_which_each_scheme_stays_right(page):
    view, steps = page.replay.view, page.plan.steps
    for turn, step in enumerate((0, 6, steps), start=1):
        view.received({"name": "step", "value": step, "turn": turn, "stop": turn - 1})
        assert page.said.played == ""
    view.received({"name": "step", "value": steps, "turn": 9, "stop": -1})
    said = page.said.played.replace("\u00a0", " ")
    best = max(one.test for one in page.replay.at().values())
    mark = math.floor(20 * (best - 0.025)) / 20
    assert (
        said.startswith("In the play from step ") and f"to step {steps}, at least {100 * mark:g} % of" in said
    )
    right = [one.step.number for one in page.replay.states["cape"] if one.test < mark]
    later = [
        one.step.number for one in page.replay.states["cape"] if one.step.number > max(right, default=-1)
    ]
    if len(later) > 1 and right:
        assert f"CAPE from step {later[0]} on" in said
    # The slider of the training keeps the same places.
    shown = {one["name"]: one["value"] for one in view.marks.get("at", ())}
    assert shown.get("CAPE") == (later[0] if later else None)
    assert not shown or view.marks["what"].startswith(f"{100 * mark:g}\u00a0% right from")
    page.controls.epsilon = 10.0
    assert page.said.played == "" and view.marks == {}


def test_curves_within_their_bands_are_said_to_agree():
    curves = {"cape": (0.7, 0.8, 0.9), "pooled": (0.69, 0.79, 0.92), "local": (0.5, 0.5, 0.6)}
    rows = [
        {"scheme": s, "epsilon": e, "mean": m, "low": m - 0.02, "high": m + 0.02}
        for s, found in curves.items()
        for e, m in zip((0.1, 0.3, 1.0), found, strict=True)
    ]
    means = pd.DataFrame(rows)
    assert page_module._alike(means, "epsilon") == "CAPE and pooled agree within their bands."
    means.loc[means.scheme == "pooled", ["low", "high"]] += 0.1
    assert (
        page_module._alike(means, "epsilon") == "" == page_module._alike(means[means.epsilon < 1], "epsilon")
    )
    assert page_module._alike(None, "epsilon") == ""


def test_heading_and_sentence_judge_on_the_same_records(page):
    page.model.judged_on = "train"
    page.replay.step = 5  # Of one training.
    found = page.replay.at()["cape"]
    assert found.train != found.test
    for text in (page.details._boundaries["cape"].figure.title.text, page.said.words):
        assert _whole(found.train) in text


def test_the_first_preset_is_true_and_is_what_the_page_opens_with():
    first = NetworkPage.presets[0].values
    assert NetworkPage.opens.items() <= first.items()
    page, never, better = NetworkPage(Controls()), threading.Event(), []
    for seed in range(10):  # Fixed seeds.
        page.set(first | {"noise_seed": seed})
        rows = [model.row(page.model.plan().job_here(s), never) for s in ("cape", "conventional")]
        better.append(rows[0]["test"] > rows[1]["test"])
    assert all(better)


def test_the_legend_names_what_is_drawn_and_no_more(page):
    page.controls.schemes = ["nonprivate", "cape"]
    (legend,) = page.figures()[1].legend
    named = [item for item in legend.items if item.visible]
    assert [item.label.value.strip() for item in named] == ["non-private", "CAPE"]
    assert all(line.visible for item in named for line in item.renderers)


def test_wide_records_have_no_boundary_picture(page):
    page.model.data = "breast_cancer"
    assert page.runs.state == "finished", page.runs.message
    assert not page.details.boundaries.visible and not page.details.further.visible
    page.model.data = "rings"
    assert page.details.boundaries.visible and page.details.further.visible


def test_moving_epsilon_trains_anew_and_keeps_the_curve(page):
    before, vector = drawn(page), page.sweep.spots["cape"].step.network.vector
    page.controls.epsilon = 0.1
    assert drawn(page) == before
    assert (page.sweep.spots["cape"].step.network.vector != vector).any()


def test_the_script_leaves_the_numbers_of_the_table(page):
    for values in ({}, {"judged_on": "train", "budget": "step", "calibration": "published"}):
        page.set(values)
        found = {}
        exec(compile(page.script(), "script", "exec"), found)
        columns = found["columns"]
        theirs = dict(
            zip(zip(columns["scheme"], columns["epsilon"], strict=True), columns["mean"], strict=True)
        )
        table = page.table()
        assert len(table) == len(theirs) == 2 * len(OFFERED)
        for s, x, mean in zip(table.scheme, table.epsilon, table["mean"], strict=True):
            assert theirs[s, x] == pytest.approx(mean)


@pytest.mark.parametrize("calibration", ["exact", "published"])
@pytest.mark.parametrize("batches", [1, 3])
def test_what_epsilon_comes_to_is_the_closed_form(calibration, batches):
    asked = Privacy(0.5, 1e-5)
    mu = privacy.gaussian_mu(asked, calibration=calibration)
    step = plan(budget="step", batches=batches, epsilon=0.5, calibration=calibration)
    assert step.total_epsilon(0.5) == pytest.approx(privacy.gdp_epsilon(1e-5, mu * (12 / batches) ** 0.5))
    total = plan(budget="total", batches=batches, epsilon=0.5, calibration=calibration)
    assert total.total_epsilon(0.5) == pytest.approx(privacy.gdp_epsilon(1e-5, mu))
    assert total.step_epsilon(0.5) == pytest.approx(privacy.gdp_epsilon(1e-5, mu / (12 / batches) ** 0.5))


@pytest.mark.parametrize("budget", ["total", "step"])
def test_the_guarantee_is_that_of_all_steps_together(page, budget):
    page.set({"budget": budget, "colluding": 1})
    found = page.said.guarantee
    assert found.sentence.startswith("All 12 steps" if budget == "total" else "Each step has")
    (cape,) = (row for row in found.exposures if row.scheme == "cape")
    step = page.sweep.spots["cape"].step
    for mine, mu in (
        (cape.public, step.mu_public),
        (cape.aggregator, step.mu_aggregator),
        (cape.colluders, step.mu(1)),
    ):
        assert mine == pytest.approx(privacy.gdp_delta(found.nominal.epsilon, mu), rel=1e-5)


def test_stopping_takes_effect_between_two_steps():
    stop, watch = threading.Event(), Watch(plan(steps=500))
    taken = watch.advance("cape", 3, stop).step.number
    stop.set()
    assert watch.advance("cape", 500, stop).step.number == taken == 3
    stop.clear()
    assert watch.advance("cape", 5, stop).step.number == 5
    job = plan(steps=500).jobs[-1]
    assert job.scheme != "nonprivate"
    stop.set()
    assert model.row(job, stop) is None


def test_schemes_are_watched_from_the_same_start():
    frozen, never = plan(learning_rate=0.05, epsilon=10.0, samples=10_000), threading.Event()
    watch = Watch(frozen)
    cape, conventional = (watch.advance(s, 1, never).step.network.vector for s in ("cape", "conventional"))
    assert np.abs(cape - conventional).max() < 0.01


def test_a_diverging_step_size_is_said_and_leaves_the_picture(page):
    before = drawn(page)
    page.set(
        {"epsilon": 0.001, "delta": 1e-12, "learning_rate": 50.0, "clip": 10.0, "samples": 10, "steps": 500}
    )
    assert page.runs.state == "failed"
    assert "learning_rate must be smaller or epsilon larger" in page.runs.message
    assert all(np.isfinite(curve["mean"]).all() for curve in before.values())


def test_what_does_not_fit_is_said_in_words(page):
    page.controls.schemes = []
    assert "choose at least one scheme" in page.said.problem
    page.set({"schemes": ["cape"], "samples": 100_000, "sites": 10, "steps": 500})
    assert "steps times records must be at most" in page.said.problem
    page.set({"samples": 10, "batches": 10, "sites": 50, "data": "breast_cancer"})
    assert "batches must be at most the 7 records a site" in page.said.problem


def test_the_sentence_names_the_observer_and_does_not_praise_chance(page):
    words = page.said.words
    # All messages of CAPE tell more: below, with δ.
    assert "This ε holds if only the released networks, or one message, are seen." in words
    # Later messages depend on earlier averages: what a site sends in all steps is not held to the target.
    promise = page.said.guarantee.sentence
    assert "the released averages alone meet ε" in promise and "so does any single message" in promise
    (cape,) = (row for row in page.said.guarantee.exposures if row.scheme == "cape")
    assert promise.count(at_most_text(cape.message)) == 2 and cape.message == cape.aggregator
    assert "message alone meets" not in promise
    cape, without = (page.sweep.spots[s].test for s in ("cape", "nonprivate"))
    ahead = "ahead of training without privacy"
    assert (ahead in words) == (cape > without and _whole(cape) != _whole(without))
    for seed in (1, 4):  # On average.
        page.set({"noise_seed": seed, "epsilon": 10.0, "adversary": "aggregator"})
        words, means = page.said.words, page.sweep.means.set_index(["scheme", "epsilon"])["mean"]
        assert "against the aggregator, who sees all messages" in words
        cape, without = (_whole(means[s, 10.0] / 100) for s in ("cape", "nonprivate"))
        assert (ahead in words) == (means["cape", 10.0] > means["nonprivate", 10.0] and cape != without)


def test_the_sentence_gives_a_mean_where_the_curve_has_one_and_says_so(page):
    """Bold: the mean of the curve's trainings at this ε and this step; else one training, and that is said."""
    title = page.details._boundaries["cape"].figure.title
    means = page.sweep.means.set_index(["scheme", "epsilon"])["mean"]
    below, above = (max(e for e in EPSILONS if e < 1), min(e for e in EPSILONS if e > 1))
    share = np.log(1 / below) / np.log(above / below)
    mean = (1 - share) * means["cape", below] + share * means["cape", above]
    between = _whole(mean / 100)
    assert f"CAPE is on average right on about <b>{between}</b> of unseen records" in page.said.words
    assert "2 trainings, interpolated between" in page.said.words
    assert title.text == f"CAPE\n≈\u00a0{between} right on average" and title.text_alpha == 1
    page.set({"epsilon": 0.9 * EPSILONS[0]})  # Below the curve nothing is known but one training.
    assert "One training each." in page.said.words
    this = _whole(page.replay.at()["cape"].test)
    assert f"CAPE is right on {this} of unseen records in one training" in page.said.words
    assert title.text == f"CAPE\n{this}, one training" and title.text_alpha == 1
    page.set({"epsilon": 10.0})
    said = {s: _whole(means[s, 10.0] / 100) for s in ("cape", "conventional", "local")}
    assert f"CAPE is on average right on <b>{said['cape']}</b> of unseen records" in page.said.words
    assert f"conventional scheme <b>{said['conventional']}</b>" in page.said.words
    assert f"one site alone (local) {said['local']}." in page.said.words
    assert "Means of 2 trainings; the pictures show those nearest to them." in page.said.words
    assert title.text == f"CAPE\n{said['cape']} right on average"
    page.replay.step = 5
    plan, watched = page.picture, []
    for repeat in range(2):
        trained = plan.problem.training(
            sweep.statistics(plan.problem, plan.here),
            "cape",
            plan.privacy,
            plan.job_here("cape", repeat).rng,
            plan.here,
        )
        network = next(step for step in trained if step.number == 5).network
        watched.append(network.accuracy(*sweep.statistics(plan.problem, plan.here)[1]))
    fifth = _whole(np.mean(watched))
    assert f"for all 12 steps, after 5 of them CAPE is on average right on <b>{fifth}</b>" in page.said.words
    assert (
        "Means of 2 trainings after 5 steps; the pictures show those nearest at the end." in page.said.words
    )
    assert fifth in title.text
    page.model.judged_on = "train"  # Before its end a training is judged on unseen records alone.
    page.replay.step = 5
    assert "<b>" not in page.said.words.split("</p>")[0]  # Only means are bold.
    assert "One training each after 5 steps." in page.said.words and title.text.endswith("one training")
    page.model.judged_on = "test"
    page.model.budget = "step"
    page.replay.step = 5
    assert "for every step, after 5 of 12 CAPE" in page.said.words
    assert "against whoever sees only the result or only one message" in page.said.words
    page.replay.step = 12
    page.set({"schemes": ["pooled"]})
    assert "pooled is on average right on <b>" in page.said.words

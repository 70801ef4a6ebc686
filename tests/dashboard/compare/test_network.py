"""A privately trained network on *Compare*: numbers and borders against core, the step that is shown, the guarantee."""

import base64
import io
import math
import re
import threading

import numpy as np
import pandas as pd
import pytest
from compared import NetworkPage, unprotected
from pictures import Shared, finished
from PIL import Image

from core import privacy, sweep
from core.privacy import Privacy
from core.schemes import OFFERED
from dashboard.algorithms.network import comparison, model
from dashboard.algorithms.network.comparison import NETWORK
from dashboard.algorithms.network.model import AXES, NetworkModel, train
from dashboard.compare.view import seen
from dashboard.state.controls import Controls
from dashboard.state.number_text import percent_text

EPSILONS = (0.1, 1.0)
SMALL = {"repeats": 2, "sites": 3, "samples": 60}
SETTINGS = (
    {"epsilon": 2.0, "batches": 3, "budget": "step"},
    {"adversary": "aggregator", "clip": 0.5},
    {"sites": 6, "adversary": "colluders", "colluding": 2, "budget": "step"},
)


def made():
    page = NetworkPage(Controls(**SMALL))
    page.model.steps = 12
    return finished(page)


SHARED = Shared(made)


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setitem(AXES, "epsilon", model.shared_axis("epsilon", EPSILONS))
    with SHARED.lent() as page:
        yield page


def plan(**values):
    own = {name: values.pop(name) for name in list(values) if name in NetworkModel.own()}
    return NetworkModel(Controls(**{**SMALL, **values}), **{"steps": 12, **own}).plan()


def trained(plan, scheme, repeat=0):
    """All steps of a training, by core called by hand."""
    target = Privacy(plan.here["epsilon"], plan.here["delta"])
    statistics = sweep.statistics(plan.problem, plan.here)
    job = plan.job_here(scheme, repeat)
    return list(plan.problem.training(statistics, scheme, target, job.rng, plan.here))


def tile(page, scheme):
    """The part of the result that is a scheme's."""
    place = page.plan.shown.index(scheme)
    return page.shown.sections["result"].split("class='row'")[place + 1]


@pytest.mark.parametrize("settings", SETTINGS)
def test_accuracies_noise_and_what_is_learnt_equal_core_called_by_hand(page, settings):
    page.set({**settings, "step": 7})
    held_out = sweep.statistics(page.plan.problem, page.plan.here)[1]
    right = [trained(page.plan, "cape", r)[6].network.accuracy(*held_out) for r in range(2)]
    spot = page.results.spots["cape"]
    assert spot.course[7] == pytest.approx(np.mean(right), rel=1e-12)
    assert percent_text(np.mean(right), digits=2) in tile(page, "cape")
    # Noise of a step, and what is learnt of all steps.
    found, colluding = seen(NETWORK, page.plan), page.plan.settings.colluding
    for scheme in ("cape", "conventional", "local", "pooled"):
        last = trained(page.plan, scheme)[-1]
        one = found[scheme]
        assert one.std == pytest.approx(float(np.max(last.releases[0][0].std)), rel=1e-6)
        assert one.public == pytest.approx(last.mu_public, rel=1e-6)
        assert one.message == pytest.approx(last.mu_message, rel=1e-6)
        assert one.aggregator == pytest.approx(last.mu_aggregator, rel=1e-6)
        assert one.colluders == pytest.approx(last.mu(colluding), rel=1e-6)
        (row,) = (row for row in page.shown.guarantee.exposures if row.scheme == scheme)
        at = page.shown.guarantee.nominal.epsilon
        for observer in ("public", "aggregator", "colluders", "message"):
            assert getattr(row, observer) == pytest.approx(one.delta(at, observer), rel=1e-9)


def test_every_scheme_has_a_border_a_number_and_a_curve(page):
    assert (
        page.shown.sections["result"].count("class='border'")
        == page.shown.sections["result"].count("<strong>")
        == len(OFFERED)
    )
    assert "…" not in page.shown.sections["result"]
    assert len(page.shown.charts["curve"].lines) == len(OFFERED)
    assert {at for one in page.shown.charts["curve"].points for at in one.x} == set(EPSILONS)


def test_a_border_is_the_picture_of_the_network_at_the_step(page):
    wide, high = page.plan.source.window
    for step in (0, 5, 12):
        page.set({"step": step})
        found = re.search("base64,([^']+)'", tile(page, "cape"))[1]
        image = np.array(Image.open(io.BytesIO(base64.b64decode(found))).convert("RGB")).astype(int)
        network = page.results.spots["cape"].network(step)
        p = network.probability(
            np.array([[wide * (2 * (i + 0.5) / 70 - 1), high * (1 - 1 / image.shape[0])] for i in range(70)])
        )
        ochre = image[0, :, 0] > image[0, :, 2]  # The colour of class 0.
        sure = np.abs(p - 0.5) > 0.05
        np.testing.assert_array_equal(ochre[sure], (p < 0.5)[sure])


def test_the_step_slider_chooses_inside_the_result_and_computes_nothing(page):
    before, spent = page.shown, []
    page.record_releases = spent.extend
    page.set({"step": 3})
    assert page.runs.total == 0 and spent == []
    after = page.shown
    assert (
        after.sections["result"] != before.sections["result"]
        and after.headline != before.headline
        and not after.stale
    )
    for same in ("noise", "privacy", "guaranteed", "curve_title"):
        assert after.sections[same] == before.sections[same]
    assert after.charts == before.charts
    page.set({"step": 500})  # Beyond the training it is its last step.
    assert page.plan.step == 12 and page.state.most["step"] == 12
    assert page.shown.sections["result"] == before.sections["result"]
    page.set({"step": 0})
    numbers = re.findall("<strong>([^<]+)", page.shown.sections["result"])
    assert len(set(numbers)) == 1  # All begin with one random network.
    assert len(set(re.findall("base64,([^']+)'", page.shown.sections["result"]))) == 1


def test_a_training_at_another_epsilon_adds_no_point_to_the_curve(page):
    page.set({"epsilon": 0.37})
    assert (
        set(page.table().epsilon)
        == set(EPSILONS)
        == {at for one in page.shown.charts["curve"].points for at in one.x}
    )


def test_the_number_at_the_last_step_is_that_of_the_curve(page):
    means = page.table().set_index(["scheme", "epsilon"])["mean"]
    page.set({"batches": 2})
    means = page.table().set_index(["scheme", "epsilon"])["mean"]
    for scheme, spot in page.results.spots.items():
        assert 100 * spot.course[-1] == pytest.approx(means[scheme, 1.0], rel=1e-9)


def test_a_play_marks_the_step_from_which_each_scheme_stays_right(page):
    spots = page.results.spots
    mark = math.floor(20 * (max(s.course[-1] for s in spots.values()) - 0.025)) / 20
    for step in (0, 6, 12):
        page.set({"step": step})
        found = NETWORK.reached(page.plan, page.results)
        assert found.who["CAPE"] == (min(spots["cape"].course[step:]) >= mark)


def test_wide_records_have_bars_and_no_borders(page):
    page.set({"data": "breast_cancer"})
    assert page.runs.state == "finished", page.runs.message
    assert "class='border'" not in page.shown.sections["result"] and page.shown.sections["result"].count(
        "class='share'"
    ) == len(OFFERED)
    assert not any("dots" in one.words for one in unprotected(page))


def test_the_script_gives_the_numbers_of_the_table(page):
    for values in ({}, {"judged_on": "train", "budget": "step", "calibration": "published"}):
        page.set(values)
        scope = {}
        exec(page.script(), scope)
        theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
        ours = page.table().set_index(["scheme", "epsilon"])["mean"]
        assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12)


def test_the_first_example_is_true_and_is_what_the_page_opens_with():
    first = NETWORK.presets[0].values
    assert NETWORK.opens.items() <= first.items()
    page, never, better = NetworkPage(Controls()), threading.Event(), []
    page.set(first)
    for seed in range(2):  # Fixed seeds.
        page.set({"noise_seed": seed})
        frozen = page.model.plan()
        ends = [
            train(frozen.jobs_here(s)[:1], "test", False, never).course[-1] for s in ("cape", "conventional")
        ]
        better.append(ends[0] > ends[1])
    assert all(better)


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


def test_stopping_takes_effect_between_two_steps():
    stop = threading.Event()
    stop.set()
    jobs = plan(steps=500).jobs_here("cape")
    assert train(jobs, "test", True, stop) is None


def test_schemes_begin_with_the_same_network():
    frozen, never = plan(learning_rate=0.05, epsilon=10.0, samples=10_000, repeats=1), threading.Event()
    cape, conventional = (train(frozen.jobs_here(s), "test", True, never) for s in ("cape", "conventional"))
    assert np.array_equal(cape.vectors[0], conventional.vectors[0])
    assert np.abs(cape.vectors[1] - conventional.vectors[1]).max() < 0.01


def test_a_diverging_step_size_is_said_and_leaves_the_picture(page):
    before = page.shown.sections["result"]
    page.set(
        {"epsilon": 0.001, "delta": 1e-12, "learning_rate": 50.0, "clip": 10.0, "samples": 10, "steps": 500}
    )
    assert page.runs.state == "failed" and "learning_rate" in page.runs.message
    assert page.shown.sections["result"] == before and page.shown.stale


def test_what_does_not_fit_is_said_in_words(page):
    page.controls.schemes = []
    assert "scheme" in page.state.problem
    page.set({"schemes": ["cape"], "samples": 100_000, "sites": 10, "steps": 500})
    assert "records" in page.state.problem and "steps" in page.state.problem
    page.set({"samples": 10, "batches": 10, "sites": 50, "data": "breast_cancer"})
    assert "batches" in page.state.problem


def test_curves_within_their_bands_are_said_to_agree():
    curves = {"cape": (0.7, 0.8, 0.9), "pooled": (0.69, 0.79, 0.92), "local": (0.5, 0.5, 0.6)}
    rows = [
        {"scheme": s, "epsilon": e, "mean": m, "low": m - 0.02, "high": m + 0.02}
        for s, found in curves.items()
        for e, m in zip((0.1, 0.3, 1.0), found, strict=True)
    ]
    means = pd.DataFrame(rows)
    assert comparison.alike(means)
    means.loc[means.scheme == "pooled", ["low", "high"]] += 0.1
    assert comparison.alike(means) == "" == comparison.alike(means[means.epsilon < 1])
    assert comparison.alike(None) == ""


def test_further_figures_show_course_loss_and_budget(page):
    assert page.shown.sections["further"].count("class='chart'") == 3
    page.set({"data": "breast_cancer"})
    assert page.shown.sections["further"].count("class='chart'") == 3

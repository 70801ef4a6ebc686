"""Tensor components on *Compare*: numbers against core, what opens, and what is too large."""

import math
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from compared import PowerPage, record
from pictures import Shared, finished

from core import Privacy, power, release
from core.privacy import gdp_epsilon
from core.schemes import PRIVATE, SCHEMES
from dashboard.algorithms.power import model
from dashboard.algorithms.power.comparison import POWER
from dashboard.compare import choices
from dashboard.compare.view import seen
from dashboard.state.controls import Controls

SETTINGS = (
    {"epsilon": 2.0, "sites": 20, "components": 2, "strength": 300.0},
    {"epsilon": 0.3, "sites": 2, "d": 16, "share": 0.5, "delta": 1e-3, "neighbours": "published"},
    {"epsilon": 5.0, "components": 1, "restarts": 2, "iterations": 4},
)


def made():
    page = PowerPage(Controls(repeats=2, sites=5, delta=1e-6, epsilon=0.5))
    page.set({"d": 30})
    return finished(page)


SHARED = Shared(made)


@pytest.fixture
def page(monkeypatch):
    for axis, values in {"epsilon": (0.01, 10.0), "d": (20, 40, 1000), "sites": (2, 50)}.items():
        monkeypatch.setitem(model.AXES, axis, replace(model.AXES[axis], values=values))
    with SHARED.lent() as page:
        yield page


@pytest.mark.parametrize("settings", SETTINGS)
def test_cosines_noise_and_exposures_equal_core_called_by_hand(page, settings):
    page.set(settings)
    here, problem = page.plan.here, page.plan.problem
    truth = model.load(here)
    tensor = power.ComponentTensor(truth.values, truth.vectors)
    privacy, k = Privacy(here["epsilon"], here["delta"]), here["components"]
    for method, spot in page.results.spots.items():
        if method == "nonprivate":
            assert spot.mean("cosine") == pytest.approx(1)
            continue
        cosines = []
        for job in page.plan.jobs_here(method):
            options = {"privacy": privacy, "rng": job.rng, "neighbours": problem.neighbours}
            if method in PRIVATE:
                found = power.perturbed(tensor, k, scheme=method, sites=here["sites"], **options)
            else:
                options |= {"restarts": problem.restarts, "iterations": problem.iterations}
                found = power.private(tensor, k, calibration=method.removeprefix("alg3_"), **options)
            cosines.append(power.alignment(truth.vectors, found.vectors).mean())
        assert spot.mean("cosine") == pytest.approx(np.mean(cosines), rel=1e-9)
        assert f"{np.mean(cosines):.2f}" in page.shown.sections["result"]
    sites, six = here["sites"], 6.0 if page.plan.problem.neighbours == "published" else 1.0
    for scheme, found in seen(POWER, page.plan).items():
        made = release(
            np.zeros(sites), six, Privacy(here["epsilon"], here["delta"]), scheme=scheme,
            rng=np.random.default_rng(1),
        )  # fmt: skip
        assert found.std == pytest.approx(sites * float(np.max(made.std)), rel=1e-12)
        assert found.message == pytest.approx(made.mu_message, rel=1e-12)
        assert found.aggregator == pytest.approx(made.mu_aggregator, rel=1e-12)


def test_every_scheme_can_be_chosen_and_methods_are_left_one_by_one(page):
    page.set({"schemes": list(SCHEMES), "methods": ["alg3_exact"]})
    assert set(page.results.spots) == {*SCHEMES, "alg3_exact"}
    place = [name for name, _ in choices.offered(record(page), page)].index("alg3_exact")
    page.press("method", place)
    assert page.model.methods == [] and set(page.results.spots) == {*SCHEMES}
    page.press("method", place)
    assert page.model.methods == ["alg3_exact"]


def test_the_drawn_run_is_the_one_nearest_to_the_mean(page):
    runs = pd.DataFrame(page.results.rows.values())
    for spot in page.results.spots.values():
        found = [one["found"] for one in spot.each]
        away = np.abs(np.array(found) - np.mean(found))
        assert abs((spot.search.cosines > power.FOUND).sum() - np.mean(found)) == pytest.approx(min(away))
    assert {"cape", "local", "alg3_published"} <= set(runs.scheme)


def test_components_return_as_epsilon_grows(page):
    mean = page.table().set_index(["scheme", "epsilon"])["mean"]
    for method in page.plan.methods:
        if method != "nonprivate":
            assert mean[method, 10.0] > mean[method, 0.01]
    assert mean["alg3_exact", 10.0] > 0.9


def test_noise_once_stops_where_the_tensor_cannot_be_formed(page):
    page.set({"axis": "d", "d": 1000, "epsilon": 2.0})
    table = page.table()
    assert set(table[table.scheme == "cape"].d) == set(table[table.scheme == "local"].d) == {20, 40}
    assert set(table[table.scheme == "alg3_exact"].d) == {20, 40, 1000}
    assert "8 GB" in page.shown.sections["result"] and not page.shown.stale
    assert not page.shown.guarantee.exposures and "CAPE" not in page.shown.headline
    page.set({"methods": []})
    assert page.shown.headline and page.state.problem == ""


def test_one_run_stands_for_a_large_cube(page):
    page.set({"schemes": ["cape"], "methods": [], "d": 130})
    assert len(page.results.spots["cape"].each) == 1


def test_the_accounts_are_those_of_the_core(page):
    page.set({"d": 10, "restarts": 2, "iterations": 4, "epsilon": 1.0})
    found = {a.calibration: a for a in model.accounts(page.plan)}
    assert list(found) == list(power.CALIBRATIONS)
    assert found["exact"].ratio == 1 and found["exact"].epsilon == pytest.approx(1)
    assert found["published"].ratio > 5 and page.plan.releases == 30


@pytest.mark.parametrize(("neighbours", "kept", "ratio"), [("entry", 0.0857, 9.5), ("published", 0.137, 6.2)])
def test_the_exact_epsilon_of_the_printed_constants_follows_the_neighbours(page, neighbours, kept, ratio):
    page.set({"neighbours": neighbours, "d": 20, "epsilon": 1.0, "delta": 1e-5})
    assert f"{kept}." in page.shown.guarantee.sentence
    published = next(a for a in model.accounts(page.plan) if a.calibration == "published")
    assert published.ratio == pytest.approx(ratio, abs=0.05)
    mu = model.mu_of(page.plan.problem, page.plan.job_here("alg3_published"))
    assert gdp_epsilon(1e-5, mu) == pytest.approx(published.epsilon)


def test_needed_epsilon_is_read_off_the_curve(page):
    page.set({"schemes": [], "methods": ["alg3_exact"]})
    low, high = page.table()["mean"]
    at = math.exp(np.interp(power.FOUND, (low, high), np.log((0.01, 10.0))))
    assert f"{at:.2g}" in page.shown.sections["curve_words"]


@pytest.fixture(scope="module")
def opening():
    """The page as a bare link opens it, without its curve."""
    return PowerPage(Controls(**PowerPage.opens))


def spots_of(page, **controls):
    page.controls.param.update(**controls)
    return {fit.name: fit.make(threading.Event()) for fit in model.fits(page.compute())}


def test_the_page_opens_where_cape_finds_all_components_and_the_others_do_not(opening):
    found = {name: spot.mean("found") for name, spot in spots_of(opening).items()}
    assert found["cape"] == 3 and max(found["conventional"], found["alg3_exact"], found["local"]) < 2


def test_more_sites_cost_neither_cape_nor_the_curator(opening):
    few, many = spots_of(opening, sites=5), spots_of(opening, sites=20)
    for method in ("cape", "pooled", "alg3_exact"):  # The same noise.
        np.testing.assert_array_equal(few[method].search.vectors, many[method].search.vectors)
    for method in ("conventional", "local"):
        assert many[method].mean("cosine") < few[method].mean("cosine")


def test_who_finds_all_is_what_the_picture_marks(page):
    for epsilon in (0.05, 10.0):
        page.controls.epsilon = epsilon
        who = POWER.reached(page.plan, page.results).who
        assert all(who.values()) is (epsilon == 10.0) and len(who) > 2

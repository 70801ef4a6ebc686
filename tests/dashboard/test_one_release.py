"""What is shown is what is counted: the ledger against a log of core's releases, and spots against their rows."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from compared import sweeps
from release_log import made, spent, watch
from small_pages import HERE, PLAN, SMALL, narrow

from core import pca, power
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.state.controls import Controls

SWEPT = {kind.name for kind in PAGES if sweeps(kind)}


@pytest.fixture
def log(monkeypatch):
    """A log at every door of `core`, by whatever name a module knows it."""
    return watch(monkeypatch.setattr)


@contextlib.contextmanager
def opened(name, values, monkeypatch):
    """A page with its curve through the present settings, opened, spotted and swept."""
    narrow(name, monkeypatch)
    app = App({"page": "gain"})
    page = app.pages[name]
    page.set(SMALL.get(name, {}) | HERE | values)
    app.open(name)
    assert page.runs is None or page.runs.state in ("finished", "idle"), page.runs.message
    assert page.state.problem == ""
    yield app, page


SLOW = pytest.mark.slow
CASES = [
    ("average", {}),
    ("average", {"adversary": "aggregator", "dropouts": 1, "axis": "sites"}),
    ("pca", {}),
    pytest.param("components", {"model": "topics"}, marks=SLOW),
    ("components", {"model": "gaussians", "samples": 4000}),
    ("regression", {}),
    pytest.param("regression", {"calibration": "published"}, marks=SLOW),
    ("network", {}),
    pytest.param("network", {"budget": "step"}, marks=SLOW),
    ("power", {}),
    pytest.param("power", {"axis": "strength", "strength": 100}, marks=SLOW),
    ("topics", {}),
    pytest.param("topics", {"compare": "configurations", "alpha0": 0.5}, marks=SLOW),
    ("plan", PLAN),
    pytest.param("plan", PLAN | {"free": "error"}, marks=SLOW),
    # Seeds of their own: what was drawn once is not drawn again in this process.
    ("protocol", {"noise_seed": 11}),  # No other test has drawn it.
    ("protocol", {"draws": 100, "together": True}),
    ("protocol", {"batches": 2, "step": 2, "noise_seed": 7}),
    ("protocol", {"share": 40, "noise_seed": 8}),
]
CASES += [(name, {}) for name in SMALL if not any(name in case for case in CASES)]


@pytest.mark.parametrize("name, values", CASES)
def test_the_ledger_is_the_log_of_what_core_released(name, values, log, monkeypatch):
    with opened(name, values, monkeypatch) as (app, page):
        assert len(log.made) > 3
        found, expected = np.array(spent(app.ledger)), np.array(made(log))
        assert len(found) == len(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        before = len(expected)
        page.refresh()
        assert len(made(log)) == before == len(spent(app.ledger))


def test_every_page_that_releases_is_held_against_the_log():
    releasing = {kind.name for kind in PAGES if sweeps(kind) or kind.spec.work.counts}
    # What stands in a mark of `pytest.param` has its values in it.
    assert releasing == {
        case[0] if isinstance(case, tuple) and isinstance(case[0], str) else case.values[0] for case in CASES
    }


def _pca_figures(page, method):
    spot = page.results.spots[method]
    best = page.results.spots["nonprivate"]
    truth = page.plan.problem.statistics(page.plan.here).truth
    return {"energy": spot.energy * pca.captured_energy(best.components, truth)}


def _power_figures(page, method):
    spot = page.results.spots[method]
    return {"cosine": power.alignment(spot.true, spot.search.vectors).mean()}


SPOTS = {
    "pca": _pca_figures,
    "topics": lambda page, method: {"value": page.results.spots[method].value},
    "network": lambda page, method: page.results.spots[method].each[0],
    "power": _power_figures,
}


def figures(page, method):
    """The figures of a run that a spot has: those of its name, or the spot itself is the measure."""
    if page.name in SPOTS:
        return SPOTS[page.name](page, method)
    spot = page.results.spots[method]
    return getattr(spot, "figures", None) or {page.plan.measure: spot}


@pytest.mark.parametrize("name", sorted(SWEPT))
def test_the_run_behind_a_spot_is_the_run_of_the_curve(name, monkeypatch):
    with opened(name, {"repeats": 1}, monkeypatch) as (_, page):
        plan, rows, compared = page.plan, page.results.rows, 0
        for method in plan.methods:
            job = plan.job_here(method)
            assert job in rows
            row = dict(rows[job])
            for figure, value in figures(page, method).items():
                assert value == pytest.approx(row[figure], rel=1e-9, abs=1e-12), (method, figure)
                compared += 1
        assert compared >= len(plan.methods)


CHANGES = {
    "pca": ({"noise_seed": 2}, {"epsilon": 0.5}, {"axis": "delta"}, {"axis": "epsilon", "epsilon": 1}),
    "regression": ({"measure": "error"}, {"epsilon": 0.5}, {"epsilon": 1}, {"repeats": 3}),
    "network": ({"judged_on": "train"}, {"epsilon": 0.5}, {"data_seed": 2}, {"epsilon": 1}),
}


@pytest.mark.parametrize(
    "name", ["regression", pytest.param("pca", marks=SLOW), pytest.param("network", marks=SLOW)]
)
def test_the_ledger_stays_the_log_while_settings_move_to_and_fro(name, log, monkeypatch):
    with opened(name, {}, monkeypatch) as (app, page):
        for values in CHANGES[name]:
            page.set(values)
            assert page.state.problem == ""
            found, expected = spent(app.ledger), made(log)
            assert len(found) == len(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        counted = len(made(log))
        page.set({"epsilon": 0.5})
        page.set({"epsilon": 1})
        assert len(made(log)) == len(spent(app.ledger)) == counted


WHOLE = {"epsilon": 1, "strength": 1000, "share": 1, "noise": 0, "clip": 1, "learning_rate": 2, "alpha0": 1}


@pytest.mark.parametrize("name", sorted(SWEPT))
def test_a_whole_number_names_the_run_that_it_names_as_a_float(name):
    kind = next(kind for kind in PAGES if kind.name == name)
    page, runs = kind(Controls()), []
    own = {n: v for n, v in WHOLE.items() if n in {*page.shared, *page.own} and n != "share"}
    own |= {"share": 1, "axis": "strength"} if name == "power" else {}
    for turned in (int, float):
        page.set({n: turned(v) if isinstance(v, int) else v for n, v in own.items()})
        plan = page.model.plan()
        runs.append([repr(job.settings) for job in (*plan.jobs, *map(plan.job_here, plan.methods))])
        # Equal runs are one entry of the ledger: they must draw from one stream.
        assert len({job.settings for job in plan.jobs}) == len({repr(job.settings) for job in plan.jobs})
    assert runs[0] == runs[1]

"""What is shown is what is counted: the ledger against a log of core's releases, and spots against their rows."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import sys
import threading
from dataclasses import dataclass, replace

import numpy as np
import pytest

from core import decomposition, functional, network, pca, power, schemes
from core.topics import configuration_e, configurations, variational
from dashboard.page.base import Page
from dashboard.pages import PAGES
from dashboard.pages.analyse.components import model
from dashboard.session.app import App
from dashboard.state.controls import Controls

SWEPT = {kind.name for kind in PAGES if kind(Controls()).sweep is not None}
SMALL = {
    "pca": {"data": "low_rank", "k": 3, "sites": 3, "samples": 40, "repeats": 2},
    "components": {"dimension": 10, "k": 2, "sites": 2, "samples": 3000, "repeats": 2, "epsilon": 10.0},
    "regression": {"dimension": 3, "sites": 2, "samples": 50, "repeats": 2},
    "network": {"sites": 2, "samples": 40, "steps": 12, "batches": 2, "hidden": 3, "repeats": 2},
    "power": {"d": 10, "iterations": 2, "restarts": 1, "components": 2, "repeats": 2},
    "topics": {"documents": 600, "vocabulary": 100, "topics": 2, "sites": 2, "repeats": 2},
}
# Where the curve has a point at the present settings, so that spot and row are one job.
HERE = {"epsilon": 1.0}
AXES = {
    "pca": "dashboard.pages.analyse.pca.model.AXES",
    "components": "dashboard.pages.analyse.components.model.AXES",
    "regression": "dashboard.pages.analyse.regression.model.AXES",
    "power": "dashboard.pages.analyse.power.model.AXES",
}
EPSILONS = {
    "network": (
        "dashboard.pages.analyse.network.model.EPSILONS",
        "dashboard.pages.analyse.network.page.EPSILONS",
    ),
    "topics": ("dashboard.pages.analyse.topics.model.EPSILONS",),
}


@dataclass(frozen=True)
class Made:
    """A release as `core` made it: what tells it from others, and what it costs."""

    key: str
    public: float
    aggregator: float
    pure: float = 0.0
    draws: int = 1


class Log:
    """Every private release that is made while it stands at core's doors; one inside another is part of it."""

    def __init__(self):
        self.made: dict[str, Made] = {}
        self._inside = threading.local()

    def enter(self, door, call, kwargs):
        """Call a door, and log what it lets out unless another door was passed before."""
        state = repr(kwargs["rng"].bit_generator.state) if "rng" in kwargs else ""
        if getattr(self._inside, "deep", False):
            return call()
        self._inside.deep = True
        try:
            found = call()
        finally:
            self._inside.deep = False
        self.keep(door, state, kwargs, found)
        return found

    def steps(self, door, iterator, kwargs):
        """A training, step by step: it is logged where it ends."""
        state, last = repr(kwargs["rng"].bit_generator.state), None
        while (step := self._next(iterator)) is not None:
            last = step
            yield step
        self.keep(door, state, kwargs, last)

    def keep(self, door, state, kwargs, found):
        cost = COSTS[door](found, kwargs)
        if cost is not None:
            public, aggregator, pure, draws, value = cost
            text = f"{door} {state} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
            # A curator, who is trusted, is no onlooker.
            told = public if math.isinf(aggregator) else aggregator
            self.made[text] = Made(text, public, told, pure, draws)

    def _next(self, iterator):
        self._inside.deep = True
        try:
            return next(iterator, None)
        finally:
            self._inside.deep = False


def _plain(kwargs):
    names = ("scheme", "mechanism")
    return any(kwargs.get(name) in ("nonprivate", "random") for name in names)


def _of_release(found, kwargs):
    return None if found.scheme == "nonprivate" else (found.mu_public, found.mu_aggregator)


def _released(found, kwargs):
    costs = _of_release(found, kwargs)
    # Without records it tells what noise there would be: nothing is released.
    if costs is None or not kwargs["records"]:
        return None
    return *costs, 0.0, found.value.size if found.value.ndim == 1 else 1, found.value


def _pca(found, kwargs):
    return (
        None
        if _plain(kwargs)
        else (found.release.mu_public, found.release.mu_aggregator, 0.0, 1, found.values)
    )


def _regression(found, kwargs):
    if _plain(kwargs):
        return None
    if found.release is None:
        return 0.0, math.inf, found.epsilon, 1, found.coefficients
    return *_of_release(found.release, kwargs), 0.0, 1, found.coefficients


def _decomposed(found, kwargs):
    if _plain(kwargs):
        return None
    if kwargs["scheme"] == "avn":
        pure = (1 - kwargs["share"]) * kwargs["privacy"].epsilon
        return found.second.mu_public, math.inf, pure, 1, found.components
    return found.mu_public, found.mu_aggregator, 0.0, 1, found.components


def _trained(found, kwargs):
    return None if _plain(kwargs) else (found.mu_public, found.mu_aggregator, 0.0, 1, found.network.vector)


def _topics(found, kwargs):
    if found.privacy is None or found.scheme == "nonprivate":
        return None
    if isinstance(found.privacy, float):
        return 0.0, math.inf, found.privacy, 1, found.words
    if not found.guarantee.valid:
        return math.inf, math.inf, 0.0, 1, found.words
    return found.guarantee.mu_public, found.guarantee.mu_aggregator, 0.0, 1, found.words


def _iterated(found, kwargs):
    return found.accounting.mu, math.inf, 0.0, 1, found.vectors


DOORS = {
    "release": schemes.release,
    "pca": pca.fit,
    "regression": functional.fit,
    "decomposition": decomposition.fit,
    "training": network.steps,
    "configuration E": configuration_e.fit,
    "configurations": configurations.fit,
    "variational": variational.fit,
    "power": power.private,
    "input": power.perturbed,
}
COSTS = {
    "release": _released,
    "pca": _pca,
    "regression": _regression,
    "decomposition": _decomposed,
    "training": _trained,
    "configuration E": _topics,
    "configurations": _topics,
    "variational": lambda found, kwargs: (found.mu, math.inf, 0.0, 1, found.words),
    "power": _iterated,
    "input": _iterated,
}


@pytest.fixture
def log(monkeypatch):
    """A log at every door of `core`, by whatever name a module knows it."""
    kept = Log()
    model.leak.cache_clear()  # Else only the first page of this process would make it.
    modules = [
        m for n, m in list(sys.modules.items()) if n.partition(".")[0] in ("core", "dashboard", "data")
    ]
    for door, function in DOORS.items():
        watched = _watched(kept, door, function)
        for module in modules:
            for name, value in list(vars(module).items()):
                if value is function:
                    monkeypatch.setattr(module, name, watched)
    return kept


def _watched(log, door, function):
    @functools.wraps(function)
    def enter(*args, **kwargs):
        told = dict(kwargs)
        if door == "release":
            told["records"] = any(np.any(statistic) for statistic in args[0])
        if door == "training":
            return log.steps(door, function(*args, **kwargs), told)
        return log.enter(door, lambda: function(*args, **kwargs), told)

    return enter


@contextlib.contextmanager
def opened(name, values, monkeypatch):
    """A page with its curve through the present settings, opened, spotted and swept."""
    if name in AXES:
        module, _, attribute = AXES[name].rpartition(".")
        axes = getattr(sys.modules[module], attribute)
        for axis, values_of in {"epsilon": (0.5, 1.0), "delta": (1e-5, 1e-2)}.items():
            if axis in axes:
                monkeypatch.setitem(axes, axis, replace(axes[axis], values=values_of))
    for place in EPSILONS.get(name, ()):
        monkeypatch.setattr(place, (0.5, 1.0))
    app = App({"page": "gain"})
    page = app.pages[name]
    page.set(SMALL.get(name, {}) | HERE | values)
    app.open(name)
    assert page.runs is None or page.runs.state in ("finished", "idle"), page.runs.message
    assert page.said.problem == ""
    yield app, page


def rounded(costs):
    """Costs in an order that the last digits do not decide."""
    return sorted(tuple(float(f"{x:.9g}") for x in cost) for cost in costs)


def spent(ledger):
    """(μ for the public, μ for the aggregator, pure ε) of every draw in a ledger."""
    found = []
    for entry in ledger.entries:
        d = entry.drawn
        found += [(d.mu("public"), d.mu("aggregator"), d.pure)] * d.draws
    return rounded(found)


def made(log):
    """The same of every release in a log."""
    return rounded((m.public, m.aggregator, m.pure) for m in log.made.values() for _ in range(m.draws))


CASES = [
    ("pca", {}),
    ("components", {}),
    ("components", {"model": "gaussians", "samples": 4000}),
    ("regression", {}),
    ("regression", {"calibration": "published"}),
    ("network", {}),
    ("network", {"budget": "step"}),
    ("power", {}),
    ("power", {"axis": "strength", "strength": 100}),
    ("topics", {}),
    ("topics", {"compare": "configurations", "alpha0": 0.5}),
    ("plan", {"data": "low_rank", "sites": 3, "samples": 30, "k": 2, "most": 24, "schemes": ["cape"]}),
    ("averaging", {"draws": 100}),
    ("averaging", {"draws": 100, "batches": 2, "step": 2}),
    ("start", {"hospitals": 3, "batches": 1}),
]


@pytest.mark.parametrize("name, values", CASES, ids=[f"{n} {v}" for n, v in CASES])
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
    releasing = {kind.name for kind in PAGES if kind.name in SWEPT or kind.releases is not Page.releases}
    assert releasing == {name for name, _ in CASES}


def _pca_figures(page, method):
    spot = page.sweep.spots[method]
    best = page.sweep.spots["nonprivate"]
    truth = page.plan.problem.statistics(page.plan.here).truth
    return {"energy": spot.energy * pca.captured_energy(best.components, truth)}


SPOTS = {
    "pca": _pca_figures,
    "components": lambda page, method: page.sweep.spots[method].figures,
    "regression": lambda page, method: page.sweep.spots[method].figures,
    "topics": lambda page, method: {"value": page.sweep.spots[method].value},
    "network": lambda page, method: {
        "train": page.sweep.spots[method].train,
        "test": page.sweep.spots[method].test,
    },
    "power": lambda page, method: {},  # Its spots are rows.
}


@pytest.mark.parametrize("name", sorted(SWEPT))
def test_the_run_behind_a_spot_is_the_run_of_the_curve(name, monkeypatch):
    with opened(name, {"repeats": 1}, monkeypatch) as (_, page):
        plan, rows, compared = page.plan, page.sweep.rows, 0
        for method in plan.methods:
            job = plan.job_here(method)
            assert job in rows
            row = dict(rows[job])
            for figure, value in SPOTS[name](page, method).items():
                assert value == pytest.approx(row[figure], rel=1e-9, abs=1e-12), (method, figure)
                compared += 1
        assert compared >= len(plan.methods) or name == "power"


CHANGES = {
    "pca": ({"noise_seed": 2}, {"epsilon": 0.5}, {"axis": "delta"}, {"axis": "epsilon", "epsilon": 1}),
    "regression": ({"measure": "error"}, {"epsilon": 0.5}, {"epsilon": 1}, {"repeats": 3}),
    "network": ({"judged_on": "train"}, {"epsilon": 0.5}, {"data_seed": 2}, {"epsilon": 1}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_ledger_stays_the_log_while_settings_move_to_and_fro(name, log, monkeypatch):
    with opened(name, {}, monkeypatch) as (app, page):
        for values in CHANGES[name]:
            page.set(values)
            assert page.said.problem == ""
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

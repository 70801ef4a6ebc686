"""Prepared results: a bare link's first picture has them, other settings are computed, and all of it is counted."""

import re
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from compared import ClustersPage, NetworkPage, PcaPage, RegressionPage
from sheets import NoisePage, StreamPage

from dashboard.runs import openings
from dashboard.state import seeds
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls


@pytest.fixture(scope="module", params=[ClustersPage, PcaPage, RegressionPage])
def kind(request):
    request.param.warm()
    yield request.param
    openings.forget()


def unstarted(kind, monkeypatch, **values):
    """A comparison that is opened and runs nothing, and what it spent."""
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: None)
    page, spent = kind(Controls(**{**kind.opens, **values})), []
    page.record_releases = spent.extend
    page.opened()
    return page, spent


def test_the_first_picture_has_results_of_every_scheme(kind, monkeypatch):
    page, spent = unstarted(kind, monkeypatch)
    assert page.results.complete and not page.shown.stale and not page.results.whole
    assert page.shown.result.count("<strong>") >= len(page.plan.shown) and "…" not in page.shown.result
    assert {"cape", "conventional", "local", "pooled"} <= {cost.method for cost in spent}  # In the ledger.


def test_other_settings_are_computed(kind, monkeypatch):
    page, spent = unstarted(kind, monkeypatch, epsilon=0.77)
    assert not spent and not page.results.complete
    assert not {"cape", "conventional"} & page.results.spots.keys()


def test_noise_of_secret_seeds_is_never_shared(kind, monkeypatch):
    fits = kind.spec.fits(kind(Controls(**kind.opens)).compute())
    assert openings.known(fits)
    openings.forget()
    with monkeypatch.context() as server:
        server.setenv(seeds.VARIABLE, "1")
        kind.warm()
    assert not openings.known(fits)


def test_what_takes_seconds_comes_from_a_worker_and_is_missing_until_then(monkeypatch):
    asked = []

    class Pool:
        apart = True

        def submit(self, make):
            asked.append(make)
            return SimpleNamespace(future=done[len(asked) - 1])

    done = [Future() for _ in range(10)]
    monkeypatch.setattr(openings.workers, "existing", Pool)
    NetworkPage.warm()
    fits = NetworkPage.spec.fits(NetworkPage(Controls(**NetworkPage.opens)).compute())
    assert len(asked) == len(fits) and not openings.known(fits)
    done[0].set_result("found")
    done[1].set_exception(RuntimeError("a worker died"))
    assert [found for _, found in openings.known(fits)] == [["found"]]
    monkeypatch.setenv(seeds.VARIABLE, "1")
    openings.later(len, asked.append)
    assert len(asked) == len(fits)  # Noise of secret seeds is never shared.
    openings.forget()


def test_a_sheet_opens_with_what_its_parts_await(monkeypatch):
    openings.forget()
    page, _ = unstarted(NoisePage, monkeypatch)
    assert not page.results and not page.arrived()
    NoisePage.warm()
    page, _ = unstarted(NoisePage, monkeypatch)
    assert page.arrived() and not page.results.complete  # The curve is still to come.
    assert page.shown.sections["found"].count("<strong>") == 2
    other, _ = unstarted(NoisePage, monkeypatch, data_seed=5)
    assert not other.results and not other.arrived()
    openings.forget()


def test_the_stream_opens_with_what_both_searches_found(monkeypatch):
    openings.forget()
    page, _ = unstarted(StreamPage, monkeypatch)
    assert not page.results and not page.arrived()
    StreamPage.warm()
    page, _ = unstarted(StreamPage, monkeypatch)
    assert page.arrived() and re.findall(r"<strong>(\d) of 3", page.shown.sections["found"]) == ["3", "1"]
    assert len(page.table()) == 33 + 30
    assert len(page.begin(page.compute())) == 1  # How often; the whole stream is known.
    other, _ = unstarted(StreamPage, monkeypatch, data_seed=5)
    assert len(other.begin(other.compute())) == 33 + 1
    openings.forget()

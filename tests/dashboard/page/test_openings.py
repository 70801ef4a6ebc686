"""Prepared results: a bare link's first picture has them, other settings are computed, and all of it is counted."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from compared import ClustersPage, NetworkPage, PcaPage, RegressionPage

from dashboard.page import openings
from dashboard.pages.decide.power_noise.page import NoisePage
from dashboard.pages.decide.power_stream.page import StreamPage
from dashboard.state import seeds
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls


@pytest.fixture(scope="module", params=[ClustersPage, PcaPage, RegressionPage])
def kind(request):
    request.param.warm()
    yield request.param
    openings.forget()


def opened(kind, **values):
    """A page whose runs have not begun."""
    page, spent = kind(Controls(**{**kind.opens, **values})), []
    page.spend = spent.extend
    page.content()
    return page, page.begin(page.compute()), spent


def unstarted(kind, monkeypatch, **values):
    """A comparison that is opened and runs nothing, and what it spent."""
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: None)
    page, spent = kind(Controls(**{**kind.opens, **values})), []
    page.spend = spent.extend
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


def test_rows_of_pictures_open_with_what_every_search_found():
    kind = NoisePage
    openings.forget()
    page, _, _ = opened(kind)
    assert not any(row["marks"] for row in page.tiles.spec.get("rows", ()))
    kind.warm()
    page, jobs, _ = opened(kind)
    rows = page.tiles.spec["rows"][1:]
    assert all(row["pixels"] and len(row["marks"]) == 3 and "mean" in row["note"] for row in rows)
    assert "<b>" in page.said.words and jobs  # The curve's runs are still to come.
    other, _, _ = opened(kind, data_seed=5)
    assert not any(row["marks"] for row in other.tiles.spec.get("rows", ()))
    openings.forget()


def test_the_stream_opens_with_what_both_searches_found():
    openings.forget()
    page, jobs, _ = opened(StreamPage)
    assert jobs and not any(row["marks"] for row in page.tiles.spec["rows"])
    StreamPage.warm()
    page, jobs, _ = opened(StreamPage)
    assert not jobs and [row["note"] for row in page.tiles.spec["rows"][2:]] == ["3 of 3", "1 of 3"]
    page.set({"read": 33})
    assert not page.begin(page.compute())  # The whole stream is known.
    assert len(page.table()) == 33 + 30
    _, jobs, _ = opened(StreamPage, data_seed=5)
    assert len(jobs) == 33
    openings.forget()

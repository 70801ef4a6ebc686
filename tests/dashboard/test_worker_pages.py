"""Pages whose runs are computed in worker processes: the same pictures as in a thread, and every release counts."""

from __future__ import annotations

import asyncio

import numpy as np
import pandas as pd
import pytest
import release_log
import worker_jobs as jobs
from sessions import until
from small_pages import HERE, PLAN, SMALL, narrow

from core.sweep import workers
from dashboard.pages import PAGES
from dashboard.runs.known import KNOWN
from dashboard.session.app import App

STREAMED = {
    "power_noise": {"d": 16, "components": 1, "restarts": 1, "iterations": 3, "repeats": 1},
    "power_stream": {"d": 10, "components": 1, "per_step": 50, "restarts": 2, "iterations": 3},
    "audit": {"runs": 2000, "mechanism": "laplace"},
    "secure_sum": {"sites": 13, "entries": 5, "lost": 1, "threshold": 7},  # Too many to run at once.
    "findings": {"finding": "asymmetric-moments"},
    "plan": PLAN,
    "limits": {"sites": 4},
    "months": {"months": 6, "most": 2},
}
PAINTED = {**{name: values | HERE for name, values in SMALL.items()}, **STREAMED}

# What a worker is handed differs most between these.
QUICK = ("average", "pca", "plan", "audit")


@pytest.fixture(scope="module")
def processes():
    """Two worker processes, which log what `core` releases in them."""
    made = workers.make(2)
    jobs.everywhere(made, release_log.watch_here)
    yield made
    made.close()


def opened(name, values, where):
    """The app with a page open whose runs were computed by these workers."""
    KNOWN.clear()

    async def main():
        app = App({"page": "gain"})
        page = app.pages[name]
        page.set(values)
        app.open(name)
        await until(lambda: page.runs.state != "running", seconds=120)
        return app

    with workers.replaced(where):
        app = asyncio.run(main())
    assert app.page.runs.state in ("finished", "idle"), app.page.runs.message
    return app


def picture(app):
    """What a page shows: its numbers and words."""
    page = app.page
    table = page.table()
    return table.sort_values(list(table.columns[:2]), ignore_index=True), page.state.words


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in PAINTED]
)
def test_a_worker_process_gives_the_pictures_of_a_thread_and_its_releases_count(name, processes, monkeypatch):
    jobs.everywhere(processes, release_log.logged_here)
    log = release_log.watch(monkeypatch.setattr)
    narrow(name, monkeypatch)
    app = opened(name, PAINTED[name], processes)
    if name in SMALL:
        counted(app, log, jobs.everywhere(processes, release_log.logged_here))
    thread = workers.make(workers.THREADS)
    there, here = picture(app), picture(opened(name, PAINTED[name], thread))
    thread.close()
    assert len(here[0])
    # The two may use different numbers of threads for linear algebra, whose last digits differ.
    pd.testing.assert_frame_equal(there[0], here[0], rtol=1e-7, atol=1e-12)
    assert there[1] == here[1]


def counted(app, log, parts):
    """The ledger has every release of the workers."""
    assert sum(map(len, parts)) > 3 and len(log.made) <= 2  # Here are at most those of an illustration.
    for part in parts:
        log.made.update(part)
    found, expected = np.array(release_log.spent(app.ledger)), np.array(release_log.made(log))
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_every_page_that_computes_in_runs_is_compared():
    streamed = {kind.name for kind in PAGES if not kind.live}
    assert streamed == {*PAINTED, "papers"}  # Its jobs are sweeps; `test_reproduce` has them.


def test_a_run_that_is_stopped_stops_in_the_worker(processes, tmp_path):
    from dashboard.state.background_runs import Runs

    path = tmp_path / "notes"

    async def main():
        runs = Runs(worker=processes)
        runs.start([workers.Call(jobs.until_cancelled, (str(path),))], paint=lambda results: None)
        await until(lambda: path.exists() and path.read_text() == "begun\n", seconds=120)
        runs.stop()
        await until(lambda: path.read_text() == "begun\ncancelled\n", seconds=60)

    asyncio.run(main())

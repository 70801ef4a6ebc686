"""Results are known once a server: the second visitor's first answer is complete, and every session's ledger counts."""

from __future__ import annotations

import asyncio
import copyreg
import pickle
import re
import struct
import threading
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from compared import NetworkPage, PcaPage, TopicsPage, compares
from sessions import Session, until
from small_pages import HERE, PLAN, SMALL, kind_of, narrow

from core.sweep import workers
from dashboard.algorithms.topics.own_text import OwnText
from dashboard.pages import LISTED
from dashboard.runs.known import KNOWN
from dashboard.session import idle
from dashboard.session.app import App
from dashboard.state import seeds
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls

STREAMED = {
    "power_noise": {"d": 16, "components": 1, "restarts": 1, "iterations": 3, "repeats": 1},
    "power_stream": {"d": 10, "components": 1, "per_step": 50, "restarts": 2, "iterations": 3},
    "audit": {"runs": 2000, "mechanism": "laplace"},
    "secure_sum": {"sites": 13, "entries": 5, "lost": 1, "threshold": 7},
    "findings": {"finding": "asymmetric-moments"},
    "plan": PLAN,
}
THERE = {entry.name for entry in LISTED}
OPENED = {
    name: values
    for name, values in ({name: values | HERE for name, values in SMALL.items()} | STREAMED).items()
    if name in THERE
}
copyreg.pickle(MappingProxyType, lambda row: (dict, (dict(row),)))
MARK = b"7.31415926"  # In a user's records alone, as text and as a number.


def there(*names):
    return pytest.mark.parametrize("name", [name for name in names if name in THERE])


def visited(name, values):
    """A session that has opened a page."""
    app = App({"page": "gain"})
    app.pages[name].set(values)
    app.open(name)
    assert app.page.runs.state == "finished", app.page.runs.message
    return app


def text(page):
    return re.sub(r"id='[^']*'", "", page.first_html())


@pytest.mark.parametrize("name", OPENED)
def test_the_second_visitor_finds_all_that_the_first_one_computed(name, monkeypatch):
    narrow(name, monkeypatch)
    first = visited(name, OPENED[name])
    left = []
    with monkeypatch.context() as patch:
        patch.setattr(Runs, "start", lambda self, calls, *, paint: left.append(len(calls)))
        second = App({"page": "gain"})
        second.pages[name].set(OPENED[name])
        second.open(name)
    assert (left == [0] or name == "plan") and second.page.arrived() and not second.page.shown.stale
    pd.testing.assert_frame_equal(second.page.table(), first.page.table())
    assert len(second.page.table()) and second.page.state.words == first.page.state.words
    assert text(second.page) == text(first.page)
    assert second.ledger.entries == first.ledger.entries  # Found or computed, it was shown.
    if name in SMALL:
        assert second.ledger.entries and second.page.results.rows.keys() == first.page.results.rows.keys()


def test_a_run_is_known_by_itself_whatever_else_was_asked_for(monkeypatch):
    narrow("regression", monkeypatch)
    visited("regression", OPENED["regression"])
    asked = []
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: asked.extend(calls))
    page = kind_of("regression")(Controls())
    page.set(OPENED["regression"] | {"repeats": 3})
    page.opened()
    runs = [job for call in asked for job in call.key if not hasattr(job, "runs")]
    assert runs and {job.repeat for job in runs} == {2}


def test_other_seeds_data_and_settings_are_computed(monkeypatch):
    narrow("pca", monkeypatch)
    visited("pca", OPENED["pca"])
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: None)
    for values in ({"noise_seed": 4}, {"data_seed": 4}, {"epsilon": 0.77}, {"data": "digits"}):
        page = PcaPage(Controls())
        page.set(OPENED["pca"] | values)
        page.opened()
        assert not page.results.ready and not {"cape", "conventional"} & page.results.spots.keys()


def test_new_noise_gives_both_visitors_the_next_public_seed(monkeypatch):
    narrow("pca", monkeypatch)
    one, other = (visited("pca", OPENED["pca"]) for _ in range(2))
    now = one.controls.noise_seed
    for app in (one, other):
        app.controls.noise_seed = seeds.next_seed(app.controls.noise_seed)
    assert one.controls.noise_seed == other.controls.noise_seed != now
    assert one.ledger.entries == other.ledger.entries


# Nothing of anybody's own.


def own_frame():
    return pd.DataFrame(np.random.default_rng(5).uniform(-1, 1, (120, 3)), columns=["a", "b", MARK.decode()])


@there("average", "pca", "components", "regression", "plan")
def test_an_own_table_leaves_nothing(name, monkeypatch):
    narrow(name, monkeypatch)
    page = kind_of(name)(Controls(sites=3, repeats=2, schemes=["nonprivate", "cape"]))
    page.content()
    page.set(
        {"pca": {"judged": "energy", "k": 1}, "components": {"k": 1, "deviation": 0.5}, "plan": PLAN}.get(
            name, {}
        )
    )
    own, frame = page.own_table.data, own_frame()
    frame.iloc[3] = float(MARK) / 10
    own.receive(f"{MARK.decode()}.csv", [frame.to_csv(index=False).encode()])
    own.take_draft(own.draft.filled("-1", "1"))
    own.use()
    page.set({"own_records": True})
    page.opened()
    assert page.runs.state == "finished" and page.sharing is None and len(page.table())
    assert len(KNOWN) == 0 and not found(MARK)
    page.set({"own_records": False})
    assert page.sharing is not None and not found(MARK)
    page.own_table.end()
    assert not found(MARK)


def test_own_documents_leave_nothing(monkeypatch):
    narrow("topics", monkeypatch)
    page = TopicsPage(Controls(sites=2, repeats=1, schemes=["nonprivate", "cape"]))
    page.set(SMALL["topics"] | {"measure": "mass"})
    words = [MARK.decode(), *(f"word{i}" for i in range(300))]
    rng, own = np.random.default_rng(5), OwnText()
    lines = "\n".join(" ".join(rng.choice(words, 12)) for _ in range(400))
    own.receive("notes.txt", [lines.encode()])
    page.model.own_text = own.used
    page.opened()
    assert page.sharing is None and len(KNOWN) == 0 and not found(MARK)


def test_secret_seeds_leave_nothing_and_find_nothing(monkeypatch):
    narrow("pca", monkeypatch)
    visited("pca", OPENED["pca"])
    public = len(KNOWN)
    assert public and found(b"conventional")  # What is known is looked through.
    monkeypatch.setenv(seeds.VARIABLE, "1")
    assert PcaPage.warm() is None
    page = PcaPage(Controls())
    page.set(OPENED["pca"])
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: None)
    page.opened()
    assert page.sharing is None and not page.results.spots and len(KNOWN) == public


def found(mark):
    """Whether a text, or a tenth of the number that it writes, is anywhere in what is known."""
    keys = [*KNOWN._stay, *KNOWN._holder]
    content = pickle.dumps((keys, KNOWN.get(keys)))
    numbers = [struct.pack(order, float(mark) / 10) for order in ["<d", ">d"]] if mark == MARK else []
    return any(part in content for part in (mark, *numbers))


# While the server is idle.


@pytest.fixture
def processes():
    made = workers.make(1)
    with workers.replaced(made):
        yield made
    made.close()


@there("pca", "regression", "components", "power_noise", "power_stream")
def test_the_first_visitor_has_at_once_what_the_picture_awaits(name, monkeypatch):
    kind = kind_of(name)
    kind.warm()
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: None)
    page, spent = kind(Controls(**kind.opens)), []
    page.record_releases = spent.extend
    page.opened()
    assert page.arrived() and not page.shown.stale and "…" not in next(iter(parts(page)))
    if name in SMALL:
        assert not page.results.whole
        assert {"cape", "conventional", "local", "pooled"} <= {
            cost.method for cost in spent
        }  # In the ledger.


def parts(page):
    return [page.shown.sections["result"]] if compares(page) else page.shown.sections.values()


def test_what_takes_seconds_is_left_to_idle_time():
    opening = NetworkPage.warm()
    assert len(KNOWN) == 0 and len(opening.calls) > 100


@there("regression")
def test_after_idle_work_the_first_visitor_finds_the_whole_curve(name, processes, monkeypatch):
    narrow(name, monkeypatch)
    kind = kind_of(name)
    opening = kind.warm()
    assert opening.calls
    idle.begin([opening]).join(120)
    left = []
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: left.append(len(calls)))
    page = kind(Controls(**kind.opens))
    page.content()
    page.opened()
    assert left == [0] and "not yet computed" not in page.first_html()


@pytest.mark.slow
def test_after_all_idle_work_every_page_opens_with_all_that_it_computes(processes, monkeypatch):
    kinds = {entry.name: entry.kind for entry in LISTED if not entry.kind.live}
    openings = {name: opening for name, kind in kinds.items() if (opening := kind.warm()) is not None}
    assert openings.keys() >= {"average", "pca", "components", "topics", "regression", "network", "power"}
    idle.begin([*openings.values()]).join(1500)
    left = []
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: left.append(len(calls)))
    for name in openings:
        app = App({"page": name})
        whole = getattr(app.page.results, "whole", True)
        assert whole and not left[-1] and "not yet computed" not in app.page.first_html(), name


def test_no_idle_work_takes_the_threads_of_visitors():
    thread = workers.make(workers.THREADS)
    with workers.replaced(thread):
        assert idle.begin([PcaPage.warm()]) is None
    thread.close()


def test_idle_work_gives_way_and_goes_on(processes, tmp_path):
    import worker_jobs as jobs

    path, sharing = tmp_path / "notes", PcaPage(Controls()).sharing
    opening = idle.Opening(sharing, [workers.Call(jobs.until_cancelled, (str(path),), key=(np.ones,))])
    work = idle.begin([opening])

    async def main():
        await until(lambda: path.exists() and path.read_text() == "begun\n")
        task = processes.submit(workers.Call(jobs.who), owner=threading.Event())
        assert await asyncio.wait_for(asyncio.wrap_future(task.future), 30)
        await until(lambda: path.read_text().startswith("begun\ncancelled\nbegun\n"))

    asyncio.run(main())
    processes.close()
    work.join(30)
    assert not work.is_alive() and len(KNOWN) == 0


# Several at once.


def test_the_first_one_leaves_while_the_second_waits_and_the_second_gets_its_curve(monkeypatch):
    narrow("pca", monkeypatch)
    values = OPENED["pca"] | {"repeats": 20}
    apps = []

    def build(document):
        apps.append(App({"page": "gain"}))

    def open_it(app):
        app.pages["pca"].set(values)
        app.open("pca")

    async def main():
        async with Session(build) as first, Session(build) as second:
            for session, app in zip((first, second), apps, strict=True):
                session.loaded()
                await session.locked(partial(open_it, app))
            one, other = (app.page for app in apps)
            await until(lambda: one.runs.done and other.runs.done)
            await first.end()
            assert not other.results.whole
            await until(lambda: other.runs.state == "finished")
            assert other.results.whole and len(other.results.rows) > one.runs.done

    thread = workers.make(workers.THREADS)
    with workers.replaced(thread):
        asyncio.run(main())
    thread.close()
    alone = visited("pca", values)
    assert alone.ledger.entries == apps[1].ledger.entries


@pytest.mark.parametrize("link", [{"lecture": "1"}, {"epsilon": "0.5"}])
def test_an_address_is_warm_after_its_first_visitor(link, monkeypatch):
    narrow("pca", monkeypatch)
    link = {"page": "pca"} | link
    App(link)
    left = []
    monkeypatch.setattr(Runs, "start", lambda self, calls, *, paint: left.append(len(calls)))
    App(link)
    assert left and not any(left)

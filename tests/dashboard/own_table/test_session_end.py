"""The end of a session that held an own table or own documents: nothing of them stays, in server and workers."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import Counter

import pytest
import worker_jobs as jobs
from compared import PcaPage
from sessions import Session, until
from small_pages import narrow

from core import sweep
from core.sweep import workers
from dashboard.compare import store as compared
from dashboard.own_table.description import Sheet
from dashboard.own_table.file import ROOM
from dashboard.own_table.state import OwnData
from dashboard.packs.notebook.explorer.explorer import with_records
from dashboard.page.base import SessionPage
from dashboard.session.app import App
from dashboard.sheet import store as viewed
from dashboard.sheet.open_page import OpenPage
from dashboard.state.controls import Controls
from data.catalogue.corpora import OwnText
from data.catalogue.tables import OwnTable

SMALL = {
    "average": {"statistic": "mean"},
    "pca": {"k": 2, "repeats": 2},
    "components": {"k": 2, "repeats": 2},
    "regression": {"repeats": 2},
    "plan": {"problem": "pca", "k": 2, "most": 24, "schemes": ["cape"]},
    "topics": {"vocabulary": 100, "topics": 2, "sites": 2, "repeats": 2},
}
WORDS = b"fever cough pain night sleep heart rate drug dose pulse chest lung blood test ward bed".split()
TEXT = b"\n".join(b" ".join(WORDS[(i * j + i) % 16] for j in range(1, 12)) for i in range(400))
# What holds records, or what was computed of them.
HELD = (OwnTable, OwnText, Sheet, OwnData, SessionPage, sweep.Job, compared.Results, viewed.Results)


def held() -> Counter:
    """What this process holds of records, by its kind."""
    gc.collect()
    return Counter(kind.__name__ for one in gc.get_objects() for kind in HELD if isinstance(one, kind))


def left(before, made):
    """What is more than before, in this process and in the workers, once they have done what was handed to them."""
    there = sum((Counter(found) for found in jobs.everywhere(made, held)), Counter())
    # A thread that waited for a run of the session may be told of its end a moment later.
    end = time.monotonic() + 20
    while (here := held() - before) and time.monotonic() < end:
        time.sleep(0.1)
    return here, there


async def used(one, app, *, finished=True):
    """Bring records of one's own as a user does, and compute on them, or begin to."""
    page = app.page
    if page.own_table is None:
        (own,) = page.own_files
        await one.locked(lambda: own.receive("notes.txt", [TEXT[:50], TEXT[50:]]))
    else:
        own = page.own_table.data
        page.own_table.ask()
        await one.locked(own.take_sample)
        await until(lambda: own.sheet is not None)
        await one.locked(own.use)
    await until(lambda: own.used is not None)
    await until(lambda: page.runs.state == ("finished" if finished else "running"), seconds=120)
    if not finished:
        await until(lambda: page.runs.done, seconds=120)
        return
    assert len(page.table()) and page.settings_text()


@pytest.fixture(scope="module")
def processes():
    """A worker process of its own."""
    with workers.replaced(workers.make(1)) as made:
        yield made
    made.close()


@pytest.mark.parametrize(
    ("name", "finished"), [*((name, True) for name in (*with_records(), "topics")), ("pca", False)]
)
def test_nothing_of_own_records_outlives_its_session(name, finished, processes, monkeypatch, caplog):
    narrow(name, monkeypatch)
    before, room, made = held(), ROOM.free, []

    def build(document):
        made.append(App({"page": name}))
        made[0].page.set(SMALL[name] if finished else SMALL[name] | {"repeats": 200})
        made[0].frame.server_doc(document)

    async def main():
        async with Session(build) as one:
            one.loaded()
            await used(one, made.pop(), finished=finished)
            assert ROOM.free < room and held() - before
            await one.end()

    asyncio.run(main())
    assert ROOM.free == room
    assert left(before, processes) == (Counter(), Counter())
    assert failures(caplog) == []


def failures(caplog):
    """What the end of a session could not do."""
    found = [one for one in caplog.records if one.name in ("cape-lab", "panel.io.application")]
    return [one.getMessage() for one in found if one.levelno >= logging.WARNING]


def test_a_step_of_an_end_that_fails_stops_no_other(monkeypatch, caplog):
    """Here the page cannot forget its picture: the table, its room and its results in the workers go all the same."""
    forgotten = []
    monkeypatch.setattr(sweep, "forget", forgotten.append)
    monkeypatch.setattr(OpenPage, "forget", lambda page: 1 / 0)
    page, room = PcaPage(Controls(repeats=2, k=2)), ROOM.free
    page.own_table.data.take_sample()
    page.own_table.data.use()
    page.opened()
    assert ROOM.free < room and page.model.table is not None
    page.own_table.end()
    assert ROOM.free == room and page.model.table is None and page.own_table.data.used is None
    assert len(forgotten) == 1 and len(failures(caplog)) == 1

"""Noise on records of the user's own: other noise at each use, and the same as long as they are in use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from compared import AveragePage, ClustersPage, PcaPage, RegressionPage, TopicsPage
from small_pages import SMALL, narrow

from core import Privacy, sweep
from core.schemes import is_private
from dashboard import explore
from dashboard.algorithms.topics.own_text import OwnText
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.shell.actions import csv_text
from dashboard.state.controls import Controls

FRAME = pd.DataFrame(np.random.default_rng(5).uniform(-1, 1, (120, 3)), columns=list("abc"))
EDITED = FRAME.copy()
EDITED.iloc[7] = [1.0, -1.0, 1.0]
PAGES = {
    "average": AveragePage,
    "pca": PcaPage,
    "components": ClustersPage,
    "regression": RegressionPage,
    "plan": PlanPage,
}
SETTINGS = {
    "average": {},
    "pca": {"judged": "energy", "k": 1},
    "components": {"k": 1, "deviation": 0.5},
    "regression": {},
    "plan": {"problem": "pca", "k": 1, "most": 24},
}


@pytest.fixture
def opened(monkeypatch):
    """Bring a frame to a page; its runs are not started."""
    pages = []

    def open_with(name, frame):
        narrow(name, monkeypatch)
        page = PAGES[name](Controls(sites=3, repeats=2, schemes=["nonprivate", "cape"]))
        pages.append(page)
        page.content()
        page.set(SETTINGS[name])
        hand_in(page.own_table.data, frame)
        page.set({"own_records": True})
        return page

    yield open_with
    for page in pages:
        page.own_table.end()


def hand_in(own, frame):
    own.receive("table.csv", [frame.to_csv(index=False).encode()])
    own.take_draft(own.draft.filled("-1", "1"))
    own.use()
    assert own.objection == "" and own.used is not None


def noise(page):
    """The seed of everything that is drawn on a page."""
    return page.compute().settings.noise_seed


@pytest.mark.parametrize("name", PAGES)
def test_versions_of_a_table_and_sessions_meet_noise_of_their_own(name, opened):
    page, other = opened(name, FRAME), opened(name, FRAME)
    first = noise(page)
    assert first.bit_length() > 64 and first != noise(other)
    page.set({"epsilon": 3.0})
    moved = noise(page)
    page.set({"epsilon": 1.0})
    assert first == moved == noise(page)  # A run's settings tell it from those of another ε.
    page.set({"own_records": False})
    assert noise(page) == page.controls.noise_seed
    page.set({"own_records": True})
    assert noise(page) == first
    hand_in(page.own_table.data, EDITED)
    assert noise(page) not in (first, noise(other))
    page.controls.noise_seed += 1
    assert noise(page) != first


def test_an_edited_table_differs_from_the_first_in_its_noise(opened):
    """The difference of their releases is the edited record's and noise; with one noise, it is the record's alone."""
    releases = []
    for frame in (FRAME, EDITED):
        page = opened("pca", frame)
        page.controls.repeats = 12
        plan = page.compute()
        held, privacy = sweep.statistics(plan.problem, plan.here), Privacy(1.0, plan.here["delta"])
        fits = [plan.problem.fit(held, "cape", privacy, job.rng, plan.here) for job in plan.jobs_here("cape")]
        releases.append(np.array([fit.release.value for fit in fits]))
        std = np.sqrt(np.mean(np.square(fits[0].release.std)))
    # What the record moves is the same in all of them, and so is the difference where both have one noise.
    spread = np.sqrt(np.var(releases[1] - releases[0], axis=0, ddof=1).mean())
    # √2 of one release's; of 66 degrees of freedom it is outside of this once in 10⁵.
    assert 0.8 < spread / std < 2


def test_two_statistics_of_one_table_do_not_share_their_noise(opened):
    page = opened("regression", FRAME)
    seeds = set()
    for response in (1, 2, 3):
        page.set({"response": response})
        seeds.add(noise(page))
    assert len(seeds) == 3


def test_own_documents_meet_noise_of_their_own(monkeypatch):
    page = TopicsPage(Controls(sites=2, repeats=1))
    page.set(SMALL["topics"])
    lines = b"one two three four\n" * 30 + b"five six seven eight\n" * 30
    found = []
    for _ in range(2):
        own = OwnText()
        own.receive("notes.txt", [lines])
        page.model.own_text = own.used
        found.append({noise(page), noise(page)})
    assert found[0].isdisjoint(found[1]) and {len(seeds) for seeds in found} == {1}
    page.model.own_text = None
    assert noise(page) == page.controls.noise_seed


def test_the_seed_is_in_no_link_file_or_program_and_the_program_draws_anew(opened, tmp_path, monkeypatch):
    page = opened("pca", FRAME)
    page.opened()
    assert page.runs.state == "finished"
    seed, table = str(noise(page)), page.table()
    assert page.state.guarantee.secret
    texts = page.search(), csv_text(page), page.program(), str(page.settings_text())
    assert not any(seed in text for text in texts)
    (tmp_path / "table.csv").write_bytes(FRAME.to_csv(index=False).encode())
    monkeypatch.chdir(tmp_path)
    scope: dict = {}
    exec(compile(page.program(), "copied", "exec"), scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = table.set_index(["scheme", "epsilon"])["mean"]
    assert (theirs.reindex(ours.index) == ours).tolist() == [not is_private(s) for s, _ in ours.index]


def test_a_notebook_shows_other_noise_of_the_same_records_and_its_own_again(monkeypatch):
    narrow("pca", monkeypatch)
    options = {"bounds": (-1, 1), "sites": 3, "k": 1, "repeats": 1, "judged": "energy"}
    pages = [explore("pca", records=FRAME, schemes=["cape"], **options) for _ in range(2)]

    def shown(page):
        found = page.table()
        return found["mean"][found.scheme == "cape"].tolist()

    first, second = map(shown, pages)
    assert len(first) > 1 and not set(first) & set(second)
    pages[0].controls.k = 2
    assert shown(pages[0]) != first
    pages[0].controls.k = 1
    assert shown(pages[0]) == first
    for page in pages:
        page.close()

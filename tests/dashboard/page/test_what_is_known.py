"""Sentences of a page whose curve is being computed name only what was run."""

from __future__ import annotations

import pytest
from small_pages import HERE, SMALL, narrow

from core.schemes import is_private
from dashboard.compare.page import ComparePage
from dashboard.pages import PAGES
from dashboard.state.background_runs import Runs, Work
from dashboard.state.controls import Controls

# What a sentence says only of a curve whose every point was run.
OF_THE_CURVE = (
    "more than ε",
    "energy of",
    "top words need",
    "smallest at",
    "every mechanism",
    "Bands:",
    "differ significantly",
)
KINDS = {kind.name: kind for kind in PAGES}
COMPARED = {
    kind.name for kind in PAGES if issubclass(kind, ComparePage)
}  # Their view is a function of what is known.


@pytest.fixture
def paused(monkeypatch):
    """Runs that stand still: the test computes their jobs one by one."""
    begun = []
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: begun.append((list(jobs), paint)))
    return begun


def done(job):
    from core.sweep.workers import Signal

    return job.take(job.compute(Signal())) if isinstance(job, Work) else job(Signal())


def answered(name, small, paused, monkeypatch):
    """A page with these settings, all of whose runs are over."""
    narrow(name, monkeypatch)
    page = KINDS[name](Controls())
    page.set(small)
    page.opened()
    assert not page.said.pale and not page.said.old  # Nothing stands there that could be of other settings.
    jobs, paint = paused[-1]
    paint([done(job) for job in jobs])
    page.tell()
    return page


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"limits", "network"} - COMPARED))
def test_nothing_is_said_about_what_was_not_run(name, paused, monkeypatch):
    narrow(name, monkeypatch)
    page = KINDS[name](Controls())
    page.set(SMALL[name] | HERE | {"repeats": 4})
    page.opened()
    jobs, paint = paused[-1]
    assert not any(words in page.said.words for words in OF_THE_CURVE)
    said, covered = [], False
    for job in jobs:
        paint([done(job)])
        page.tell()
        plan, drawn = page.sweep.plan, page.sweep.table()
        # One or two repeats may put the worse scheme above the better.
        assert drawn.empty or (drawn.repeats >= 3).where(drawn.scheme.map(is_private), other=True).all()
        covered = covered or any(
            page.sweep.covers(method) for method in plan.methods if method != "nonprivate"
        )
        if not covered:
            assert not any(words in page.said.words for words in OF_THE_CURVE[:5]), page.said.words
        assert ("Bands:" in page.said.words) <= page.sweep.whole
        said.append(page.said.words)
    assert page.sweep.whole and not any("so far" in words for words in said[-1:])
    if any("Bands:" in words for words in said):
        assert any("so far: 3 of 4 repeats" in words for words in said)
    assert not page.said.pale
    told, epsilon = page.said.words, page.controls.epsilon
    page.set({"epsilon": 2.5})
    # The sentence stays with its picture, and both are pale, until the new ones stand.
    assert page.said.pale and page.said.words == told
    jobs, paint = paused[-1]
    paint([done(job) for job in jobs])
    page.tell()
    assert not page.said.pale and epsilon != 2.5


@pytest.mark.parametrize("name", ["components"])
def test_what_a_play_says_was_reached_is_of_every_scheme_that_is_pictured(name, paused, monkeypatch):
    page = answered(name, SMALL[name] | HERE | {"repeats": 3}, paused, monkeypatch)
    assert {"CAPE", "the conventional scheme"} <= page.reached(page.picture).who.keys()


def test_what_the_runs_did_not_answer_yet_is_pale(paused, monkeypatch):
    page = answered("audit", {"runs": 10_000}, paused, monkeypatch)
    assert not page.said.pale
    told = page.said.words
    page.set({"epsilon": 3.0})
    assert page.said.pale and page.said.words == told
    jobs, paint = paused[-1]
    paint([done(job) for job in jobs])
    page.tell()
    assert not page.said.pale

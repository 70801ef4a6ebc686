"""A picture whose runs are not over is pale, and its sentence stays with it."""

from __future__ import annotations

from core.sweep.workers import Signal
from dashboard.pages import PAGES
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls


def test_what_the_runs_did_not_answer_yet_is_pale(monkeypatch):
    """The runs stand still: their jobs are computed here."""
    begun = []
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: begun.append((list(jobs), paint)))
    page = next(kind for kind in PAGES if kind.name == "audit")(Controls())
    page.set({"runs": 10_000})
    page.opened()
    jobs, paint = begun[-1]
    paint([(job.key, job(Signal())) for job in jobs])
    page.tell()
    assert not page.said.pale
    told = page.said.words
    page.set({"epsilon": 3.0})
    assert page.said.pale and page.said.words == told
    jobs, paint = begun[-1]
    paint([(job.key, job(Signal())) for job in jobs])
    page.tell()
    assert not page.said.pale

"""The example of "Add a page": complete, short, and all that the frame asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import smallest_page
from bokeh.document import Document
from pictures import drawn
from smallest_page import MeanPage

from core.schemes import OFFERED, PRIVATE
from dashboard.pages import LISTED, Listed
from dashboard.session import app
from dashboard.session.app import App
from dashboard.state import url

SMALL = {"sites": 3, "samples": 20, "repeats": 4, "epsilon": 0.5}


def session(monkeypatch, query):
    """A session of the app with the example among its pages."""
    monkeypatch.setattr(
        app, "LISTED", (LISTED[0], Listed("mean", MeanPage.title, "Compare", module="smallest_page"))
    )
    return App({"page": "mean", **{name: str(value) for name, value in query.items()}})


def test_it_has_at_most_150_lines_with_its_problem():
    assert len(Path(smallest_page.__file__).read_text().splitlines()) <= 150


def test_it_draws_tells_and_counts_what_it_releases(monkeypatch):
    one = session(monkeypatch, SMALL)
    page = one.page
    page.content().get_root(Document())
    assert page.runs.state == "finished" and page.said.problem == ""
    curves = drawn(page)
    assert set(curves) == set(OFFERED)
    assert curves["local"]["mean"][0] > curves["local"]["mean"][-1]
    assert np.allclose(curves["nonprivate"]["mean"], 0)
    assert "CAPE" in page.said.words and page.said.guarantee.exposures
    assert "compare with the true average" in page.said.guarantee.not_private[0]
    shown = [scheme for scheme in OFFERED if scheme in PRIVATE]
    # Private schemes, five points, and a fit of each beside the curve.
    private = len(shown) * (5 * SMALL["repeats"] + 1)
    assert sum(entry.drawn.draws for entry in one.ledger.entries) == private
    assert len(page.table()) == 5 * len(OFFERED)


def test_its_program_computes_the_numbers_of_its_table(monkeypatch):
    page, scope = session(monkeypatch, SMALL).page, {"__name__": "copied"}
    exec(compile(page.script(), "mean", "exec"), scope)
    table = page.table()
    assert scope["columns"]["scheme"] == table.scheme.tolist()
    np.testing.assert_allclose(scope["columns"]["mean"], table["mean"], rtol=1e-9)


def test_a_run_of_the_curve_at_the_present_settings_is_the_fit_beside_it(monkeypatch):
    page = session(monkeypatch, SMALL | {"epsilon": 1}).page
    for method in page.plan.shown:
        assert page.sweep.rows[page.plan.job_here(method)]["error"] == page.sweep.spots[method]


def test_what_stays_the_same_is_not_computed_again(monkeypatch):
    page = session(monkeypatch, SMALL).page
    before = drawn(page)["cape"]["mean"]
    page.set({"epsilon": 0.7})
    assert page.runs.total == len(OFFERED) and drawn(page)["cape"]["mean"] == before  # The fits alone.
    page.set({"colluding": 1})
    assert page.runs.total == 0 and page.said.guarantee.colluding == 1
    page.set({"schemes": ["cape", "conventional"]})
    assert set(drawn(page)) == {"cape", "conventional"}
    page.set({"noise_seed": 5})
    assert drawn(page)["cape"]["mean"] != before


def test_its_link_brings_the_same_picture(monkeypatch):
    one = session(monkeypatch, SMALL | {"axis": "samples"})
    other = App(url.parse(one.browser.query))
    assert drawn(other.page) == drawn(one.page) and other.page.said.words == one.page.said.words


def test_in_the_background_it_does_no_work_and_catches_up_once(monkeypatch):
    one = session(monkeypatch, SMALL)
    page = one.page
    one.open(LISTED[0].name)
    page.set({"sites": 5})
    page.set({"sites": 6})
    assert page.plan.settings.sites == 3
    one.open("mean")
    assert page.plan.settings.sites == 6 and page.runs.state == "finished"


def test_what_is_wrong_is_said_and_the_last_picture_stays(monkeypatch):
    page = session(monkeypatch, SMALL).page
    before = drawn(page)

    def fail():
        raise ValueError("sites must be fewer")

    monkeypatch.setattr(page.model, "plan", fail)
    page.refresh()
    assert page.said.problem == "sites must be fewer" and drawn(page) == before

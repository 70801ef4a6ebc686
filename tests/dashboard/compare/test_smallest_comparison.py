"""The example of CONTRIBUTING's "Add an algorithm" is one: it draws, counts, links and repeats what it shows."""

from __future__ import annotations

import numpy as np
import pytest
import smallest_comparison
from bokeh.document import Document
from compared import record

from core import Privacy
from core.privacy import gdp_mu
from core.schemes import OFFERED, PRIVATE
from dashboard.pages import LISTED, Listed
from dashboard.session import app
from dashboard.session.app import App
from dashboard.state import url

SMALL = {"sites": 3, "samples": 40, "repeats": 2}


def session(monkeypatch, query):
    """A session of the app with the example among its pages."""
    example = Listed("mean", "Mean", "Compare", module=smallest_comparison.__name__, tab_of="pca")
    monkeypatch.setattr(app, "LISTED", (LISTED[0], example))
    return App({"page": "mean", **{name: str(value) for name, value in query.items()}})


def means(page):
    """The curve's means of CAPE."""
    table = page.table()
    return table[table.scheme == "cape"]["mean"].tolist()


def test_it_draws_tells_and_counts_what_it_releases(monkeypatch):
    one = session(monkeypatch, SMALL)
    page = one.page
    page.content().get_root(Document())
    assert page.runs.state == "finished" and page.state.problem == ""
    table = page.table()
    assert set(table.scheme) == set(OFFERED) and len(table) == 5 * len(OFFERED)
    assert np.allclose(table[table.scheme == "nonprivate"]["mean"], 0)
    local = table[table.scheme == "local"].sort_values("epsilon")["mean"].tolist()
    assert local[0] > local[-1]
    assert "CAPE" in page.state.words and page.state.guarantee.exposures
    # Private schemes: five points and the present setting, which is one of them.
    private = len([scheme for scheme in OFFERED if scheme in PRIVATE])
    assert sum(entry.drawn.draws for entry in one.ledger.entries) == private * 5 * SMALL["repeats"]


def test_its_noise_keeps_the_target_against_whom_its_user_chose(monkeypatch):
    one = session(monkeypatch, SMALL | {"adversary": "aggregator"})
    one.page.content()
    target = Privacy(one.page.controls.epsilon, one.page.controls.delta)
    mus = [entry.drawn.mu("aggregator") for entry in one.ledger.entries if entry.drawn.method == "cape"]
    assert any(mu == pytest.approx(gdp_mu(target), rel=1e-6) for mu in mus)
    found = record(one.page).law.observed(one.page.plan, "cape")
    assert found.aggregator == pytest.approx(gdp_mu(target), rel=1e-6) and found.message < found.aggregator


def test_its_program_computes_the_numbers_of_its_table(monkeypatch):
    page, scope = session(monkeypatch, SMALL).page, {"__name__": "copied"}
    exec(compile(page.script(), "mean", "exec"), scope)
    table = page.table()
    assert scope["columns"]["scheme"] == table.scheme.tolist()
    np.testing.assert_allclose(scope["columns"]["mean"], table["mean"], rtol=1e-9)


def test_what_stays_the_same_is_not_computed_again(monkeypatch):
    page = session(monkeypatch, SMALL).page
    before = means(page)
    page.set({"epsilon": 0.7})
    assert page.runs.total == len(OFFERED) and means(page) == before  # The fits alone.
    page.set({"colluding": 1})
    assert page.runs.total == 0 and page.state.guarantee.colluding == 1
    page.set({"noise_seed": 5})
    assert means(page) != before


def test_its_link_brings_the_same_numbers(monkeypatch):
    one = session(monkeypatch, SMALL | {"axis": "samples"})
    other = App(url.parse(one.browser.query))
    assert means(other.page) == means(one.page) and other.page.state.words == one.page.state.words


def test_what_is_wrong_is_said_and_the_last_numbers_stay(monkeypatch):
    page = session(monkeypatch, SMALL).page
    before = means(page)
    monkeypatch.setattr(page.model, "plan", lambda: (_ for _ in ()).throw(ValueError("sites must be fewer")))
    page.refresh()
    assert "sites must" in page.state.problem and means(page) == before


@pytest.mark.parametrize("setting", ["epsilon", "samples"])
def test_its_noise_panel_follows_its_settings(monkeypatch, setting):
    page = session(monkeypatch, SMALL).page
    before = page.shown.sections["noise"]
    page.set({setting: 2 * getattr(page.controls, setting)})
    assert page.shown.sections["noise"] != before

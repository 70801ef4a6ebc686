"""The ledger: every draw counts once, per site and data set, and pages that release nothing say why."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from compared import cost, sweeps

from core import Privacy, pca, release, topics
from core.moments import lda
from core.privacy import gdp_delta, gdp_epsilon, gdp_mu
from core.sweep import Job
from dashboard.guarantee import ledger_costs
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.shell.ledger_drawer import ledger_html
from dashboard.state.ledger import Drawn, Ledger
from dashboard.state.number_text import at_most_text
from data.catalogue import tables

ONE = Privacy(1.0, 1e-5)
MU = gdp_mu(ONE)
SMALL = {
    "components": {"dimension": 10, "k": 2, "sites": 2, "samples": 200, "repeats": 2},
    "regression": {"dimension": 3, "sites": 2, "samples": 50, "repeats": 2},
    "power": {"d": 10, "iterations": 2, "restarts": 1, "repeats": 2},
}


def ledger_of(*drawn):
    ledger = Ledger()
    ledger.add("Page", drawn)
    return ledger


def scheme(name, identity=0, **changes):
    return ledger_costs.under_scheme(
        name,
        ONE,
        **{"identity": identity, "data": "numbers", "settings": "ε = 1", "sites": 10, "calibration": "exact"}
        | changes,
    )


def test_every_page_says_what_it_releases_or_why_nothing():
    for kind in PAGES:
        releases = kind.spec.work.counts or sweeps(kind)
        assert releases != bool(kind.no_release), kind.name


def test_draws_compose_exactly_and_the_same_ones_count_once():
    ledger = ledger_of(scheme("cape", draws=4), scheme("cape", identity=1))
    assert ledger.account("numbers", "public", first_site=False).mu == pytest.approx(math.sqrt(5) * MU)
    ledger.add("Page", [scheme("cape", draws=4)])
    assert sum(entry.drawn.draws for entry in ledger.entries) == 5
    ledger.add("Page", [scheme("cape", identity=2)])
    assert ledger.account("numbers", "public", first_site=False).mu == pytest.approx(math.sqrt(6) * MU)


def test_the_same_draws_cost_what_is_assumed_of_them_last():
    """A cost that counts on somebody's word carries it; another word of the same draws takes its place."""
    word = Drawn(0, "numbers", "cape", "", public=3.0, aggregator=4.0, releases=12, assumed="All of them.")
    ledger = ledger_of(word, Drawn(1, "numbers", "cape", "", public=1.0))
    assert ledger.account("numbers", "public", first_site=False).mu == pytest.approx(math.sqrt(10))
    said = ledger_html(ledger, 1e-5, {})
    assert "<p>All of them.</p>" in said and "13 draws" in said
    ledger.add("Page", [replace(word, public=2.0, assumed="Few <b>.")])
    changes = ledger.changes
    ledger.add("Page", [replace(word, public=2.0, assumed="Few <b>.")])
    assert ledger.account("numbers", "public", first_site=False).mu == pytest.approx(math.sqrt(5))
    said = ledger_html(ledger, 1e-5, {})
    assert "All of them" not in said and "Few &lt;b&gt;." in said and ledger.changes == changes
    ledger.reset()
    ledger.add("Page", [word])
    assert ledger.account("numbers", "public", first_site=False).mu == pytest.approx(3.0)


def test_who_sees_more_has_been_told_more():
    ledger = ledger_of(scheme("cape"), scheme("conventional"))
    expected = {"public": MU * math.sqrt(1 + 1 / 10)}
    shown = release(np.zeros(10), 1.0, ONE, scheme="cape", rng=np.random.default_rng(0))
    expected["aggregator"] = math.hypot(shown.mu_aggregator, MU)
    for view, mu in expected.items():
        assert ledger.account("numbers", view, first_site=False).mu == pytest.approx(mu)


def test_the_local_answer_costs_site_1_alone_and_a_curator_is_no_onlooker():
    ledger = ledger_of(scheme("local"), scheme("pooled"))
    mu = {first: ledger.account("numbers", "aggregator", first_site=first).mu for first in (True, False)}
    assert mu[True] == pytest.approx(math.sqrt(2) * MU)
    assert mu[False] == pytest.approx(MU)


def test_pure_releases_join_and_data_sets_stand_apart():
    job = Job(pca.Problem(tables.load), (("delta", 1e-5), ("epsilon", 0.5)), "dpfm", 0, 1)
    ledger = ledger_of(scheme("cape"), ledger_costs.of_curator(job, data="other", pure=0.5))
    assert ledger.data == ["numbers", "other"]
    assert ledger.account("other", "public", first_site=True).epsilon(1e-5) == pytest.approx(0.5)
    assert ledger.worst(1e-5) == ("numbers", pytest.approx(1.0))


def test_what_has_no_guarantee_leaves_no_privacy_and_reset_forgets():
    ledger = ledger_of(Drawn(0, "numbers", "configuration-3", "ε = 1", public=math.inf, curator=True))
    assert "no privacy" in ledger_html(ledger, 1e-05, {})
    ledger.reset()
    assert ledger.data == []
    assert "was released" in ledger_html(ledger, 1e-05, {})


def test_names_from_outside_are_escaped():
    text = ledger_html(ledger_of(scheme("cape", data="<img src=x>")), 1e-5, {"<b>": "<i>"})
    assert "<img" not in text and "&lt;img" in text and "<b><" not in text and "<i>" not in text


def test_protocol_enters_every_draw_of_its_histograms_and_analytic_pages_none():
    app = App({"page": "gain"})
    app.open("guarantee")
    app.page.set({"noise": 20.0})
    assert app.ledger.data == []
    app.open("protocol")
    app.page.set({"draws": 300, "schemes": ["cape", "pooled"], "together": True})
    before = len(app.ledger.entries)
    app.page.set({"draws": 200})
    new = app.ledger.entries[before:]
    # What costs the same stands in one line: the draws of all settings but ε, δ, S and Nₛ.
    assert before and not new
    counts = {entry.drawn.method: entry.drawn.draws for entry in app.ledger.entries}
    assert counts["pooled"] == 101 + 300 + 200
    app.page.set({"draws": 300})  # Shown before.
    assert {e.drawn.method: e.drawn.draws for e in app.ledger.entries} == counts
    (data,) = app.ledger.data
    public = app.ledger.account(data, "public", first_site=False)
    # A conventional average of five sites has five times the variance.
    mu = math.sqrt(counts["pooled"] + counts["cape"] + counts["conventional"] / 5) * MU
    assert public.mu == pytest.approx(mu)
    text = ledger_html(app.ledger, 1e-5, {})
    spent = gdp_epsilon(1e-5, app.ledger.account(data, "public", first_site=True).mu)
    assert "a simulation" in text and at_most_text(spent) in text


@pytest.mark.parametrize("name", SMALL)
def test_every_repeat_of_a_sweep_and_every_fit_is_a_release(name):
    app = App({"page": "gain"})
    page = app.pages[name]
    page.set(SMALL[name])
    app.open(name)
    assert page.runs.state == "finished", page.runs.message
    plan = page.plan
    jobs = set(plan.jobs) | {
        plan.job_here(m, r)
        for m in plan.methods
        for r in range(page.controls.repeats if name == "regression" else 1)
        if name != "power"
    }
    private = [job for job in jobs if job.scheme not in ("nonprivate", "random")]
    shown = app.ledger.entries
    # The releases that show the leak are of documents of their own.
    entered = [entry for entry in shown if "leak" not in entry.drawn.data]
    assert sum(entry.drawn.draws for entry in entered) == len(private) > 10
    (data,) = {entry.drawn.data for entry in entered}
    assert app.ledger.account(data, "public", first_site=True).epsilon(1e-5) > page.controls.epsilon
    page.refresh()
    assert app.ledger.entries == shown


def test_a_published_pca_costs_more_than_it_says_and_square_roots_are_seen_by_all():
    app = App({"page": "gain"})
    page = app.pages["pca"]
    page.set({"k": 5, "calibration": "published"})
    page.plan = page.compute()
    costs = {m: cost(page, page.plan.job_here(m)) for m in ("cape", "conventional", "dpdispca")}
    classical = 1 / math.sqrt(2 * math.log(1.25e5))
    assert costs["cape"].public == pytest.approx(math.sqrt(2) * classical)
    assert (
        costs["dpdispca"].public
        == costs["conventional"].aggregator
        == pytest.approx(math.sqrt(2) * classical)
    )
    assert costs["conventional"].public < costs["dpdispca"].public


def test_avn_has_a_gaussian_and_a_pure_part():
    app = App({"page": "gain"})
    page = app.pages["components"]
    page.set(SMALL["components"] | {"share": 0.25})
    page.plan = page.compute()
    drawn = cost(page, page.plan.job_here("avn"))
    assert drawn.pure == pytest.approx(0.75) and drawn.curator
    assert float(gdp_delta(0.25, drawn.public)) == pytest.approx(1e-5)


@pytest.mark.parametrize("alpha0", [0.1, 2.0])
@pytest.mark.parametrize("calibration", ["exact", "published"])
def test_the_first_configuration_costs_what_its_releases_compose_to(alpha0, calibration):
    rng = np.random.default_rng(3)
    counts = rng.poisson(1.0, (60, 8)) + 1
    found = topics.fit(
        lda.documents(counts),
        2,
        alpha0=alpha0,
        configuration="1",
        privacy=ONE,
        rng=rng,
        calibration=calibration,
    )
    mu = topics.first_mu(ONE, alpha0=alpha0, documents=60, calibration=calibration)
    assert mu == pytest.approx(found.guarantee.mu_public)

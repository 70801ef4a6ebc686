"""Plan and Sites save plans for sites of their own."""

from __future__ import annotations

import pytest
from sheets import SitesPage

from core.parties import Plan
from core.sweep import search
from dashboard.packs.consortium.plan import party_plan
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.problems.sites import Row, write_rows
from dashboard.state.controls import Controls


def test_sites_writes_the_plan_of_its_design():
    page = SitesPage(Controls())
    page.content()
    rows = [Row("a", 100, 1.0, 1e-5), Row("<b>", 200, 0.5, 1e-6, 0.0, True), Row("c", 150, 1.0, 1e-5)]
    page.set({"rows": write_rows(rows), "against": "colluders"})
    page.opened()
    plan = Plan.read(page.model.consortium().text().encode())
    assert [site.name for site in plan.sites] == ["a", "<b>", "c"] and plan.colluding == 1
    assert float(plan.stated().std) == pytest.approx(page.plan.std["cape"], rel=1e-9)
    assert plan.parts().contributions.local_std == pytest.approx(page.plan.design.local_std, rel=1e-9)
    assert page.model.plannable
    page.set({"target": 2.0})
    assert not page.model.plannable


@pytest.fixture
def page():
    page = PlanPage(Controls(sites=3, k=2, delta=1e-3, samples=50, schemes=["cape"]))
    page.content()
    yield page
    page.own_table.end()


def test_plan_writes_the_plan_of_its_answer(page):
    page.set({"problem": "averaging", "level": 0.02})
    page.opened()
    plan = Plan.read(page.plan_file().encode())
    assert (plan.statistic.name, plan.scheme, plan.form, len(plan.sites)) == ("mean", "cape", "secure", 3)
    # Its error is the level that was asked for, with 95 %.
    assert 1.959964 * float(plan.stated().std) == pytest.approx(0.02, rel=1e-2)


@pytest.mark.parametrize(
    "centre, name, shape",
    [("public", "second moment", (64, 64)), ("mean", "second moment and mean", (4160,))],
)
@pytest.mark.parametrize("scheme", ["cape", "secure"])
def test_plan_writes_plans_of_components(page, centre, name, shape, scheme):
    page.set({"problem": "pca", "data": "digits", "centre": centre})
    answer = search.Answer(scheme, "found", 2.0, 2.0, 2.0)
    plan = party_plan.plan(page.compute(), scheme, answer, [50, 60, 70], ["a\u200b", "\u2060", "c"])
    plan = Plan.read(plan.text().encode())
    assert (plan.statistic.name, plan.statistic.shape, plan.scheme) == (name, shape, scheme)
    assert [site.name for site in plan.sites] == ["a", "site 2", "c"]
    assert plan.sites[0].privacy.epsilon == 2.0 and plan.sites[0].weight == pytest.approx(50 / 180)
    assert party_plan.available(page.compute())
    page.set({"problem": "topics"})
    assert not party_plan.available(page.compute())

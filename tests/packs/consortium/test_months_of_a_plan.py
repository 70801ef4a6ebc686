"""Every month, opened from a plan: its target, its series and its unit, in numbers that are those of the plan."""

import html
import math
import re

import numpy as np
import pytest
from own_columns import COLUMN, SIZES, own, use
from sheets import MonthsPage

from core import Privacy, series
from core.privacy import gdp_epsilon, gdp_mu
from dashboard.packs.consortium.months.model import MOST_MONTHS, MonthsModel, found
from dashboard.packs.consortium.months.view import view
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.words import text
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text

LEVEL = 25.0  # mg/L


def planned(times="", most="", **values):
    """A plan of the mean of a column of three hospitals, and the settings of its link to Every month."""
    page = PlanPage(Controls(delta=1e-5))
    page.content()
    page.content()
    use(page, *own(), problem="averaging", column=COLUMN["mean"], level=0.05, **values)
    page.year_panel.build()
    if times:
        line = page.answer_line()
        page.year.add(line.__class__(**vars(line) | {"times": times, "most": most}))
        page.year.stand()
    (link,) = re.findall(r"href='(\?page=months[^']*)'", page.year_panel.text.text)
    return page, url.parse(html.unescape(link))


def opened(query):
    """The page that the link opens."""
    page = MonthsPage(Controls())
    assert page.take(query) == []
    return page


def followed(query):
    """Its plan and its view."""
    plan = opened(query).model.plan()
    return plan, view(plan, Shown(results=Results(plan, {plan.key: found(plan.question)})))


@pytest.mark.parametrize("times, most", [("", ""), ("12", "2"), ("6", ""), ("52", "1")])
@pytest.mark.parametrize("adversary", ["message", "aggregator"])
def test_independent_months_have_the_allowed_error_of_the_plan(times, most, adversary):
    """In its unit: the ε of the link is of the whole series, so that each month has the plan's own error."""
    page, query = planned(times, most, adversary=adversary, schemes=["cape-after"])
    plan = opened(query).model.plan()
    months, inside = min(int(times or 12), MOST_MONTHS), int(most or times or 12)
    assert (plan.question.person.months, plan.question.person.times) == (months, inside)
    question = page.results.question
    promised = text.promised(question, page.results.answers["cape-after"])
    total = gdp_epsilon(1e-5, gdp_mu(Privacy(promised, 1e-5)) * math.sqrt(inside))
    assert total <= plan.privacy.epsilon <= total * 1.001 and plan.privacy.delta == 1e-5
    assert (plan.unit.name, plan.unit.span, plan.unit.records) == ("mg/L", 500.0, sum(SIZES))
    each = plan.errors(series.independent(plan.question.person), kind="months")
    # The zero-sum noise of CAPE costs half a per cent beside one curator.
    assert 1.959964 * each * 500 / sum(SIZES) == pytest.approx(LEVEL, rel=0.01)
    assert f"± {number_text(LEVEL, digits=2)}\u00a0mg/L" in plan.unit.within(each[0]).replace(
        "\u00a0", " ", 1
    )


def test_the_link_has_sites_dropouts_colluders_and_the_scheme_of_the_plan():
    _, query = planned(adversary="colluders", colluding=1, dropouts=0, schemes=["secure"])
    plan, _ = followed(query)
    assert (plan.sites, plan.colluding, plan.dropouts, plan.scheme) == (3, 1, 0, "secure")
    _, query = planned(adversary="aggregator", dropouts=1, schemes=["cape", "conventional"])
    plan, _ = followed(query)
    assert (plan.sites, plan.colluding, plan.dropouts, plan.scheme) == (3, 0, 1, "cape-after")
    _, query = planned(adversary="message", dropouts=1)  # Of which it plans nothing.
    assert followed(query)[0].dropouts == 0


def test_the_page_speaks_in_the_unit_of_the_plan_beside_range_over_n():
    _, query = planned("12", "2")
    plan, shown = followed(query)
    best = found(plan.question).strategies["best"]
    noise = series.Series(strategy=best, sites=3, mu=float(gdp_mu(plan.privacy)), scheme=plan.scheme)
    unit = 500 / sum(SIZES)
    each = 1.959964 * unit * 3 * math.sqrt(noise.expected(np.eye(12)).max())
    mean = 1.959964 * unit * 3 * math.sqrt(noise.expected(np.full((1, 12), 1 / 12))[0])
    for value in (each, mean):
        assert f"<b>±\u00a0{number_text(value, digits=2)}\u00a0mg/L</b>" in shown.headline
    assert "95 %" in shown.headline and "range/N" in shown.headline
    assert "500\u00a0mg/L over 200 records: 2.5\u00a0mg/L" in shown.words
    one = plan.root_mean_square(best, kind="months")
    cell = f"{number_text(one)} <small>{number_text(one * unit, digits=2)}\u00a0mg/L</small>"
    assert f"<td>{cell}</td>" in shown.sections["numbers"]


def test_without_a_plan_the_page_stays_in_range_over_n_and_says_where_a_unit_comes_from():
    plan = MonthsModel(Controls()).plan()
    shown = view(plan, Shown(results=Results(plan, {plan.key: found(plan.question)})))
    assert plan.unit is None and "%" in shown.headline and "95 %" not in shown.headline
    assert "page=plan" in shown.words and "<small>" not in shown.sections["numbers"].partition("</h2>")[2]


@pytest.mark.parametrize(
    "bad", [{"unit": "<b>x</b>"}, {"unit": "u" * 21}, {"span": "-1"}, {"records": "1.5"}, {"scheme": "local"}]
)
def test_a_link_with_a_bad_unit_is_taken_without_it(bad):
    page = MonthsPage(Controls())
    (problem,) = page.take({"page": "months", "span": "1", "records": "9", **bad})
    assert next(iter(bad)) in problem
    assert "<" not in page.model.unit and page.model.plan() is not None


def test_an_epsilon_above_what_the_page_has_is_said():
    page = PlanPage(Controls(sites=3, samples=10))
    page.content()
    page.content()
    page.set({"problem": "averaging", "level": 0.05, "schemes": ["cape"]})
    page.opened()
    page.year_panel.build()
    said = page.year_panel.text.text
    (link,) = re.findall(r"href='(\?page=months[^']*)'", said)
    assert url.parse(html.unescape(link))["epsilon"] == "10" and "it shows 10" in said


@pytest.mark.parametrize("scheme", ["pooled", "secure", "conventional"])
def test_the_scheme_of_the_plan_has_the_sentence_the_first_chart_and_the_program(scheme):
    page = MonthsPage(Controls(sites=5, dropouts=1))
    page.set({"scheme": scheme})
    page.opened()
    plan, best = page.model.plan(), found(page.model.plan().question).strategies["best"]
    silent = 0 if scheme == "pooled" else 1
    noise = series.Series(strategy=best, sites=5, mu=plan.mu, scheme=scheme, dropouts=silent)
    expected = 5 * np.sqrt(noise.expected(series.queries("totals", 12)))
    drawn = next(
        line for line in page.shown.charts["strategies"].lines if line.name == "best for what is asked"
    )
    assert drawn.y == pytest.approx(expected, rel=1e-9)
    assert f"<b>{number_text(float(np.sqrt(np.square(expected).mean())))}</b>" in page.shown.headline
    namespace = {}
    exec(compile(page.script(), "months", "exec"), namespace)
    np.testing.assert_allclose(namespace["columns"]["best"], expected, rtol=1e-9)

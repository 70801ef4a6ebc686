"""What Plan promises where sites may fall silent: the worst that the plan allows, on every part of the page."""

import math
import re

import numpy as np
import pytest
from sheets import record_of

from core import Privacy, release
from core.parties import Plan
from core.privacy import attack_risk, gdp_delta, gdp_epsilon, gdp_mu
from dashboard.guarantee.ledger_costs import under_scheme
from dashboard.packs.consortium.plan.page import PlanPage
from dashboard.packs.consortium.plan.words import promise, text
from dashboard.packs.consortium.plan.year.releases import Line
from dashboard.state.controls import Controls

# The scheme, whom its target holds against, S, r, c.
CASES = [
    ("cape", "message", 5, 2, 1),
    ("cape", "aggregator", 2, 1, 0),
    ("cape", "colluders", 12, 9, 1),
    ("conventional", "colluders", 5, 2, 1),
    ("secure", "aggregator", 10, 4, 2),
]


def opened(against, sites, dropouts, colluding, scheme="cape"):
    page = PlanPage(Controls())
    page.controls.take(
        {"sites": sites, "samples": 100, "adversary": against, "dropouts": dropouts, "colluding": colluding}
    )
    page.set({"problem": "averaging", "level": 0.02, "schemes": [scheme]})
    page.content()
    page.content()
    page.opened()
    return page


def brute_force(scheme, privacy, against, sites, dropouts, colluding):
    """The largest μ of the public, the aggregator and colluders when 0 to r sites fall silent."""
    plan = {"against": against}
    if against == "message":
        dropouts = 0
    elif against == "colluders":
        plan["colluding"] = colluding
    found = []
    for lost in range(dropouts + 1):
        made = release(
            np.zeros(sites),
            1.0,
            privacy,
            scheme=scheme,
            rng=np.random.default_rng(0),
            dropouts=dropouts,
            dropped=range(sites - lost, sites),
            **plan,
        )
        known = min(colluding, len(made.sites) - 1)
        found.append((made.mu_public, made.mu_aggregator, made.mu(known)))
    return np.max(found, axis=0)


def cells(html):
    """The texts of a table's body, by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2].partition("</tbody>")[0])
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


@pytest.mark.parametrize("scheme, against, sites, dropouts, colluding", CASES)
def test_every_part_of_plan_promises_the_worst_that_may_happen(scheme, against, sites, dropouts, colluding):
    page = opened(against, sites, dropouts, colluding, scheme)
    answer = page.results.answers[scheme]
    # What is said of the release is of the ε that is promised, which is rounded up.
    privacy = Privacy(text.promised(page.results.question, answer), page.controls.delta)
    worst = brute_force(scheme, privacy, against, sites, dropouts, colluding)

    (row,) = promise.guarantee(page.results).exposures
    promised = row.public, row.aggregator, row.colluders
    assert promised == pytest.approx(tuple(gdp_delta(privacy.epsilon, worst)), rel=1e-6)

    shown = cells(record_of(page).partition("<b>What each")[0])
    right = [float(row[3]) for row in shown]
    expected = 50 + 50 * attack_risk.advantage(worst)
    assert len(right) == (3 if colluding else 2)
    assert all(-1e-9 <= x - true <= 0.1 for x, true in zip(right, expected, strict=False))

    for observer, mu in zip(("public", "aggregator", "colluders"), worst, strict=True):
        line = Line("week", "mean", scheme, repr(privacy.epsilon), repr(privacy.delta), "52")
        page.year.param.update(lines=(line,), observer=observer)
        assert page.year.plan().account.mu == pytest.approx(mu * math.sqrt(52), rel=1e-9)

    saved = Plan.read(page.plan_file().encode())
    assert saved.dropouts == (0 if against == "message" else min(dropouts, sites - 1))
    for lost in range(saved.dropouts + 1):
        stated = saved.stated(dropped=range(sites - lost, sites))
        held = {
            "message": max(stated.mu_message, stated.mu_public),
            "aggregator": stated.mu_aggregator,
            "colluders": stated.mu(min(colluding, len(stated.sites) - 1)),
        }
        assert held[against] <= gdp_mu(privacy) * (1 + 1e-9)


def test_planned_dropouts_do_not_make_a_year_cheaper():
    """Ten sites, ε = 0.3 at δ = 1e-5, 52 times, against the result: seen with all messages the year takes more."""
    for dropouts in (0, 1, 4):
        page = opened("aggregator", 10, dropouts, 0)
        page.year.param.update(
            lines=(Line("week", "mean", "cape", "0.3", "1e-5", "52"),), observer="aggregator"
        )
        whole = math.sqrt(52) * gdp_mu(Privacy(0.3, 1e-5))
        assert page.year.plan().spent == pytest.approx(gdp_epsilon(1e-5, whole), rel=1e-9)
        assert page.year.plan().spent == pytest.approx(2.637, abs=0.001)


def test_the_ledger_counts_what_happened():
    """Runs in which sites fell silent are entered with what was learnt in them."""
    terms = (("against", "aggregator"), ("dropouts", 4), ("dropped", 4))
    privacy = Privacy(1.0, 1e-5)
    about = {"identity": 1, "data": "d", "settings": "", "sites": 10, "calibration": "exact"}
    drawn, all_send = (under_scheme("cape", privacy, terms=some, **about) for some in (terms, terms[:2]))
    assert drawn.aggregator < 0.8 * all_send.aggregator
    assert all_send.aggregator == pytest.approx(gdp_mu(privacy), rel=1e-9)

"""Releases over a year against a budget: exact composition, what is left, and the file."""

import json
import math

import pytest
from scipy.stats import norm

from core.privacy import Privacy, gdp_epsilon, gdp_mu
from core.privacy.accountant import Accountant
from core.privacy.release_plan import LIMIT, MOST_TIMES, Planned, ReleasePlan

WEEKLY = Planned(
    "weekly mean", "mean of 8 columns", "cape", Privacy(0.1, 1e-6), 52, gdp_mu(Privacy(0.1, 1e-6))
)
ONCE = Planned("components", "second moment", "cape", Privacy(0.5, 1e-6), 1, gdp_mu(Privacy(0.5, 1e-6)))
PLAN = ReleasePlan(Privacy(2.0, 1e-5), (WEEKLY, ONCE), "aggregator", 5, 2)


def test_releases_compose_exactly():
    mu = math.sqrt(52 * WEEKLY.mu**2 + ONCE.mu**2)
    spent = PLAN.spent
    # δ(ε) of a μ-Gaussian release, written out.
    delta = norm.cdf(mu / 2 - spent / mu) - math.exp(spent) * norm.cdf(-mu / 2 - spent / mu)
    assert delta == pytest.approx(1e-5, rel=1e-9)
    assert spent < 52 * 0.1 + 0.5  # The sum of all ε, which nobody needs to pay.


def test_what_is_left_uses_the_budget_up_exactly():
    assert not PLAN.over and 0 < PLAN.left < 2
    last = Planned("last", "mean", "cape", Privacy(PLAN.left, 1e-5), 1, gdp_mu(Privacy(PLAN.left, 1e-5)))
    full = ReleasePlan(PLAN.budget, (*PLAN.releases, last))
    assert full.spent == pytest.approx(2.0, rel=1e-9)
    assert not full.over and full.left < 1e-3 and full.further(0) == 0
    more = ReleasePlan(
        PLAN.budget, (*PLAN.releases, Planned("again", "mean", "cape", WEEKLY.privacy, 1, WEEKLY.mu))
    )
    assert PLAN.further(0) > 1 and more.further(0) == PLAN.further(0) - 1
    at_most = PLAN.further(0)
    assert not ReleasePlan(PLAN.budget, (*PLAN.releases, times(at_most))).over
    assert ReleasePlan(PLAN.budget, (*PLAN.releases, times(at_most + 1))).over


def times(count):
    return Planned("more", "mean", "cape", WEEKLY.privacy, count, WEEKLY.mu)


def test_without_privacy_nothing_is_left():
    plan = ReleasePlan(PLAN.budget, (WEEKLY, Planned("all", "records", "pooled", WEEKLY.privacy)))
    assert plan.spent == math.inf and plan.over and plan.left == 0 and plan.further(0) == 0
    assert ReleasePlan(PLAN.budget).spent == 0 and ReleasePlan(PLAN.budget).left == pytest.approx(2.0)


def test_the_file_comes_back_and_is_json_for_others():
    plan = ReleasePlan(
        PLAN.budget, (WEEKLY, Planned("größe", "x", "pooled", WEEKLY.privacy)), "colluders", 4, 3
    )
    content = plan.text().encode()
    assert ReleasePlan.read(content) == plan
    assert "Infinity" not in plan.text() and json.loads(content)["account"]["squares"] is None
    assert Accountant.from_dict(plan.account.to_dict()) == plan.account
    assert PLAN.account.to_dict()["squares"] == pytest.approx(52 * WEEKLY.mu**2 + ONCE.mu**2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "x"}, "must be a release plan"),
        ({"version": 2}, "must be a release plan"),
        ({"budget": {"epsilon": 1}}, "budget must have epsilon and delta"),
        ({"budget": {"epsilon": "1", "delta": 0.1}}, "epsilon must be"),
        ({"budget": {"epsilon": 1, "delta": 2}}, "delta must"),
        ({"observer": "everyone"}, "observer must be"),
        ({"sites": 0}, "sites must be"),
        ({"colluding": 5}, "colluding must be"),
        ({"releases": 3}, "releases must be a list"),
        ({"releases": [3]}, "releases must be objects"),
        ({"releases": [{"epsilon": 1, "delta": 0.1, "times": 1.5}]}, "times must"),
        ({"releases": [{"epsilon": 1, "delta": 0.1, "times": -1}]}, "times must"),
        ({"releases": [{"epsilon": 1, "delta": 0.1, "mu": -1}]}, "mu must be a finite number of at least 0"),
        ({"releases": [{"epsilon": 1, "delta": 0.1, "name": 3}]}, "name must be a string"),
        ({"releases": [{"epsilon": 1, "delta": 0.1, "name": "n" * 201}]}, "name must be a text"),
        ({"releases": [{"epsilon": 1, "delta": 0.1}] * 201}, "at most 200"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(change, words):
    with pytest.raises(ValueError, match=words):
        ReleasePlan.from_dict(PLAN.to_dict() | change)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b"\xff", b"[" * 50_000, b" " * (LIMIT + 1), "text", b'{"a": 1, "a": 2}']
)
def test_what_is_no_plan_is_refused(content):
    with pytest.raises(ValueError, match=r"^(content|found) must"):
        ReleasePlan.read(content)


@pytest.mark.parametrize("found", [{}, {"squares": 1, "pure": 0, "pure_squares": -1}, {"squares": "1"}, None])
def test_what_is_no_account_is_refused(found):
    with pytest.raises(ValueError, match=r"must"):
        Accountant.from_dict(found)


def test_an_account_says_what_may_still_be_released():
    account = Accountant().record(mu=0.3, releases=4)
    budget = Privacy(3.0, 1e-6)
    assert gdp_epsilon(1e-6, math.hypot(account.mu, account.left(budget))) == pytest.approx(3.0, rel=1e-9)
    assert Accountant(squares=math.inf).left(budget) == 0


def test_a_person_pays_for_the_releases_that_the_person_is_in():
    """52 weeks, a person in at most 4 of them: √4 in the place of √52; more weeks then cost nothing."""
    few = Planned(WEEKLY.name, WEEKLY.statistic, WEEKLY.scheme, WEEKLY.privacy, 52, WEEKLY.mu, 4)
    plan = ReleasePlan(PLAN.budget, (few, ONCE))
    assert plan.account.mu == pytest.approx(math.sqrt(4 * WEEKLY.mu**2 + ONCE.mu**2), rel=1e-12)
    assert plan.further(0) == MOST_TIMES
    again = ReleasePlan.read(plan.text().encode())
    assert again == plan and json.loads(plan.text())["releases"][0]["most"] == 4
    assert "most" not in json.loads(PLAN.text())["releases"][0]
    # A person in more than there are is in all; over the budget nothing fits.
    assert Planned("a", "b", "cape", WEEKLY.privacy, 3, 1.0, 9).charged == 3
    assert ReleasePlan(Privacy(0.01, 1e-6), (few,)).further(0) == 0
    with pytest.raises(ValueError, match="most"):
        Planned("a", "b", "cape", WEEKLY.privacy, 3, 1.0, 0)

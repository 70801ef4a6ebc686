"""What many releases add up to, against exact composition by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from core.privacy import compose, gdp_delta, tradeoff
from core.privacy.accountant import Accountant, pure_mu


def exact_delta(epsilon, mu, pure, releases):
    """δ(ε) of a Gaussian release and `releases` worst-case ε-private ones: the mean of δ_G(ε − their loss)."""
    truths = np.arange(releases + 1)
    shifted = epsilon - (2 * truths - releases) * pure
    weights = binom.pmf(truths, releases, 1 / (1 + math.exp(-pure)))
    if not mu:
        return float(weights @ np.maximum(-np.expm1(shifted), 0))
    part = ndtr(mu / 2 - shifted / mu) - np.exp(shifted) * ndtr(-mu / 2 - shifted / mu)
    return float(weights @ part)


def kink(epsilon):
    return 1 / (1 + math.exp(epsilon))


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 50.0, 700.0])
def test_a_pure_release_is_the_least_gaussian_one_below_it(epsilon):
    mu = pure_mu(epsilon)
    assert tradeoff(kink(epsilon), mu) == pytest.approx(kink(epsilon), rel=1e-6)
    # Anything noticeably less would promise more than ε-privacy gives, where its two lines meet.
    assert tradeoff(kink(epsilon), 0.99 * mu) > kink(epsilon)
    alpha = np.linspace(1e-6, 1 - 1e-6, 200)
    with np.errstate(over="ignore"):
        lines = np.maximum.reduce(
            [np.zeros_like(alpha), 1 - math.exp(epsilon) * alpha, (1 - alpha) * math.exp(-epsilon)]
        )
    assert (tradeoff(alpha, mu) <= lines + 1e-12).all()


def test_many_small_pure_releases_cost_a_quarter_more_than_in_truth():
    assert pure_mu(1e-6) == pytest.approx(math.sqrt(math.pi / 2) * 1e-6, rel=1e-9)


def test_gaussian_releases_compose_exactly():
    account = Accountant().record(mu=0.3, releases=4).record(mu=0.8)
    assert account.mu == pytest.approx(compose(0.3, 0.3, 0.3, 0.3, 0.8))
    assert account.delta(1.0) == pytest.approx(float(gdp_delta(1.0, 1.0)))
    assert account.delta(account.epsilon(1e-5)) == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize(
    ("mu", "pure", "releases"), [(0, 1.0, 1), (0, 0.1, 60), (0.7, 0.5, 1), (1.5, 0.3, 30), (0.01, 2.0, 5)]
)
def test_with_pure_releases_the_account_is_a_bound_and_not_far_off(mu, pure, releases):
    account = Accountant().record(mu=mu).record(epsilon=pure, releases=releases)
    spent = account.epsilon(1e-5)
    assert exact_delta(spent, mu, pure, releases) <= 1e-5 * (1 + 1e-9)
    # The truth is not below two thirds of it.
    assert exact_delta(spent / 1.5, mu, pure, releases) > 1e-5
    for epsilon in (0.0, 0.5 * spent, spent):
        assert exact_delta(epsilon, mu, pure, releases) <= account.delta(epsilon) * (1 + 1e-9) + 1e-15


def test_one_pure_release_costs_what_it_says():
    account = Accountant().record(epsilon=0.5)
    assert account.epsilon(1e-12) == pytest.approx(0.5)
    assert account.delta(0.5) == 0.0
    assert account.delta(0.4) > 0


def test_nothing_costs_nothing_and_no_protection_costs_all():
    assert Accountant().epsilon(1e-5) == 0.0 and Accountant().delta(0.0) == 0.0
    assert Accountant().record(mu=1.0, releases=0) == Accountant()
    bare = Accountant().record(mu=math.inf).record(mu=0.1, epsilon=0.1)
    assert bare.epsilon(0.1) == math.inf and bare.delta(100.0) == 1.0


def test_a_session_of_a_hundred_thousand_draws_has_a_finite_sum():
    account = Accountant().record(mu=10.0, epsilon=10.0, releases=100_000)
    assert 1e6 < account.epsilon(1e-5) < 1e8

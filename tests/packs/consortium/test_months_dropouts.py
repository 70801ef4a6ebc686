"""Sites that drop out on Every month: they are in the stated errors, and no guarantee counts on them.

Twenty random settings of the page against the formulas written out by hand, and against the joint law of all that is seen.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm
from series_laws import allowed, learned

from core.schemes.noise_design import CAP
from dashboard.packs.consortium.months.model import READ, MonthsModel, found
from dashboard.packs.consortium.months.text import guarantee, words
from dashboard.state.controls import Controls


def target(epsilon, delta):
    """μ of a Gaussian release at (ε, δ)."""

    def excess(mu):
        return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) - delta

    return brentq(excess, 1e-6, 60, xtol=1e-14)


def random_plan(seed):
    rng = np.random.default_rng(seed)
    sites, months = int(rng.integers(3, 8)), int(rng.integers(2, 6))
    colluding = int(rng.integers(0, sites - 2))
    controls = Controls(sites=sites, epsilon=float(rng.uniform(0.1, 5)), delta=1e-6)
    controls.take(
        {"colluding": colluding, "dropouts": int(rng.integers(0, (sites - colluding - 1) // 2 + 1))}
    )
    model = MonthsModel(
        controls,
        months=months,
        most=int(rng.integers(1, months + 1)),
        apart=int(rng.integers(1, 3)),
        asked=str(rng.choice(["months", "totals", "months and totals", "differences"])),
        window=2,
    )
    return rng, model.plan()


def together(sites, silent):
    """E[P Pᵀ] over two months, by all sets of silent sites: its diagonal, and off it."""
    sends = np.array(
        [np.isin(range(sites), lost, invert=True) for lost in itertools.combinations(range(sites), silent)]
    )
    shares = sends / sends.sum(axis=1, keepdims=True)
    return float((shares**2).sum(axis=1).mean()), float((shares @ shares.T).mean())


@pytest.mark.parametrize("seed", range(20))
def test_the_page_states_the_error_and_the_mu_of_whoever_drops_out(seed):
    rng, plan = random_plan(seed)
    s, c, r = plan.sites, plan.colluding, plan.dropouts
    mu = target(plan.privacy.epsilon, plan.privacy.delta)
    assert plan.mu == pytest.approx(mu, rel=1e-6)
    hiding = (s - c - r) ** 2 / (s - c)
    own = 1 / (hiding * (mu**2 - mu**2 / CAP))
    own_month, other_month = together(s, r)
    for strategy in found(plan.question).strategies.values():
        months = strategy.months
        shared = np.full((months, months), other_month)
        np.fill_diagonal(shared, own_month)
        covariance = own * np.linalg.inv(strategy.matrix.T @ strategy.matrix) * shared
        for kind in READ:
            rows = plan.question.rows(kind)
            expected = s * np.sqrt(np.einsum("nk,kl,nl->n", rows, covariance, rows))
            assert plan.errors(strategy, kind=kind) == pytest.approx(expected, rel=1e-6)
        series = plan.series(strategy)
        senders = np.ones((months, s), dtype=bool)
        for month in senders:
            month[rng.choice(np.arange(s), int(rng.integers(0, r + 1)), replace=False)] = False
        known = list(itertools.product(range(s - c, s), range(months)))
        assert learned(series, allowed(series, rng), senders, known) <= mu * (1 + 1e-6)


def test_dropouts_are_in_the_words_of_the_error_and_of_the_guarantee():
    controls = Controls(sites=9)
    plan = MonthsModel(controls).plan()
    assert "drop out" not in guarantee(plan) + words(plan, found(plan.question))
    controls.dropouts = 2
    plan = MonthsModel(controls).plan()
    said = guarantee(plan)
    assert "2 sites may drop out" in said and "counted on" in said
    assert "2 sites may drop out" in words(plan, found(plan.question))
    assert "drop out" not in guarantee(MonthsModel(controls, scheme="pooled").plan())

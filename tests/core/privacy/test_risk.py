"""Risk of one record: the numbers a person can weigh, against the attack itself and against δ(ε)."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import norm

from core.privacy import attack_risk, gdp_delta, tradeoff

MUS = (0.05, 0.5, 1.0, 3.0)
# 1 − get_beta_from_gdp(mu, base rate) of riskcal 1.5.1, the program of Kulynych et al. 2025, by base rate.
PUBLISHED = {
    0.5: (0.5199388058383725, 0.6914624612740131, 0.8413447460685429, 0.9986501019683699),
    0.01: (0.011412598437839261, 0.03389893912284281, 0.09236224807369409, 0.7497337474667971),
    1 / 3000: (0.00039980053870902754, 0.0018484295587346544, 0.008132087158470469, 0.34349881752703937),
}


@pytest.mark.parametrize("mu", MUS)
def test_the_advantage_is_the_largest_gap_between_true_and_false_positives_and_delta_at_zero(mu):
    best = minimize_scalar(lambda a: tradeoff(a, mu) + a, bounds=(1e-9, 1 - 1e-9), method="bounded")
    assert attack_risk.advantage(mu) == pytest.approx(1 - best.fun, rel=1e-6)
    assert attack_risk.advantage(mu) == pytest.approx(gdp_delta(0.0, mu), rel=1e-9)


def test_a_stated_risk_gives_back_its_mu():
    assert [attack_risk.mu_of_advantage(attack_risk.advantage(mu)) for mu in MUS] == pytest.approx(MUS)
    with pytest.raises(ValueError, match=r"advantage must.*0.*1.*1"):
        attack_risk.mu_of_advantage(1)


def test_the_likelihood_ratio_attack_attains_both_numbers():
    """Both are attained by 200,000 attacks each to within 5 standard errors (false alarm 6e-7)."""
    rng, n, mu = np.random.default_rng(3), 200_000, 0.8
    without, used = rng.standard_normal(n), mu + rng.standard_normal(n)
    gap = (used > mu / 2).mean() - (without > mu / 2).mean()
    assert gap == pytest.approx(attack_risk.advantage(mu), abs=5 / math.sqrt(2 * n))
    threshold = np.quantile(without, 0.99)
    assert (used > threshold).mean() == pytest.approx(
        attack_risk.detection(mu), abs=5 * math.sqrt(0.1 / n) + 0.002
    )
    assert attack_risk.detection(mu) > 1.5 * attack_risk.detection(0.4)


@pytest.mark.parametrize("base_rate", PUBLISHED)
def test_the_success_of_any_attack_is_what_its_authors_publish_and_is_rounded_up(base_rate):
    found = attack_risk.success(np.array(MUS), base_rate)
    assert found == pytest.approx(PUBLISHED[base_rate], rel=1e-10)
    exact = [1 - tradeoff(base_rate, mu) for mu in MUS]
    assert (found >= exact).all() and (found > base_rate).all()
    assert attack_risk.success(math.inf, base_rate) == 1 and attack_risk.success(0.0, base_rate) >= base_rate


@pytest.mark.parametrize("base_rate", PUBLISHED)
def test_no_set_of_answers_succeeds_more_often_and_one_attains_it(base_rate):
    """Every randomised choice of answers that fits with probability b without the record, by a linear program."""
    mu, edges = 1.0, np.r_[-math.inf, np.linspace(-5, 6, 600), math.inf]
    without, used = np.diff(norm.cdf(edges)), np.diff(norm.cdf(edges - mu))
    best = -linprog(-used, A_ub=[without], b_ub=[base_rate], bounds=(0, 1)).fun
    bound = attack_risk.success(mu, base_rate)
    assert bound >= best > bound * (1 - 2e-3)


@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.9, 0.1), (0.25,) * 4, (0.01,) * 100, (0.4, *(0.1,) * 6)])
def test_the_best_guess_among_candidates_stays_below_it(prior):
    """Bayes' rule for candidates anywhere within μ of each other, integrated over what is released."""
    rng, mu, prior = np.random.default_rng(5), 1.5, np.array(prior)
    x = np.linspace(-9, 9 + mu, 4001)
    spread = (mu * np.arange(len(prior)) / (len(prior) - 1), mu * rng.integers(2, size=len(prior)))
    for places in (*spread, mu * rng.random(len(prior))):
        right = np.trapezoid((prior[:, None] * norm.pdf(x - places[:, None])).max(0), x)
        assert prior.max() - 1e-9 <= right < attack_risk.success(mu, prior.max())


def test_certainty_is_bayes_rule_and_an_accusation_without_evidence_proves_nothing():
    assert attack_risk.certainty(1e-9, 0.2) == pytest.approx(0.2)
    for mu in MUS:
        found = attack_risk.certainty(mu, 0.5, 0.05)
        assert found == pytest.approx(1 / (1 + 0.05 / (1 - tradeoff(0.05, mu))))
        # Rarer records are named with less certainty.
        assert attack_risk.certainty(mu, 0.001, 0.05) < 0.05 * found / 0.5
    assert attack_risk.certainty(math.inf, 0.5) == pytest.approx(1 / 1.01)


def test_no_noise_is_no_privacy_and_arrays_broadcast():
    assert attack_risk.advantage(math.inf) == attack_risk.detection(math.inf) == 1
    assert attack_risk.advantage(np.array(MUS)).shape == (4,)
    assert (np.diff(attack_risk.detection(np.array(MUS))) > 0).all()


def test_bad_rates_are_named():
    with pytest.raises(ValueError, match=r"false_alarms must.*0.*0"):
        attack_risk.detection(1.0, 0.0)
    with pytest.raises(ValueError, match=r"base_rate must.*1.*1"):
        attack_risk.success(1.0, 1.0)
    with pytest.raises(ValueError, match=r"prior must.*1.*1"):
        attack_risk.certainty(1.0, 1.0)


@pytest.mark.parametrize("mu", MUS)
def test_riskcal_computes_the_same_risk(mu):
    theirs = pytest.importorskip("riskcal.analysis", reason="riskcal of the extra 'test' is not installed")
    assert attack_risk.advantage(mu) == pytest.approx(theirs.get_advantage_from_gdp(mu), rel=1e-9)
    for false_alarms in (1e-6, 0.01, 0.3):
        missed = theirs.get_beta_from_gdp(mu, false_alarms)
        assert attack_risk.detection(mu, false_alarms) == pytest.approx(1 - missed, rel=1e-9)
        assert attack_risk.success(mu, false_alarms) == pytest.approx(1 - missed, rel=1e-9)

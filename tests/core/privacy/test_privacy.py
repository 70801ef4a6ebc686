"""Calibration, conversion and composition, against high precision and by brute force."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from core import Privacy, privacy

EPSILONS = (1e-6, 1e-3, 0.1, 1, 10, 100)
DELTAS = (1e-300, 1e-100, 1e-10, 1e-5, 0.01, 0.5, 0.99)


def precise_delta(epsilon, mu):
    with mpmath.workdps(60):
        epsilon, mu = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("epsilon", (0.0, *EPSILONS))
def test_delta_is_right_to_eleven_digits_down_to_1e_300(epsilon):
    for mu in (1e-9, 1e-6, 1e-3, 1.9e-3, 2.1e-3, 0.01, 0.1, 1, 2, 5, 10, 30):
        exact = precise_delta(epsilon, mu)
        if exact > 1e-300:
            assert privacy.gdp_delta(epsilon, mu) == pytest.approx(float(exact), rel=1e-11, abs=0)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_calibration_meets_the_demand_and_no_more(epsilon, delta):
    mu = privacy.gdp_mu(Privacy(epsilon, delta))
    assert precise_delta(epsilon, mu) <= delta * (1 + 1e-12)
    assert precise_delta(epsilon, mu * (1 + 1e-9)) > delta * (1 - 1e-12)


@pytest.mark.parametrize("delta", DELTAS[:-2])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_epsilon_of_delta_inverts_calibration(epsilon, delta):
    mu = privacy.gdp_mu(Privacy(epsilon, delta))
    assert privacy.gdp_epsilon(delta, mu) == pytest.approx(epsilon, rel=1e-6)


def test_epsilon_is_zero_where_total_variation_is_within_delta():
    assert privacy.gdp_epsilon(0.5, 0.1) == 0


@pytest.mark.parametrize("delta", (0.01, 0.5))
def test_epsilon_is_never_understated(delta):
    for mu in (0.05, 0.5, 3.0, 20.0):
        epsilon = privacy.gdp_epsilon(delta, mu)
        assert precise_delta(epsilon, mu) <= delta * (1 + 1e-12)


def test_published_calibration_is_the_classical_one_and_breaks_its_promise_at_epsilon_10():
    demand = Privacy(10, 0.01)
    std = privacy.gaussian_std(2.0, demand, calibration="published")
    assert std == pytest.approx(2 / 10 * math.sqrt(2 * math.log(125)))
    assert privacy.gdp_delta(10, 2.0 / std) == pytest.approx(0.041, abs=5e-4)


@pytest.mark.parametrize("epsilon", (1e-6, 1.0, 100.0))
@pytest.mark.parametrize("calibration", privacy.CALIBRATIONS)
def test_the_smallest_delta_there_is_can_be_asked_for(calibration, epsilon):
    # 1.25/δ overflows below 7e-309.
    mus = [privacy.gaussian_mu(Privacy(epsilon, d), calibration=calibration) for d in (5e-324, 1e-300)]
    assert 0.9 * mus[1] < mus[0] < mus[1]


def test_published_calibration_adds_1_65_times_the_noise_at_epsilon_1():
    demand = Privacy(1, 0.01)
    published = privacy.gaussian_std(1, demand, calibration="published")
    assert published / privacy.gaussian_std(1, demand) == pytest.approx(1.65, abs=0.01)


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.4), (1.0, 2.0), (0.05, 1.5)])
@pytest.mark.parametrize("epsilon", (0.1, 1.0, 4.0))
def test_composition_equals_the_joint_privacy_loss_integrated(first, second, epsilon):
    # δ = E max(0, 1 − e^{ε − L}), L the sum of both releases' losses N(μ²/2, μ²), on a fine grid.
    z = np.linspace(-9, 9, 1501)
    density = norm.pdf(z) * (z[1] - z[0])
    loss = np.add.outer(first**2 / 2 + first * z, second**2 / 2 + second * z)
    delta = density @ np.maximum(0, -np.expm1(epsilon - loss)) @ density
    mu = privacy.compose(first, second)
    assert privacy.gdp_delta(epsilon, mu) == pytest.approx(delta, rel=1e-4, abs=1e-12)


@pytest.mark.parametrize(("records", "epsilon"), [(1, 0.5), (4, 0.5), (4, 3.0), (7, 9.0)])
def test_all_records_of_a_person_together_shift_the_release_as_far_as_their_sum(records, epsilon):
    mu, x = 0.4, np.linspace(-14, 17, 400_001)
    # Every record shifts the mean of the release by up to μ standard deviations, all of them in the same direction.
    excess = norm.pdf(x, records * mu) - math.exp(epsilon) * norm.pdf(x)
    delta = np.trapezoid(np.maximum(excess, 0), x)
    assert privacy.gdp_delta(epsilon, privacy.group_mu(mu, records)) == pytest.approx(
        delta, rel=1e-6, abs=1e-13
    )


@given(st.floats(1e-3, 20), st.lists(st.floats(0.01, 10), min_size=1, max_size=6))
def test_split_composes_back(mu, shares):
    parts = privacy.split(mu, shares)
    assert privacy.compose(*parts) == pytest.approx(mu)
    assert parts**2 / (parts**2).sum() == pytest.approx(np.array(shares) / sum(shares))


@settings(deadline=None, max_examples=50)
@given(st.floats(0.01, 5), st.floats(0.05, 4))
def test_delta_is_the_envelope_of_the_trade_off(epsilon, mu):
    # 1 − δ − e^ε α ≤ T(α) everywhere, with equality somewhere.
    alpha = norm.sf(np.linspace(-9, 9, 40001))
    slack = privacy.tradeoff(alpha, mu) - (1 - privacy.gdp_delta(epsilon, mu) - np.exp(epsilon) * alpha)
    assert slack.min() == pytest.approx(0, abs=1e-6)


def test_laplace_scale_is_the_published_one():
    assert privacy.laplace_scale(3.0, 0.5) == 6.0


def test_broadcasting():
    table = privacy.gdp_delta(np.array([0.5, 1.0])[:, None], np.array([0.1, 1.0, 3.0]))
    assert table.shape == (2, 3)
    assert table[1, 2] == privacy.gdp_delta(1.0, 3.0)
    assert privacy.gdp_delta(1.0, math.inf) == 1.0


@pytest.mark.parametrize("epsilon", (0, -1, math.nan, math.inf, "much", None))
def test_bad_epsilon_is_named(epsilon):
    with pytest.raises(ValueError, match="epsilon must"):
        Privacy(epsilon, 1e-5)


@pytest.mark.parametrize("delta", (0, 1, -0.1, 1.5, math.nan))
def test_bad_delta_is_named(delta):
    with pytest.raises(ValueError, match=r"delta must.*0.*1"):
        Privacy(1, delta)


@pytest.mark.parametrize("mu", [1e-6, 1e-2, 1.0, 30.0, 1e3])
def test_a_demand_made_from_mu_is_met_by_that_mu(mu):
    assert privacy.gdp_mu(privacy.privacy_of(mu)) == pytest.approx(mu, rel=1e-9)


def test_a_release_that_reveals_nothing_has_delta_zero():
    assert privacy.gdp_delta(0.0, 0.0) == privacy.gdp_delta(1.0, 0.0) == 0
    np.testing.assert_allclose(privacy.gdp_delta(1.0, np.array([0.0, 1.0])), [0, privacy.gdp_delta(1.0, 1.0)])

"""An independent program as the judge: Google's dp-accounting computes the same ε, σ and δ of Gaussian releases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import Privacy
from core.privacy import compose, gaussian_std, gdp_delta, gdp_epsilon

accounting = pytest.importorskip("dp_accounting", reason="dp-accounting of the extra 'test' is not installed")

CLOSE = 1e-9
EPSILONS = (0.01, 0.1, 0.5, 1.0, 3.0, 10.0)
DELTAS = (1e-12, 1e-9, 1e-6, 1e-3, 0.05)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_the_calibrated_noise_agrees_with_googles_to_1e_9(epsilon, delta):
    theirs = accounting.get_sigma_gaussian(epsilon, delta, tol=1e-14)
    assert gaussian_std(1.0, Privacy(epsilon, delta)) == pytest.approx(theirs, rel=CLOSE)


@pytest.mark.parametrize("mu", (0.02, 0.1, 0.5, 1.0, 3.0))
@pytest.mark.parametrize("delta", DELTAS)
def test_the_epsilon_of_a_release_agrees_with_googles_to_1e_9(mu, delta):
    theirs = accounting.get_epsilon_gaussian(1 / mu, delta, tol=1e-14)
    assert gdp_epsilon(delta, mu) == pytest.approx(theirs, rel=CLOSE, abs=1e-12)


def test_composed_releases_cost_what_googles_privacy_loss_distributions_say():
    # Theirs is discrete and rounds the loss up by at most `step` a release, so it can only be larger, and little.
    from dp_accounting.pld import privacy_loss_distribution as pld

    step, mus = 1e-4, (0.3, 0.5, 0.7)
    parts = [
        pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=step, use_connect_dots=False)
        for mu in mus
    ]
    together = parts[0].compose(parts[1]).compose(parts[2])
    for epsilon in (0.5, 1.0, 2.0):
        ours, theirs = float(gdp_delta(epsilon, compose(*mus))), together.get_delta_for_epsilon(epsilon)
        assert ours * (1 - 1e-6) <= theirs <= float(gdp_delta(epsilon - 3 * step, compose(*mus))) * (1 + 1e-6)
    assert compose(*mus) == pytest.approx(math.sqrt(np.sum(np.square(mus))))

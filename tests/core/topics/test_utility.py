"""The forecast of the noise, and bounds on utility."""

import numpy as np
import pytest
from lda_documents import SCHEMES, rng

from core import Privacy, topics
from core.topics import configuration_e


@pytest.mark.parametrize("scheme", SCHEMES)
def test_forecast_knows_the_noise_that_is_drawn(scheme):
    """‖noise(M2)‖ of actual draws at d = 150 lies within 10 % of √(2d) τ."""
    privacy, e, d, sites = Privacy(1.0, 1e-6), topics.Equalisation(), 150, 4
    guess = topics.forecast(
        0.01, documents=4000, vocabulary=d, privacy=privacy, equalisation=e, scheme=scheme, sites=sites
    )
    sharing = topics.Sharing(privacy, scheme)
    value, _, _ = sharing.join([np.zeros(3 + d + d * d)] * sites, [1000] * sites, rng=rng(8))
    value[:3] = e.scales[0]
    _, _, z = configuration_e._unpacked(value, e, d)
    assert np.linalg.norm(z, 2) == pytest.approx(guess.noise_norm, rel=0.1)
    assert guess.ratio == pytest.approx(guess.noise_norm / 0.01)
    enough = topics.forecast(
        0.01,
        documents=guess.documents,
        vocabulary=d,
        privacy=privacy,
        equalisation=e,
        scheme=scheme,
        sites=sites,
    )
    assert enough.ratio == pytest.approx(0.5, rel=0.01)


def test_utility_bounds_fall_with_documents_and_privacy():
    common = {"vocabulary": 50, "k": 3, "sigma_1": 0.1, "sigma_k": 0.02, "gamma": 0.05}
    few = topics.utility_bounds(documents=10_000, privacy=Privacy(1.0, 1e-7), **common)
    many = topics.utility_bounds(documents=10**7, privacy=Privacy(1.0, 1e-7), **common)
    weak = topics.utility_bounds(documents=10_000, privacy=Privacy(10.0, 1e-7), **common)
    assert set(few) == {"1", "2", "3", "4"}
    for name, bound in few.items():
        assert many[name] < bound and weak[name] < bound

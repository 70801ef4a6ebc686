"""Two stages: what a site sends in the second depends on the first average, which shares noise with its first message."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from core import schemes
from core.privacy import attack_risk, privacy_of

SITES, RUNS = 10, 100_000
HALF = 1 / SITES / 2  # Of the way of the average from one record to the other: where the bit changes.


def guessed(message, second, bit, mus):
    """Of the best test whether the record is there, from both messages of a site and one bit of the average."""
    std = 1 / mus[0]
    # Given the message, the average's noise is Gaussian: its covariance with the message's is τ²/S².
    spread = std / SITES * math.sqrt(1 - 1 / SITES**2)

    def log_density(record):
        noise = message - record
        average = record / SITES + noise / SITES**2
        of_bit = norm.logcdf((average - HALF) / spread * np.where(bit, 1, -1))
        return of_bit - (noise / std) ** 2 / 2 - (second - mus[1] * record) ** 2 / 2

    return log_density(1) > log_density(0)


@pytest.mark.parametrize("mu", [0.3, 1.02, 2.0])
@pytest.mark.parametrize("later", [0.05, 0.5])
def test_one_bit_of_the_average_tells_more_than_the_messages_alone_and_less_than_is_stated(mu, later):
    """The second message shows the bit, whatever its noise. The advantage errs by 0.0022; five of it by 6e-7."""
    mus, rng = (mu * math.sqrt(1 - later), mu * math.sqrt(later)), np.random.default_rng(0)
    first = schemes.repeated(1.0, privacy_of(mus[0]), sites=SITES, scheme="cape", keep="all")
    found = []
    for record in (0, 1):
        run = first.release(np.vstack([np.full(RUNS, record), np.zeros((SITES - 1, RUNS))]), rng=rng)
        second = mus[1] * record + rng.standard_normal(RUNS)
        found.append(guessed(run.messages[0], second, run.value > HALF, mus).mean())
    aggregator = run.mu_aggregator / run.mu_message * mu  # Of both stages.
    stated = schemes.over_stages(mu, aggregator, 1 - later)
    assert found[1] - found[0] > attack_risk.advantage(mu) + 0.011, "as if the messages were independent"
    assert found[1] - found[0] < attack_risk.advantage(stated) + 0.011

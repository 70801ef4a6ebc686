"""What callers get wrong most often, and answers that were NaN, are refused by the argument's name."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
import scipy.sparse as sp

from core import cape, check, decomposition, pca, schemes, sweep, topics
from core.privacy import Privacy, attack_risk, gdp_delta, tradeoff
from core.schemes import projected_noise
from core.topics import spectral

PRIVACY = Privacy(1.0, 1e-3)
UNIT = np.eye(3)


def load(settings):
    return [UNIT, UNIT], None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: schemes.release(np.ones((2, 3)), 0.1, PRIVACY, scheme="cape", rng=0),
            "rng must be a numpy.random",
        ),
        (
            lambda: schemes.release(np.ones((2, 3)), 0.1, [1.0, 1e-3], scheme="cape", rng=_rng()),
            "privacy must be",
        ),
        (
            lambda: pca.fit([UNIT, UNIT], 2, scheme="cape", privacy=[1, 0.1], rng=_rng()),
            "privacy must be a Privacy",
        ),
        (
            lambda: pca.fit([UNIT, UNIT], 2, scheme="cape", privacy=PRIVACY, rng=0),
            "rng must be a numpy.random",
        ),
        (
            lambda: sweep.run(
                pca.Problem(load),
                [{"sites": 2, "samples": 3, "data_seed": 0, "epsilon": 1.0, "delta": 0.1}],
                schemes=["cape"],
                repeats=1,
                seed=0,
            ),
            "settings must name 'k', got",
        ),
        (lambda: decomposition.fit([UNIT], 2, scheme="cape", privacy=PRIVACY, rng=None), "rng must be"),
        # No fixed seed is recommended, for whoever knows it can take the noise off.
        (
            lambda: schemes.release(np.ones(3), 0.1, PRIVACY, scheme="cape", rng=0),
            r"rng must be a numpy\.random\.Generator, e\.g\. numpy\.random\.default_rng\(\), or an OperatingSystem, got 0",
        ),
        (
            lambda: pca.fit([UNIT, UNIT], 2, scheme="cape", privacy=PRIVACY, rng=0),
            r"default_rng\(\)[^(]*, got 0",
        ),
        (
            lambda: schemes.release(np.ones(3), [0.1, 0.1], PRIVACY, scheme="cape", rng=_rng()),
            r"sensitivity must have shape \(3,\), one for each site, got shape \(2,\)",
        ),
        (
            lambda: sweep.run(pca.Problem(load), [], schemes=["cape"], repeats=1, seed=0),
            "cells and schemes must hold at least one each, got no jobs",
        ),
        (lambda: attack_risk.advantage(None), "mu must be real numbers, got None"),
        (lambda: projected_noise.covariance([[math.inf]]), "matrix must be finite, got inf"),
        (lambda: spectral.simplex([[math.inf]]), "rows must be finite, got inf"),
        (lambda: cape.delta(1, tau=1e308, samples=10, sites=3), "tau must lie between 1e-100 and 1e\\+100"),
        (lambda: cape.gain([10**400, 1]), "samples must be real numbers"),
        (
            lambda: check.integer("k", 10**5000, low=1),
            "k must be a whole number of at least 1, got a value of type int",
        ),
        (
            lambda: topics.fit(sp.csr_array(np.eye(4)), 2, alpha0="x", privacy=None, rng=_rng()),
            "alpha0 must be",
        ),
    ],
)
def test_the_argument_that_is_wrong_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_hardly_noticeable_release_has_a_vanishing_delta():
    assert gdp_delta(1, 5e-324) == 0
    assert gdp_delta(0.0, math.inf) == 1


def test_no_protection_lets_every_record_be_told_apart():
    np.testing.assert_array_equal(tradeoff([0.0, 0.5, 1.0], math.inf), 0)


def test_lists_serve_as_arrays_and_stay_as_they_were():
    rows = [[3.0, 1.0], [0.0, -1.0]]
    np.testing.assert_allclose(spectral.simplex(rows), [[1, 0], [1, 0]])
    assert rows == [[3.0, 1.0], [0.0, -1.0]]


def test_first_calls_from_many_threads_are_all_checked():
    @check.arguments
    def halved(value: float, *, by: float = 2.0) -> float:
        return value / by

    start, answers = threading.Barrier(8), []

    def call():
        start.wait()
        answers.append(halved(1.0, by=4.0))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [0.25] * 8
    with pytest.raises(ValueError, match="by must"):
        halved(1.0, by=math.nan)


def _rng():
    return np.random.default_rng(0)

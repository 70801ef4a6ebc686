"""A training as a problem for sweeps: one job is one training, and its start is no part of its noise."""

from __future__ import annotations

import numpy as np
import pytest

from core import Privacy, network, sweep

SETTINGS = {"epsilon": 1.0, "delta": 1e-5}


def load(settings):
    """Two sites with twelve records each, and six records to test on."""
    rng = np.random.default_rng(3)
    parts = [(rng.standard_normal((n, 2)), rng.integers(0, 2, n).astype(float)) for n in (12, 12, 6)]
    return parts[:2], parts[2]


def problem(**options):
    return network.Problem(load, (), (("steps", 4), ("hidden", 3), ("batches", 2)), **options)


@pytest.mark.parametrize("start_seed", [None, 5])
@pytest.mark.parametrize("scheme", ["nonprivate", "cape"])
def test_the_steps_of_a_job_are_the_training_behind_its_row(start_seed, scheme):
    asked = problem(start_seed=start_seed)
    job = sweep.Job(asked, tuple(sorted(SETTINGS.items())), scheme, 0, 1)
    privacy = None if scheme == "nonprivate" else Privacy(1.0, 1e-5)
    data = asked.statistics({})
    *_, last = asked.training(data, scheme, privacy, job.rng, SETTINGS)
    row = job.run()
    assert asked.figures(data, last.network).items() <= row.items()
    assert last.number == 4


def _first(asked, seed):
    """Weights after one step so small that they are those of the start."""
    training = asked.training(
        asked.statistics({}), "cape", Privacy(1.0, 1e-5), np.random.default_rng(seed), {}
    )
    return next(training).network.hidden_weights


def test_a_seed_of_the_start_gives_all_runs_one_start_from_a_stream_of_its_own():
    options = (("steps", 1), ("hidden", 3), ("learning_rate", 1e-12))
    together = network.Problem(load, (), options, start_seed=7)
    np.testing.assert_allclose(_first(together, 1), _first(together, 2), atol=1e-9)
    apart = network.Problem(load, (), options)
    assert np.abs(_first(apart, 1) - _first(apart, 2)).max() > 0.1
    # The seed itself may be that of a noise stream: the start is not its beginning.
    noise = np.random.default_rng(7).standard_normal((3, 2))
    assert np.abs(_first(together, 1) - noise).max() > 0.1


def test_the_answer_without_noise_has_one_stream_whatever_the_epsilon():
    streams = {
        repr(
            sweep.Job(
                problem(), (("delta", 1e-5), ("epsilon", e)), "nonprivate", r, s
            ).rng.bit_generator.state
        )
        for e, r, s in ((0.1, 0, 1), (1.0, 1, 2))
    }
    assert len(streams) == 1

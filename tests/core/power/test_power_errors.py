"""What the power methods refuse."""

import numpy as np
import pytest
from power_tensors import DEMAND, frame, problem

from core import noise, power, tensors


def test_an_asymmetric_tensor_is_refused_or_symmetrised_when_asked():
    rng = np.random.default_rng(0)
    tensor = tensors.compose([300.0, 200.0], frame(rng, 2, 8))
    for place in ((0, 1, 2), (1, 1, 2), (2, 2, 1)):
        bent = tensor.copy()
        bent[place] += 0.1
        for method in (power.private, power.perturbed):
            with pytest.raises(ValueError, match=r"tensor must.*symmetrise=True"):
                method(bent, 2, privacy=DEMAND, rng=rng)
        power.private(bent, 2, privacy=DEMAND, rng=rng, symmetrise=True)
        np.testing.assert_allclose(power.symmetric(bent, symmetrise=True), noise.symmetrise(bent))
    assert power.symmetric(tensor) is not None
    np.testing.assert_array_equal(power.symmetric(np.zeros((2, 2, 2))), 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda t, rng: power.private(t, 9, privacy=DEMAND, rng=rng),
            "k must be a whole number from 1 to 8, got 9",
        ),
        (
            lambda t, rng: power.private(t, 2, privacy=DEMAND, rng=rng, restarts=0),
            "restarts must be .*at least 1",
        ),
        (
            lambda t, rng: power.private(t, 2, privacy=DEMAND, rng=rng, iterations=0),
            "iterations must be .*least 1",
        ),
        (
            lambda t, rng: power.private(t, 2, privacy=DEMAND, rng=rng, calibration="rdp"),
            "calibration must be one",
        ),
        (
            lambda t, rng: power.private(t, 2, privacy=DEMAND, rng=rng, neighbours="row"),
            "neighbours must be one",
        ),
        (
            lambda t, rng: power.private(t, 2, privacy=DEMAND, rng=rng, neighbours="record"),
            "record must be a pos",
        ),
        (lambda t, rng: power.private(np.zeros((2, 2, 3)), 2, privacy=DEMAND, rng=rng), "three equal axes"),
        (lambda t, rng: power.ComponentTensor([1.0, 0.0], t.vectors), "values must be finite and above 0"),
        (lambda t, rng: power.ComponentTensor([1.0, -2.0], t.vectors), "got -2.0 at position 1"),
        (lambda t, rng: power.ComponentTensor(np.ones(3), np.ones((3, 2))), "k must be at most d = 2, got 3"),
        (lambda t, rng: power.ComponentTensor(np.ones(2), np.ones(2)), "components in rows"),
        (
            lambda t, rng: power.perturbed(t, 9, privacy=DEMAND, rng=rng),
            "k must be a whole number from 1 to 8",
        ),
        (
            lambda t, rng: power.online([np.ones((3, 2))], 3, rng=rng),
            "k must be at most the records' width 2, got 3",
        ),
        (lambda t, rng: power.online([np.ones((3, 2))], 1, rng=rng, restarts=0), "restarts must be"),
        (lambda t, rng: power.online([np.ones((3, 2))], 1, rng=rng, iterations=0), "iterations must be"),
        (lambda t, rng: power.online([np.ones((3, 2))], 1, rng=rng, samples=0), "samples must be"),
        (
            lambda t, rng: power.online([np.ones((3, 2)), np.ones((3, 4))], 1, rng=rng),
            "batch 2 must have width 2",
        ),
        (lambda t, rng: power.online([np.ones(3)], 1, rng=rng), "batch 1 must be records in rows"),
        (lambda t, rng: power.online([np.full((3, 2), np.nan)], 1, rng=rng), "batch 1 must be finite"),
        (lambda t, rng: power.online([np.array([["a"]])], 1, rng=rng), "batch 1 must hold numbers"),
        (lambda t, rng: power.online([], 1, rng=rng), "must give 11 batches, got 0: 0 of 1 components"),
        (lambda t, rng: power.incoherence([[np.inf, 0.0]]), "vectors must be finite"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(problem(8, [2.0, 1.0]), np.random.default_rng(0))

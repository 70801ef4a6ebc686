"""Noise on the whole tensor, sums of tensors, incoherence."""

import itertools
import math

import numpy as np
import pytest
from laws import assert_normal
from power_tensors import DEMAND, cosines, frame, problem

from core import noise, power, tensors


@pytest.mark.parametrize("distribution", ["copied", "symmetrised"])
def test_noise_of_the_whole_tensor_has_the_laws_of_core_noise(distribution):
    """False-alarm rate 3e-4 a case."""
    d = 12
    rng = np.random.default_rng(3)
    drawn = np.array([power.symmetric_noise(d, 2.0, distribution=distribution, rng=rng) for _ in range(150)])
    for axes in itertools.permutations(range(1, 4)):
        np.testing.assert_array_equal(drawn, drawn.transpose(0, *axes))
    expected = np.broadcast_to(noise.entry_std((d,) * 3, 2.0, distribution=distribution), (d,) * 3)
    i, j, k = np.indices((d,) * 3)
    for kind in ((i < j) & (j < k), (i == j) & (j < k), (i == j) & (j == k)):
        assert len(set(np.round(expected[kind], 12))) == 1
        assert_normal(drawn[:, kind], expected[kind][0])


def test_input_perturbation_recovers_easy_tensors_and_refuses_wide_ones():
    rng = np.random.default_rng(4)
    tensor = problem(20, [300.0, 200.0])
    for relation, record in (("entry", None), ("published", None), ("record", 1.0)):
        found = power.perturbed(tensor, 2, privacy=DEMAND, rng=rng, neighbours=relation, record=record)
        assert cosines(tensor.vectors, found).min() > 0.9
        assert found.accounting.epsilon(1e-6) == pytest.approx(1)
    published = power.perturbed(tensor, 2, privacy=DEMAND, rng=rng, calibration="published")
    assert published.accounting.mu == pytest.approx(1 / math.sqrt(2 * math.log(1.25e6)))
    with pytest.raises(ValueError, match=r"^d .*512.*5000.*1.2e\+11.*500"):
        power.perturbed(problem(5000, [1.0]), 1, privacy=DEMAND, rng=rng)


def test_a_sum_is_the_sum_of_its_parts():
    rng = np.random.default_rng(0)
    tensor = problem(6, [2.0, 1.0])
    part = power.symmetric_noise(6, rng=rng)
    u = rng.standard_normal((4, 6))
    dense = tensors.compose(tensor.values, tensor.vectors) + part
    np.testing.assert_allclose(
        power.Sum((tensor, part)).power(u), tensors.power(dense, u), rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(tensor.power(u), tensors.power(dense - part, u), atol=1e-6)


def test_incoherence_runs_from_flat_to_spiked():
    assert power.incoherence(np.full((1, 64), 1 / 8)) == pytest.approx(1)
    assert power.incoherence(np.eye(64)[:4]) == pytest.approx(16)
    rotated = frame(np.random.default_rng(0), 64, 64)
    assert power.incoherence(rotated) == pytest.approx(1)
    flat = power.recovery_epsilon([2.0, 1.0], np.full((2, 64), 1 / 8), 1e-6)
    assert flat == pytest.approx(2 * 4 * math.log(2 * 64 / 1e-6) / 2)
    assert power.recovery_epsilon([2.0, 1.0], np.eye(64)[:2], 1e-6) == pytest.approx(32 * flat)


@pytest.mark.parametrize("law", ["copied", "symmetrised"])
def test_packed_noise_is_the_array_with_half_of_its_numbers(law):
    whole, packed = (
        power.symmetric_noise(7, 2.0, distribution=law, rng=np.random.default_rng(3), packed=kept)
        for kept in (False, True)
    )
    np.testing.assert_array_equal(packed.array(), whole)
    for axes in ((0, 2, 1), (1, 0, 2)):
        np.testing.assert_array_equal(whole.transpose(axes), whole)
    vectors = np.random.default_rng(4).standard_normal((3, 7))
    expected = np.einsum("ijk,lj,lk->li", whole.astype(float), vectors, vectors)
    np.testing.assert_allclose(packed.power(vectors), expected, rtol=1e-4, atol=1e-4)

"""Noise against its distribution. Every statistical test is seeded; false-alarm rate 1e-4 each."""

import itertools

import numpy as np
import pytest
from laws import assert_normal, assert_variance

from core import noise


@pytest.fixture
def rng():
    return np.random.default_rng(20240501)


def test_iid_noise_has_its_standard_deviation(rng):
    assert_normal(noise.gaussian((30, 40), 0.3, rng=rng), 0.3)


@pytest.mark.parametrize("order", (2, 3))
@pytest.mark.parametrize("distribution", ("symmetrised", "copied"))
def test_symmetric_noise_is_symmetric(order, distribution, rng):
    z = noise.gaussian((5,) * order, rng=rng, distribution=distribution)
    for p in itertools.permutations(range(order)):
        assert (z == z.transpose(p)).all()


@pytest.mark.parametrize(
    ("order", "index", "factor"),
    [(2, (0, 1), 2), (2, (1, 1), 1), (3, (0, 1, 2), 6), (3, (0, 0, 1), 3), (3, (1, 1, 1), 1)],
)
def test_symmetrised_noise_has_the_law_of_symmetrising_iid_noise(order, index, factor, rng):
    shape = (3,) * order
    direct = [noise.gaussian(shape, 2.0, rng=rng, distribution="symmetrised")[index] for _ in range(1200)]
    naive = [noise.symmetrise(noise.gaussian(shape, 2.0, rng=rng))[index] for _ in range(1200)]
    for sample in (direct, naive):
        assert_normal(sample, 2 / np.sqrt(factor))
    assert noise.entry_std(shape, 2.0, distribution="symmetrised")[index] == pytest.approx(
        2 / np.sqrt(factor)
    )


def test_distinct_entries_of_symmetrised_noise_are_independent(rng):
    z = np.array(
        [noise.gaussian((4, 4), rng=rng, distribution="symmetrised")[np.triu_indices(4)] for _ in range(1500)]
    )
    correlation = np.corrcoef(z.T) - np.eye(10)
    # Largest of 45 correlations of 1500 pairs: beyond 5.1/√1500 with probability below 2e-5.
    assert np.abs(correlation).max() < 5.1 / np.sqrt(1500)


def test_copied_noise_keeps_the_full_deviation_off_the_diagonal(rng):
    assert_normal([noise.gaussian((3, 3), rng=rng, distribution="copied")[0, 1] for _ in range(3000)], 1.0)
    assert noise.entry_std((3, 3), 1.5, distribution="copied") == 1.5


def test_laplace_noise_has_variance_two_b_squared(rng):
    z = noise.laplace((200, 200), 0.7, rng=rng)
    # The χ² interval of `assert_variance` is for Gaussians; |z| of a Laplace distribution is exponential with mean b.
    assert abs(np.abs(z).mean() / 0.7 - 1) < 3.9 / 200
    assert abs(np.abs(z).mean() / 0.7 * 1.5 - 1) > 3.9 / 200


def test_symmetrise_can_leave_leading_axes_alone(rng):
    batch = rng.normal(size=(2, 3, 3))
    expected = np.stack([noise.symmetrise(b) for b in batch])
    assert np.allclose(noise.symmetrise(batch, 2), expected)


def test_the_same_seed_draws_the_same_noise():
    first, second = (
        noise.gaussian((3, 3), rng=np.random.default_rng(7), distribution="symmetrised") for _ in range(2)
    )
    assert (first == second).all()


@pytest.mark.parametrize("shape", ((3,), (2, 3), (2, 2, 3)))
def test_symmetric_laws_refuse_other_shapes(shape, rng):
    with pytest.raises(ValueError, match="all equal"):
        noise.gaussian(shape, rng=rng, distribution="copied")


def test_the_variance_check_itself_has_power(rng):
    assert_variance(rng.normal(size=2000), 1.0)
    with pytest.raises(AssertionError):
        assert_variance(rng.normal(size=2000), 1.3)


@pytest.mark.parametrize(("distribution", "off"), [("symmetrised", 0.5 / np.sqrt(2)), ("copied", 0.5)])
def test_large_matrices_follow_the_law_of_small_ones(distribution, off, rng, monkeypatch):
    z = noise.gaussian((700, 700), 0.5, rng=rng, distribution=distribution)
    assert (z == z.T).all()
    assert_normal(z[np.triu_indices(700, 1)], off)
    assert_normal(np.diag(z), 0.5)
    # A block border inside the matrix, and none: the same draws.
    monkeypatch.setattr(noise, "_BLOCK", 10_000)
    again = noise.gaussian((600, 600), rng=np.random.default_rng(1), distribution=distribution)
    monkeypatch.setattr(noise, "_BLOCK", 64)
    assert (
        again == noise.gaussian((600, 600), rng=np.random.default_rng(1), distribution=distribution)
    ).all()

"""The discrete Gaussian: its sampler by enumeration and statistics, its privacy by enumeration."""

import heapq
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from core import discrete
from core.discrete import sampler
from core.privacy import gdp_delta

ALARM = 1e-4


class NeedsMore(Exception):
    """The script of uniform numbers has come to its end."""


def outcomes(monkeypatch, draw, covered):
    """Exact probabilities of what `draw` returns, by following every sequence of its uniform numbers.

    The likeliest sequences go first, until so much probability is covered: {outcome: probability}, and what is left.
    """
    script: list[int] = []
    place = 0

    def uniform(bound, size, *, rng):
        nonlocal place
        found = []
        for _ in range(size):
            if bound == 1:
                found.append(0)
                continue
            if place == len(script):
                raise NeedsMore(bound)
            found.append(script[place])
            place += 1
        return np.array(found, dtype=np.int64)

    uniform.trusted = uniform
    monkeypatch.setattr(sampler, "uniform", uniform)
    found: dict = {}
    order = itertools.count()
    waiting = [(-1.0, next(order), (), Fraction(1))]
    done = Fraction(0)
    while done < covered:
        _, _, path, weight = heapq.heappop(waiting)
        script[:], place = path, 0
        try:
            result = draw()
        except NeedsMore as more:
            bound = more.args[0]
            for value in range(bound):
                share = weight / bound
                heapq.heappush(waiting, (-float(share), next(order), (*path, value), share))
            continue
        found[result] = found.get(result, 0) + weight
        done += weight
    return {key: float(p) for key, p in found.items()}, float(1 - done)


@pytest.mark.parametrize(("a", "b"), [(0, 3), (3, 3), (1, 5)])
def test_bernoulli_exp_has_its_exact_probability(monkeypatch, a, b):
    draw = lambda: bool(discrete.bernoulli_exp([a], b, rng=np.random.default_rng(0))[0])  # noqa: E731
    found, left = outcomes(monkeypatch, draw, 1 - Fraction(1, 100))
    assert found.get(True, 0) <= math.exp(-a / b) <= found.get(True, 0) + left
    assert left < 1 / 100


@pytest.mark.parametrize("std", [1, 2])
def test_every_proposal_of_the_sampler_has_its_exact_probability(monkeypatch, std):
    def draw():
        found = sampler._proposals(1, std, None)
        return int(found[0]) if len(found) else None

    found, left = outcomes(monkeypatch, draw, Fraction(80, 100))
    found.pop(None)
    truth = discrete.probabilities(std)
    middle = len(truth) // 2
    # Of accepted proposals each value has its probability, up to what was not followed.
    total = sum(found.values())
    for n in range(-2 * std, 2 * std + 1):
        low = found.get(n, 0) / (total + left)
        assert low <= truth[middle + n] <= (found.get(n, 0) + left) / total, n
    assert found[1] == pytest.approx(found[-1], rel=0.2)
    # And another distribution has not these.
    wrong = discrete.probabilities(std * 2 / 3)
    middle = len(wrong) // 2
    assert not all(
        found.get(n, 0) / (total + left) <= wrong[middle + n] <= (found.get(n, 0) + left) / total
        for n in range(-2 * std, 2 * std + 1)
    )


def chi_square(sample, std):
    """p-value of the sample under N_Z(0, std²), values of fewer than 20 expected draws taken together."""
    reach = math.ceil(12 * std)
    expected = discrete.probabilities(std, reach) * len(sample)
    counts = np.bincount(np.clip(sample, -reach, reach) + reach, minlength=2 * reach + 1)
    many = expected >= 20
    observed = np.append(counts[many], counts[~many].sum())
    wanted = np.append(expected[many], expected[~many].sum())
    kept = wanted > 1e-9
    if observed[~kept].sum():
        return 0.0
    return stats.chisquare(observed[kept], wanted[kept] * observed[kept].sum() / wanted[kept].sum()).pvalue


@pytest.mark.parametrize("std", [1, 2, 3, 7, 30])
def test_the_sampler_is_accepted_and_other_noise_is_not(std):
    """40,000 draws; the right distribution is rejected with probability 1e-4 each."""
    sample = discrete.gaussian(40_000, std, rng=np.random.default_rng(std))
    assert sample.dtype == np.int64
    assert chi_square(sample, std) > ALARM
    for factor in (2 / 3, 3 / 2):
        assert chi_square(sample, factor * std) < ALARM
    assert stats.binomtest(int((sample > 0).sum()), int((sample != 0).sum())).pvalue > ALARM


@pytest.mark.parametrize("std", [2**20 + 1, 2**30])
def test_large_noise_is_normal_and_uses_all_its_digits(std):
    sample = discrete.gaussian(50_000, std, rng=np.random.default_rng(1))
    assert stats.kstest(sample / std, "norm").pvalue > ALARM
    assert stats.kstest(sample / std * 1.5, "norm").pvalue < ALARM
    assert stats.chisquare(np.bincount(sample % 16, minlength=16)).pvalue > ALARM


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 255, 257, 2**20 + 7, 2**62])
def test_uniform_numbers_are_uniform_and_repeat(bound):
    sample = discrete.uniform(bound, 40_000, rng=np.random.default_rng(2))
    assert sample.min() >= 0 and sample.max() < bound
    parts = np.bincount((sample.astype(object) * 8 // bound).astype(int), minlength=8)
    edges = [-(-bound * i // 8) for i in range(9)]
    wanted = np.array([(b - a) / bound for a, b in itertools.pairwise(edges)]) * len(sample)
    kept = wanted > 0
    if kept.sum() > 1:
        assert stats.chisquare(parts[kept], wanted[kept]).pvalue > ALARM
    np.testing.assert_array_equal(sample, discrete.uniform(bound, 40_000, rng=np.random.default_rng(2)))


def test_shapes_seeds_and_the_operating_system():
    first, again = (discrete.gaussian((3, 4), 5, rng=np.random.default_rng(3)) for _ in range(2))
    assert first.shape == (3, 4) and (first == again).all()
    system = discrete.gaussian(1000, 2**20, rng=discrete.OPERATING_SYSTEM)
    assert len(set(system.tolist())) > 990
    assert discrete.gaussian((0, 2), 5, rng=np.random.default_rng(3)).shape == (0, 2)


def vertices(distribution, shift):
    """μ of the best threshold test between a distribution and itself moved by `shift`, by enumeration of all."""
    below = np.concatenate([[0.0], np.cumsum(distribution)])
    above = np.concatenate([np.cumsum(distribution[::-1])[::-1], [0.0]])
    middle = len(distribution) // 2
    found = []
    for k in range(-middle // 4, middle // 4 + shift):
        # Φ⁻¹ of whichever tail is small, so that no digits are lost.
        z = [
            (-1 if above[i] < 0.5 else 1) * ndtri(min(above[i], below[i]))
            for i in (k + middle, k - shift + middle)
        ]
        found.append(z[0] - z[1])
    return max(found)


def test_the_mu_of_a_step_is_that_of_the_best_test():
    rng = np.random.default_rng(4)
    for std in [*rng.uniform(0.6, 30, 60), 1.0, 4.0, 16.0]:
        distribution = discrete.probabilities(std)
        step = float(discrete.gdp_step(std))
        assert vertices(distribution, 1) == pytest.approx(step, rel=1e-9)
        for shift in (2, 3, 7):
            assert vertices(distribution, shift) <= shift * step * (1 + 1e-9)
    assert discrete.gdp_step(50.0) == pytest.approx((1 + 1 / (24 * 2500)) / 50, rel=1e-9)
    np.testing.assert_allclose(
        discrete.gdp_step([0.3, 0.5, 0.51]), [discrete.gdp_step(x) for x in (0.3, 0.5, 0.51)]
    )


def test_the_accountant_s_delta_bounds_the_exact_one_and_is_close():
    """600 random settings: noise, sensitivity and ε, against enumeration of the whole distribution."""
    rng = np.random.default_rng(5)
    checked = 0
    while checked < 600:
        std = float(rng.uniform(1, 12))
        distribution = discrete.probabilities(std, math.ceil(12 * std))
        for _ in range(40):
            shift = int(rng.integers(1, 12))
            mu = shift * float(discrete.gdp_step(std))
            epsilon = float(rng.uniform(0, 3 * mu))
            exact = discrete.exact_delta(epsilon, distribution, shift)
            stated = float(gdp_delta(epsilon, mu))
            assert exact <= stated + 1e-9
            if std > 6 and exact > 1e-2:
                assert stated <= 1.05 * exact
            checked += 1


def test_two_thirds_of_the_noise_has_a_larger_delta_than_stated():
    std, shift = 9, 3
    mu = shift * float(discrete.gdp_step(std))
    weak = discrete.exact_delta(mu, discrete.probabilities(std * 2 / 3), shift)
    assert weak > 2 * gdp_delta(mu, mu)


def test_several_coordinates_compose():
    """Two coordinates by enumeration of the product: no more than the Gaussian with the l2 norm."""
    std, shifts = 3.0, (2, 1)
    one = discrete.probabilities(std, 40)
    mu = math.hypot(*shifts) * float(discrete.gdp_step(std))
    moved = [np.pad(one, (s, 0))[: len(one)] for s in shifts]
    first, second = np.outer(one, one), np.outer(*moved)
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        exact = np.maximum(first - math.exp(epsilon) * second, 0).sum()
        assert exact <= gdp_delta(epsilon, mu) + 1e-12
        assert exact > 0.9 * gdp_delta(epsilon, mu)


def test_sums_are_discrete_gaussians_within_the_stated_factor():
    for stds in ([1.0, 1.0], [0.8, 1.5, 1.0], [1.0] * 5, [2.0, 2.0]):
        total = discrete.sum_probabilities(stds)
        square = discrete.probabilities(float(np.linalg.norm(stds)), len(total) // 2)
        seen = total > 1e-250
        ratio = np.abs(np.log(total[seen] / square[seen])).max()
        bound = discrete.convolution_error(stds)
        assert ratio <= bound + 1e-11
        assert discrete.total_variation(total, square) <= math.expm1(bound) / 2 + 1e-11
    assert discrete.convolution_error([1.0, 1.0]) == pytest.approx(4 * math.exp(-(math.pi**2)), rel=0.01)
    assert discrete.convolution_error([4.0] * 200) < 1e-60
    half = discrete.sum_probabilities([0.4, 0.4])
    square = discrete.probabilities(math.sqrt(0.32), len(half) // 2)
    assert discrete.total_variation(half, square) > 0.1, "noise below the grid is no discrete Gaussian in sum"


def test_the_least_noise_that_suffices_is_found():
    for mu, steps in [(0.3, 100.0), (1.0, 30.0), (0.01, 7.7), (2.0, 4096.0)]:
        std = discrete.std_for(mu, steps)
        assert steps * discrete.gdp_step(std) <= mu < steps * discrete.gdp_step(std - 1)
    assert discrete.std_for(5.0, 1.0) == 4

"""Noise of sites that adds up to a two-sided geometric number: its law, exactly, and the pure ε of what is known of it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from core.discrete import OPERATING_SYSTEM, divided, divided_probabilities, largest_ratio
from core.discrete.geometric import deviation, scale_for

ALARM = 1e-4


def fit(sample, probabilities):
    """p-value of a χ² test, with cells of at least 20 expected."""
    reach = len(probabilities) // 2
    inside = sample[np.abs(sample) <= reach] + reach
    seen, expected = np.bincount(inside, minlength=2 * reach + 1), len(sample) * probabilities
    many = expected >= 20
    seen, expected = np.append(seen[many], len(sample) - seen[many].sum()), expected[many]
    expected = np.append(expected, len(sample) - expected.sum())
    keep = expected > 1e-6 * len(sample)
    return stats.chisquare(seen[keep], expected[keep] * seen[keep].sum() / expected[keep].sum()).pvalue


@pytest.mark.parametrize("scale, parts", [(3, 1), (3, 4), (12, 2), (12, 9)])
def test_each_part_is_a_difference_of_negative_binomials(scale, parts):
    """Kept at level 1e-4, and refused at two thirds and three halves of the scale."""
    sample = divided(60_000, scale, parts, rng=np.random.default_rng(1))
    assert fit(sample, divided_probabilities(scale, 1 / parts, 60)) > ALARM
    for other in (scale * 2 // 3, scale * 3 // 2):
        assert fit(sample, divided_probabilities(other, 1 / parts, 60)) < ALARM


@pytest.mark.parametrize("parts", [2, 7])
def test_parts_add_up_to_a_two_sided_geometric_number(parts):
    q = math.exp(-1 / 8)
    law = (1 - q) / (1 + q) * q ** np.abs(np.arange(-80, 81))
    assert np.allclose(divided_probabilities(8, 1.0, 80), law, rtol=1e-9, atol=0)
    drawn = divided((parts, 40_000), 8, parts, rng=np.random.default_rng(2))
    assert fit(drawn.sum(axis=0), law) > ALARM
    # One part less is another law.
    assert fit(drawn[1:].sum(axis=0), law) < ALARM


@pytest.mark.parametrize("parts", [2, 3, 10])
def test_coloured_cycles_are_a_part_of_the_whole_in_exact_numbers(parts):
    """What is drawn of a total N has the law c_k(1/h) c_{N−k}(1 − 1/h), by which negative binomials are divided."""
    r = Fraction(1, parts)

    def coefficient(shape, k):
        found = Fraction(1)
        for i in range(k):
            found *= (shape + i) / Fraction(i + 1)
        return found

    laws = [{0: Fraction(1)}]
    for total in range(1, 9):
        law = dict.fromkeys(range(total + 1), Fraction(0))
        for cycle in range(1, total + 1):
            for k, p in laws[total - cycle].items():
                law[k + cycle] += p * r / total
                law[k] += p * (1 - r) / total
        laws.append(law)
        assert all(law[k] == coefficient(r, k) * coefficient(1 - r, total - k) for k in law)


def test_draws_repeat_and_come_from_the_operating_system_too():
    first, second = (divided((3, 50), 1000, 4, rng=np.random.default_rng(5)) for _ in range(2))
    assert first.dtype == np.int64 and (first == second).all()
    system = divided(20_000, 1000, 4, rng=OPERATING_SYSTEM)
    assert system.std() == pytest.approx(deviation(1000, 4), rel=0.1)
    assert np.unique(system).size > 100


@pytest.mark.parametrize("scale, parts", [(1, 1), (7, 3), (163_840, 9), (10**9, 40)])
def test_a_deviation_tells_its_scale(scale, parts):
    assert scale_for(deviation(scale, parts), parts) == scale
    if scale < 10:
        law = divided_probabilities(scale, 1 / parts, 400)
        assert math.sqrt(law @ np.arange(-400, 401) ** 2) == pytest.approx(deviation(scale, parts), rel=1e-6)


@pytest.mark.parametrize("scale, steps", [(1, 1), (10, 10), (20, 3), (60, 60)])
@pytest.mark.parametrize("shape", [0.1, 0.4, 0.5, 0.7, 0.95, 1.0, 1.4, 3.0])
def test_the_largest_ratio_is_that_of_all_outcomes(scale, steps, shape):
    """By enumeration: never above, and from shape 1 on reached by none but in the tail."""
    law = divided_probabilities(scale, shape, 10 * scale + steps)
    largest = np.abs(np.log(law[steps:] / law[:-steps])).max()
    stated = largest_ratio(scale, shape, steps)
    assert largest <= stated * (1 + 1e-9)
    if shape <= 1:
        assert stated == pytest.approx(largest, rel=1e-3)


def test_no_noise_is_no_privacy_and_a_vector_pays_for_each_entry():
    assert largest_ratio(10, 0.0, 3) == math.inf and largest_ratio(10, 0.0, 0) == 0.0
    assert largest_ratio(10, 1.0, 12, 4) == pytest.approx(1.2)
    one, four = largest_ratio(100, 0.7, 25), largest_ratio(100, 0.7, 100, 4)
    assert four == pytest.approx(4 * one) and four > largest_ratio(100, 0.7, 100)

"""Releases with exact discrete noise: guarantees with rounding, the price of the grid, and what is said of them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from core import Privacy, discrete, pca, release
from core.discrete.grid import grid_for, summing
from core.privacy import gdp_mu

DEMAND = Privacy(1.0, 1e-5)
MU = gdp_mu(DEMAND)
HAVE = ("pooled", "local", "conventional", "secure")


def run(statistics, scheme, seed=1, **options):
    options = {"scheme": scheme, "noise": "discrete", "rng": np.random.default_rng(seed), **options}
    return release(statistics, 1.0, DEMAND, **options)


@pytest.mark.parametrize("scheme", HAVE)
@pytest.mark.parametrize("entries", [1, 400])
def test_the_guarantee_includes_the_rounding_and_costs_less_than_a_thousandth(scheme, entries):
    found = run(np.zeros((5, entries)), scheme)
    exact = release(np.zeros((5, 1)), 1.0, DEMAND, scheme=scheme, rng=np.random.default_rng(1))
    assert 1 < (found.std / exact.std) ** 2 < 1.001
    seen = {"pooled": found.mu_public, "secure": found.mu_public}.get(scheme, found.mu_message)
    assert MU * (1 - 1e-3) < seen <= MU
    steps = found.grid * np.rint(found.value / found.grid)
    if scheme != "local":
        np.testing.assert_array_equal(found.value, steps)
    assert math.log2(found.grid) % 1 == 0


@pytest.mark.parametrize("scheme", HAVE)
def test_the_noise_has_its_distribution(scheme):
    """Kolmogorov-Smirnov at 1e-4: a grid of 1/8192 of the noise is far finer than 20,000 draws can tell."""
    found = run(np.full((4, 20_000), 0.3), scheme)
    error = found.value - 0.3
    assert stats.kstest(error / found.std, "norm").pvalue > 1e-4
    for factor in (2 / 3, 3 / 2):
        assert stats.kstest(error / (factor * found.std), "norm").pvalue < 1e-4


@pytest.mark.parametrize("scheme", HAVE)
def test_unequal_weights_and_targets_are_met_site_by_site(scheme):
    sensitivities, weights = np.array([1.0, 0.2, 0.5]), np.array([0.2, 0.5, 0.3])
    targets = [Privacy(1.0, 1e-5), Privacy(0.5, 1e-6), Privacy(2.0, 1e-4)]
    options = {"weights": weights, "scheme": scheme}
    rng = np.random.default_rng(3)
    found = release(np.zeros((3, 2)), sensitivities, targets, rng=rng, noise="discrete", **options)
    exact = release(np.zeros((3, 2)), sensitivities, targets, rng=rng, **options)
    assert found.std == pytest.approx(exact.std, rel=1e-3) and found.std > exact.std
    for name in ("mu_public", "mu_message", "mu_aggregator"):
        assert getattr(found, name) == pytest.approx(getattr(exact, name), rel=1e-3)


def test_a_record_moves_the_whole_numbers_by_no_more_than_is_accounted_for():
    rng = np.random.default_rng(4)
    for _ in range(300):
        size = int(rng.integers(1, 30))
        grid = grid_for([0.1], [MU], size, grid=float(2.0 ** rng.integers(-12, -6)))
        first = rng.normal(size=size)
        change = rng.normal(size=size)
        second = first + 0.1 * change / np.linalg.norm(change)
        moved = grid.levels(second, 0) - grid.levels(first, 0)
        assert np.linalg.norm(moved) <= grid.steps(0.1)


@pytest.mark.parametrize("scheme", HAVE)
def test_the_rounding_of_floats_is_accounted_for_up_to_the_largest_statistic(scheme):
    """Weights and statistics whose products have no exact float, near the largest that is accepted, by fractions."""
    rng = np.random.default_rng(8)
    weights = rng.dirichlet(np.full(7, 5.0))
    grid = grid_for(0.1 * weights, np.full(7, MU), 1, grid=2.0**-13)
    bound = (grid.steps(0.0) - 1) / 2  # What is left for the floats of each of two neighbours.
    assert 0 < bound < 0.01
    with pytest.raises(ValueError, match="grid steps"):
        grid.levels(2.0**32, 0)
    for _ in range(300):
        exact = Fraction(float(rng.uniform(0.9, 1) * 2.0**31)) + Fraction(int(rng.integers(1000)), 997)
        weight = float(rng.choice(weights))
        floats = Fraction(weight * float(exact)) - Fraction(weight) * exact
        assert abs(floats) / Fraction(grid.step) <= bound
    # One site's record moves the released whole number by no more than its own rounding.
    statistics = rng.uniform(2.0**20, 2.0**21, 7)
    moved = statistics.copy()
    moved[0 if scheme == "local" else 3] += 0.1
    first, second = (
        run(f[:, None], scheme, weights=weights, grid=2.0**-13, rng=np.random.default_rng(1))
        for f in (statistics, moved)
    )
    site = 0 if scheme == "local" else 3
    scale = weights[0] if scheme == "local" else 1.0
    steps = abs(float((second.value - first.value)[0])) * scale / first.grid
    assert steps <= 0.1 * weights[site] / first.grid + grid.steps(0.0) + 1e-6


def test_the_same_seed_repeats_and_the_operating_system_does_not():
    again = [run(np.zeros((3, 5)), "pooled", seed=7).value for _ in range(2)]
    np.testing.assert_array_equal(*again)
    hardened = [run(np.zeros((3, 5)), "pooled", rng=discrete.OPERATING_SYSTEM) for _ in range(2)]
    assert (hardened[0].value != hardened[1].value).any()
    assert all(r.hardened for r in hardened) and not run(np.zeros(3), "pooled").hardened


def test_the_statement_drops_the_caveat_of_floating_point_for_exactly_these():
    plain = release(np.zeros(3), 1.0, DEMAND, scheme="pooled", rng=np.random.default_rng(0))
    assert "floating-point arithmetic" in plain.arithmetic and plain.grid is None and not plain.hardened
    exact = run(np.zeros(3), "pooled")
    assert "floating" not in exact.arithmetic and "seed, which" in exact.arithmetic
    system = run(np.zeros(3), "conventional", rng=discrete.OPERATING_SYSTEM)
    assert "operating system" in system.arithmetic and "floating" not in system.arithmetic
    bare = release(
        np.zeros(3), 1.0, None, scheme="nonprivate", rng=np.random.default_rng(0), noise="discrete"
    )
    assert "was added." in bare.arithmetic and (not bare.hardened)


def test_second_moments_are_released_with_exact_noise():
    rng = np.random.default_rng(5)
    records = rng.normal(size=(4, 500, 5)) * np.array([3.0, 2, 1, 1, 1])
    records /= np.linalg.norm(records, axis=2, keepdims=True)
    options = {"scheme": "secure", "privacy": Privacy(5.0, 1e-3)}
    found = pca.fit(list(records), 2, noise="discrete", rng=discrete.OPERATING_SYSTEM, **options)
    assert found.release.hardened and found.release.grid is not None
    np.testing.assert_array_equal(found.release.value, found.release.value.T)
    levels = 2 * found.release.value / found.release.grid
    np.testing.assert_array_equal(levels, np.rint(levels))
    plain = pca.fit(list(records), 2, rng=rng, **options)
    assert found.release.mu_public <= gdp_mu(Privacy(5.0, 1e-3))
    truth = np.mean([x.T @ x / len(x) for x in records], axis=0)
    # Off the diagonal, averaged over both orders, the noise has 1/√2 of the standard deviation.
    apart = [
        pca.fit(list(records), 2, noise="discrete", rng=np.random.default_rng(s), **options).release
        for s in range(30)
    ]
    above = np.triu_indices(5, 1)
    noise = np.array([(r.value - truth)[above] for r in apart])
    expected = apart[0].std / math.sqrt(2)
    low, high = stats.chi2.interval(1 - 1e-4, noise.size) / np.float64(noise.size)
    assert low < np.mean(noise**2) / expected**2 < high
    assert plain.release.std[0, 3] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: run(np.zeros(4), "cape"),
            "noise 'discrete' must be under one of the schemes 'pooled', .*'secure'.*, got 'cape'",
        ),
        (
            lambda: run(np.zeros(4), "pooled", grid=2.0),
            r"grid must be at most 0\.125, the largest power of two within a quarter of the noise, got 2\.0",
        ),
        (lambda: run(np.zeros(4), "pooled", grid=-1.0), "grid must be a positive finite number, got -1.0"),
        (
            lambda: release(np.zeros(4), 1, DEMAND, scheme="cape", rng=np.random.default_rng(0), grid=0.1),
            "grid must be left out unless noise is 'discrete', got 0.1",
        ),
        (
            lambda: release(np.zeros(4), 1, DEMAND, scheme="cape", rng=discrete.OPERATING_SYSTEM),
            "rng must be a numpy.random.Generator unless noise is 'discrete'",
        ),
        (
            lambda: run(np.full(4, 1e30), "pooled"),
            "statistics of site 0 must be at most 2\\^44 grid steps of .*; subtract a public centre, or use a grid of",
        ),
    ],
)
def test_what_does_not_work_is_named_with_the_nearest_that_does(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_nearest_grid_that_is_named_works():
    with pytest.raises(ValueError, match="grid") as found:
        run(np.zeros(4), "pooled", grid=2.0)
    nearest = float(str(found.value).split("at most ")[1].split(",")[0])
    assert run(np.zeros(4), "pooled", grid=nearest).mu_public <= MU
    large = np.full(4, 3e12)
    with pytest.raises(ValueError, match="public centre") as found:
        run(large, "conventional")
    nearest = float(str(found.value).split("use a grid of ")[1].split(" ")[0])
    assert run(large, "conventional", grid=nearest).mu_message <= MU
    with pytest.raises(ValueError, match="public centre"):
        run(large, "conventional", grid=nearest / 2)


@pytest.mark.parametrize("order", ["running", "pairwise", "rising"])
def test_the_arithmetic_of_a_mean_stays_within_what_is_added_for_it(order):
    """Against fractions. Running sums of numbers that all round one way come within a factor of a hundred of the bound."""
    for n in (3, 100, 3000):
        numbers = np.full(n, 1.0 + 2.0**-52 if order == "running" else 0.1)
        numbers = np.sort(np.random.default_rng(n).random(n)) if order == "rising" else numbers
        found = float(numbers.sum()) if order == "pairwise" else float(np.cumsum(numbers)[-1])
        exact = sum(map(Fraction, numbers.tolist()))
        error = abs(Fraction(found / n) - exact / n)
        assert 2 * error <= Fraction(float(summing(n, float(numbers.max()))))
    steps = (
        summing(1e6, 1.0) * 1e6 / math.sqrt(2) * 8192 * 100
    )  # Of a grid as fine as 1/8192 of Δ over √d, d = 10⁴.
    assert steps > 91, "the slack of the grid alone would not cover it"


def test_pca_accounts_for_the_sums_of_floats():
    moments, samples = np.stack([np.eye(2) / 4] * 3), np.full(3, 1e7)
    options = {"scheme": "pooled", "privacy": DEMAND, "samples": samples, "noise": "discrete"}
    found = pca.fit(moments, 1, rng=np.random.default_rng(0), **options).release
    assert found.sensitivities[0] == pytest.approx(pca.sensitivity(1e7) + summing(1e7, 1.0), rel=1e-12)
    assert found.sensitivities[0] > pca.sensitivity(1e7) * 1.01

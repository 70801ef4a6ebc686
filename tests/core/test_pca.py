"""Private PCA: sensitivity by brute force, limits, comparisons. Statistical tests are seeded."""

import itertools
import math

import numpy as np
import pytest
from laws import assert_normal

from core import Privacy, pca
from core.moments import whitening
from core.privacy import gaussian_mu, gaussian_std, gdp_mu

PRIVATE = ("pooled", "local", "conventional", "cape")
DEMAND = Privacy(1.0, 1e-3)


@pytest.fixture
def sites():
    rng = np.random.default_rng(5)
    scale = np.array([1.0, 0.7, 0.5] + [0.05] * 9)
    records = rng.normal(size=(4, 300, 12)) * scale
    return list(records / np.linalg.norm(records, axis=2).max())


def fit(sites, scheme="cape", k=3, demand=DEMAND, seed=1, **options):
    demand = None if scheme == "nonprivate" else demand
    return pca.fit(sites, k, scheme=scheme, privacy=demand, rng=np.random.default_rng(seed), **options)


def test_second_moments_are_the_naive_ones(sites):
    naive = [sum(np.outer(x, x) for x in site) / len(site) for site in sites]
    assert pca.second_moments(sites) == pytest.approx(np.array(naive))


def test_sensitivity_is_the_largest_change_over_pairs_of_records():
    angles = np.linspace(0, 2 * math.pi, 73)
    records = [r * np.array([math.cos(a), math.sin(a)]) for a in angles for r in (0.5, 1.0)]
    outer = [np.outer(x, x) for x in records]
    upper = np.triu_indices(2)
    frobenius = max(np.linalg.norm(a - b) for a, b in itertools.product(outer, outer))
    triangle = max(np.linalg.norm((a - b)[upper]) for a, b in itertools.product(outer, outer))
    assert frobenius / 50 == pytest.approx(pca.sensitivity(50))
    assert triangle / 50 == pytest.approx(pca.sensitivity(50), rel=1e-3)
    assert pca.sensitivity(50, bound=2.0) == pytest.approx(4 * pca.sensitivity(50))
    assert pca.sensitivity(50, form="published") == 1 / 50 < frobenius / 50


@pytest.mark.parametrize("scheme", pca.METHODS)
def test_endless_budget_gives_the_plain_subspace(sites, scheme):
    rank = {"rank": 12} if scheme == "dpdispca" else {}
    result = fit(sites, scheme, demand=Privacy(1e15, 1e-3), **rank)
    pooled = pca.second_moments(sites).mean(axis=0) if scheme != "local" else pca.second_moments(sites)[0]
    expected, _ = pca.top_eigenvectors(pooled, 3)
    assert pca.subspace_distance(result.components, expected) < 1e-6
    assert result.components @ result.components.T == pytest.approx(np.eye(3))


@pytest.mark.parametrize("scheme", ("pooled", "conventional", "cape"))
def test_noise_of_the_released_moment_follows_its_law(scheme):
    moments, samples = np.zeros((5, 60, 60)), np.full(5, 40)
    result = fit(moments, scheme, samples=samples)
    tau = gaussian_std(math.sqrt(2) / 40, DEMAND)
    std = tau / math.sqrt(5) if scheme == "conventional" else tau / 5
    upper = np.triu_indices(60, 1)
    assert_normal(result.release.value[upper], std / math.sqrt(2))
    diagonals = [np.diag(fit(moments, scheme, samples=samples, seed=i).release.value) for i in range(20)]
    assert_normal(diagonals, std)
    copied = fit(moments, scheme, samples=samples, noise="copied")
    assert_normal(copied.release.value[upper], std)


def test_orders_agree_without_noise_and_signed_captures_more_in_noise():
    energies = {}
    truth = np.diag(np.linspace(1, 0, 40)) / 20
    for order in whitening.ORDERS:
        clean = pca.top_eigenvectors(truth, 5, order=order)[1]
        assert clean == pytest.approx(np.diag(truth)[:5])
        runs = [
            fit(np.stack([truth] * 3), k=5, samples=[40] * 3, order=order, seed=i, demand=Privacy(0.3, 0.01))
            for i in range(50)
        ]
        energies[order] = [pca.captured_energy(r.components, truth) for r in runs]
    # 50 paired runs; the signed order is better by far more than the spread of the mean.
    gain = np.array(energies["signed"]) - energies["magnitude"]
    assert gain.mean() > 4 * gain.std() / math.sqrt(50)


def test_magnitude_order_is_the_svds(sites):
    noisy = fit(sites, "local", demand=Privacy(0.05, 1e-3)).release.value
    vectors, values = pca.top_eigenvectors(noisy, 4, order="magnitude")
    u, s, _ = np.linalg.svd(noisy)
    assert np.abs(values) == pytest.approx(s[:4])
    assert pca.subspace_distance(vectors, u[:, :4].T) < 1e-6


def test_dpdispca_promises_the_public_no_more_than_one_message_does(sites):
    # Its square roots are no function of the average of the messages.
    result = fit(sites, "dpdispca").release
    assert result.mu_public == result.mu_message == pytest.approx(gdp_mu(DEMAND))
    assert fit(sites, "conventional").release.mu_public < result.mu_public


def test_dpdispca_with_full_rank_and_no_negative_part_is_the_conventional_answer(sites):
    loose = Privacy(1e6, 1e-3)
    partial = fit(sites, "dpdispca", demand=loose, rank=12)
    assert (
        pca.subspace_distance(partial.components, fit(sites, "conventional", demand=loose).components) < 1e-3
    )


def test_measures_of_error_by_their_definitions(sites):
    a = pca.second_moments(sites).mean(axis=0)
    v, w = (np.linalg.qr(np.random.default_rng(i).normal(size=(12, 3)))[0] for i in (1, 2))
    assert pca.captured_energy(v.T, a) == pytest.approx(np.trace(v.T @ a @ v))
    assert pca.subspace_distance(v.T, w.T) == pytest.approx(np.linalg.norm(v @ v.T - w @ w.T, 2))
    values = np.array([0.3, 0.2, -0.1])
    assert pca.low_rank_error(v.T, values, a) == pytest.approx(
        np.linalg.norm(a - v @ np.diag(values) @ v.T, 2)
    )


SIZES = np.array([40, 250, 110, 900])


@pytest.fixture
def unequal():
    rng = np.random.default_rng(8)
    scale = np.array([1.0, 0.7, 0.5] + [0.05] * 9)
    # Every site has its own leading direction, so that weights show.
    records = [rng.normal(size=(n, 12)) * np.roll(scale, s) for s, n in enumerate(SIZES)]
    return [x / max(np.linalg.norm(y, axis=1).max() for y in records) for x in records]


@pytest.mark.parametrize("scheme", ("nonprivate", "pooled", "conventional", "cape", "dpdispca"))
def test_unequal_sites_average_to_the_moment_of_all_records(unequal, scheme):
    records = np.concatenate(unequal)
    problem = pca.Problem(lambda settings: (unequal, None))
    statistics = problem.statistics({})
    assert statistics.truth == pytest.approx(records.T @ records / len(records))
    demand = None if scheme == "nonprivate" else Privacy(1e15, 1e-3)
    rank = {"rank": 12} if scheme == "dpdispca" else {}
    found = problem.fit(statistics, scheme, demand, np.random.default_rng(1), {"k": 3}, **rank)
    expected, values = pca.top_eigenvectors(records.T @ records / len(records), 3)
    assert pca.subspace_distance(found.components, expected) < 1e-6
    assert found.values == pytest.approx(values)
    plain, _ = pca.top_eigenvectors(statistics.second.mean(axis=0), 3)
    assert pca.subspace_distance(plain, expected) > 0.05  # 1/S for every site is another answer.


@pytest.mark.parametrize("scheme", ("pooled", "conventional", "cape"))
def test_noise_of_unequal_sites_follows_its_law(scheme):
    problem = pca.Problem(lambda settings: None)
    statistics = pca.Moments(np.zeros((4, 60, 60)), SIZES, np.zeros((60, 60)))
    found = problem.fit(statistics, scheme, DEMAND, np.random.default_rng(3), {"k": 3}).release
    taus = np.array([gaussian_std(pca.sensitivity(n), DEMAND) for n in SIZES])
    shares = SIZES / SIZES.sum() * taus
    std = np.linalg.norm(shares) if scheme == "conventional" else shares.max()
    assert_normal(found.value[np.triu_indices(60, 1)], std / math.sqrt(2))


@pytest.mark.parametrize("scheme", ("pooled", "conventional", "cape"))
def test_unequal_sites_weighted_by_size_reveal_what_equal_sites_reveal(scheme):
    problem = pca.Problem(lambda settings: None)
    rng = np.random.default_rng(0)
    releases = [
        problem.fit(
            pca.Moments(np.zeros((4, 5, 5)), n, np.zeros((5, 5))), scheme, DEMAND, rng, {"k": 2}
        ).release
        for n in (SIZES, np.full(4, 100))
    ]
    for number in ("mu_public", "mu_message", "mu_aggregator"):
        unequal, equal = (getattr(r, number) for r in releases)
        assert unequal == pytest.approx(equal, rel=1e-9)
    for colluding in range(4):
        assert releases[0].mu(colluding) == pytest.approx(releases[1].mu(colluding), rel=1e-9)


def test_sensitivity_of_a_problem_is_that_of_every_site():
    problem = pca.Problem(lambda settings: None)
    assert problem.sensitivity({"samples": 50}) == pytest.approx(math.sqrt(2) / 50)
    assert problem.sensitivity({"samples": tuple(SIZES)}) == pytest.approx(math.sqrt(2) / SIZES)


def test_communication_counts():
    expected = {
        "nonprivate": 1500,
        "pooled": 1500,
        "local": 0,
        "conventional": 500,
        "cape": 1500,
        "cape-best": 1500,
        "graph": 2500,
        "secure": 500,
        "dpdispca": 200,
    }
    assert expected == {m: pca.communication(m, sites=5, width=10, rank=4, samples=30) for m in expected}
    assert pca.communication("pooled", sites=3, width=10, samples=(10, 20, 5)) == 350


def test_records_and_their_moments_give_the_same_fit(sites):
    from_moments = fit(pca.second_moments(sites), samples=[300] * 4)
    assert (from_moments.components == fit(sites).components).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 13}, "k must be a whole number from 1 to 12, got 13"),
        ({"k": 0}, "k must be"),
        ({"scheme": "capePCA"}, "scheme must be one of"),
        ({"order": "random"}, "order must be one of"),
        ({"scheme": "dpdispca", "rank": 2}, "rank must be a whole number from 3 to 12, got 2"),
        ({"sensitivity_form": "guess"}, "form must be one of"),
    ],
)
def test_bad_settings_are_named(sites, change, words):
    with pytest.raises(ValueError, match=words):
        fit(sites, **change)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda x: x[0].__setitem__((7, 3), math.nan),
            r"records of site 0 must be finite, got nan at index \(7, 3\)",
        ),
        (
            lambda x: x[2].__setitem__((9, 0), 2.0),
            "records of site 2 must have norm at most 1.0, got 2.* in record 9",
        ),
        (lambda x: x.__setitem__(1, x[1][:0]), "records of site 1 must be a table with at least one row"),
        (lambda x: x.__setitem__(1, x[1][:, :5]), "sites must have records of one width"),
    ],
)
def test_bad_records_are_named(sites, spoil, words):
    spoil(sites)
    with pytest.raises(ValueError, match=words):
        fit(sites)


def test_second_moments_handed_in_are_looked_at_unless_they_are_trusted():
    rng = np.random.default_rng(5)
    records = rng.standard_normal((3, 40, 4))
    records /= np.linalg.norm(records, axis=2, keepdims=True)
    good = pca.second_moments(records)
    lopsided, negative, long, broken = (good.copy() for _ in range(4))
    lopsided[1, 0, 1] += 1e-3
    negative[2] -= 0.5 * np.eye(4)
    long[0] *= 1.01
    broken[1, 2, 2] = np.nan
    cases = (
        (lopsided, "second moment of site 1 must be symmetric"),
        (negative, "second moment of site 2 must have no negative eigenvalue"),
        (long, "second moment of site 0 must be of records of norm at most 1.0, got trace 1.01"),
        (broken, "second moment of site 1 must be finite"),
        (good[0], r"second moments must have shape \(sites, d, d\)"),
    )
    options = {"k": 2, "scheme": "cape", "privacy": Privacy(1.0, 1e-3), "samples": [40] * 3}
    for moments, words in cases:
        with pytest.raises(ValueError, match=words):
            pca.fit(moments, rng=np.random.default_rng(0), **options)
    checked, trusted = (
        pca.fit(good, rng=np.random.default_rng(0), trusted=trusted, **options) for trusted in (False, True)
    )
    np.testing.assert_array_equal(checked.components, trusted.components)
    assert pca.fit(4 * good, rng=np.random.default_rng(0), bound=2.0, **options).components.shape == (2, 4)


@pytest.mark.parametrize("scheme", [*PRIVATE, "dpdispca"])
def test_a_release_with_the_published_sensitivity_states_its_true_mu(sites, scheme):
    """Noise for 1/n, μ of √2/n: (5, 0.01) as published is not 1.609 but 2.2755."""
    records = [x[:10] for x in sites[:2]]
    options = {"scheme": scheme, "demand": Privacy(5, 0.01), "k": 2, "sensitivity_form": "published"}
    classical = fit(records, calibration="published", **options).release
    exact = fit(records, **options).release
    nominal = gaussian_mu(Privacy(5, 0.01), calibration="published")
    if scheme == "pooled":
        found, least = classical.mu_public, exact.mu_public
    else:
        found, least = classical.mu_message, exact.mu_message
    assert found == pytest.approx(2.2755, abs=5e-5)
    assert found == pytest.approx(math.sqrt(2) * nominal, rel=1e-12)
    assert least == pytest.approx(math.sqrt(2) * gdp_mu(Privacy(5, 0.01)), rel=1e-9)
    np.testing.assert_allclose(classical.sensitivities, math.sqrt(2) / 10)


def test_two_orthogonal_records_reach_the_mu_that_is_stated():
    """μ of a message by hand: how far the moment moves, over the noise that the sensitivity 1/n asks for."""
    one, other = (np.stack([np.eye(4)[first]] + [np.eye(4)[3]] * 9) for first in (0, 1))
    moved = np.linalg.norm(pca.second_moments([one])[0] - pca.second_moments([other])[0])
    release = fit([one, other], k=1, sensitivity_form="published").release
    noise = gaussian_std(1 / 10, DEMAND)
    assert release.mu_message == pytest.approx(moved / noise, rel=1e-9)
    # Over the noise that was really drawn: 250 messages of six off-diagonal entries, each of √2 less.
    rng = np.random.default_rng(5)
    options = {
        "scheme": "cape",
        "privacy": DEMAND,
        "rng": rng,
        "sensitivity_form": "published",
        "keep": "all",
    }
    runs = [pca.fit([one, other], 1, **options).release.messages[0] for _ in range(250)]
    sent = np.array(runs)[:, *np.triu_indices(4, 1)]
    # χ² of 1,500 draws: 8 % is 4.4 standard errors, one false alarm in 90,000.
    assert np.std(sent) == pytest.approx(noise / math.sqrt(2), rel=0.08)


def test_records_of_one_feature_are_never_orthogonal():
    line = np.linspace(0, 1, 41)
    largest = max(abs(a**2 - b**2) for a, b in itertools.product(line, repeat=2)) / 7
    assert pca.sensitivity(7, width=1) == pytest.approx(largest, rel=1e-12)
    found = fit([np.full((7, 1), 0.5), np.full((7, 1), 0.2)], k=1).release
    np.testing.assert_allclose(found.sensitivities, 1 / 7)

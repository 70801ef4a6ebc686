"""Projected tensor noise against dense noise. Statistical tests are seeded, false-alarm rate 1e-4 each."""

import itertools
import math

import numpy as np
import pytest
from laws import ALARM, assert_normal, assert_variance
from scipy import stats

from core import Privacy, noise, release
from core.schemes.projected_noise import ProjectedNoise, covariance
from core.tensors import contract


def triples(k):
    return list(itertools.combinations_with_replacement(range(k), 3))


def distinct_entries(tensors):
    """(…, k, k, k) -> (…, C(k+2, 3))."""
    index = np.array(triples(tensors.shape[-1])).T
    return tensors[..., *index]


def linear_map(w, distribution):
    """The matrix that takes a white vector to the distinct entries of Z(W,W,W), by enumeration."""
    d = len(w)
    columns = []
    if distribution == "copied":
        for triple in triples(d):
            unit = np.zeros((d,) * 3)
            for position in set(itertools.permutations(triple)):
                unit[position] = 1
            columns.append(unit)
    else:
        units = np.eye(d**3).reshape(d**3, d, d, d)
        columns = [noise.symmetrise(u) if distribution == "symmetrised" else u for u in units]
    seen = np.einsum("zijk,ia,jb,kc->zabc", columns, w, w, w, optimize=True)
    return distinct_entries(seen).T


@pytest.mark.parametrize(("d", "k"), [(d, k) for d in (1, 2, 5, 8) for k in (1, 3, 4)])
def test_covariance_of_copied_noise_equals_enumeration(d, k):
    w = np.random.default_rng(10 * d + k).standard_normal((d, k))
    a = linear_map(w, "copied")
    scale = np.abs(a @ a.T).max()
    np.testing.assert_allclose(covariance(w) / scale, a @ a.T / scale, atol=1e-12)


@pytest.mark.parametrize("distribution", noise.DISTRIBUTIONS)
@pytest.mark.parametrize(("d", "k"), [(3, 3), (5, 2)])
def test_projected_noise_has_the_law_of_dense_noise_projected(distribution, d, k):
    rng = np.random.default_rng(d)
    w = rng.standard_normal((d, k))
    a = linear_map(w, distribution)
    whiten = np.linalg.inv(np.linalg.cholesky(a @ a.T))
    law_of = ProjectedNoise(w, distribution)
    for draw in (
        lambda: law_of.gaussian(0.7, rng=rng),
        lambda: contract(noise.gaussian((d,) * 3, 0.7, rng=rng, distribution=distribution), w),
    ):
        white = np.array([whiten @ distinct_entries(draw()) for _ in range(300)])
        assert_normal(white, 0.7)
        for column in white.T:
            assert_variance(column, 0.7**2)
        correlation = np.corrcoef(white.T).reshape(white.shape[1], -1) - np.eye(white.shape[1])
        # At most 45 correlations of 300 pairs: one beyond 4.8/√300 has probability below 1e-4.
        assert np.abs(correlation).max() < 4.8 / np.sqrt(300)


@pytest.mark.parametrize("distribution", noise.DISTRIBUTIONS)
def test_projected_deviations_are_those_of_the_entries(distribution):
    w = np.random.default_rng(1).standard_normal((5, 3))
    a = linear_map(w, distribution)
    expected = 0.3 * np.sqrt((a**2).sum(axis=1))
    np.testing.assert_allclose(
        distinct_entries(ProjectedNoise(w, distribution).entry_std(0.3)), expected, rtol=1e-12
    )


@pytest.mark.parametrize("distribution", ("symmetrised", "copied"))
def test_projected_noise_is_symmetric_and_iid_noise_symmetrised_is_it(distribution):
    rng = np.random.default_rng(2)
    w = rng.standard_normal((6, 3))
    for draw in (
        ProjectedNoise(w, distribution).gaussian(rng=rng),
        ProjectedNoise(w, distribution).vector(1.0, rng=rng),
    ):
        np.testing.assert_allclose(draw, noise.symmetrise(draw), rtol=1e-12, atol=1e-12)


def dense_vector(d, distribution, scale, rng):
    """Pure-ε noise on the whole symmetric tensor, by definition."""
    direction = noise.gaussian((d,) * 3, rng=rng, distribution=distribution)
    length = (
        math.sqrt((direction**2).sum())
        if distribution == "symmetrised"
        else np.linalg.norm(distinct_entries(direction))
    )
    return rng.gamma(math.comb(d + 2, 3), scale) / length * direction


@pytest.mark.parametrize("distribution", ("symmetrised", "copied"))
def test_vector_noise_has_the_law_of_dense_vector_noise(distribution):
    rng, d = np.random.default_rng(3), 5
    w = rng.standard_normal((d, 2))
    law_of = ProjectedNoise(w, distribution)
    projected = np.array([law_of.vector(0.4, rng=rng) for _ in range(3000)])
    dense = np.array([contract(dense_vector(d, distribution, 0.4, rng), w) for _ in range(3000)])
    for index in ((0, 0, 0), (0, 1, 1), (0, 0, 1)):
        here, there = projected[:, *index], dense[:, *index]
        assert stats.ks_2samp(here, there).pvalue > ALARM
        assert stats.ks_2samp(here * 1.5, there).pvalue < ALARM
        assert stats.ks_2samp(here / 1.5, there).pvalue < ALARM
    lengths = [np.sqrt((z**2).sum(axis=(1, 2, 3))) for z in (projected, dense)]
    assert stats.ks_2samp(*lengths).pvalue > ALARM
    assert stats.ks_2samp(lengths[0] * 1.2, lengths[1]).pvalue < ALARM


def test_vector_noise_density_falls_with_the_norm():
    # k = d and W = I: the noise is the tensor itself, and ‖B‖ ~ Gamma(C(d+2,3), scale).
    rng = np.random.default_rng(4)
    draws = np.array([ProjectedNoise(np.eye(3)).vector(0.5, rng=rng) for _ in range(3000)])
    lengths = np.sqrt((draws**2).sum(axis=(1, 2, 3)))
    assert stats.kstest(lengths, stats.gamma(10, scale=0.5).cdf).pvalue > ALARM
    assert stats.kstest(lengths, stats.gamma(10, scale=0.4).cdf).pvalue < ALARM


@pytest.mark.parametrize("distribution", ("symmetrised", "copied"))
def test_cape_with_projected_noise_is_pooled_noise_projected(distribution):
    rng = np.random.default_rng(5)
    sites, k = 4, 2
    w = rng.standard_normal((5, k))
    law_of = ProjectedNoise(w, distribution)
    options = {"noise": law_of, "rng": rng}
    statistics, privacy = np.zeros((sites, k, k, k)), Privacy(1.0, 1e-5)
    runs = [release(statistics, 0.1, privacy, scheme="cape", **options) for _ in range(300)]
    std = runs[0].sensitivities[0] / runs[0].mu_message
    a = linear_map(w, distribution)
    whiten = np.linalg.inv(np.linalg.cholesky(a @ a.T))
    values = np.array([whiten @ distinct_entries(r.value) for r in runs])
    messages = np.array([whiten @ distinct_entries(r.messages[1]) for r in runs])
    for drawn, expected in ((values, std / sites), (messages, std)):
        assert_normal(drawn, expected)
        for column in drawn.T:
            assert_variance(column, expected**2)
    pooled = release(statistics, 0.1, privacy, scheme="pooled", **options)
    np.testing.assert_allclose(pooled.std, runs[0].std, rtol=1e-12)
    zero_sum = np.array([r.zero_sum for r in runs[:50]])
    assert np.abs(zero_sum.sum(axis=1)).max() < 1e-12 * np.abs(zero_sum).max()


def test_thousands_of_dimensions_need_no_dense_tensor():
    rng = np.random.default_rng(6)
    w = rng.standard_normal((5000, 4))
    for distribution in noise.DISTRIBUTIONS:
        assert ProjectedNoise(w, distribution).gaussian(rng=rng).shape == (4, 4, 4)
    frame = np.linalg.qr(w)[0]
    # Of the pure-ε noise W sees n3 of the D = C(d+2,3) directions: its length is about scale √(D n3).
    seen = np.sqrt((ProjectedNoise(frame).vector(1.0, rng=rng) ** 2).sum())
    assert 0.4 < seen / math.sqrt(math.comb(5002, 3) * 20) < 1.6


@pytest.mark.parametrize(
    ("matrix", "distribution", "words"),
    [
        (np.zeros((2, 3)), "iid", "no more than rows, got shape"),
        (np.full((3, 2), np.nan), "iid", "matrix must be finite"),
        (np.eye(3), "dense", "distribution must be one of"),
    ],
)
def test_bad_projections_are_refused(matrix, distribution, words):
    with pytest.raises(ValueError, match=words):
        ProjectedNoise(matrix, distribution)


def test_vector_noise_needs_a_symmetric_law():
    with pytest.raises(ValueError, match="vector noise"):
        ProjectedNoise(np.eye(2), "iid").vector(1.0, rng=np.random.default_rng(1))


def test_secure_aggregation_clips_no_noise_that_a_matrix_makes_larger():
    # 512 entries of Z(W,W,W), independent and each 1000 times as wide as Z's.
    projected = ProjectedNoise(10 * np.eye(9)[:, :8], "iid")
    result = release(
        np.zeros((4, 8, 8, 8)),
        1.0,
        Privacy(1.0, 1e-5),
        scheme="cape",
        noise=projected,
        zero_sum="secure",
        rng=np.random.default_rng(4),
    )
    for message in result.messages:
        assert_variance(message, (1000 * result.design.std[0]) ** 2)

"""Principal components about a private mean: joint sensitivity by brute force, noise, limits, and what is measured."""

import itertools
import math

import numpy as np
import pytest
from laws import assert_normal

from core import Privacy, pca
from core.privacy import gaussian_mu

DEMAND = Privacy(1.0, 1e-3)


@pytest.fixture
def sites():
    rng = np.random.default_rng(4)
    spread = np.array([0.3, 0.2, 0.1, 0.03, 0.02])
    records = 0.4 + rng.normal(size=(4, 500, 5)) * spread * 0.5
    records /= np.linalg.norm(records, axis=2).max()
    return [records[0][:200], records[1], records[2], records[3]]


def both(x, share):
    return np.concatenate([math.sqrt((1 - share) / 2) * np.outer(x, x).ravel(), math.sqrt(share) / 2 * x])


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("width", [1, 2])
def test_the_joint_sensitivity_is_the_largest_change_over_pairs_of_records(share, width):
    if width == 1:
        records = [np.array([r]) for r in np.linspace(-1, 1, 401)]
    else:
        angles = np.linspace(0, 2 * math.pi, 121)
        records = [r * np.array([math.cos(a), math.sin(a)]) for a in angles for r in (0.4, 0.8, 1.0)]
    points = np.array([both(x, share) for x in records])
    largest = max(np.linalg.norm(points - point, axis=1).max() for point in points)
    claimed = pca.joint_sensitivity(50, share=share, width=width)
    assert largest / 50 <= claimed * (1 + 1e-12)
    assert largest / 50 == pytest.approx(claimed, rel=1e-3)
    # Never more than two releases that share the budget would need.
    assert claimed <= 1 / 50 * (1 + 1e-12)


def test_the_release_is_accounted_for_exactly_and_its_noise_follows_its_law():
    share, n = 0.2, 40
    zeros = [np.zeros((n, 30)) for _ in range(5)]
    found = pca.fit_about_mean(
        zeros, 3, scheme="cape", privacy=DEMAND, rng=np.random.default_rng(1), share=share
    )
    assert found.release.mu_public == pytest.approx(gaussian_mu(DEMAND))
    std = pca.joint_sensitivity(n, share=share) / gaussian_mu(DEMAND) / 5
    assert found.release.value.shape == (30 * 30 + 30,)
    assert_normal(found.release.value, std)


@pytest.mark.parametrize("scheme", ["nonprivate", "cape", "conventional", "pooled", "secure"])
def test_endless_budget_gives_the_components_of_the_covariance(sites, scheme):
    privacy = None if scheme == "nonprivate" else Privacy(1e14, 1e-3)
    n = np.array([len(x) for x in sites])
    found = pca.fit_about_mean(
        sites, 2, scheme=scheme, privacy=privacy, rng=np.random.default_rng(0), weights=n / n.sum()
    )
    values, vectors = np.linalg.eigh(np.cov(np.vstack(sites).T, bias=True))
    assert pca.subspace_distance(found.components, vectors[:, :-3:-1].T) < 1e-5
    assert found.values == pytest.approx(values[:-3:-1], rel=1e-5)


@pytest.mark.parametrize("centre", pca.CENTRES)
def test_variance_is_a_share_of_what_the_best_components_keep(sites, centre):
    problem = pca.Problem(lambda settings: (sites, None), (), measure="variance", centre=centre)
    statistics = problem.statistics({})
    covariance = np.cov(np.vstack(sites).T, bias=True)
    values, vectors = np.linalg.eigh(covariance)
    assert problem.judged(statistics, vectors[:, -1:].T) == pytest.approx(1)
    plain = problem.fit(statistics, "nonprivate", None, np.random.default_rng(0), {"k": 1}).components
    kept = float((plain @ covariance @ plain.T).item() / values[-1])
    row = problem.estimate(statistics, "nonprivate", None, np.random.default_rng(0), {"k": 1})
    assert row == {"variance": pytest.approx(kept)}
    # About the public constant the first component is the way to the mean, which is no variance.
    assert kept == pytest.approx(1) if centre == "mean" else kept < 0.9


def test_a_known_distribution_measures_its_own_variance(sites):
    truth = np.diag([0.5, 0.2, 0.1, 0.1, 0.1])
    problem = pca.Problem(lambda settings: (sites, truth), (), measure="variance")
    statistics = problem.statistics({})
    assert problem.judged(statistics, np.eye(5)[:2]) == pytest.approx(1)
    assert problem.judged(statistics, np.eye(5)[[0, 2]]) == pytest.approx(0.6 / 0.7)


def test_detail_is_counted_from_the_best_single_component():
    truth = np.diag([0.5, 0.2, 0.1, 0.1, 0.1])
    problem = pca.Problem(lambda settings: ([np.eye(5), np.eye(5)], truth), (), measure="detail")
    statistics, axes = problem.statistics({}), np.eye(5)
    assert problem.judged(statistics, axes[:3]) == pytest.approx(1)
    assert problem.judged(statistics, axes[[0, 2, 3]]) == pytest.approx(0.2 / 0.3)
    assert problem.judged(statistics, axes[2:]) == pytest.approx(-0.2 / 0.3)  # Less than the first alone.
    with pytest.raises(ValueError, match=r"k must.*2"):
        problem.judged(statistics, axes[:1])


@pytest.mark.parametrize(
    "options", [{"sensitivity_form": "published"}, {"noise": "discrete"}, {"bound": 2.0}, {"bound": None}]
)
def test_what_was_not_derived_about_a_private_mean_is_refused(options):
    with pytest.raises(ValueError, match=r"centre must.*'public'"):
        pca.Problem(lambda settings: None, centre="mean", **options)


def test_a_mean_takes_d_more_numbers_of_every_vector_that_is_sent():
    for scheme, vectors in {"cape": 3, "conventional": 1}.items():
        assert pca.communication(scheme, sites=4, width=5, mean=True) == vectors * 4 * 30
    assert pca.communication("pooled", sites=4, width=5, samples=10, mean=True) == 4 * 10 * 5


def test_errors_name_the_parameter(sites):
    options = {"scheme": "cape", "privacy": DEMAND, "rng": np.random.default_rng(0)}
    for change, words in (
        ({"k": 6}, "k must be"),
        ({"share": 1.0}, "share must be"),
        ({"scheme": "dpdispca"}, "scheme must be"),
    ):
        with pytest.raises(ValueError, match=words):
            pca.fit_about_mean(sites, **{"k": 2, **options, **change})
    assert list(itertools.chain(pca.CENTRES, pca.MEASURES)) == [
        "public",
        "mean",
        "energy",
        "detail",
        "variance",
    ]


def test_a_problem_about_the_mean_states_its_joint_sensitivity():
    problem = pca.Problem(lambda settings: None, centre="mean", share=0.3)
    assert problem.sensitivity({"samples": 10}) == pytest.approx(pca.joint_sensitivity(10, share=0.3))

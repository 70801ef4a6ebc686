"""Sensitivities of second and third moments against brute force over neighbouring records."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from core import moments
from core.moments import sensitivities


def of_documents(words, d):
    m = moments.single_topic(np.array(words)[None], d)
    return m.second(), m.dense_third()


@pytest.mark.parametrize("length", [3, 4])
def test_no_two_documents_exceed_the_bound_and_some_reach_it(length):
    d = 3
    documents = [of_documents(w, d) for w in itertools.product(range(d), repeat=length)]
    for order, bound in enumerate((sensitivities.second(1), sensitivities.third(1))):
        flat = np.array([m[order].ravel() for m in documents])
        largest = np.sqrt(((flat[:, None] - flat) ** 2).sum(axis=-1)).max()
        assert largest == pytest.approx(bound, rel=1e-12)


def test_published_first_words_keep_the_bound():
    d = 3
    first = [
        moments.single_topic(np.array([w]), d, triples="first", symmetrised=False)
        for w in itertools.product(range(d), repeat=3)
    ]
    for flat, bound in (
        (np.array([m.second().ravel() for m in first]), sensitivities.second(1)),
        (np.array([m.dense_third().ravel() for m in first]), sensitivities.third(1)),
    ):
        assert np.sqrt(((flat[:, None] - flat) ** 2).sum(axis=-1)).max() == pytest.approx(bound)


def changes(t, other, variance):
    """‖ΔM2‖ and ‖ΔM3‖ of one record, from the moments themselves."""
    one, two = (moments.GaussianMoments(x[None], variance) for x in (t, other))
    return (
        np.linalg.norm(one.second() - two.second()),
        np.linalg.norm(one.dense_third() - two.dense_third()),
    )


@pytest.mark.parametrize("d", [1, 2, 5])
def test_closed_forms_of_a_change_equal_the_moments(d):
    rng = np.random.default_rng(d)
    for _ in range(20):
        t, other = (x / np.linalg.norm(x) * rng.random() for x in rng.standard_normal((2, d)))
        lengths = np.linalg.norm(t), np.linalg.norm(other)
        cosine = t @ other / (lengths[0] * lengths[1])
        closed = sensitivities.gaussian_changes(*lengths, cosine, d=d, variance=0.07)
        np.testing.assert_allclose(np.sqrt(closed), changes(t, other, 0.07), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 10, 100])
@pytest.mark.parametrize("variance", [0.0, 0.002, 0.03, 0.3])
def test_no_record_exceeds_the_exact_gaussian_bounds(d, variance):
    rng = np.random.default_rng(d)
    grid = rng.random((3, 200_000))
    grid[:2] **= 0.1
    grid[2] = 2 * grid[2] - 1
    second, third = sensitivities.gaussian_changes(*grid, d=d, variance=variance)
    exact = (
        sensitivities.second(1, model="gaussians"),
        sensitivities.third(1, model="gaussians", d=d, variance=variance),
    )
    assert np.sqrt(second.max()) <= exact[0] * (1 + 1e-12)
    assert np.sqrt(third.max()) <= exact[1] * (1 + 1e-12)
    # Attained: orthogonal unit records, and t' = −t.
    e = np.eye(min(d, 4))
    if d <= 3:
        assert changes(e[0], e[1], variance)[0] == pytest.approx(exact[0])
        assert changes(e[0], -e[0], variance)[1] == pytest.approx(exact[1])


@pytest.mark.parametrize("variance", [0.0, 0.2, 0.25, 0.3, 1 / 3, 0.5, 1.0, 3.0])
def test_one_coordinate_keeps_the_bound_where_short_records_move_most(variance):
    t = np.linspace(-1, 1, 20_001)
    moment = t**3 - 3 * variance * t
    exact = sensitivities.third(1, model="gaussians", d=1, variance=variance)
    assert moment.max() - moment.min() == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("d", "variance"), [(2, 0.0), (10, 0.01), (50, 0.02)])
def test_the_joint_factor_is_the_worst_record_for_both_moments(share, d, variance):
    exact = (
        sensitivities.second(1, model="gaussians"),
        sensitivities.third(1, model="gaussians", d=d, variance=variance),
    )

    def moved(x):
        second, third = sensitivities.gaussian_changes(*x, d=d, variance=variance)
        return share * second / exact[0] ** 2 + (1 - share) * third / exact[1] ** 2

    rng = np.random.default_rng(1)
    points = rng.random((3, 60_000))
    points[2] = 2 * points[2] - 1
    start = points[:, moved(points).argmax()]
    search = minimize(lambda x: -moved(x), start, bounds=[(0, 1), (0, 1), (-1, 1)])
    joint = sensitivities.joint(share, model="gaussians", d=d, variance=variance)
    assert moved(points).max() <= joint <= 1
    assert joint == pytest.approx(-search.fun, rel=1e-6)
    assert joint >= max(share, 1 - share) - 1e-9


def test_topics_gain_nothing_jointly_and_gaussians_a_quarter():
    assert sensitivities.joint(0.5) == 1
    assert sensitivities.joint(0.5, model="gaussians", d=10, variance=0.0) == pytest.approx(0.75, abs=1e-6)


def test_published_forms():
    assert sensitivities.second(10, form="published") == pytest.approx(np.sqrt(2) / 10)
    assert sensitivities.second(10, model="gaussians", form="published") == 0.1
    assert sensitivities.third(
        [10, 20], model="gaussians", form="published", d=5, variance=0.01
    ) == pytest.approx([0.23, 0.115])


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="model must"):
        sensitivities.second(1, model="lda")
    with pytest.raises(ValueError, match="variance must"):
        sensitivities.third(1, model="gaussians", d=2)
    with pytest.raises(ValueError, match=r"samples must.*0"):
        sensitivities.third([3, 0])
    with pytest.raises(ValueError, match="share must"):
        sensitivities.joint(1.0)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("variance", [0.0, 0.05, 0.3])
def test_one_coordinate_has_a_joint_factor_of_its_own(share, variance):
    """On a line no two records are orthogonal; by a grid over both records, ends and middle included."""
    line = np.linspace(-1, 1, 401)
    t, other = np.meshgrid(line, line)
    second = (t**2 - other**2) / sensitivities.second(1, model="gaussians", d=1)
    third = t**3 - other**3 - 3 * variance * (t - other)
    third /= sensitivities.third(1, model="gaussians", d=1, variance=variance)
    largest = (share * second**2 + (1 - share) * third**2).max()
    found = sensitivities.joint(share, model="gaussians", d=1, variance=variance)
    assert largest <= found <= largest * (1 + 1e-4)
    assert np.abs(second).max() == pytest.approx(1)

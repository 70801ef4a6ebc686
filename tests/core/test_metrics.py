import itertools

import numpy as np
import pytest

from core import metrics


def test_component_error_is_the_published_mean_of_nearest_distances():
    rng = np.random.default_rng(1)
    true, estimated = rng.standard_normal((4, 6)), rng.standard_normal((4, 6))
    by_hand = np.mean([min(np.linalg.norm(e - t) for t in true) for e in estimated])
    assert metrics.component_error(true, estimated) == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_matching_is_the_best_of_all_assignments(metric):
    rng = np.random.default_rng(2)
    true, estimated = rng.standard_normal((5, 3)), rng.standard_normal((5, 3))
    power = 2 if metric == "euclidean" else 1
    best = min(
        np.mean([np.linalg.norm(t - estimated[j], power) for t, j in zip(true, order, strict=True)])
        for order in itertools.permutations(range(5))
    )
    assert metrics.matched_error(true, estimated, metric=metric) == pytest.approx(best, rel=1e-14)


def test_copies_of_one_component_fool_the_published_error_alone():
    true = np.eye(3)
    copies = np.repeat(true[:1], 3, axis=0)
    assert metrics.component_error(true, copies) == 0
    assert metrics.matched_error(true, copies) == pytest.approx(2 / 3 * np.sqrt(2))


def test_a_component_is_found_less_than_half_way_to_the_next_one():
    true = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(metrics.spacing(true), [2, 2, 4])
    np.testing.assert_array_equal(
        metrics.components_found(true, [[0, 2.1], [0, 0.9], [3.1, 0]]), [True, False, True]
    )
    np.testing.assert_array_equal(metrics.components_found([[0, 2.0]], [[0, 0.9]]), [False])


def test_matching_undoes_a_permutation():
    rng = np.random.default_rng(3)
    true, order = rng.standard_normal((6, 4)), rng.permutation(6)
    np.testing.assert_array_equal(true[order][metrics.matching(true, true[order])], true)
    w = rng.dirichlet(np.ones(6))
    assert metrics.weight_error(w, w[order], metrics.matching(true, true[order])) == 0
    assert metrics.weight_error([1, 0], [0, 1]) == 1


@pytest.mark.parametrize(
    ("true", "estimated", "words"),
    [
        (np.eye(2), np.eye(3), "one width, got 2 and 3"),
        (np.eye(2), np.zeros((0, 2)), "estimated must be components in rows"),
        (np.full((2, 2), np.nan), np.eye(2), "true must be finite"),
    ],
)
def test_bad_components_are_refused(true, estimated, words):
    with pytest.raises(ValueError, match=words):
        metrics.component_error(true, estimated)


def test_unequal_numbers_cannot_be_matched():
    with pytest.raises(ValueError, match="2 and 1"):
        metrics.matched_error(np.eye(2), np.eye(2)[:1])
    with pytest.raises(ValueError, match="weights in"):
        metrics.weight_error([1.0], [0.5, 0.5])

import itertools

import numpy as np
import pytest

from core import tensors
from core.metrics import matched_error
from core.noise import symmetrise


def random_frame(rng, d, k):
    return np.linalg.qr(rng.standard_normal((d, d)))[0][:k]


def best(rng, method, tensor, k):
    return tensors.decompose(tensor, k, method=method, rng=rng)


class Implicit:
    """Σ λ_i v_i⊗³ that is never formed."""

    def __init__(self, values, vectors):
        self.values, self.vectors, self.d = values, vectors, vectors.shape[1]

    def power(self, rows):
        return ((rows @ self.vectors.T) ** 2 * self.values) @ self.vectors


def test_forms_equal_dense_sums():
    rng = np.random.default_rng(1)
    t = rng.standard_normal((4, 4, 4))
    a, b, c = (rng.standard_normal((4, n)) for n in (2, 3, 5))
    np.testing.assert_allclose(tensors.contract(t, a, b, c), np.einsum("ijk,ia,jb,kc->abc", t, a, b, c))
    np.testing.assert_allclose(tensors.contract(t, a), np.einsum("ijk,ia,jb,kc->abc", t, a, a, a))
    np.testing.assert_allclose(tensors.power(t, c.T), np.einsum("ijk,lj,lk->li", t, c.T, c.T))
    np.testing.assert_allclose(
        tensors.compose([2.0, 3.0], a.T), 2 * outer(a[:, 0]) + 3 * outer(a[:, 1]), atol=1e-14
    )


def outer(v):
    return np.einsum("i,j,k->ijk", v, v, v)


@pytest.mark.parametrize("method", tensors.METHODS)
@pytest.mark.parametrize(("d", "k"), [(1, 1), (2, 2), (5, 5), (8, 3), (7, 7)])
def test_every_method_recovers_an_orthogonal_tensor(method, d, k):
    rng = np.random.default_rng(d * 10 + k)
    true, values = random_frame(rng, d, k), np.linspace(3, 1, k)
    found = best(rng, method, tensors.compose(values, true), k)
    assert matched_error(true, found.vectors) < 1e-9
    np.testing.assert_allclose(np.sort(found.values), values[::-1], rtol=1e-9)


def test_a_path_is_the_search_that_found_its_pair_step_by_step():
    rng = np.random.default_rng(5)
    true = random_frame(rng, 6, 3)
    tensor = tensors.compose([3.0, 2.0, 1.0], true) + 0.05 * symmetrise(rng.standard_normal((6, 6, 6)))
    found = tensors.robust(tensor, 3, restarts=4, iterations=5, rng=np.random.default_rng(6))
    left = tensor.copy()
    for value, vector, path in zip(found.values, found.vectors, found.paths, strict=True):
        assert len(path) == 11  # A start, the steps of all starts, and those of the best one.
        for now, then in itertools.pairwise(path):
            image = np.einsum("ijk,j,k->i", left, now, now)
            np.testing.assert_allclose(then, image / np.linalg.norm(image), atol=1e-12)
        np.testing.assert_array_equal(path[-1], vector)
        left -= value * outer(vector)
    starts = np.random.default_rng(6).standard_normal((4, 6))
    starts /= np.linalg.norm(starts, axis=1, keepdims=True)
    assert any(np.allclose(found.paths[0][0], start) for start in starts)
    assert tensors.jacobi(tensor).paths == ()


@pytest.mark.parametrize("method", tensors.METHODS)
def test_noise_moves_the_pairs_by_its_size_only(method):
    rng = np.random.default_rng(3)
    true = random_frame(rng, 8, 8)
    noise = 0.01 * symmetrise(rng.standard_normal((8, 8, 8)))
    found = best(rng, method, tensors.compose(np.full(8, 2.0), true) + noise, 8)
    error = matched_error(true, found.vectors)
    assert 1e-4 < error < 0.02
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1)


def test_simultaneous_and_jacobi_find_the_same_frame():
    rng = np.random.default_rng(4)
    t = tensors.compose(np.linspace(2, 1, 6), random_frame(rng, 6, 6))
    t += 0.02 * symmetrise(rng.standard_normal(t.shape))
    one, other = tensors.simultaneous(t, rng=rng, iterations=500), tensors.jacobi(t)
    np.testing.assert_allclose(one.values, other.values, atol=1e-6)
    np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-5)


def test_jacobi_angle_is_the_best_of_all_angles():
    rng = np.random.default_rng(5)
    t = symmetrise(rng.standard_normal((2, 2, 2)))
    grid = np.linspace(-np.pi / 4, np.pi / 4, 20001)

    def energy(angle):
        c, s = np.cos(angle), np.sin(angle)
        return (np.einsum("iii->i", tensors.contract(t, np.array([[c, -s], [s, c]]))) ** 2).sum()

    closed = energy(tensors._best_angle(t[0, 0, 0], t[0, 0, 1], t[0, 1, 1], t[1, 1, 1]))
    assert closed >= max(energy(a) for a in grid) - 1e-12
    np.testing.assert_allclose((tensors.jacobi(t).values ** 2).sum(), closed, rtol=1e-12)


def test_rounds_meet_every_pair_once():
    for d in (2, 5, 6):
        met = [tuple(sorted(pair)) for p, q in tensors._rounds(d) for pair in zip(p, q, strict=True)]
        assert sorted(met) == [(i, j) for i in range(d) for j in range(i + 1, d)]


@pytest.mark.parametrize("method", ["robust", "simultaneous"])
def test_an_implicit_tensor_gives_the_dense_answer(method):
    rng = np.random.default_rng(6)
    values, vectors = np.array([3.0, 2.0, 1.0]), random_frame(rng, 30, 3)
    dense = best(np.random.default_rng(1), method, tensors.compose(values, vectors), 3)
    implicit = best(np.random.default_rng(1), method, Implicit(values, vectors), 3)
    np.testing.assert_allclose(implicit.vectors, dense.vectors, atol=1e-8)


def test_restarts_find_what_one_start_misses():
    rng = np.random.default_rng(7)
    true = random_frame(rng, 12, 12)
    t = tensors.compose(np.linspace(2, 1, 12), true) + 0.08 * symmetrise(rng.standard_normal((12,) * 3))
    one = [matched_error(true, tensors.robust(t, restarts=1, rng=rng).vectors) for _ in range(8)]
    many = [matched_error(true, tensors.robust(t, restarts=20, rng=rng).vectors) for _ in range(8)]
    assert np.mean(many) < np.mean(one)


def test_the_tensor_is_not_changed_and_zero_is_decomposed():
    rng = np.random.default_rng(8)
    t = tensors.compose(np.ones(3), random_frame(rng, 3, 3))
    before = t.copy()
    for method in tensors.METHODS:
        best(rng, method, t, 3)
        np.testing.assert_array_equal(t, before)
        np.testing.assert_array_equal(best(rng, method, np.zeros((2, 2, 2)), 2).values, 0)


@pytest.mark.parametrize("method", tensors.METHODS)
def test_a_tensor_that_is_not_symmetric_is_refused(method):
    rng = np.random.default_rng(8)
    whole = symmetrise(rng.standard_normal((4, 4, 4)))
    # Symmetric in its last two indices is not enough: T(I,u,u) alone would not tell.
    half = rng.standard_normal((4, 4, 4))
    half = half + half.transpose(0, 2, 1)
    assert best(rng, method, whole, 2).vectors.shape == (2, 4)
    with pytest.raises(ValueError, match="tensor must"):
        best(rng, method, half, 2)
    assert best(rng, method, tensors.symmetric(half, symmetrise=True), 2).vectors.shape == (2, 4)

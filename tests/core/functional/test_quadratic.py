"""Polynomials of degree two: packing keeps lengths, the box minimiser meets its optimality conditions."""

import itertools

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from core.functional.quadratic import Quadratic, interrupted, minimiser, pack, repaired, unpack


def polynomial(d, *, least=0.1, seed=0, tilt=1.0):
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((d, d)))[0]
    values = np.linspace(least, 2, d)
    return Quadratic(0.3, tilt * rng.standard_normal(d), (basis * values) @ basis.T)


def test_packing_keeps_the_frobenius_norm_and_comes_back():
    q = polynomial(5)
    scales = np.array([2.0, 3.0, 0.5])
    vector = pack(q, scales)
    assert len(vector) == 1 + 5 + 15
    length = (q.constant / 2) ** 2 + (q.linear**2).sum() / 9 + (q.square**2).sum() / 0.25
    assert vector @ vector == pytest.approx(length, rel=1e-14)
    back = unpack(vector, q, scales)
    assert back.constant == pytest.approx(q.constant)
    np.testing.assert_allclose(back.linear, q.linear)
    np.testing.assert_allclose(back.square, q.square)


def test_coefficients_without_data_are_not_packed():
    q = polynomial(4)
    assert len(pack(q, np.array([0.0, 1.0, 0.0]))) == 4
    back = unpack(np.zeros(4), q, np.array([0.0, 1.0, 0.0]))
    assert (back.linear == 0).all()
    assert back.constant == q.constant
    np.testing.assert_array_equal(back.square, q.square)
    with pytest.raises(ValueError, match="a coefficient"):
        pack(q, np.zeros(3))


@pytest.mark.parametrize("tilt", [0.1, 1.0, 5.0, 100.0])
@pytest.mark.parametrize("d", [1, 2, 20])
def test_the_minimiser_over_the_box_meets_the_optimality_conditions(d, tilt):
    q = polynomial(d, least=0.01, tilt=tilt)
    w = minimiser(q, box=0.7)
    slope = 2 * q.square @ w + q.linear
    inside = np.abs(w) < 0.7
    scale = np.abs(q.linear).max()
    assert np.abs(w).max() <= 0.7
    assert np.abs(slope[inside]).max(initial=0) < 1e-7 * scale
    assert (slope[~inside] * np.sign(w[~inside]) <= 1e-7 * scale).all()


def test_the_minimiser_agrees_with_bounded_least_squares():
    q = polynomial(12, least=0.05, tilt=2.0)
    root = np.linalg.cholesky(q.square).T
    reference = lsq_linear(root, np.linalg.solve(root.T, -q.linear / 2), bounds=(-1, 1), tol=1e-14)
    np.testing.assert_allclose(minimiser(q), reference.x, atol=1e-6)


def test_without_curvature_the_minimiser_takes_the_least_norm_or_the_box():
    flat = Quadratic(0.0, np.array([1.0, 0.0]), np.diag([2.0, 0.0]))
    np.testing.assert_allclose(minimiser(flat), [-0.25, 0.0])
    sloped = Quadratic(0.0, np.array([1.0, -1.0]), np.diag([2.0, 0.0]))
    np.testing.assert_allclose(minimiser(sloped), [-0.25, 1.0])
    assert (minimiser(Quadratic(0.0, np.zeros(3), np.zeros((3, 3)))) == 0).all()


def test_an_indefinite_polynomial_goes_to_the_box_as_published():
    q = Quadratic(0.0, np.array([0.1, 0.1]), np.diag([1.0, -1.0]))
    np.testing.assert_allclose(minimiser(repaired(q, 0, 1, repair="none")), [-0.05, -1.0], atol=1e-9)


def test_projection_removes_negative_curvature_only():
    q = Quadratic(0.0, np.zeros(2), np.diag([1.0, -1.0]))
    np.testing.assert_allclose(repaired(q, 1, 1, repair="project").square, np.diag([1.0, 0.0]))


def test_shrinking_is_the_wiener_filter_along_each_eigenvector():
    q = polynomial(6, least=0.3)
    linear_std, square_std, norm = 0.2, 0.05, 2.0
    kappa2 = 6 * (linear_std**2 / 4 / norm**2 + square_std**2)
    values, vectors = np.linalg.eigh(q.square)
    expected = vectors @ (values / (values**2 + kappa2) * (vectors.T @ (-q.linear / 2)))
    found = minimiser(repaired(q, linear_std, square_std, norm=norm), box=100)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    negative = Quadratic(0.0, q.linear, q.square - 10 * np.eye(6))
    assert np.abs(minimiser(repaired(negative, linear_std, square_std))).max() < 0.05


def test_without_noise_shrinking_changes_nothing():
    q = polynomial(6)
    np.testing.assert_allclose(repaired(q, 0.0, 0.0).square, q.square, atol=1e-14)


def test_an_interrupted_search_is_at_the_minimum_if_it_has_the_time():
    for tilt in (0.1, 5.0):
        q = polynomial(12, least=0.05, tilt=tilt)
        np.testing.assert_allclose(interrupted(q), minimiser(q), atol=1e-5)
        np.testing.assert_array_equal(minimiser(q, evaluations=3000), interrupted(q))


@pytest.mark.parametrize("box", [0.5, 1.0])
def test_an_interrupted_search_falls_stays_in_the_box_and_counts_its_evaluations(box):
    rng = np.random.default_rng(1)
    square = rng.standard_normal((50, 50))
    q = Quadratic(0.0, rng.standard_normal(50), square + square.T)  # As noisy as can be: no minimum inside.
    seen = [interrupted(q, box=box, evaluations=51 * steps) for steps in (1, 2, 5, 20, 58, 200)]
    values = [q(w) for w in seen]
    assert all(b <= a for a, b in itertools.pairwise(values))
    assert all(np.abs(w).max() <= box for w in seen)
    # 50 evaluations are no gradient yet.
    assert (interrupted(q, box=box, evaluations=50) == 0).all()
    assert values[0] > values[1] > values[-1]
    with pytest.raises(ValueError, match=r"evaluations must.*1.*0"):
        interrupted(q, evaluations=0)

"""Objective perturbation: the minimiser is exact, and its law is ε-private, computed in one dimension."""

import numpy as np
import pytest
from scipy.optimize import minimize

from core.functional import objective
from core.functional.objective import KNOWN, perturbed


def records(loss, *, n=200, d=5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    score = x @ rng.standard_normal(d)
    return x, np.clip(score, -1, 1) if loss == "linear" else (score > 0).astype(float)


@pytest.mark.parametrize("loss", KNOWN)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 1e4])
def test_the_minimiser_has_no_slope_left(loss, epsilon):
    x, y = records(loss)
    tilt = np.random.default_rng(1).standard_normal(5) / (epsilon * 10)
    w, _ = objective._newton(x, y, loss, 1e-3, tilt)
    slope, _ = objective._derivatives(loss, x @ w, y)
    assert np.abs(x.T @ slope / len(x) + 1e-3 * w + tilt).max() < 1e-11 * (1 + np.abs(tilt).max())


@pytest.mark.parametrize("loss", KNOWN)
def test_derivatives_agree_with_finite_differences_and_stay_within_their_bounds(loss):
    z, y = np.linspace(-6, 6, 241) + 0.013, np.full(241, 1.0)
    slope, curvature = objective._derivatives(loss, z, y)
    h = 1e-5
    up, down = (objective._value(loss, z + s, y) for s in (h, -h))
    np.testing.assert_allclose(slope, (up - down) / (2 * h), atol=1e-8)
    assert np.abs(slope).max() <= KNOWN[loss].slope
    assert curvature.max() <= KNOWN[loss].curvature * (1 + 1e-12)
    rise = np.diff(slope) / np.diff(z)
    assert rise.max() <= KNOWN[loss].curvature * (1 + 1e-9)


def log_density(loss, x, y, w, ridge, rate, others=0.0):
    """log density of ŵ at the rows of w, up to a constant: change of variables b = −(Σ ℓ' x + Λ w).

    `ridge` is NΛ; `others` the summed gradient of further records, which may be any vector.
    """
    slope, curvature = objective._derivatives(loss, w @ x.T, y)
    b = slope @ x + ridge * w + others
    jacobian = np.einsum("mn,ni,nj->mij", curvature, x, x) + ridge * np.eye(x.shape[1])
    return np.linalg.slogdet(jacobian)[1] - rate * np.linalg.norm(b, axis=1)


def worst_ratio(loss, ridge, rate, *, enough=np.inf):
    """Largest |log ratio| of densities over pairs of records in the plane, answers, and other gradients.

    The search ends early at a ratio above `enough`.
    """
    rng = np.random.default_rng(1)
    low = -1.0 if loss == "linear" else 0.0
    worst = 0.0
    for _ in range(200):
        u = rng.standard_normal(2)
        x = np.stack([u, rng.choice([-1, 1]) * u + 0.05 * rng.standard_normal(2)])
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        y = rng.choice([low, 1.0], 2)
        w = rng.standard_normal((400, 2)) * 10 ** rng.uniform(-2, 4, (400, 1))
        others = rng.standard_normal((400, 2)) * 10 ** rng.uniform(0, 3, (400, 1)) - ridge * w
        p, q = (log_density(loss, x[i : i + 1], y[i : i + 1], w, ridge, rate, others) for i in range(2))
        worst = max(worst, np.abs(p - q).max())
        if worst > enough:
            break
    return worst


@pytest.mark.parametrize("form", ["exact", "published"])
@pytest.mark.parametrize("loss", KNOWN)
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_answer_is_epsilon_private_and_with_less_noise_it_would_not_be(loss, epsilon, form):
    x, y = np.ones((3, 1)) * 0.5, np.ones(3)
    answer = perturbed(x, y, loss=loss, epsilon=epsilon, rng=np.random.default_rng(0), form=form)
    ridge = len(x) * answer.ridge
    assert 0.8 * epsilon < worst_ratio(loss, ridge, answer.rate) <= epsilon * (1 + 1e-9)
    assert worst_ratio(loss, ridge, 1.5 * answer.rate, enough=epsilon) > epsilon
    assert worst_ratio(loss, ridge / 20, answer.rate, enough=epsilon) > epsilon


@pytest.mark.parametrize("loss", KNOWN)
def test_the_computed_density_is_the_law_of_the_answer(loss):
    x, y = np.array([[0.9], [-0.4], [0.7]]), np.array([1.0, 0.0, 0.0])
    rng = np.random.default_rng(5)
    draws = [perturbed(x, y, loss=loss, epsilon=3.0, rng=rng) for _ in range(800)]
    w = np.array([a.coefficients[0] for a in draws])
    grid = np.linspace(-2000, 2000, 400_001)
    rate = draws[0].rate
    p = rate / 2 * np.exp(log_density(loss, x, y, grid[:, None], 3 * draws[0].ridge, rate))
    law = np.cumsum(p) * (grid[1] - grid[0])
    assert law[-1] == pytest.approx(1.0, abs=2e-3)
    ranks = np.sort(np.interp(w, grid, law))
    gap = np.abs(ranks - (np.arange(800) + 0.5) / 800).max()
    # Kolmogorov-Smirnov: 2.23/√n is passed once in 10,000 by the right law.
    assert gap < 2.23 / np.sqrt(800)


def test_the_exact_form_adds_less_ridge_than_the_published_at_the_same_noise():
    x, y = records("logistic")
    exact, published = (
        perturbed(x, y, loss="logistic", epsilon=1.0, form=form, rng=np.random.default_rng(0))
        for form in ("exact", "published")
    )
    assert exact.rate == published.rate == pytest.approx(0.45)
    assert published.ridge > 2 * exact.ridge


@pytest.mark.parametrize("loss", KNOWN)
def test_without_noise_it_is_the_ordinary_minimiser(loss):
    x, y = records(loss)
    if loss == "logistic":
        y = np.where(np.random.default_rng(2).random(len(y)) < 0.3, 1 - y, y)
    found = perturbed(x, y, loss=loss, epsilon=1e7, rng=np.random.default_rng(0)).coefficients
    reference = minimize(lambda w: objective._value(loss, x @ w, y).mean(), np.zeros(5), method="BFGS")
    np.testing.assert_allclose(found, reference.x, atol=2e-4)


def test_separable_labels_still_have_a_finite_answer():
    x, y = records("logistic")
    found = perturbed(x, y, loss="logistic", epsilon=5.0, rng=np.random.default_rng(0))
    assert np.isfinite(found.coefficients).all()

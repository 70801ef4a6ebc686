"""Objective perturbation: add a random linear term to the loss and minimise it exactly.

Chaudhuri, Monteleoni & Sarwate 2011 ([17] in [Cape]), for one curator who holds all records. Pure ε-private,
provided the minimiser is exact: it is computed to rounding, and that is where the guarantee ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from core import check
from core.privacy import Form

# Residuals beyond this count linearly in the "linear" loss, so that its slope is bounded. Predictions and
# responses in [-1, 1] never differ by more, so there the loss is exactly squared.
HUBER = 2.0


@dataclass(frozen=True)
class Slopes:
    """Bounds of a loss's derivatives, for a loss ℓ(z, y): |ℓ'| ≤ slope and ℓ'' ≤ curvature for all z."""

    slope: float
    curvature: float


KNOWN = {"linear": Slopes(2 * HUBER, 2.0), "logistic": Slopes(1.0, 0.25)}


@dataclass(frozen=True)
class Perturbed:
    """A minimiser of a perturbed objective.

    Attributes
    ----------
    coefficients : ndarray of shape (d,)
        ŵ, unconstrained; restricting it to a box is post-processing.
    ridge : float
        Λ of the term Λ/2 ‖w‖² that was added to the average loss.
    rate : float
        β of the density ∝ exp(−β‖b‖) of the linear term's b.
    steps : int
        Newton steps taken.
    """

    coefficients: np.ndarray
    ridge: float
    rate: float
    steps: int


@check.arguments(features=check.matrix, target=check.vector, epsilon=check.sized, share=check.sized)
def perturbed(
    features: np.ndarray,
    target: np.ndarray,
    *,
    loss: str,
    epsilon: float,
    rng: np.random.Generator,
    form: Form = "exact",
    share: float = 0.1,
) -> Perturbed:
    """Minimise (1/N) Σ ℓ(xᵀw, y) + Λ/2 ‖w‖² + bᵀw/N with ‖b‖ ~ Gamma(d, 1/β) in a uniform direction.

    Parameters
    ----------
    features : array of shape (N, d)
        Records with ‖x‖ ≤ 1.
    target : array of shape (N,)
        Within [−1, 1] ("linear") or of {0, 1} ("logistic").
    loss : {"linear", "logistic"}
        "linear" is squared up to residuals of 2 and linear beyond.
    form : {"exact", "published"}
        How much of ε the Jacobian of b ↦ ŵ costs. Replacing a record changes one rank-one term of the
        Hessian, a factor of at most 1 + c/(NΛ): "exact". "published" (Algorithm 2 of the paper) squares it.
    share : float
        Share of ε spent there: it sets Λ; the rest sets β. Smaller means more ridge and less noise.

    Raises
    ------
    ValueError
        For a loss whose slope is not known to be bounded, a bad ε or share.
    """
    if loss not in KNOWN:
        raise ValueError(
            f"loss must be one of {', '.join(map(repr, KNOWN))} for objective perturbation, got {loss!r}"
        )
    epsilon, share = check.positive("epsilon", epsilon), check.fraction("share", share)
    slopes, (n, d) = KNOWN[loss], features.shape
    # At most e^20, so that the ridge stays well above rounding.
    power = 1 if form == "exact" else 2
    ridge = slopes.curvature / n / math.expm1(min(share * epsilon / power, 20.0))
    # A replaced record moves b by at most twice the slope.
    rate = (1 - share) * epsilon / (2 * slopes.slope)
    direction = rng.standard_normal(d)
    b = rng.gamma(d, 1 / rate) * direction / np.linalg.norm(direction)
    w, steps = _newton(features, target, loss, ridge, b / n)
    return Perturbed(w, ridge, rate, steps)


def _newton(features, target, loss, ridge, tilt):
    """The exact minimiser by Newton's method with halved steps where the objective does not fall."""
    n, d = features.shape
    second = features.T @ features / n
    w, identity, last = np.zeros(d), np.eye(d), math.inf

    def objective(w):
        terms = _value(loss, z := features @ w, target).mean(), ridge / 2 * (w @ w), tilt @ w
        return z, sum(terms), 1e-13 * (1 + np.abs(terms).sum())

    z, value, rounding = objective(w)
    for step in range(1, 201):
        slope, curvature = _derivatives(loss, z, target)
        gradient = features.T @ slope / n + ridge * w + tilt
        if (curvature == curvature[0]).all():
            hessian = curvature[0] * second
        else:
            hessian = features.T @ (features * curvature[:, None]) / n
        move = cho_solve(cho_factor(hessian + ridge * identity), gradient)
        # The decrement is twice what is left to gain. Below rounding the value no longer tells, and full
        # steps are taken for as long as they help.
        decrement = gradient @ move
        if decrement <= 1e-30 or (decrement <= rounding and decrement > last / 2):
            return w, step
        size, certain = 1.0, decrement > rounding
        last = math.inf if certain else decrement
        trial = objective(w - move)
        while certain and trial[1] > value - 1e-4 * size * decrement and size > 1e-12:
            size /= 2
            trial = objective(w - size * move)
        w = w - size * move
        z, value, rounding = trial
    raise ArithmeticError(
        f"objective perturbation did not reach its minimum in {step} steps (decrement {decrement:.3g}), "
        "and only the exact minimum is private"
    )


def _value(loss, z, y):
    if loss == "logistic":
        return np.logaddexp(0, z) - y * z
    r = np.abs(z - y)
    return np.where(r <= HUBER, r**2, 2 * HUBER * r - HUBER**2)


def _derivatives(loss, z, y):
    if loss == "logistic":
        p = 0.5 * (1 + np.tanh(z / 2))
        return p - y, p * (1 - p)
    r = z - y
    return 2 * np.clip(r, -HUBER, HUBER), np.where(np.abs(r) <= HUBER, 2.0, 0.0)

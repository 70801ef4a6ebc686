"""Polynomials of degree two in w: packed into one vector for a release, made convex, minimised over a box."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.optimize import minimize

from core import check

Repair = Literal["shrink", "project", "none"]
REPAIRS: tuple[Repair, ...] = get_args(Repair)


@check.arguments
@dataclass(frozen=True)
class Quadratic:
    """The polynomial Λ0 + Λ1ᵀw + wᵀΛ2 w: `constant`, `linear` of shape (d,), symmetric `square` (d, d)."""

    constant: float
    linear: np.ndarray
    square: np.ndarray

    def __call__(self, w) -> float:
        """Value at w."""
        return float(self.constant + self.linear @ w + w @ self.square @ w)


def average(quadratics, weights) -> Quadratic:
    """Weighted average of polynomials."""
    parts = zip(*[(q.constant, q.linear, q.square) for q in quadratics], strict=True)
    return Quadratic(*[sum([w * a for w, a in zip(weights, part, strict=True)]) for part in parts])


def pack(quadratic: Quadratic, scales) -> np.ndarray:
    """One vector of all coefficients that hold data, each divided by its sensitivity.

    Off-diagonal entries of Λ2 are taken once, times √2: its Frobenius norm is kept, and i.i.d. noise on the
    vector is i.i.d. noise on the whole matrix, symmetrised.
    """
    parts = []
    if scales[0] > 0:
        parts.append([quadratic.constant / scales[0]])
    if scales[1] > 0:
        parts.append(quadratic.linear / scales[1])
    if scales[2] > 0:
        rows, columns, lengths = triangle(len(quadratic.linear))
        parts.append(quadratic.square[rows, columns] * lengths / scales[2])
    if not parts:
        raise ValueError("loss must have a coefficient that holds data, got sensitivities of 0 only")
    return np.concatenate(parts)


def unpack(vector: np.ndarray, public: Quadratic, scales) -> Quadratic:
    """The polynomial of a packed vector; coefficients that hold no data are as in `public`."""
    d = len(public.linear)
    constant, linear, square = public.constant, public.linear, public.square
    if scales[0] > 0:
        constant, vector = float(vector[0] * scales[0]), vector[1:]
    if scales[1] > 0:
        linear, vector = vector[:d] * scales[1], vector[d:]
    if scales[2] > 0:
        rows, columns, lengths = triangle(d)
        square = np.empty((d, d))
        square[rows, columns] = square[columns, rows] = vector * scales[2] / lengths
    return Quadratic(constant, linear, square)


@check.arguments(norm=check.sized)
def repaired(
    quadratic: Quadratic, linear_std: float, square_std: float, *, repair: str = "shrink", norm: float = 1.0
) -> Quadratic:
    """Make a noisy polynomial convex. Post-processing: it uses only what is public.

    "shrink" replaces each eigenvalue a of Λ2 by a + κ²/a, and a direction with a ≤ 0 is left out of ŵ. Then
    ŵ = a/(a² + κ²) · (−Λ1/2) along each eigenvector, the Wiener filter for the noise −Λ1/2 = a w + noise of
    standard deviation s = κ ‖w‖/√d, s² = Var(Λ1)/4 + Var(Λ2) ‖w‖². It never costs more than the noise itself:
    its bias is of second order in κ/a. Without noise it changes nothing.
    """
    if repair == "none":
        return quadratic
    values, vectors = np.linalg.eigh(quadratic.square)
    if repair == "project":
        values = np.maximum(values, 0.0)
    else:
        kappa = math.sqrt(len(values) * (linear_std**2 / 4 / norm**2 + square_std**2))
        values = np.maximum(values, 1e-3 * kappa)
        values = values + np.divide(kappa**2, values, out=np.zeros_like(values), where=values > 0)
    return Quadratic(quadratic.constant, quadratic.linear, (vectors * values) @ vectors.T)


@check.arguments(box=check.sized)
def minimiser(quadratic: Quadratic, *, box: float = 1.0, evaluations: int | None = None) -> np.ndarray:
    """The w in [−box, box]^d that minimises a polynomial: exact if convex, else a local minimum.

    Directions without curvature are left at 0 where the box does not bind (the least-norm answer). With
    `evaluations` the search stops before the minimum, as published; see `interrupted`.
    """
    if evaluations is not None:
        return interrupted(quadratic, box=box, evaluations=evaluations)
    linear, square = quadratic.linear, (quadratic.square + quadratic.square.T) / 2
    values, vectors = np.linalg.eigh(square)
    tiny = 1e-12 * max(float(np.abs(values).max()), 1e-300)
    slope = vectors.T @ linear
    bounded = values[0] > -tiny and np.abs(slope[values <= tiny]).max(initial=0) <= 1e-9 * np.linalg.norm(
        slope
    )
    start = np.zeros(len(linear))
    if bounded:
        start = vectors @ np.divide(-slope, 2 * values, out=np.zeros_like(slope), where=values > tiny)
        if np.abs(start).max() <= box:
            return start
        start = np.clip(start, -box, box)
    result = minimize(
        lambda w: (w @ (square @ w) + linear @ w, 2 * (square @ w) + linear),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-box, box)] * len(linear),
        options={"maxiter": 5000, "maxfun": 10000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return _polished(np.clip(result.x, -box, box), linear, square, box)


@check.arguments(box=check.sized, tolerance=check.sized)
def interrupted(
    quadratic: Quadratic, *, box: float = 1.0, evaluations: int = 3000, tolerance: float = 1e-6
) -> np.ndarray:
    """Result of a projected quasi-Newton search in [−box, box]^d with a limited number of function evaluations.

    A substitute for the optimiser behind [Cape] Figures 3, 4 and 7, `fmincon` with its defaults: it ends after
    3,000 evaluations of the function, of which a gradient by finite differences takes d + 1, or once no slope
    that the box leaves is above 10⁻⁶. At d = 50 that is about 58 steps, too few where noise is large.

    Parameters
    ----------
    box : float
    evaluations : int
        Evaluations of the polynomial: d + 1 for a step, and one for each time a step has to be halved.
    tolerance : float
        Largest slope at which the search is done.

    Returns
    -------
    ndarray of shape (d,)
    """
    left = check.integer("evaluations", evaluations, low=1)
    square = (quadratic.square + quadratic.square.T) / 2
    w, slope = np.zeros(len(square)), quadratic.linear
    inverse = None  # The inverse curvature as far as it is known: nothing yet.
    while (left := left - len(w) - 1) >= 0:
        free = ~((w >= box) & (slope < 0) | (w <= -box) & (slope > 0))
        if np.abs(slope[free]).max(initial=0.0) <= tolerance:
            break
        inside = np.where(free, slope, 0.0)
        steepest = inside / max(1.0, float(np.linalg.norm(slope)))
        step = -steepest if inverse is None else np.where(free, -inverse @ inside, 0.0)
        moved, tried = _halved(w, step, slope, square, box)
        change = 2 * square @ moved
        w, slope, left = w + moved, slope + change, left - tried
        # A step that the box bends may lead nowhere; then the search begins anew with the steepest one.
        inverse = _updated(inverse, moved, change) if moved.any() else None
    return w


def triangle(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and columns of the entries i ≤ j of a (d, d) matrix, and weights: 1 on the diagonal, √2 off it."""
    rows, columns = np.triu_indices(d)
    return rows, columns, np.where(rows == columns, 1.0, math.sqrt(2))


def _halved(w, step, slope, square, box):
    """The move along a step, kept in the box and halved until the polynomial falls, and how often it was."""
    for halvings in range(30):
        moved = np.clip(w + step / 2**halvings, -box, box) - w
        if moved @ square @ moved <= (1e-4 - 1) * (slope @ moved):
            return moved, halvings
    return np.zeros_like(w), 30


def _updated(inverse, moved, change):
    """The inverse curvature after a move that changed the slope so (BFGS); unchanged where that is not convex.

    Before the first such move (None) it is a multiple of I: of the length that this move shows.
    """
    curvature = float(moved @ change)
    if not curvature > 1e-12 * np.linalg.norm(moved) * np.linalg.norm(change):
        return inverse
    if inverse is None:
        inverse = np.eye(len(moved)) * curvature / float(change @ change)
    seen = inverse @ change
    cross = np.outer(moved, seen)
    return (
        inverse
        + (curvature + change @ seen) / curvature**2 * np.outer(moved, moved)
        - (cross + cross.T) / curvature
    )


def _polished(w, linear, square, box):
    """Solve exactly for the coordinates that are not at the box, if that stays inside and does not hurt."""
    free = np.abs(w) < box * (1 - 1e-9)
    fixed = np.where(free, 0.0, np.sign(w) * box)
    if not free.any():
        return fixed
    try:
        inner = np.linalg.solve(2 * square[np.ix_(free, free)], -(linear + 2 * square @ fixed)[free])
    except np.linalg.LinAlgError:
        return w
    better = fixed.copy()
    better[free] = inner
    value = [v @ square @ v + linear @ v for v in (better, w)]
    return better if np.abs(inner).max() <= box and value[0] <= value[1] + 1e-12 * abs(value[1]) else w

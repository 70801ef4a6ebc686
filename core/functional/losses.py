"""Losses of degree two in w, exact or approximate, which the functional mechanism averages and releases.

The loss of a record is λ0 + λ1ᵀw + wᵀΛ2 w; averaged over records the coefficients are the statistic, and
how far one record can move them is its sensitivity. [Cape] section 4 and appendix H.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal, get_args

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial.polynomial import polyfit, polyval
from scipy.optimize import minimize_scalar

from core import check
from core.functional.quadratic import Quadratic
from core.privacy import FORMS, Form

Approximation = Literal["taylor", "chebyshev"]
APPROXIMATIONS: tuple[Approximation, ...] = get_args(Approximation)


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Base class of losses: subclass it to release any polynomial loss of degree two.

    Attributes
    ----------
    name : str
    sensitivities : tuple of 3 floats
        Δ0, Δ1, Δ2: how far one record moves its λ0, λ1 (l2), Λ2 (Frobenius) at most, for ‖x‖ ≤ 1. The
        average over n records moves 1/n as far. Zero where a coefficient holds no data.
    joint : float
        l2 sensitivity of (λ1/Δ1, Λ2/Δ2) together, what is released.
    joint_all : float or None
        The same with λ0/Δ0, which the published form releases too although no minimiser needs it; None:
        there is no published form.
    joint_on_line : tuple of (float, float or None), or None
        `joint` and `joint_all` of records of one feature, which cannot be orthogonal; None: no smaller ones
        are known, and the two above are taken, which are valid.
    responses : tuple of 2 floats
        Least and greatest response.
    labels : bool
        Whether responses take only these two values.
    """

    name: str
    sensitivities: tuple[float, float, float]
    joint: float
    responses: tuple[float, float]
    labels: bool = False
    joint_all: float | None = None
    joint_on_line: tuple[float, float | None] | None = None

    def jointly(self, dimension: int, *, constant: bool = False) -> float | None:
        """l2 sensitivity of what is released of records of this dimension; `constant`: with λ0 (see `joint`)."""
        pair = (self.joint, self.joint_all)
        if dimension == 1 and self.joint_on_line is not None:
            pair = self.joint_on_line
        return pair[constant]

    @check.arguments(features=check.matrix, target=check.vector)
    def coefficients(self, features: np.ndarray, target: np.ndarray) -> Quadratic:
        """Average coefficients of records `features` (n, d) with responses `target` (n,)."""
        raise TypeError(f"loss {self.name!r} defines no coefficients")

    @check.arguments(features=check.matrix, target=check.vector, w=check.vector)
    def empirical(self, features: np.ndarray, target: np.ndarray, w: np.ndarray) -> float:
        """The true average loss at w, not its polynomial approximation; by default the polynomial is exact."""
        return self.coefficients(features, target)(w)

    @check.arguments(dimension=check.whole(1))
    def l1(self, dimension: int, *, form: Form = "exact") -> float:
        """l1 sensitivity of one record's coefficients, counting each monomial once, for Laplace noise."""
        raise ValueError(f"mechanism 'dpfm' needs an l1 sensitivity, and loss {self.name!r} states none")

    @check.arguments(target=check.numeric)
    def check(self, target: np.ndarray, site: int) -> np.ndarray:
        """Return the responses of a site as floats if they are within what the sensitivities rest on."""
        target = check.finite(f"target of site {site}", np.asarray(target, dtype=float))
        low, high = self.responses
        ok = (target == low) | (target == high) if self.labels else (target >= low) & (target <= high)
        if not ok.all():
            first = int(np.argmin(ok))
            wanted = f"labels {low:g} or {high:g}" if self.labels else f"within [{low:g}, {high:g}]"
            hint = "" if self.labels else "; map it from a public range first"
            raise ValueError(
                f"target of site {site} must be {wanted}, got {target[first]:g} in record {first}{hint}"
            )
        return target


@dataclass(frozen=True, kw_only=True)
class MarginLoss(Loss):
    """A loss ℓ(z, y) of the margin z = xᵀw, with its polynomial c0(y) + c1(y) z + c2(y) z².

    Attributes
    ----------
    value : callable
        ℓ(z, y), vectorised: the true loss.
    polynomial : callable
        y ↦ (c0, c1, c2), arrays like y.
    published_l1 : callable or None
        d ↦ the l1 sensitivity that [Cape] takes over from Zhang et al. (2012).
    """

    value: Callable = field(repr=False)
    polynomial: Callable = field(repr=False)
    published_l1: Callable | None = field(default=None, repr=False)

    @check.arguments(features=check.matrix, target=check.vector)
    def coefficients(self, features, target):
        """Λ0 = mean c0(y), Λ1 = mean c1(y) x, Λ2 = mean c2(y) x xᵀ."""
        c0, c1, c2 = (np.broadcast_to(c, target.shape) for c in self.polynomial(target))
        n = len(target)
        flat = features.T @ features * c2[0] if (c2 == c2[0]).all() else features.T @ (features * c2[:, None])
        return Quadratic(float(c0.mean()), features.T @ c1 / n, flat / n)

    @check.arguments(features=check.matrix, target=check.vector, w=check.vector)
    def empirical(self, features, target, w):
        """Mean of ℓ(xᵀw, y)."""
        return float(self.value(features @ w, target).mean())

    @check.arguments(dimension=check.whole(1))
    def l1(self, dimension, *, form="exact"):
        """l1 sensitivity without the constant, which is not released; or the published bound.

        Ours is max over p = xᵀx' and the extreme responses of √d ‖c1 x − c1' x'‖ + d ‖c2 xxᵀ − c2' x'x'ᵀ‖_F, for
        an array of m entries has an l1 norm of at most √m times its l2 norm: at most √2 d of xxᵀ − x'x'ᵀ.
        At d = 1 it is attained.
        """
        check.choice("form", form, FORMS)
        if form == "published":
            if self.published_l1 is None:
                raise ValueError(f"form 'published' is not defined for loss {self.name!r}")
            return self.published_l1(dimension)
        d = check.integer("dimension", dimension, low=1)
        _, c1, c2 = self.polynomial(np.array(self.responses))
        ends = [(float(a), float(b)) for a, b in np.broadcast(c1, c2)]
        change = _l1_on_line if d == 1 else partial(_l1_change, dimension=d)
        return max(change(a, b) for a, b in itertools.product(ends, repeat=2))

    @check.arguments(radius=check.sized)
    def approximation_error(self, radius: float) -> float:
        """Largest |ℓ − polynomial| over |z| ≤ radius and all responses: what degree two leaves out."""
        z = np.linspace(-1, 1, 2001)[:, None] * check.positive("radius", radius)
        y = np.array(self.responses) if self.labels else np.linspace(*self.responses, 65)
        c0, c1, c2 = self.polynomial(y)
        return float(np.abs(self.value(z, y) - (c0 + c1 * z + c2 * z**2)).max())


@check.arguments(radius=check.sized)
def smooth(
    name: str,
    value: Callable,
    *,
    responses: tuple[float, float],
    labels: bool = False,
    radius: float = 1.0,
    approximation: Approximation = "taylor",
) -> MarginLoss:
    """Approximation of degree two of a smooth loss of the margin, with exact sensitivities ([Cape] section 4.5).

    Parameters
    ----------
    value : callable
        ℓ(z, y), vectorised over z, analytic for |z| ≤ 2 radius.
    responses : tuple of 2 floats
        Least and greatest response; with `labels` the only two.
    radius : float
        |z| up to which the approximation is made: with ‖x‖ ≤ 1, a public bound on ‖w‖.
    approximation : {"taylor", "chebyshev"}
        About 0, or the truncated Chebyshev series on [−radius, radius], nearly the best uniform one.

    Raises
    ------
    ValueError
        If a coefficient is not affine in the response (then the extremes of the responses do not bound the
        sensitivity; subclass `Loss` and state it), or the loss is not finite.
    """
    radius = check.positive("radius", radius)
    low, high = responses
    at = np.array([low, high] if labels else [low, (low + high) / 2, high], dtype=float)
    table = np.array([_degree_two(lambda z, y=y: value(z, y), radius, approximation) for y in at])
    check.finite(f"loss {name!r} within radius {radius:g}", table)
    table[np.abs(table) < 1e-13 * np.abs(table).max()] = 0.0
    if not labels and np.abs(table[0] - 2 * table[1] + table[2])[1:].max() > 1e-9 * np.abs(table).max():
        raise ValueError(
            f"loss {name!r} must have coefficients that are affine in the response, or two labels; "
            "otherwise subclass Loss and state its sensitivity"
        )
    coefficients = _InResponse(tuple(tuple(polyfit(at, column, len(at) - 1)) for column in table.T))
    first, second, joint, on_line = _sensitivities(table[[0, -1], 1:])
    return MarginLoss(
        name=name,
        sensitivities=(0.0, first, second),
        joint=joint,
        joint_on_line=(on_line, None),
        responses=(float(low), float(high)),
        labels=labels,
        value=value,
        polynomial=coefficients,
    )


@dataclass(frozen=True)
class _InResponse:
    """c0, c1, c2 as polynomials of the response: coefficients by rising power, one tuple each."""

    rising: tuple[tuple[float, ...], ...]

    def __call__(self, y):
        return tuple(polyval(np.asarray(y, dtype=float), c) for c in self.rising)


def _degree_two(function, radius, approximation):
    """(c0, c1, c2) of a function of z, from an interpolant that is exact to rounding."""
    series = Chebyshev.interpolate(function, 40, domain=[-radius, radius])
    if approximation == "taylor":
        return [float(series(0.0)), float(series.deriv(1)(0.0)), float(series.deriv(2)(0.0)) / 2]
    coefficients = series.truncate(3).convert(kind=Polynomial, domain=[-1, 1]).coef
    return list(np.pad(coefficients, (0, 3 - len(coefficients))))


def _sensitivities(ends):
    """(Δ1, Δ2, joint, joint at d = 1) of the coefficients (c1, c2) at the extreme responses, for ‖x‖ ≤ 1.

    With p = xᵀx' the squared changes are c1² + c1'² − 2 c1 c1' p and c2² + c2'² − 2 c2 c2' p². For given p
    they only grow with ‖x‖, ‖x'‖, so unit vectors and p in [−1, 1] suffice; in coefficients affine in y the
    change is convex, so the extreme responses do.
    """
    pairs = [(a, b) for a in ends for b in ends]
    alone = (1.0, math.inf), (math.inf, 1.0)
    first, second = (max(_largest_change(a, b, scales) for a, b in pairs) for scales in alone)
    scales = (first or math.inf, second or math.inf)
    joint = max(_largest_change(a, b, scales) for a, b in pairs)
    return first, second, joint, max(_largest_on_line(a, b, scales) for a, b in pairs)


def _largest_change(a, b, scales):
    """max over p of the l2 change of (c1 x, c2 x xᵀ)/scales between responses with coefficients a and b."""
    (a1, a2), (b1, b2) = a / np.array(scales), b / np.array(scales)
    p = np.array([-1.0, 1.0])
    if a2 * b2 > 0:
        p = np.append(p, np.clip(-a1 * b1 / (2 * a2 * b2), -1, 1))
    change = a1**2 + b1**2 + a2**2 + b2**2 - 2 * a1 * b1 * p - 2 * a2 * b2 * p**2
    return math.sqrt(max(0.0, change.max()))


def _largest_on_line(a, b, scales):
    """The same for records of one feature: of x, x' the longer has length 1, for the change grows with both."""
    (a1, a2), (b1, b2) = a / np.array(scales), b / np.array(scales)
    linear, square = Polynomial([a1, -b1]) ** 2, Polynomial([a2, 0.0, -b2]) ** 2
    change = linear + square
    turns = change.deriv().roots()
    places = np.concatenate([[-1.0, 1.0], np.clip(turns[np.isreal(turns)].real, -1, 1)])
    return math.sqrt(max(0.0, change(places).max()))


@lru_cache(maxsize=4096)
def _l1_change(a, b, dimension):
    """max over p of √d ‖a1 x − b1 x'‖ + d ‖a2 xxᵀ − b2 x'x'ᵀ‖_F for unit x, x' with xᵀx' = p."""
    (a1, a2), (b1, b2) = a, b

    def change(p):
        linear = max(0.0, a1**2 + b1**2 - 2 * a1 * b1 * p)
        square = max(0.0, a2**2 + b2**2 - 2 * a2 * b2 * p**2)
        return math.sqrt(dimension * linear) + dimension * math.sqrt(square)

    # Concave in p if a2 and b2 have one sign; else largest at an end.
    inner = minimize_scalar(lambda p: -change(p), bounds=(-1, 1), method="bounded", options={"xatol": 1e-10})
    return max(change(-1.0), change(1.0), -float(inner.fun)) * (1 + 1e-12)


def _l1_on_line(a, b):
    """max over t in [-1, 1] of |a1 − b1 t| + |a2 − b2 t²|: of two records of one feature one has length 1."""
    (a1, a2), (b1, b2) = a, b
    turn = min(1.0, abs(b1 / (2 * b2))) if b2 else 1.0
    return max(abs(a1 - b1 * t) + abs(a2 - b2 * t**2) for t in (-1.0, 1.0, turn, -turn, 0.0))


def _squared(z, y):
    return (y - z) ** 2


def _squared_polynomial(y):
    return y**2, -2 * y, np.ones(np.shape(y))


def _published_linear(d):
    return 2.0 * (d + 1) ** 2


def _cross_entropy(z, y):
    return np.logaddexp(0, z) - y * z


def _cross_entropy_polynomial(y):
    return np.full(np.shape(y), math.log(2)), 0.5 - y, np.full(np.shape(y), 0.125)


def _published_logistic(d):
    return d**2 / 4 + 3.0 * d


# λ0 = y² is not affine in y: its largest change, 1, is between y = 0 and y = ±1, and so is the joint 1.5.
LINEAR = MarginLoss(
    name="linear",
    sensitivities=(1.0, 4.0, math.sqrt(2)),
    joint=1.25,
    joint_all=1.5,
    joint_on_line=(1.0, math.sqrt(1.75)),
    responses=(-1.0, 1.0),
    value=_squared,
    polynomial=_squared_polynomial,
    published_l1=_published_linear,
)

# Taylor's polynomial about 0; λ0 = log 2 holds no data.
LOGISTIC = MarginLoss(
    name="logistic",
    sensitivities=(0.0, 1.0, math.sqrt(2) / 8),
    joint=1.25,
    joint_all=1.25,
    joint_on_line=(1.0, 1.0),
    responses=(0.0, 1.0),
    labels=True,
    value=_cross_entropy,
    polynomial=_cross_entropy_polynomial,
    published_l1=_published_logistic,
)

LOSSES = {"linear": LINEAR, "logistic": LOGISTIC}


@check.arguments
def named(loss: str | Loss) -> Loss:
    """The loss of that name, or the loss itself."""
    return loss if isinstance(loss, Loss) else LOSSES[check.choice("loss", loss, LOSSES)]

"""Labelled records with known truth: the regression and two-class distributions of [Cape] section 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from data import bounds, check

Response = Literal["linear", "logistic"]
RESPONSES: tuple[Response, ...] = get_args(Response)


@dataclass(frozen=True)
class RegressionData:
    """What `regression` drew.

    Attributes
    ----------
    features : ndarray (N, d)
        Rows of unit length, entries in [0, 1].
    target : ndarray (N,)
        Within [−1, 1] ("linear") or of {0, 1} ("logistic").
    coefficients : ndarray (d,)
        The truth: E[y] = xᵀw*, or P(y = 1) = 1/(1 + exp(−xᵀw*)).
    """

    features: np.ndarray
    target: np.ndarray
    coefficients: np.ndarray

    @property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        """(features, target), as `data.sites.split` takes them."""
        return self.features, self.target


@dataclass(frozen=True)
class Classes:
    """What `two_classes` drew.

    Attributes
    ----------
    features : ndarray (N, d)
        Gaussian rows; without a bound unless one was asked for.
    labels : ndarray of int (N,)
        0 or 1; the classes have ⌈N/2⌉ and ⌊N/2⌋ records, in random order.
    means : ndarray (2, d)
        Mean of each class, before scaling.
    scale : float
        The norm bound that rows were divided by, 1 if none.
    clipped : int
        Rows shortened to the bound; not private.
    """

    features: np.ndarray
    labels: np.ndarray
    means: np.ndarray
    scale: float
    clipped: int

    @property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        """(features, labels), as `data.sites.split` takes them."""
        return self.features, self.labels


@check.arguments
def regression(
    samples: int = 5000,
    *,
    dimension: int = 20,
    response: Response = "linear",
    noise_std: float = 0.0,
    steepness: float = 5.0,
    rng: np.random.Generator,
) -> RegressionData:
    """x uniform on [0, 1]^d and w* uniform on [−1, 1]^d, both scaled to unit length, and y drawn from xᵀw*.

    [Cape] section 5 with `response="linear"` and no noise: y = xᵀw*.

    Parameters
    ----------
    samples, dimension : int
        N and d.
    response : {"linear", "logistic"}
        "logistic": y ∈ {0, 1} with P(y = 1) = 1/(1 + exp(−steepness · xᵀw*)).
    noise_std : float
        "linear": standard deviation of Gaussian noise on y, which is then clipped to [−1, 1].
    steepness : float
        "logistic": length of the coefficient vector.
    """
    check.integer("samples", samples, low=1)
    check.integer("dimension", dimension, low=1)
    check.choice("response", response, RESPONSES)
    check.number("noise_std", noise_std, low=-1e-300)
    check.number("steepness", steepness, low=0)
    coefficients = rng.uniform(-1, 1, dimension)
    coefficients /= np.linalg.norm(coefficients)
    features = rng.random((samples, dimension))
    features /= bounds.row_norms(features)[:, None] * (1 + 4e-15)
    noise = rng.spawn(1)[0]  # More samples leave the first ones as they are.
    if response == "logistic":
        coefficients *= steepness
        target = (noise.random(samples) < 1 / (1 + np.exp(-features @ coefficients))).astype(float)
        return RegressionData(features, target, coefficients)
    target = features @ coefficients
    if noise_std > 0:
        target += noise_std * noise.standard_normal(samples)
    return RegressionData(features, np.clip(target, -1, 1), coefficients)


@check.arguments
def two_classes(
    samples: int = 10_000,
    *,
    dimension: int = 50,
    separation: float = 1.0,
    bound: float | None = None,
    rng: np.random.Generator,
) -> Classes:
    """Two Gaussian classes of unit variance whose means lie `separation` apart in every coordinate.

    [Cape] section 5.1: "the means are separated by 1". That is meant per coordinate, so the means are √d
    apart: at a distance of 1 in all no classifier would pass 69 %, and the paper's reaches 100 %.

    Parameters
    ----------
    samples, dimension : int
        N ≥ 2 and d.
    separation : float
        Distance of the means in each coordinate; the best accuracy is Φ(separation √d / 2).
    bound : float, optional
        Public norm bound to divide by and clip to, for methods that need ‖x‖ ≤ 1. Default: none.
    """
    check.integer("samples", samples, low=2)
    check.integer("dimension", dimension, low=1)
    check.number("separation", separation, low=0)
    means = np.array([[-separation / 2], [separation / 2]]) * np.ones(dimension)
    labels = rng.permutation(np.arange(samples) % 2)
    features = rng.standard_normal((samples, dimension))
    features += means[labels]
    if bound is None:
        return Classes(features, labels, means, 1.0, 0)
    scaled = bounds.to_unit_ball(features, bound=bound)
    return Classes(scaled.records, labels, means, float(bound), scaled.clipped)

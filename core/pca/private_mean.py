"""Principal components about a mean that is released with the second moment: one release of both, one budget.

The components of records that were centred at a public constant begin with the way from that constant to their mean,
if it is long. Ĉ = Â − m̂ m̂ᵀ has lost it, at the price of noise on d more numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.polynomial import Polynomial

from core import check
from core.moments.whitening import Order
from core.noise import symmetrise
from core.pca.second_moment import PCA, second_moments, top_eigenvectors
from core.privacy import Privacy
from core.schemes import SCHEMES, release
from core.schemes.noise_design import site_weights

SHARE = 0.1  # Of the budget μ², for the mean.
_LEAST = 1e-6


@check.arguments(samples=check.sized, bound=check.sized)
def joint_sensitivity(samples, *, share: float = SHARE, width: int | None = None):
    """l2 sensitivity of one site's (√(1−t) A/√2, √t m/2), for records with ‖x‖ ≤ 1 of which one is replaced.

    A is the mean of x xᵀ, which moves by √2/n at most, and m that of x, which moves by 2/n; t is the `share` of the
    budget μ² that the mean takes. Both together move less: with p = xᵀx' the squared change of the pair is
    (1−t)(1−p²) + t(1−p)/2 for unit vectors, and for given p it only grows with ‖x‖ and ‖x'‖. Its maximum over
    p in [−1, 1] is attained at p = −t/(4(1−t)), or at −1, and lies below 1, so that this noise is less than that of two
    releases which share the budget.

    Parameters
    ----------
    samples : int or array of shape (S,)
        n_s.
    share : float
        From 10⁻⁶ to 1 − 10⁻⁶.
    width : int, optional
        d; records of width 1 are never orthogonal.

    Returns
    -------
    float or ndarray of shape (S,)
    """
    t = checked_share(share)
    if width == 1:
        change = (1 - t) / 2 * Polynomial([1, 0, -1]) ** 2 + t / 4 * Polynomial([1, -1]) ** 2
        turns = change.deriv().roots()
        places = np.clip([-1.0, 0.0, *turns[np.isreal(turns)].real], -1, 1)
        square = float(change(places).max())
    else:
        p = max(-1.0, -t / (4 * (1 - t)))
        square = (1 - t) * (1 - p**2) + t * (1 - p) / 2
    return math.sqrt(square) / check.at_least("samples", samples, 0, strict=True)


@check.arguments(sites=check.sequence)
def fit_about_mean(sites: Sequence[np.ndarray], k: int, **options) -> PCA:
    """Principal subspace about the mean of all records, of which nothing but the noisy moments is released.

    Parameters
    ----------
    sites : sequence of S arrays of shape (n_s, d)
        Records with ‖x‖ ≤ 1.
    k : int
        Dimension of the subspace, 1 ≤ k ≤ d.
    **options
        scheme, privacy, rng, weights, calibration and order as in `fit`, the `share` of `joint_sensitivity`, and what
        `core.schemes.release` takes: against, colluding, zero_sum.

    Returns
    -------
    PCA
        Its `values` are eigenvalues of Ĉ = Â − m̂ m̂ᵀ; its release is that of both statistics, side by side as
        `joint_sensitivity` scales them.

    Raises
    ------
    ValueError
        For k > d, an unknown scheme, and what `second_moments` and `release` refuse.
    """
    moments = second_moments(sites)
    samples = np.array([len(x) for x in sites])
    means = np.stack([np.asarray(x, dtype=float).mean(axis=0) for x in sites])
    return about_mean(moments, means, k, samples=samples, **options)


@check.arguments(
    moments=check.numeric,
    means=check.matrix,
    samples=check.positives,
    weights=check.optional(check.positives),
)
def about_mean(
    moments: np.ndarray,
    means: np.ndarray,
    k: int,
    *,
    scheme: str,
    privacy: Privacy | None,
    rng: np.random.Generator,
    samples: np.ndarray,
    share: float = SHARE,
    weights=None,
    order: Order = "signed",
    **options,
) -> PCA:
    """The same from second moments (S, d, d) and means (S, d) that are known to be of records with ‖x‖ ≤ 1."""
    check.choice("scheme", scheme, SCHEMES)
    moments, means = np.asarray(moments, dtype=float), np.asarray(means, dtype=float)
    width = means.shape[1]
    if moments.shape != (len(means), width, width):
        raise ValueError(
            f"moments must have shape (S, d, d) where means have (S, d), got {moments.shape} and {means.shape}"
        )
    samples = check.positives("samples", samples, length=len(means), each="site")
    check.integer("k", k, low=1, high=width)
    # What both are multiplied by. Independent noise on all d² entries, symmetrised, is the noise of `fit`.
    square, linear = math.sqrt((1 - checked_share(share)) / 2), math.sqrt(share) / 2
    result = release(
        np.hstack([square * moments.reshape(len(moments), -1), linear * means]),
        np.broadcast_to(joint_sensitivity(samples, share=share, width=width), len(means)),
        privacy,
        scheme=scheme,
        rng=rng,
        weights=site_weights(weights, len(means)),
        keep="value",
        **options,
    )
    moment = symmetrise(result.value[: width**2].reshape(width, width)) / square
    mean = result.value[width**2 :] / linear
    return PCA(*top_eigenvectors(moment - np.outer(mean, mean), k, order=order), scheme, result)


def checked_share(share) -> float:
    """Return a share that leaves something to both statistics, else raise ValueError."""
    if not _LEAST <= check.fraction("share", share) <= 1 - _LEAST:
        raise ValueError(f"share must be from {_LEAST:g} to 1 - {_LEAST:g}, got {share}")
    return float(share)

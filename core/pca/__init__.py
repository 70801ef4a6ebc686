"""Private principal components of records at several sites. [Fact] Algorithm 2 (capePCA) and its comparisons."""

from core.moments.whitening import ORDERS, Order
from core.pca.private_mean import SHARE, fit_about_mean, joint_sensitivity
from core.pca.problem import CENTRES, MEASURES, Centre, Measure, Moments, Problem
from core.pca.second_moment import (
    METHODS,
    NOISES,
    PCA,
    PUBLISHED,
    Noise,
    captured_energy,
    checked_moments,
    communication,
    fit,
    low_rank_error,
    second_moments,
    sensitivity,
    subspace_distance,
    top_eigenvectors,
)

__all__ = [
    "CENTRES",
    "MEASURES",
    "METHODS",
    "NOISES",
    "ORDERS",
    "PCA",
    "PUBLISHED",
    "SHARE",
    "Centre",
    "Measure",
    "Moments",
    "Noise",
    "Order",
    "Problem",
    "captured_energy",
    "checked_moments",
    "communication",
    "fit",
    "fit_about_mean",
    "joint_sensitivity",
    "low_rank_error",
    "second_moments",
    "sensitivity",
    "subspace_distance",
    "top_eigenvectors",
]

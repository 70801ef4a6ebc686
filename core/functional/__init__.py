"""Regression by the functional mechanism: release a loss as a noisy polynomial, then minimise it. [Cape] section 4."""

from core.functional.mechanism import (
    MECHANISMS,
    PUBLISHED,
    Moments,
    Regression,
    fit,
    moments,
    with_intercept,
)
from core.functional.noise_levels import noise_by_width
from core.functional.problem import Judged, Problem, figures, gains, likelihood_minimum, ranking

__all__ = [
    "MECHANISMS",
    "PUBLISHED",
    "Judged",
    "Moments",
    "Problem",
    "Regression",
    "figures",
    "fit",
    "gains",
    "likelihood_minimum",
    "moments",
    "noise_by_width",
    "ranking",
    "with_intercept",
]

"""Regression by the functional mechanism: release a loss as a noisy polynomial, then minimise it. [Cape] section 4."""

from core.functional.mechanism import (
    MECHANISMS,
    PUBLISHED,
    Judged,
    Moments,
    Problem,
    Regression,
    figures,
    fit,
    moments,
    with_intercept,
)
from core.functional.noise_levels import noise_by_width

__all__ = [
    "MECHANISMS",
    "PUBLISHED",
    "Judged",
    "Moments",
    "Problem",
    "Regression",
    "figures",
    "fit",
    "moments",
    "noise_by_width",
    "with_intercept",
]

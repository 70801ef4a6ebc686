"""Differential privacy of releases: calibration, conversion, composition, and what a guarantee means for one record."""

from core.privacy.gaussian import (
    CALIBRATIONS,
    Privacy,
    compose,
    demand,
    gaussian_mu,
    gaussian_std,
    gdp_delta,
    gdp_epsilon,
    gdp_mu,
    laplace_scale,
    split,
    tradeoff,
)

__all__ = [
    "CALIBRATIONS",
    "Privacy",
    "compose",
    "demand",
    "gaussian_mu",
    "gaussian_std",
    "gdp_delta",
    "gdp_epsilon",
    "gdp_mu",
    "laplace_scale",
    "split",
    "tradeoff",
]

"""Differential privacy of releases: calibration, conversion, composition, and what a guarantee means for one record."""

from core.privacy.gaussian import (
    CALIBRATIONS,
    FORMS,
    Calibration,
    Form,
    Privacy,
    compose,
    compose_basic,
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
    "FORMS",
    "Calibration",
    "Form",
    "Privacy",
    "compose",
    "compose_basic",
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

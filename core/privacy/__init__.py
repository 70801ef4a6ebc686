"""Differential privacy of releases: calibration, conversion between guarantees, and composition."""

from core.privacy.gaussian import (
    CALIBRATIONS,
    FORMS,
    Calibration,
    Form,
    Privacy,
    compose,
    gaussian_mu,
    gaussian_std,
    gdp_delta,
    gdp_epsilon,
    gdp_mu,
    group_mu,
    laplace_scale,
    privacy_of,
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
    "gaussian_mu",
    "gaussian_std",
    "gdp_delta",
    "gdp_epsilon",
    "gdp_mu",
    "group_mu",
    "laplace_scale",
    "privacy_of",
    "split",
    "tradeoff",
]

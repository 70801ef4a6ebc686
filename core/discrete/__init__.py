"""Discrete Gaussian noise: an exact sampler in whole numbers, and the exact privacy of what it draws."""

from core.discrete.distribution import (
    convolution_error,
    exact_delta,
    gdp_step,
    probabilities,
    std_for,
    sum_probabilities,
    total_variation,
)
from core.discrete.geometric import divided, divided_probabilities, largest_ratio
from core.discrete.sampler import OPERATING_SYSTEM, Bits, OperatingSystem, bernoulli_exp, gaussian, uniform

__all__ = [
    "OPERATING_SYSTEM",
    "Bits",
    "OperatingSystem",
    "bernoulli_exp",
    "convolution_error",
    "divided",
    "divided_probabilities",
    "exact_delta",
    "gaussian",
    "gdp_step",
    "largest_ratio",
    "probabilities",
    "std_for",
    "sum_probabilities",
    "total_variation",
    "uniform",
]

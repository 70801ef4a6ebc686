"""The schemes: how statistics held at several sites become one released average, and the noise that each site draws."""

from core.schemes.average import (
    ADVERSARIES,
    DIGITS,
    SCHEMES,
    ZERO_SUM,
    Release,
    calibrated,
    message_std,
    release,
)

__all__ = [
    "ADVERSARIES",
    "DIGITS",
    "SCHEMES",
    "ZERO_SUM",
    "Release",
    "calibrated",
    "message_std",
    "release",
]

"""Secure aggregation: a sum of the sites' values that nobody sees the terms of, with dropouts."""

from core.secure_sum.protocol import (
    AGGREGATOR,
    ROUNDINGS,
    ROUNDS,
    Message,
    SecureSum,
    SecureSumFailed,
    default_threshold,
    quantise,
    secure_sum,
    traffic,
)

__all__ = [
    "AGGREGATOR",
    "ROUNDINGS",
    "ROUNDS",
    "Message",
    "SecureSum",
    "SecureSumFailed",
    "default_threshold",
    "quantise",
    "secure_sum",
    "traffic",
]

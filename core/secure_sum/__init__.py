"""Secure aggregation: the sum of the sites' values without revealing any single value; sites may drop out."""

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

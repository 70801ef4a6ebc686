"""Secure aggregation: the sum of the sites' values without revealing any single value; sites may drop out."""

from core.secure_sum.protocol import (
    AGGREGATOR,
    ROUNDINGS,
    ROUNDS,
    Message,
    SecureSum,
    default_threshold,
    quantise,
    secure_sum,
    traffic,
)
from core.secure_sum.site import SecureSumFailed, SumSite, recovered

__all__ = [
    "AGGREGATOR",
    "ROUNDINGS",
    "ROUNDS",
    "Message",
    "SecureSum",
    "SecureSumFailed",
    "SumSite",
    "default_threshold",
    "quantise",
    "recovered",
    "secure_sum",
    "traffic",
]

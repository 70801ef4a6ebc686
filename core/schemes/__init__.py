"""Schemes: ways to release the average of statistics held at several sites, and the noise that each site draws."""

from core.schemes.amplitude import best_amplitude, calibrated, variance_ratio, worst_dropouts
from core.schemes.average import (
    average_std,
    error_of_average,
    noise_factor,
    release,
)
from core.schemes.exposure import Exposure, exposure, measured_std, over_stages, promise
from core.schemes.known import nonprivate  # Its package registers all schemes.
from core.schemes.messages import ZERO_SUM, Keep, ZeroSum
from core.schemes.parts import Parts
from core.schemes.registry import (
    OFFERED,
    PRIVATE,
    SCHEMES,
    Names,
    find,
    is_private,
    named,
    presented,
    register,
    registered,
    unregister,
)
from core.schemes.released import Promise, Release
from core.schemes.repeated import DIGITS, Repeated, repeated
from core.schemes.scheme import Request, Scheme, Sends
from core.schemes.silence import Silence, most_dropouts, planned, planned_silence, planned_std
from core.schemes.sites import Held, message_std
from core.schemes.terms import ADVERSARIES, Adversary, Terms

PLAIN = nonprivate.SCHEME.name
"""Name of the scheme without noise, the reference for the others."""

__all__ = [
    "ADVERSARIES",
    "DIGITS",
    "OFFERED",
    "PLAIN",
    "PRIVATE",
    "SCHEMES",
    "ZERO_SUM",
    "Adversary",
    "Exposure",
    "Held",
    "Keep",
    "Names",
    "Parts",
    "Promise",
    "Release",
    "Repeated",
    "Request",
    "Scheme",
    "Sends",
    "Silence",
    "Terms",
    "ZeroSum",
    "average_std",
    "best_amplitude",
    "calibrated",
    "error_of_average",
    "exposure",
    "find",
    "is_private",
    "measured_std",
    "message_std",
    "most_dropouts",
    "named",
    "noise_factor",
    "over_stages",
    "planned",
    "planned_silence",
    "planned_std",
    "presented",
    "promise",
    "register",
    "registered",
    "release",
    "repeated",
    "unregister",
    "variance_ratio",
    "worst_dropouts",
]

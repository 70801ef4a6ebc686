"""Components of a mixture from moments that stay at several sites: private orthogonal tensor decomposition."""

from core.decomposition.budget import message_mus
from core.decomposition.estimator import (
    METHODS,
    MODELS,
    PUBLISHED,
    SIMPLEX,
    Decomposition,
    communication,
    fit,
    site_moments,
    to_simplex,
)
from core.decomposition.problem import Problem, Truth, best_share

__all__ = [
    "METHODS",
    "MODELS",
    "PUBLISHED",
    "SIMPLEX",
    "Decomposition",
    "Problem",
    "Truth",
    "best_share",
    "communication",
    "fit",
    "message_mus",
    "site_moments",
    "to_simplex",
]

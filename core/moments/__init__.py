"""Second and third moments whose factors are the components: mixtures, single topics, latent Dirichlet allocation."""

from core.moments.mixtures import (
    CountMoments,
    GaussianMoments,
    Moments,
    TripleMoments,
    estimate_variance,
    gaussian_mixture,
    single_topic,
)

__all__ = [
    "CountMoments",
    "GaussianMoments",
    "Moments",
    "TripleMoments",
    "estimate_variance",
    "gaussian_mixture",
    "single_topic",
]

"""Topics by spectral LDA: without privacy, by the published configurations 1 to 4, and by configuration E."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from core import check
from core.privacy import Calibration, Privacy
from core.schemes import Adversary
from core.tensors import Method
from core.topics import configuration_e, configurations
from core.topics.configuration_e import Equalisation, Sharing, Statistics, statistics
from core.topics.scaled_noise import Constants
from core.topics.spectral import Guarantee, Topics, WhitenedMoments, at_alpha0, nonprivate
from core.topics.utility import (
    Forecast,
    first_mu,
    forecast,
    population_eigenvalues,
    population_spectrum,
    utility_bounds,
)

__all__ = [
    "CONFIGURATIONS",
    "Equalisation",
    "Forecast",
    "Guarantee",
    "Sharing",
    "Statistics",
    "Topics",
    "WhitenedMoments",
    "at_alpha0",
    "first_mu",
    "fit",
    "forecast",
    "population_eigenvalues",
    "population_spectrum",
    "statistics",
    "utility_bounds",
]

CONFIGURATIONS = ("nonprivate", *configurations.EDGES, "E")


@check.arguments
def fit(
    counts,
    k: int,
    *,
    alpha0: float,
    configuration: str = "E",
    privacy: Privacy | float | None,
    rng: np.random.Generator,
    scheme: str = "",
    equalisation: Equalisation | None = None,
    calibration: Calibration = "exact",
    against: Adversary = "message",
    colluding: int = 0,
    shares=None,
    constants: Constants = "dropped",
    method: Method | None = None,
) -> Topics:
    """Topics of documents given as word counts.

    Parameters
    ----------
    counts : sparse array (N, d), list of them, or Statistics
        Documents are rows. A list has one array per site (configuration "E", with `scheme`);
        `statistics` prepares them once for many runs of "E".
    k : int
        Topics sought, k ≤ d.
    alpha0 : float
        α0 = Σ α_i of the Dirichlet distribution of topic proportions: if it is small, most documents have one topic.
    configuration : {"E", "nonprivate", "1", "1-pure", "2", "3", "4"}
        "E" is ours (`core.topics.configuration_e`), numbers are [Lda]'s (`core.topics.configurations`).
    privacy : Privacy, float or None
        The privacy target for one document, for all releases together. A number ε for "1-pure"; None for
        "nonprivate", or for "E" without noise.
    rng : numpy.random.Generator
        Source of the noise.
    scheme, against, colluding
        How sites join, for "E"; see `core.schemes.release`.
    equalisation : Equalisation, optional
        Public choices of "E"; default `Equalisation.suited(privacy)`. In `Statistics` they are made already.
    calibration : {"exact", "published"}
    shares, constants
        Of the published configurations; see `published.fit`.
    method : {"jacobi", "simultaneous", "robust"}, optional
        How T is decomposed; default by Jacobi rotations, of many topics simultaneously.

    Returns
    -------
    Topics

    Raises
    ------
    ValueError
        Naming the parameter.
    """
    check.choice("configuration", configuration, CONFIGURATIONS)
    if isinstance(counts, list | tuple) and not counts:
        raise ValueError("counts must be of at least one site, got none")
    several = isinstance(counts, list | tuple)
    if configuration != "E" and (
        scheme or isinstance(counts, Statistics) or (several and privacy is not None)
    ):
        raise ValueError(
            f"configuration must be 'E' for sites and prepared statistics, got {configuration!r}"
        )
    if configuration == "nonprivate":
        if privacy is not None:
            raise ValueError(f"privacy must be None with configuration='nonprivate', got {privacy}")
        together = sp.vstack([sp.csr_array(c) for c in counts]) if several else counts
        return nonprivate(together, k, alpha0=alpha0, rng=rng, method=method)
    if configuration == "E":
        if privacy is not None and not isinstance(privacy, Privacy):
            raise ValueError(f"privacy must be a Privacy or None for configuration 'E', got {privacy!r}")
        if not isinstance(counts, Statistics):
            # A type checker does not see `cls` taken from a decorated class method.
            chosen: Any = equalisation or Equalisation.suited(privacy)  # type: ignore[arg-type]
            counts = statistics(counts, chosen, rng=rng)
        sharing = Sharing(privacy, scheme, calibration, against, colluding)
        return configuration_e.fit(counts, k, alpha0=alpha0, sharing=sharing, rng=rng, method=method)
    options = {"calibration": calibration, "shares": shares, "constants": constants, "method": method}
    return configurations.fit(
        counts,
        k,
        alpha0=alpha0,
        configuration=configuration,
        privacy=cast(Privacy | float, privacy),
        rng=rng,
        **options,
    )

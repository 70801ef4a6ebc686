"""Privacy of each of several unequal sites under a CAPE noise design, and the noise of the average."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core import check
from core.privacy import gdp_delta
from core.schemes.noise_design import NoiseDesign, members


@dataclass(frozen=True)
class Exposure:
    """Exact δ of each site at its own ε, for four observers: arrays of shape (S,).

    NaN for a site that sends nothing or colludes, and where nothing released depends on a site's records.

    Attributes
    ----------
    message, public, aggregator, colluders : ndarray of shape (S,)
        For whoever sees the site's message alone; the average alone; all messages and the broadcast sum; the same
        together with what colluding sites know of their own noise.
    """

    message: np.ndarray
    public: np.ndarray
    aggregator: np.ndarray
    colluders: np.ndarray


@check.arguments(sensitivities=check.positives, epsilons=check.positives)
def exposure(
    design: NoiseDesign,
    sensitivities,
    epsilons,
    *,
    colluding: Iterable[int] = (),
    dropped: Iterable[int] = (),
) -> Exposure:
    """Exact δ of every honest site that sends a message, for every observer.

    Parameters
    ----------
    design : NoiseDesign
    sensitivities, epsilons : array of shape (S,)
        Δ_s of each site's statistic, and the ε_s at which δ is computed.
    colluding : collection of int
        Sites that share what they know with the aggregator.
    dropped : collection of int
        Sites that send nothing once the zero-sum noise is drawn.

    Raises
    ------
    ValueError
        If all sites collude, or all drop out.
    """
    colluding, dropped = list(colluding), list(dropped)
    known, lost = (
        members(name, chosen, design.sites)
        for name, chosen in (("colluding", colluding), ("dropped", dropped))
    )
    sensitivities = check.positives("sensitivities", sensitivities, length=design.sites)
    epsilons = check.positives("epsilons", epsilons, length=design.sites)
    share = np.where(lost, 0, design.weights) / design.weights[~lost].sum()

    def deltas(mu):
        shown = ~known & ~lost & (mu > 0)
        found = [float(gdp_delta(e, m)) if s else np.nan for e, m, s in zip(epsilons, mu, shown, strict=True)]
        return np.array(found)

    return Exposure(
        message=deltas(sensitivities / design.std),
        public=deltas(share * sensitivities / design.average_std(dropped)),
        aggregator=deltas(np.sqrt(design.leakage(sensitivities, dropped=dropped))),
        colluders=deltas(np.sqrt(design.leakage(sensitivities, colluding, dropped=dropped))),
    )


@check.arguments
def measured_std(
    design: NoiseDesign, *, draws: int, rng: np.random.Generator, dropped: Iterable[int] = ()
) -> float:
    """Root mean square of the noise in the average, measured over independent draws from a design.

    `dropped` sites send nothing once the zero-sum noise is drawn. See `NoiseDesign.average_std` for the exact value;
    the relative standard error is 1/√(2 draws).
    """
    draws = check.integer("draws", draws, low=1)
    left = ~members("dropped", dropped, design.sites)
    zero_sum, local = design.sample(draws, rng=rng)
    weights = design.weights[left] / design.weights[left].sum()
    return float(np.sqrt(np.mean((weights @ (zero_sum + local)[left]) ** 2)))

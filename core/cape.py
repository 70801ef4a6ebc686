"""CAPE in formulas: gain, leakage and δ curves. The noise design is in `core.schemes.noise_design`.

Site s sends its statistic as a message with noise of standard deviation τ_s. Under CAPE
this noise has two parts: e_s, drawn by all sites together so that Σ w_s e_s = 0, and g_s, its own. The
noise of the weighted average is Σ w_s g_s alone. [Cape] Algorithms 1-2; the weighted form is this project's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtr

from core import check
from core.privacy import gdp_delta
from core.schemes.amplitude import (
    best_amplitude,
    design,
    dropouts_that_favour_independent_noise,
    equal_variances,
    variance_ratio,
)
from core.schemes.known import cape as scheme
from core.schemes.noise_design import NoiseDesign, UnreachableTarget, published_design, site_weights

SCHEME = scheme.SCHEME.name
"""Name of the scheme: "cape"."""

__all__ = [
    "CONVENTIONAL_FORMS",
    "FORMS",
    "SCHEME",
    "NoiseDesign",
    "UnreachableTarget",
    "best_amplitude",
    "conventional_delta",
    "delta",
    "design",
    "dropouts_that_favour_independent_noise",
    "equal_variances",
    "excess",
    "gain",
    "gain_bounds",
    "honest_gain",
    "leakage",
    "published_design",
    "published_leakage",
    "site_weights",
    "variance_ratio",
]


@check.arguments(samples=check.sized)
def gain(samples, sensitivity: Callable[[float], float] | None = None):
    """G(n) = τ_conv²/τ_pool², the largest variance gain of CAPE over the conventional scheme at weights 1/S.

    Parameters
    ----------
    samples : array of shape (..., S)
        Sizes n_s; several rows are several federations.
    sensitivity : callable, optional
        Δ(n) of the statistic on n records; default 1/n, for which G = (N²/S²) Σ 1/n_s². Takes one row of sizes only.

    Returns
    -------
    float, or array of shape (...)

    Notes
    -----
    [Fact] section III, [Cape] Proposition 1 (G = S, the equal case) and 2.

    Examples
    --------
    Of equal sites it is their number; of unequal ones, at equal weights, more:

    >>> float(gain([50, 50, 50, 50])), round(float(gain([10, 90])), 2)
    (4.0, 25.31)
    """
    if sensitivity is None:
        n = np.atleast_1d(check.at_least("samples", samples, 0, strict=True))
        at_site, at_curator = 1 / n, 1 / n.sum(-1, keepdims=True)
    else:
        n = check.positives("samples", samples)
        at_site = check.positives("sensitivity of the sites", [sensitivity(size) for size in n])
        at_curator = check.positive("sensitivity of all records", sensitivity(n.sum()))
    result = ((at_site / at_curator) ** 2).sum(-1) / n.shape[-1] ** 2
    return result if result.ndim else float(result)


@check.arguments(samples=check.sized)
def excess(samples, sensitivity: Callable[[float], float] | None = None) -> float:
    """Published noise variance of CAPE over that of the pooled scheme: H(n) = G(n)/S. [Cape] Proposition 2.

    H(n) = Σ Δ²(n_s) / (S³ Δ²(N)).

    H is the variance of CAPE's average over the pooled one *as published*: weights 1/S, local noise τ_s²/S.
    If sizes differ, that public average is less private for small sites than their messages are, by a factor of
    up to S in μ². `design` keeps every privacy target; at weights n_s/N its average has exactly the pooled noise.
    """
    return gain(samples, sensitivity) / np.size(samples)


@check.arguments
def gain_bounds(total: float, sites: int) -> tuple[float, float]:
    """Least and largest G(n) over all whole sizes that sum to N: S, and at n = [1, …, 1, N − S + 1]."""
    sites = check.integer("sites", sites, low=2)
    if not total >= sites:
        raise ValueError(f"total must be at least one sample for each of the {sites} sites, got {total}")
    return float(sites), gain([1] * (sites - 1) + [total - sites + 1])


@check.arguments
def leakage(sites: int, colluding: int = 0) -> float:
    """μ² (τ/Δ)² = S/(S+1) · (1 + S/S_H) of equal sites, S_H = S − colluding. See `NoiseDesign.leakage`."""
    sites = check.integer("sites", sites, low=2)
    honest = sites - check.integer("colluding", colluding, low=0, high=sites - 1)
    return sites / (sites + 1) * (1 + sites / honest)


@check.arguments(sites=check.sized, colluding=check.reals)
def published_leakage(sites, colluding=0, *, form: LeakageForm = "theorem"):
    """σ_z² (τ/Δ)² as published in [Cape], to compare with `leakage`; broadcasts, and may be negative or infinite.

    At S_C = 0 there are no colluders, so the whole error of "theorem" is due to the wrong inverse covariance.
    For S = 10:

    ===  ==========  ==========  =====================
    S_C  "theorem"   "inverted"  whole view, `leakage`
    ===  ==========  ==========  =====================
    0    1.0909      1.8182      1.8182
    1    1.1196      1.3929      1.9192
    3    1.2956      1.2401      2.2078
    ===  ==========  ==========  =====================

    Parameters
    ----------
    sites, colluding : int or array
        S and S_C < S.
    form : {"theorem", "inverted", "plotted"}
        Equation (5); the same view (honest messages, and the sum of the honest ê_s) with the right inverse of
        their covariance, I + 11ᵀ/(S_C + 1) instead of I + (2/S_H) 11ᵀ; or what the program behind Figures 5
        and 6 computes. The remaining difference of "inverted" and `leakage` is the colluders' knowledge of their own noise.
    """
    _, _, sites, colluding = _delta_arguments(0, 1, sites, colluding)
    honest = sites - colluding
    if form == "inverted":
        rest = 1 - colluding**2 / (sites * (colluding + 1))
        through_sum = (colluding / (colluding + 1)) ** 2 / (honest * rest)
        return (sites / (sites + 1) * (colluding + 2) / (colluding + 1) + through_sum)[()]
    if form == "plotted":
        factor = 1 + (sites**2 - colluding * honest) / (honest * (sites + colluding * honest))
    else:
        with np.errstate(divide="ignore"):
            own = 9 * colluding**2 / honest / (sites * (1 + sites) - 3 * colluding**2)
        factor = (honest + 2) / honest + own
    return (sites / (sites + 1) * factor)[()]


@check.arguments
def honest_gain(sites: int, colluding: int = 0) -> float:
    """Variance gain over the conventional scheme at the *same* true guarantee against S_C colluders.

    Against this adversary μ² is `leakage` times that of a single message, so an exact calibration
    raises τ² by that factor: S / leakage = (S+1)(S−S_C)/(2S−S_C) instead of S. At S_C = S − 1 it is 1.
    """
    return sites / leakage(sites, colluding)


Form = Literal["exact", "theorem", "plotted"]
FORMS: tuple[Form, ...] = get_args(Form)
LeakageForm = Literal["theorem", "inverted", "plotted"]
LEAKAGE_FORMS: tuple[LeakageForm, ...] = get_args(LeakageForm)
ConventionalForm = Literal["exact", "published"]
CONVENTIONAL_FORMS: tuple[ConventionalForm, ...] = get_args(ConventionalForm)


@check.arguments(
    epsilon=check.reals,
    tau=check.sized,
    samples=check.optional(check.sized),
    sites=check.sized,
    colluding=check.reals,
    sensitivity=check.optional(check.sized),
)
def delta(epsilon, *, tau, samples, sites, colluding=0, sensitivity=None, form: Form = "exact"):
    """Least δ such that CAPE with message noise τ is (ε, δ)-private against the aggregator and S_C colluders.

    Parameters
    ----------
    epsilon : float or array
        ε ≥ 0.
    tau : float or array
        Standard deviation τ of a message.
    samples : float or array
        n_s of each (equal) site; the statistic's sensitivity is 1/n_s unless `sensitivity` is given.
    sites, colluding : int or array
        S and S_C < S.
    form : {"exact", "theorem", "plotted"}
        "exact": the Gaussian δ(ε) at μ² = (Δ/τ)² `leakage`. "theorem": [Cape] Theorem 1, equations
        4-5. "plotted": what the program behind [Cape] Figures 5-6 computes. The theorem's variance is wrong in
        two places: its inverse covariance, which is all that is wrong without colluders, and the colluders'
        own noise, which it leaves unknown (`published_leakage` has both parts). The published two can exceed
        1, fall as more sites collude, or (theorem) have a negative variance or need ε > μ_z: NaN there. None
        is clipped.
    """
    size = _change(samples, sensitivity)
    epsilon, tau, sites, colluding = _delta_arguments(epsilon, tau, sites, colluding)
    honest = sites - colluding
    if form == "exact":
        return gdp_delta(epsilon, size / tau * np.sqrt(sites / (sites + 1) * (1 + sites / honest)))
    factor = published_leakage(sites, colluding, form=form)
    with np.errstate(invalid="ignore", divide="ignore"):
        sigma_z = size / tau * np.sqrt(factor)
        z = (epsilon - sigma_z**2 / 2) / sigma_z
        if form == "plotted":
            return 2 * ndtr(-z)[()]
        return np.where(z > 0, 2 / z * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi), np.nan)[()]


@check.arguments(
    epsilon=check.reals,
    tau=check.sized,
    samples=check.optional(check.sized),
    sites=check.sized,
    sensitivity=check.optional(check.sized),
)
def conventional_delta(epsilon, *, tau, samples, sites, sensitivity=None, form: ConventionalForm = "exact"):
    """δ of the conventional scheme if its average may have only the pooled noise: per-site variance τ²/S.

    "exact": the Gaussian δ(ε) at μ = √S Δ/τ. "published": 1.25 exp(−(τ ε n_s)²/(2S)), [Cape] appendix B.
    """
    size = _change(samples, sensitivity)
    epsilon, tau, sites, _ = _delta_arguments(epsilon, tau, sites, 0)
    mu = np.sqrt(sites) * size / tau
    return gdp_delta(epsilon, mu) if form == "exact" else 1.25 * np.exp(-0.5 * (epsilon / mu) ** 2)[()]


def _change(samples, sensitivity):
    name, value = ("samples", samples) if sensitivity is None else ("sensitivity", sensitivity)
    value = check.at_least(name, value, 0, strict=True)
    return 1 / value if sensitivity is None else value


def _delta_arguments(epsilon, tau, sites, colluding):
    epsilon, tau = check.at_least("epsilon", epsilon, 0), check.at_least("tau", tau, 0, strict=True)
    sites, colluding = check.at_least("sites", sites, 2), check.at_least("colluding", colluding, 0)
    if (colluding >= sites).any():
        raise ValueError(f"colluding must be fewer than the sites, got {colluding} of {sites}")
    return epsilon, tau, sites, colluding

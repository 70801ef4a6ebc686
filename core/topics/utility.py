"""Accuracy forecasts without documents: noise against eigenvalues, population spectra, published utility bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core import check
from core.moments import lda
from core.privacy import Calibration, Privacy, compose, gaussian_mu
from core.schemes import PRIVATE, noise_factor
from core.topics.configuration_e import Equalisation


@dataclass(frozen=True)
class Forecast:
    """Forecast of whether configuration E can recover k topics.

    Attributes
    ----------
    sigma_k : float
        The k-th eigenvalue of M2 that was assumed.
    noise_norm : float
        Spectral norm of M2's noise, √(2d) τ for large d.
    ratio : float
        noise_norm/σ_k. Topics survive up to about 1/2.
    documents : int
        N at which the ratio would be 1/2.
    """

    sigma_k: float
    noise_norm: float
    ratio: float
    documents: int


@check.arguments
def first_mu(
    privacy: Privacy, *, alpha0: float, documents: float = math.inf, calibration: Calibration = "exact"
) -> float:
    """μ of configuration 1 at equal shares, all its releases composed.

    As published it has three, each at a third of ε and of δ, with l1 sensitivities: larger than the Frobenius
    ones that count, so that it keeps far more than it promises. That of M3 depends on `documents`, N.
    """
    if calibration == "exact":
        return gaussian_mu(privacy)
    part = gaussian_mu(Privacy(privacy.epsilon / 3, privacy.delta / 3), calibration=calibration)
    second = part * lda.second_sensitivity(alpha0) / lda.second_sensitivity(alpha0, form="published-l1")
    third = part * lda.third_sensitivity(alpha0)
    third /= lda.third_sensitivity(alpha0, documents=documents, form="published-l1")
    return compose(second, second, third)


@check.arguments(sigma_k=check.sized, weight=check.sized, vocabulary=check.whole(1), sites=check.whole(1))
def forecast(
    sigma_k: float,
    *,
    documents: int,
    vocabulary: int,
    privacy: Privacy,
    equalisation: Equalisation,
    scheme: str = "pooled",
    sites: int = 1,
    weight: float = 1.0,
    calibration: Calibration = "exact",
    **terms,
) -> Forecast:
    """Compare the noise on M2 with its k-th eigenvalue, without looking at any document.

    Parameters
    ----------
    sigma_k : float
        σ_k(M2): assumed, of a distribution (`population_spectrum`), or released before (`Topics.spectrum`).
    documents, vocabulary : int
        N over all sites, and d.
    scheme : str
        One of `core.schemes.PRIVATE`. Noise of the average of S equal sites, in units of one curator's: 1 for
        "pooled" and "cape", √S for "conventional", S for "local" (`core.schemes.noise_factor`).
    weight : float
        Mean weight of a document in E2, in (0, 1]; divides. Released with the topics, 1 before that.
    **terms
        dropped, against, colluding, dropouts, amplitude and graph, as in `core.schemes.noise_factor`.
    """
    sigma_k = check.positive("sigma_k", sigma_k)
    documents = check.integer("documents", documents, low=1)
    check.choice("scheme", scheme, PRIVATE)
    std = noise_factor(scheme, sites, **terms) / (documents * gaussian_mu(privacy, calibration=calibration))
    std /= float(equalisation.scales[2]) * check.positive("weight", weight)
    norm = math.sqrt(2 * vocabulary) * std
    return Forecast(sigma_k, norm, norm / sigma_k, math.ceil(documents * 2 * norm / sigma_k))


@check.arguments(words=check.matrix, alpha=check.sized)
def population_spectrum(words: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Eigenvalues of M2 = Σ α_i/(α0(α0+1)) μ_i⊗μ_i of a known distribution, falling: shape (k,)."""
    alpha = check.positives("alpha", alpha, length=len(words))
    scaled = np.sqrt(alpha / (alpha.sum() * (alpha.sum() + 1)))[:, None] * words
    return np.linalg.svd(scaled, compute_uv=False) ** 2


@check.arguments(alpha=check.sized)
def population_eigenvalues(alpha: np.ndarray) -> np.ndarray:
    """λ_i = 2 √(α0(α0+1)/α_i)/(α0+2) of the whitened third moment of a known distribution, falling."""
    alpha = check.positives("alpha", alpha)
    alpha0 = alpha.sum()
    return np.sort(2 * np.sqrt(alpha0 * (alpha0 + 1) / alpha) / (alpha0 + 2))[::-1]


@check.arguments(k=check.whole(1), sigma_1=check.sized, sigma_k=check.sized, gamma=check.sized)
def utility_bounds(
    *,
    documents: int,
    vocabulary: int,
    k: int,
    sigma_1: float,
    sigma_k: float,
    gamma: float,
    privacy: Privacy,
) -> dict[str, float]:
    """[Lda] Table 1 with its constants taken as one: the bound on ‖μ_i − μ_i^DP‖ of configurations 1 to 4.

    ε and δ are divided equally over the noisy edges, as in `published.fit`. The orders hold as N grows;
    the numbers rank the configurations, they do not bound anything.
    """
    n, d = check.integer("documents", documents, low=1), check.integer("vocabulary", vocabulary, low=1)

    def tau(parts):
        return math.sqrt(2 * math.log(1.25 * parts / privacy.delta)) * parts / privacy.epsilon

    steep, root = sigma_k**1.5, math.sqrt(d) / n
    t = tau(3)
    inner = (root / steep * t) ** 3 + root / steep * t
    outer = (root / sigma_k * t) ** 3 + root / steep * t
    back = math.sqrt(sigma_1 * d) / (sigma_k * n)
    bounds = {
        "1": math.sqrt(sigma_1 * k) / gamma * inner
        + back * t
        + math.sqrt(sigma_1 + root * t) * math.sqrt(k) / gamma * outer
    }
    for name, parts, power in (("2", 3, 2.5), ("3", 4, 2.0)):
        t = tau(parts)
        common = t / (gamma * n * steep)
        bounds[name] = (
            math.sqrt(sigma_1 * k**2.5) * common
            + back * t
            + math.sqrt(sigma_1 + root * t) * k**power * common
        )
    bounds["4"] = math.sqrt(sigma_1 * d) * k**2 / (gamma * n * steep) * tau(3)
    return bounds

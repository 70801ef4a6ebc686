"""Noise scaled by a private lower bound: [Lda] Procedure 1, corrected, and the published local sensitivities."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from core import check, noise
from core.moments import lda
from core.privacy import laplace_scale

Constants = Literal["dropped", "appendix"]
CONSTANTS: tuple[Constants, ...] = get_args(Constants)


@check.arguments(epsilon=check.sized)
def lower_bound(
    value: float,
    sensitivity: float,
    *,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
) -> float:
    """Release a lower bound on a figure, ε-private: P(bound > value) ≤ δ. [Lda] Procedure 1, corrected.

    max(0, v + Lap(Δ/ε) − (Δ/ε) ln(1/(2δ))). The printed procedure draws Laplace noise of half the scale that
    Lemma 9's own sensitivity 2/N asks for.
    """
    scale = laplace_scale(sensitivity, epsilon)
    noisy = value + float(noise.laplace((), scale, rng=rng))
    return max(0.0, noisy - scale * math.log(1 / (2 * check.fraction("delta", delta))))


@check.arguments(values=check.vector)
def gap(values) -> float:
    """γ_s = min_i (λ_i − λ_{i+1})/4 of falling eigenvalues; ∞ for a single one."""
    values = np.sort(np.asarray(values, dtype=float))[::-1]
    return float((values[:-1] - values[1:]).min() / 4) if len(values) > 1 else math.inf


@check.arguments(
    documents=check.whole(3),
    k=check.whole(1),
    sigma_k=check.sized,
    gamma=check.numbers_in(1e-100, math.inf),
    sigma_1=check.numbers_in(0, 1e100),
    alpha0=check.sized,
)
def local_sensitivity(
    configuration: str,
    *,
    documents: int,
    k: int,
    sigma_k: float,
    gamma: float = math.inf,
    sigma_1: float = 1.0,
    alpha0: float = 1.0,
    lambda_1: float = 1.0,
    constants: Constants = "dropped",
) -> float:
    """The published "local sensitivity" of T ("2"), its eigenpairs ("3") or the topics ("4"). Not a valid bound.

    "dropped": k^1.5/(N σ_k^1.5), k²/(N γ σ_k^1.5), k² √σ_1/(N γ σ_k^1.5) ([Lda] section 6). "appendix": with
    constants, equation 64 with σ_{k+1} = 0, 2√k Δ_T/γ, and appendix H.5.
    """
    check.choice("configuration", configuration, ("2", "3", "4"))
    n = documents
    if constants == "dropped":
        size = k**1.5 / (n * sigma_k**1.5)
        root = math.sqrt(k) / gamma
        return {"2": size, "3": size * root, "4": size * root * math.sqrt(sigma_1)}[configuration]
    c = lda.coefficients(alpha0)
    m2 = lda.second_sensitivity(alpha0, form="published-l1") / n
    m3 = lda.third_sensitivity(alpha0, form="published-l1", documents=n) / n
    norm = 1 + 6 * c.third_cross * n / (n - 1) + 3 * c.third_cube * n**2 / ((n - 1) * (n - 2))
    half = sigma_k / 2
    whitened = norm * (math.sqrt(2 * k) * m2 / (sigma_k * math.sqrt(half))) ** 3 + m3 * (k / half) ** 1.5
    pairs = 2 * math.sqrt(k) * whitened / gamma
    back = (alpha0 + 2) / (2 * math.sqrt(alpha0 * (alpha0 + 1)))
    final = (
        back * lambda_1 * math.sqrt(sigma_1) * (pairs + m2 / sigma_k) + back * math.sqrt(sigma_1 + m2) * pairs
    )
    return {"2": whitened, "3": pairs, "4": final}[configuration]

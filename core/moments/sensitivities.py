"""Sensitivities of a site's second and third moment: l2 (Frobenius), one of n_s records replaced.

[Fact] appendix E ("published") and the least valid bounds ("exact"). The two moments are released one after
the other, the third as seen through the second. For Gaussian noise the two compose exactly, and what counts
is the worst record for *both*: `joint`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from scipy.optimize import minimize

from core import check
from core.privacy import Form

Model = Literal["topics", "gaussians"]
MODELS: tuple[Model, ...] = get_args(Model)


@check.arguments(samples=check.sized)
def second(samples, *, model: Model = "topics", form: Form = "exact", d: int | None = None):
    """Sensitivity of M2: √2/n_s; of a mixture of Gaussians, published: 1/n_s (a spectral bound, too small).

    Records of width d = 1 are never orthogonal: 1/n_s for Gaussians in either form.
    Holds for single topics in every form (first words, all triples, symmetrised or not): a document's share
    of M2 has Frobenius norm at most 1, and two documents' shares may be orthogonal.
    """
    short = model == "gaussians" and (form == "published" or d == 1)
    return (1.0 if short else math.sqrt(2)) / check.at_least("samples", samples, 0, strict=True)


@check.arguments(samples=check.sized)
def third(samples, *, model: Model = "topics", form: Form = "exact", d=None, variance=None):
    """Sensitivity of M3: √2/n_s for single topics; for Gaussians a function of d and σ².

    Parameters
    ----------
    samples : float or array
        n_s.
    d, variance : int, float
        Width and σ² of the records of norm ≤ 1; needed for "gaussians".
        Exact: (2/n_s) √(1 − 6σ² + (3d+6)σ⁴), attained at t' = −t; for d = 1 and 1/4 < σ² < 1 shorter records
        move more, (4/n_s) σ³. Published: (2 + 6dσ²)/n_s.
    """
    n = check.at_least("samples", samples, 0, strict=True)
    if model == "topics":
        return math.sqrt(2) / n
    d, v = check.integer("d", d, low=1), check.nonnegative("variance", variance)
    if form == "published":
        return (2 + 6 * d * v) / n
    change = 1 - 6 * v + (3 * d + 6) * v**2
    if d == 1 and v < 1:
        # |t³ − 3σ²t| has its inner maximum 2σ³ at |t| = σ.
        change = max((1 - 3 * v) ** 2, 4 * v**3)
    return 2 * math.sqrt(change) / n


@check.arguments
def joint(share: float, *, model: Model = "topics", d=None, variance=None) -> float:
    """J: the largest share · (‖ΔM2‖/Δ2)² + (1 − share) · (‖ΔM3‖/Δ3)² that one record causes, exact Δs.

    Releases at μ2² = μ² share/J and μ3² = μ² (1 − share)/J are μ-GDP together, also when the second is
    chosen by the first. J ≤ 1: equal to 1 for single topics (one record moves both moments fully), about
    0.75 for Gaussians at equal shares, where no record does.
    """
    share = check.fraction("share", share)
    if model == "topics":
        return 1.0
    return _joint(share, check.integer("d", d, low=1), check.nonnegative("variance", variance))


@lru_cache(maxsize=1024)
def _joint(share, d, variance):
    exact = second(1, model="gaussians", d=d), third(1, model="gaussians", d=d, variance=variance)

    def moved(x):
        second_change, third_change = gaussian_changes.trusted(*x, d=d, variance=variance)
        return share * second_change / exact[0] ** 2 + (1 - share) * third_change / exact[1] ** 2

    # On a line two records point the same way or opposite ways.
    radii, cosines = np.linspace(0, 1, 21), np.linspace(-1, 1, 2 if d == 1 else 81)
    grid = np.stack([g.ravel() for g in np.meshgrid(radii, radii, cosines)])
    starts = grid[:, np.argsort(-moved(grid))[:5]].T
    best = max(_climbed(moved, x, fixed=d == 1) for x in starts)
    return min(1.0, float(best) * (1 + 1e-9))


def _climbed(moved, start, *, fixed):
    """The largest change that is reached from lengths and a cosine; `fixed`: the cosine stays as it is."""
    bounds = [(0, 1), (0, 1), (start[2],) * 2 if fixed else (-1, 1)]
    return -minimize(lambda x: -moved(x), start, bounds=bounds, tol=1e-14).fun


@check.arguments(length=check.bounded, other=check.bounded, cosine=check.numbers_in(-1, 1))
def gaussian_changes(length, other, cosine, *, d: int, variance: float):
    """‖ΔM2‖² and ‖ΔM3‖² (times n_s²) when a record of norm `length` gives way to one of norm `other`.

    `cosine` is that of the angle between the two. Broadcasts.
    """
    product = length * other * cosine
    a, b = length**2, other**2
    gap = a + b - 2 * product
    along = a**2 + b**2 - (a + b) * product
    return a**2 + b**2 - 2 * product**2, (
        a**3 + b**3 - 2 * product**3 - 6 * variance * along + (3 * d + 6) * variance**2 * gap
    )

"""Private principal components: every site's second moment through a scheme, then the top subspace.

[Fact] Algorithm 2 (capePCA) and its comparisons, DPdisPCA [17 in Fact] among them. Records are rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import eigh

from core import check
from core.discrete import OperatingSystem
from core.discrete.grid import summing
from core.moments.whitening import Order
from core.noise import SYMMETRIC, symmetrise
from core.privacy import Calibration, Form, Privacy
from core.schemes import SCHEMES, Held, Names, Release, named, release
from core.schemes.noise_design import site_weights

METHODS = Names(lambda: (*SCHEMES, "dpdispca"))
Noise = Literal["symmetrised", "copied", "discrete"]
NOISES: tuple[Noise, ...] = (*SYMMETRIC, "discrete")
_MESSAGES = "conventional"  # The scheme whose messages DPdisPCA takes square roots of.

PUBLISHED = {
    "sensitivity_form": "published",
    "calibration": "published",
    "order": "magnitude",
    "noise": "copied",
}
"""The conventions behind [Fact] Figure 2 as options of `fit`."""


@dataclass(frozen=True)
class PCA:
    """A private principal subspace.

    Attributes
    ----------
    components : ndarray of shape (k, d)
        Orthonormal rows, by falling eigenvalue (order="magnitude": by falling absolute value).
    values : ndarray of shape (k,)
        Their eigenvalues in the noisy second moment.
    method : str
        One of `METHODS`.
    release : Release
        The release behind it; for "dpdispca" the conventional one, whose average is never formed: what is
        public there is computed from every message, so `mu_public` is bounded by that of a message alone.
    """

    components: np.ndarray
    values: np.ndarray
    method: str
    release: Release


@check.arguments(sites=check.sequence, bound=check.optional(check.sized))
def second_moments(sites: Sequence[np.ndarray], *, bound: float | None = 1.0) -> np.ndarray:
    """A_s = X_sᵀ X_s / n_s of every site.

    Parameters
    ----------
    sites : sequence of S arrays of shape (n_s, d)
        Records, n_s ≥ 1.
    bound : float or None
        Public bound on ‖x‖₂ that `sensitivity` relies on; None leaves it to the caller.

    Returns
    -------
    ndarray of shape (S, d, d)

    Raises
    ------
    ValueError
        If a site is empty, widths differ, an entry is not finite or a record exceeds the bound.
    """
    return np.stack([_records(x, s, bound) for s, x in enumerate(_same_width(sites))])


@check.arguments(moments=check.numeric, bound=check.sized)
def checked_moments(moments, *, bound: float = 1.0) -> np.ndarray:
    """Second moments that records of norm ≤ `bound` can have, shape (S, d, d): as the sensitivity assumes.

    Raises
    ------
    ValueError
        Naming the site, if an array is not square, finite, symmetric and positive semidefinite (all to
        rounding), or its trace, the mean of ‖x‖², exceeds bound².
    """
    moments = np.asarray(moments, dtype=float)
    if moments.ndim != 3 or moments.shape[1] != moments.shape[2] or not moments.size:
        raise ValueError(
            f"second moments must have shape (sites, d, d), one for each of samples, got {moments.shape}"
        )
    for site, moment in enumerate(moments):
        check.finite(f"second moment of site {site}", moment)
        trace = float(np.trace(moment))
        if (gap := float(np.abs(moment - moment.T).max())) > 1e-9 * max(abs(trace), bound**2):
            raise ValueError(
                f"second moment of site {site} must be symmetric, got entries that differ by {gap:.3g}"
            )
        if trace > bound**2 * (1 + 1e-8):
            raise ValueError(
                f"second moment of site {site} must be of records of norm at most {bound}, got trace {trace:.6g}"
            )
        least = float(eigh(moment, eigvals_only=True, subset_by_index=[0, 0], check_finite=False)[0])
        if least < -1e-9 * max(abs(trace), bound**2):
            raise ValueError(
                f"second moment of site {site} must have no negative eigenvalue, got {least:.3g}"
            )
    return moments


@check.arguments(samples=check.sized, bound=check.sized)
def sensitivity(samples, *, form: Form = "exact", bound: float = 1.0, width: int | None = None):
    """l2 sensitivity of a second moment of n_s records with ‖x‖ ≤ bound when one is replaced.

    "exact": √2 bound²/n_s, attained by orthogonal records; the Frobenius norm, also that over the
    triangle i ≤ j. No two records of `width` 1 are orthogonal, and there it is bound²/n_s. "published":
    bound²/n_s ([Fact] section IV), a spectral-norm bound: too small for Gaussian noise on entries, so that
    the true μ of such a release is √2 times the nominal one.

    Examples
    --------
    >>> [round(float(sensitivity(100, form=form)), 5) for form in ("exact", "published")]
    [0.01414, 0.01]
    """
    factor = math.sqrt(2) if form == "exact" and width != 1 else 1.0
    return factor * bound**2 / check.at_least("samples", samples, 0, strict=True)


@check.arguments(samples=check.optional(check.positives), sites=check.sequence, bound=check.sized)
def fit(
    sites,
    k: int,
    *,
    scheme: str,
    privacy: Privacy | None,
    rng: np.random.Generator | OperatingSystem,
    samples=None,
    weights=None,
    calibration: Calibration = "exact",
    sensitivity_form: Form = "exact",
    order: Order = "signed",
    noise: Noise = "symmetrised",
    rank: int | None = None,
    bound: float = 1.0,
    trusted: bool = False,
    **options,
) -> PCA:
    """Principal subspace of data at several sites under a scheme.

    Parameters
    ----------
    sites : sequence of S arrays of shape (n_s, d), or with `samples` array of shape (S, d, d)
        Records with ‖x‖ ≤ bound, or their second moments.
    k : int
        Dimension of the subspace, 1 ≤ k ≤ d.
    scheme : str
        One of `METHODS`. "dpdispca": each site sends the partial square root of its conventionally
        perturbed moment, the aggregator takes the top of their sum.
    samples : array of shape (S,), optional
        n_s; says that `sites` are second moments.
    weights : array of shape (S,), optional
        w_s of the average, Σ w_s = 1; default 1/S. With n_s/N, right for sites of unequal size, the released
        moment is that of all records together.
    sensitivity_form, calibration : {"exact", "published"}
        What the noise is calibrated for; see `sensitivity` and `core.privacy.gaussian_std`. Every μ of the
        result is that of the exact sensitivity.
    order : {"signed", "magnitude"}
        Which eigenvalues of the noisy moment count as largest. The papers' SVD takes the largest absolute
        ones; a second moment has no negative ones, so "signed" is better at no cost (post-processing).
    noise : {"symmetrised", "copied", "discrete"}
        Distribution of the noise, see `core.noise`; "copied" is published. "discrete" is exact noise in whole numbers
        on all d² entries, whose average over both orders of the indices is taken; see `core.schemes.release`.
    rank : int, optional
        R of "dpdispca", default 2k (at most d).
    trusted : bool
        Second moments are known to be of records within the bound, as those of `second_moments` are, and need
        not be looked at again: for sweeps, which hand in the same ones many times.
    **options
        Passed to `core.schemes.release`: against, colluding, zero_sum, keep.

    Raises
    ------
    ValueError
        If k > d, or for what `second_moments`, `checked_moments` and `release` refuse.
    """
    check.choice("scheme", scheme, METHODS)
    if samples is None:
        sites = _same_width(sites)
        samples = np.array([len(x) for x in sites])
        sites = second_moments(sites, bound=bound)
    elif not trusted:
        sites = checked_moments(sites, bound=bound)
    held = sites if isinstance(sites, Held) else Held(np.asarray(sites, dtype=float))
    width = held.shape[-1]
    k = check.integer("k", k, low=1, high=width)
    true, assumed = (
        np.broadcast_to(sensitivity(samples, form=form, bound=bound, width=width), len(held))
        for form in ("exact", sensitivity_form)
    )
    if noise == "discrete":  # Which leaves no digit to the arithmetic of a second moment.
        true, assumed = (change + summing(samples, bound**2) for change in (true, assumed))
    weights = site_weights(weights, len(held))
    options = {"calibration": calibration, "noise": noise, "keep": "value", "rng": rng, **options}
    options |= {"weights": weights, "assumed": assumed}
    if scheme != "dpdispca":
        result = release(held, true, privacy, scheme=scheme, **options)
        if noise == "discrete":
            result = replace(result, value=symmetrise(result.value))
        return PCA(*top_eigenvectors(result.value, k, order=order), scheme, result)
    rank = check.integer("rank", min(2 * k, width) if rank is None else rank, low=k, high=width)
    result = release(held, true, privacy, scheme=_MESSAGES, **{**options, "keep": "all"})
    messages = np.asarray(result.messages)
    if noise == "discrete":
        messages = symmetrise(messages, order=2)
    total = np.asarray(sum(w * _rank_limited(m, rank, order) for w, m in zip(weights, messages, strict=True)))
    # Square roots are no function of the average, whose noise protects better than a message's own.
    return PCA(*top_eigenvectors(total, k), scheme, replace(result, mu_public=result.mu_message))


@check.arguments(matrix=check.matrix)
def top_eigenvectors(matrix: np.ndarray, k: int, *, order: Order = "signed") -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenpairs of a symmetric matrix: vectors as rows (k, d) and values (k,)."""
    d = len(matrix)
    k = check.integer("k", k, low=1, high=d)
    # A few vectors are cheaper alone; beyond a tenth of them LAPACK's divide and conquer of all is faster.
    if order == "signed" and 10 * k <= d:
        values, vectors = eigh(matrix, subset_by_index=[d - k, d - 1], check_finite=False)
        return vectors.T[::-1], values[::-1]
    values, vectors = np.linalg.eigh(matrix)
    if order == "signed":
        return vectors.T[: -k - 1 : -1], values[: -k - 1 : -1]
    largest = np.argsort(-np.abs(values), kind="stable")[:k]
    return vectors.T[largest], values[largest]


@check.arguments(components=check.matrix, second_moment=check.matrix)
def captured_energy(components: np.ndarray, second_moment: np.ndarray) -> float:
    """q = tr(V̂ᵀ A V̂), the energy of the true A in the subspace of `components` (k, d). [Fact] section II."""
    return float(np.einsum("kd,kd->", components @ second_moment, components))


@check.arguments(first=check.matrix, second=check.matrix)
def subspace_distance(first: np.ndarray, second: np.ndarray) -> float:
    """‖V Vᵀ − V̂ V̂ᵀ‖₂ of two k-dimensional subspaces: the sine of their largest angle. [Fact] section IV."""
    return math.sqrt(max(0.0, 1 - np.linalg.svd(first @ second.T, compute_uv=False)[-1] ** 2))


@check.arguments(components=check.matrix, values=check.vector, second_moment=check.matrix)
def low_rank_error(components: np.ndarray, values: np.ndarray, second_moment: np.ndarray) -> float:
    """‖A − Â_k‖₂, with Â_k = Σ λ̂ v̂ v̂ᵀ ([Fact] section IV); units of A."""
    rest = second_moment - (components.T * values) @ components
    return float(np.abs(eigh(rest, eigvals_only=True, check_finite=False)[[0, -1]]).max())


@check.arguments(width=check.whole(1), sites=check.whole(1))
def communication(
    method: str, *, sites: int, width: int, rank: int | None = None, samples=None, mean: bool = False
) -> int:
    """Numbers sent between sites, aggregator and noise generator for one fit ([Fact] section IV).

    What the scheme sends of d² numbers (3Sd² for "cape", Sd² for "conventional"); SdR for "dpdispca"; where a
    curator sees the records, the records themselves, Σ n_s d. `samples` is n_s: one number, or one for each site. With
    `mean` the d numbers of a private mean are sent too, see `fit_about_mean`.

    Examples
    --------
    The scheme without agreement sends a third:

    >>> [communication(name, sites=10, width=5) for name in ("cape", "conventional")]
    [750, 250]
    """
    check.choice("method", method, METHODS)
    if method == "dpdispca":
        return sites * width * check.integer("rank", rank, low=1)
    if not named(method).curator:
        return sites * named(method).sends.numbers(width**2 + width * mean)
    each = [samples] * sites if np.ndim(samples) == 0 else samples
    return sum(check.integer("samples", n, low=1) for n in each) * width


def _rank_limited(message, rank, order):
    """P Pᵀ with P = U_R |Λ_R|^{1/2}, what the aggregator makes of a site's partial square root."""
    vectors, values = top_eigenvectors(message, rank, order=order)
    values = np.abs(values) if order == "magnitude" else np.maximum(values, 0)
    return (vectors.T * values) @ vectors


def _same_width(sites):
    arrays = [check.numeric(f"records of site {s}", x).astype(float, copy=False) for s, x in enumerate(sites)]
    if not arrays:
        raise ValueError("sites must be at least one, got none")
    for s, x in enumerate(arrays):
        if x.ndim != 2 or len(x) == 0:
            raise ValueError(
                f"records of site {s} must be a table with at least one row, got shape {x.shape}"
            )
    if len({x.shape[1] for x in arrays}) > 1:
        raise ValueError(f"sites must have records of one width, got {[x.shape[1] for x in arrays]}")
    return arrays


def _records(x, site, bound):
    check.finite(f"records of site {site}", x)
    if bound is not None:
        norms = np.sqrt(np.einsum("nd,nd->n", x, x))
        if (worst := norms.max()) > bound * (1 + 1e-9):
            raise ValueError(
                f"records of site {site} must have norm at most {bound}, got {worst:.6g} in record "
                f"{norms.argmax()}; clip them to the public bound first"
            )
    return x.T @ x / len(x)

"""Private tensor decomposition: noisy power iterations, [Power] Algorithm 3, and noise on the whole tensor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import check, tensors
from core.power.calibration import (
    Accounting,
    Neighbours,
    StepCalibration,
    accounting,
    entry_std,
    sensitivities,
)
from core.power.implicit_tensors import Sum, symmetric_noise, width
from core.privacy import Calibration, Form, Privacy, gaussian_mu
from core.schemes import PRIVATE, average_std
from core.tensors import Eigenpairs, symmetric


@dataclass(frozen=True)
class PrivatePairs(Eigenpairs):
    """Eigenpairs in the order of their release, with the privacy cost.

    Attributes
    ----------
    accounting : Accounting
        K, μ and the relation between neighbours; `accounting.epsilon(delta)` is the true ε. It covers `paths`, too:
        their vectors are among the releases, or made from the noisy tensor.
    """

    accounting: Accounting


@check.arguments(tensor=check.tensor)
def private(
    tensor,
    k: int,
    *,
    privacy: Privacy,
    rng: np.random.Generator,
    neighbours: Neighbours = "entry",
    calibration: StepCalibration = "exact",
    restarts: int = 3,
    iterations: int = 6,
    record: float | None = None,
    symmetrise: bool = False,
) -> PrivatePairs:
    """Noise-calibrated power iteration, [Power] Algorithm 3.

    Every T(I,u,u) is released with noise of standard deviation Δ1(u)/μ_step on each coordinate, every T(u,u,u) with
    Δ2(u)/μ_step; start, normalisation, choice of the best restart and deflation use released numbers alone.

    Parameters
    ----------
    tensor : array of shape (d, d, d), or object with `d` and `power`
        E.g. `ComponentTensor`, or a moment of records (`core.moments`), of which d³ numbers are never formed.
    k : int
        Components, 1 ≤ k ≤ d.
    privacy : Privacy
        The privacy target (ε, δ) of all K = k L (R + 1) releases together.
    neighbours : {"entry", "published", "record"}
        What is protected; see `core.power.calibration`. "entry" and "published" protect one entry of the tensor.
    calibration : {"exact", "zcdp", "theorem", "published"}
        How the noise is chosen; see `accounting`. "published" is the noise as printed: for an entry too it takes
        the six-term bounds 6 ‖u‖²_∞ and 6 ‖u‖³_∞ of Δ.
    restarts, iterations : int
        L and R.
    record : float
        Frobenius sensitivity of the moment when a record is replaced (`core.moments.sensitivities.third`); for
        neighbours="record".
    symmetrise : bool
        Symmetrise an array that is not symmetric instead of refusing it.

    Raises
    ------
    ValueError
        If the tensor is not symmetric, k > d, L < 1, R < 1, or `record` is missing.
    """
    tensor = symmetric(tensor, symmetrise=symmetrise)
    d = width(tensor)
    k = check.integer("k", k, low=1, high=d)
    restarts = check.integer("restarts", restarts, low=1)
    iterations = check.integer("iterations", iterations, low=1)
    costs = accounting(
        privacy,
        k * restarts * (iterations + 1),
        neighbours=neighbours,
        calibration=calibration,
        values=k * restarts,
    )
    form: Form = "published" if calibration == "published" else "exact"
    made_for: Neighbours = "published" if neighbours == "entry" and form == "published" else neighbours

    def noise_stds(u):
        return (
            s / costs.step_mu for s in sensitivities.trusted(u, neighbours=made_for, form=form, record=record)
        )

    values, vectors, paths = np.zeros(k), np.zeros((k, d)), []
    for i in range(k):
        u = _unit(rng.standard_normal((restarts, d)))
        steps = [u]
        for _ in range(iterations):
            std, _ = noise_stds(u)
            image = _deflated(tensor, values[:i], vectors[:i], u)
            u = _unit(image + std[:, None] * rng.standard_normal(u.shape))
            steps.append(u)
        _, std = noise_stds(u)
        value = np.einsum("ld,ld->l", u, _deflated(tensor, values[:i], vectors[:i], u))
        value += std * rng.standard_normal(restarts)
        best = int(value.argmax())
        values[i], vectors[i] = value[best], u[best]
        paths.append(np.stack([rows[best] for rows in steps]))
    sign = np.where(values < 0, -1.0, 1.0)
    return PrivatePairs(sign * values, sign[:, None] * vectors, costs, paths=tuple(paths))


@check.arguments(tensor=check.tensor)
def perturbed(
    tensor,
    k: int,
    *,
    privacy: Privacy,
    rng: np.random.Generator,
    neighbours: Neighbours = "entry",
    calibration: Calibration = "exact",
    restarts: int = 10,
    iterations: int = 10,
    record: float | None = None,
    symmetrise: bool = False,
    scheme: str | None = None,
    sites: int | None = None,
) -> PrivatePairs:
    """Input perturbation: noise on the whole tensor once, then `core.tensors.robust` on it.

    It needs the d³ array, d ≤ 512. Parameters and errors as for `private`; restarts and iterations cost no privacy.
    calibration : {"exact", "published"}.

    Parameters
    ----------
    scheme : str, optional
        One of `core.schemes.PRIVATE`, under which equal sites release their tensors, whose sum is `tensor`. A message
        has the noise that one curator adds, of standard deviation τ. Their sum has as much under "cape" and "pooled",
        τ √S under "conventional", and τ S under "local": S times the noisy tensor of one site, which holds an equal share
        of the sum. μ is that of one message, or of the sum where that alone is seen. Default: one
        curator adds noise of standard deviation τ.
    sites : int, optional
        S ≥ 2, with a scheme.
    """
    tensor = symmetric(tensor, symmetrise=symmetrise)
    k = check.integer("k", k, low=1, high=width(tensor))
    accounting = Accounting(1, gaussian_mu(privacy, calibration=calibration), neighbours, calibration)
    std, distribution = entry_std(accounting.mu, neighbours=neighbours, record=record)
    if scheme is not None:
        check.choice("scheme", scheme, PRIVATE)
        sites = check.integer("sites", sites, low=2)
        std *= sites * average_std(scheme, np.ones(sites))
    noise = symmetric_noise(width(tensor), std, distribution=distribution, rng=rng, packed=True)
    noisy = Sum((tensor, noise))
    pairs = tensors.robust(noisy, k, restarts=restarts, iterations=iterations, rng=rng)
    return PrivatePairs(pairs.values, pairs.vectors, accounting, paths=pairs.paths)


def _deflated(tensor, values, vectors, u):
    """(T − Σ λ̂_j v̂_j⊗v̂_j⊗v̂_j)(I,u,u) by rows."""
    return tensors.power.trusted(tensor, u) - ((u @ vectors.T) ** 2 * values) @ vectors


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)

"""Calibration of private power iterations: neighbours, sensitivity of a step, composition of the steps.

A neighbour of a symmetric tensor is, by name,

* "entry": one symmetrised entry differs: every distinct position of {i, j, k} (1, 3 or 6 of them) by at most 1;
* "published": the six-term sum of [Power] Definition 4.2 taken literally, where e_i⊗e_i⊗e_i moves by 6;
* "record": the tensor is a moment of records, and one record is replaced.

The first two protect one *entry* of the tensor, not a person whose record moved many entries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.optimize import brentq

from core import check
from core.noise import Symmetric
from core.privacy import FORMS, Form, Privacy, gaussian_mu, gdp_delta, gdp_epsilon, gdp_mu

Neighbours = Literal["entry", "published", "record"]
NEIGHBOURS: tuple[Neighbours, ...] = get_args(Neighbours)
StepCalibration = Literal["exact", "zcdp", "theorem", "published"]
CALIBRATIONS: tuple[StepCalibration, ...] = get_args(StepCalibration)
_ENTRY, _SIX_TERMS = 2 * math.sqrt(3), 6.0  # Largest change of T(I,u,u), in units of ‖u‖²_∞.


@dataclass(frozen=True)
class Accounting:
    """Number and privacy cost of the releases of a private power method.

    Attributes
    ----------
    releases : int
        K, the number of noisy answers.
    step_mu : float
        μ of each; its noise has standard deviation Δ/μ.
    neighbours, calibration : str
        The relation it holds for, and the formula that chose the noise.
    moved : float
        Mean over the releases of the square of their sensitivity over the one that the noise is made for: 1, or less
        where the printed constants, made for the six-term sum, protect one entry.
    """

    releases: int
    step_mu: float
    neighbours: Neighbours
    calibration: StepCalibration
    moved: float = 1.0

    @property
    def mu(self) -> float:
        """μ of all releases together, μ_step √(K moved): exact, since Gaussian releases compose exactly."""
        return self.step_mu * math.sqrt(self.releases * self.moved)

    @check.arguments
    def epsilon(self, delta: float) -> float:
        """The true ε at this δ."""
        return gdp_epsilon(delta, self.mu)

    @check.arguments
    def delta(self, epsilon: float) -> float:
        """The true δ at this ε."""
        return float(gdp_delta(epsilon, self.mu))


@check.arguments
def accounting(
    privacy: Privacy,
    releases: int,
    *,
    neighbours: Neighbours = "entry",
    calibration: StepCalibration = "exact",
    values: int | None = None,
) -> Accounting:
    """Choose the noise of K equally private releases, so that together they are (ε, δ)-private.

    Parameters
    ----------
    privacy : Privacy
        The privacy target (ε, δ).
    releases : int
        K: [Power] Algorithm 3 makes k L (R + 1).
    calibration : {"exact", "zcdp", "theorem", "published"}
        "exact": μ(ε, δ)/√K, the least noise that suffices. "zcdp": concentrated privacy, ρ + 2√(ρ ln(1/δ)) = ε. "theorem":
        advanced composition as it is proved (Dwork & Roth, Theorem 3.20), ε = ε'√(2K ln(2/δ)) +
        Kε'(e^ε' − 1), of classical releases at δ' = δ/(2K). "published": the constants printed in
        [Power] Algorithm 3, ε' = ε/√(K(4 + ln(2/δ))), which that theorem does not give.
    values : int, optional
        How many of the releases are of T(u,u,u), k L in [Power] Algorithm 3. It matters for "published" and one
        "entry": the printed noise is made for 6 ‖u‖²_∞, and a T(I,u,u) moves by 2√3 ‖u‖²_∞ at most. Default:
        all, which is an upper bound of μ.
    """
    releases = check.integer("releases", releases, low=1)
    values = releases if values is None else check.integer("values", values, low=0, high=releases)
    moved = 1.0
    if calibration == "published" and neighbours == "entry":
        moved = (values + (releases - values) * (_ENTRY / _SIX_TERMS) ** 2) / releases
    return Accounting(releases, _STEP[calibration](privacy, releases), neighbours, calibration, moved)


def _exact(privacy, releases):
    return gdp_mu(privacy) / math.sqrt(releases)


def _zcdp(privacy, releases):
    log = math.log(1 / privacy.delta)
    rho = (privacy.epsilon / (math.sqrt(log + privacy.epsilon) + math.sqrt(log))) ** 2
    return math.sqrt(2 * rho / releases)


def _theorem(privacy, releases):
    spread = math.sqrt(2 * releases * math.log(2 / privacy.delta))

    def surplus(step):
        return step * spread + releases * step * math.expm1(step) - privacy.epsilon

    step = Privacy(brentq(surplus, 0.0, privacy.epsilon / spread, rtol=1e-14), privacy.delta / (2 * releases))
    # The classical formula holds up to ε' = 1 only.
    return min(gaussian_mu(step, calibration="published"), gdp_mu(step))


def _published(privacy, releases):
    epsilon = privacy.epsilon / math.sqrt(releases * (4 + math.log(2 / privacy.delta)))
    return gaussian_mu(Privacy(epsilon, privacy.delta / (2 * releases)), calibration="published")


_STEP = {"exact": _exact, "zcdp": _zcdp, "theorem": _theorem, "published": _published}


@check.arguments(vectors=check.bounded)
def sensitivities(
    vectors, *, neighbours: Neighbours = "entry", form: Form = "exact", record: float | None = None
):
    """Largest change of T(I,u,u) and of T(u,u,u) between neighbouring tensors, for every row u.

    Parameters
    ----------
    vectors : array of shape (L, d)
        Public vectors u.
    neighbours : {"entry", "published", "record"}
    form : {"exact", "published"}
        "exact": the supremum at this u, from its three largest entries a ≥ b ≥ c in absolute value.
        "published": its bound by ‖u‖_∞ as in [Power] Theorem 4.1: 2√3 ‖u‖²_∞ and 6 ‖u‖³_∞ for "entry",
        6 ‖u‖²_∞ and 6 ‖u‖³_∞ for "published".
    record : float
        For "record": Frobenius sensitivity of the moment, e.g. 2/n for (1/n) Σ x⊗x⊗x with ‖x‖ ≤ 1. At a unit
        vector u it bounds both changes, and is attained (x = u, x' = −u).

    Returns
    -------
    vector, value : ndarrays of shape (L,)
    """
    check.choice("neighbours", neighbours, NEIGHBOURS)
    check.choice("form", form, FORMS)
    vectors = np.atleast_2d(np.asarray(vectors, dtype=float))
    if neighbours == "record":
        lengths = np.linalg.norm(vectors, axis=1)
        record = check.positive("record", record)
        return record * lengths**2, record * lengths**3
    a, b, c = _largest(np.abs(vectors))
    if form == "published":
        return (_SIX_TERMS if neighbours == "published" else _ENTRY) * a**2, 6 * a**3
    apart = 2 * np.sqrt((a * b) ** 2 + (a * c) ** 2 + (b * c) ** 2)
    pair = np.sqrt(4 * (a * b) ** 2 + a**4)
    if neighbours == "published":
        return np.maximum(apart, np.maximum(2 * pair, 6 * a**2)), 6 * a**3
    return np.maximum(apart, pair), np.maximum(6 * a * b * c, np.maximum(3 * a**2 * b, a**3))


@check.arguments(mu=check.sized)
def entry_std(
    mu: float, *, neighbours: Neighbours = "entry", record: float | None = None
) -> tuple[float, Symmetric]:
    """Noise that makes a whole tensor μ-private: its standard deviation, and its distribution in `core.noise`.

    "entry" moves every distinct entry by at most 1: copied noise of that sensitivity. "published" moves the
    array by at most 6 in Frobenius norm (e_i⊗e_i⊗e_i), "record" by `record`: i.i.d. noise, symmetrised.
    """
    check.choice("neighbours", neighbours, NEIGHBOURS)
    check.positive("mu", mu)
    if neighbours == "entry":
        return 1 / mu, "copied"
    return (6.0 if neighbours == "published" else check.positive("record", record)) / mu, "symmetrised"


def _largest(sizes):
    """The three largest of each row, falling; zeros where a row has fewer."""
    if sizes.shape[1] < 3:
        sizes = np.pad(sizes, ((0, 0), (0, 3 - sizes.shape[1])))
    top = -np.sort(-np.partition(sizes, -3, axis=1)[:, -3:], axis=1)
    return top.T

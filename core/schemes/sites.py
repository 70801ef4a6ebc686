"""The sites of a release: how large each is, what it may change, and how much noise its privacy target needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from core import check
from core.privacy import CALIBRATIONS, Calibration, Privacy, gaussian_mu
from core.schemes.noise_design import NoiseDesign, design, in_range

Adversary = Literal["message", "aggregator", "colluders"]
ADVERSARIES: tuple[Adversary, ...] = get_args(Adversary)


@dataclass(frozen=True)
class Sites:
    """Some of the sites: their numbers, and what `core.schemes.release` knows of each.

    Attributes
    ----------
    numbers : ndarray of shape (S,)
        Numbers of the sites, among all that were asked.
    statistics : list of S arrays
    sensitivities : ndarray of shape (S,)
        Δ_s: the true ones, from which every μ follows.
    assumed : ndarray of shape (S,)
        What the noise is calibrated for: the true sensitivities, but for published forms.
    weights : ndarray of shape (S,)
        w_s of the average; they sum to one.
    demands : tuple of S Privacy, or None
        The privacy targets; None without privacy.
    std : ndarray of shape (S,)
        τ_s that the privacy target needs of a message seen alone; zero without privacy.
    """

    numbers: np.ndarray
    statistics: list[np.ndarray]
    sensitivities: np.ndarray
    assumed: np.ndarray
    weights: np.ndarray
    demands: tuple[Privacy, ...] | None
    std: np.ndarray

    def only(self, kept: np.ndarray) -> Sites:
        """The sites that a boolean array of shape (S,) marks, weights renormalised."""
        if kept.all():
            return self
        chosen = np.flatnonzero(kept)
        return Sites(
            self.numbers[chosen],
            [self.statistics[s] for s in chosen],
            self.sensitivities[chosen],
            self.assumed[chosen],
            self.weights[chosen] / self.weights[chosen].sum(),
            None if self.demands is None else tuple(self.demands[s] for s in chosen),
            self.std[chosen],
        )

    @property
    def changes(self) -> np.ndarray:
        """w_s Δ_s, by which one record of each site moves the average: shape (S,)."""
        return self.weights * self.sensitivities

    @property
    def message_mu(self) -> float:
        """max Δ_s/τ_s, μ of the worst site's message alone."""
        return float((self.sensitivities / self.std).max())

    def design(self, against: Adversary, colluding: int) -> NoiseDesign:
        """CAPE's noise design for these sites, held against a view (`calibrated`)."""
        if len(self.numbers) < 2:
            raise ValueError("absent must leave at least 2 sites for zero-sum noise, got 1")
        std = calibrated.trusted(self.std, self.assumed, self.weights, against=against, colluding=colluding)
        return design(std, self.weights)

    def facts(self) -> dict:
        """What a Release says about the sites."""
        return {
            "privacy": self.demands,
            "sites": tuple(self.numbers.tolist()),
            "sensitivities": self.sensitivities,
        }


def message_std(
    sensitivity, privacy, *, calibration: Calibration = "exact"
) -> tuple[tuple[Privacy, ...], np.ndarray]:
    """The demands, one per site, and τ_s that each site's message needs when seen alone.

    `sensitivity` is an array of shape (S,), `privacy` one demand for all or one per site.
    """
    check.choice("calibration", calibration, CALIBRATIONS)
    sites = len(sensitivity)
    demands = (
        (privacy,) * sites if isinstance(privacy, Privacy) else tuple(() if privacy is None else privacy)
    )
    if len(demands) != sites or not all(isinstance(p, Privacy) for p in demands):
        raise ValueError(f"privacy must be a Privacy, or one for each of the {sites} sites, got {privacy!r}")
    std = sensitivity / np.array([gaussian_mu.trusted(p, calibration=calibration) for p in demands])
    in_range("message noise", std)
    return demands, std


@check.arguments(std=check.positives, sensitivities=check.positives)
def calibrated(
    std, sensitivities, weights=None, *, against: Adversary = "message", colluding: int = 0
) -> np.ndarray:
    """Scale τ_s so that under CAPE the demand met by each message alone holds against a stronger view.

    Equal sites: τ = Δ √leakage(S, S_C) / μ. Otherwise each site's τ_s is moved until its own leakage is its
    own demand; where moving all by the worst site's factor leaves less noise in the average, that is done.
    """
    check.choice("against", against, ADVERSARIES)
    if against == "message":
        return std
    colluding = colluding if against == "colluders" else 0
    budget = sensitivities / std

    def shortage(trial):
        return np.sqrt(design(trial, weights).leakage(sensitivities, colluding)) / budget

    def average_noise(trial):
        return design(trial, weights).target

    together = std * max(1.0, shortage(std).max())
    apart = together
    for _ in range(50):
        factor = shortage(apart)
        if np.abs(factor - 1).max() < 1e-9:
            break
        apart = apart * factor**0.85
    # Whatever the iteration left undone is made good, so that no demand is missed.
    apart = apart * max(1.0, shortage(apart).max())
    return min((together, apart), key=average_noise)

"""The sites of a release: weights, sensitivities, privacy targets, and the noise that each message needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from core import check
from core.privacy import CALIBRATIONS, Calibration, Privacy, gaussian_mu
from core.schemes.held import Held
from core.schemes.noise_design import NoiseDesign, design, in_range

Adversary = Literal["message", "aggregator", "colluders"]
ADVERSARIES: tuple[Adversary, ...] = get_args(Adversary)


@dataclass(frozen=True)
class Sites:
    """A group of sites and what `core.schemes.release` knows about each.

    Attributes
    ----------
    numbers : ndarray of shape (S,)
        Numbers of the sites, among all that were asked.
    statistics : Held
        S arrays.
    sensitivities : ndarray of shape (S,)
        Δ_s: the true ones, from which every μ follows.
    assumed : ndarray of shape (S,)
        Sensitivities that the noise is calibrated for; they differ from the true ones for published forms.
    weights : ndarray of shape (S,)
        w_s of the average; they sum to one.
    targets : tuple of S Privacy, or None
        The privacy targets; None without privacy.
    std : ndarray of shape (S,)
        τ_s, the noise that the privacy target requires of a message seen alone; zero without privacy.
    """

    numbers: np.ndarray
    statistics: Held
    sensitivities: np.ndarray
    assumed: np.ndarray
    weights: np.ndarray
    targets: tuple[Privacy, ...] | None
    std: np.ndarray

    def only(self, kept: np.ndarray) -> Sites:
        """The sites that a boolean array of shape (S,) selects, with renormalised weights."""
        if kept.all():
            return self
        chosen = np.flatnonzero(kept)
        return Sites(
            self.numbers[chosen],
            self.statistics.only(chosen),
            self.sensitivities[chosen],
            self.assumed[chosen],
            self.weights[chosen] / self.weights[chosen].sum(),
            None if self.targets is None else tuple(self.targets[s] for s in chosen),
            self.std[chosen],
        )

    @property
    def changes(self) -> np.ndarray:
        """w_s Δ_s, the largest change of the average when one record of site s is replaced: shape (S,)."""
        return self.weights * self.sensitivities

    @property
    def message_mu(self) -> float:
        """max Δ_s/τ_s, μ of the worst site's message alone."""
        return float((self.sensitivities / self.std).max())

    def design(self, against: Adversary, colluding: int) -> NoiseDesign:
        """CAPE's noise design for these sites, calibrated against an adversary (see `calibrated`)."""
        if len(self.numbers) < 2:
            raise ValueError("absent must leave at least 2 sites for zero-sum noise, got 1")
        std = calibrated.trusted(self.std, self.assumed, self.weights, against=against, colluding=colluding)
        return design(std, self.weights)

    def facts(self) -> dict:
        """The fields of `core.schemes.Release` that describe the sites."""
        return {
            "privacy": self.targets,
            "sites": tuple(self.numbers.tolist()),
            "sensitivities": self.sensitivities,
        }


def message_std(
    sensitivity, privacy, *, calibration: Calibration = "exact"
) -> tuple[tuple[Privacy, ...], np.ndarray]:
    """Privacy targets, one per site, and the noise τ_s that each site's message needs when seen alone.

    `sensitivity` is an array of shape (S,), `privacy` one target for all sites or one per site.
    """
    check.choice("calibration", calibration, CALIBRATIONS)
    sites = len(sensitivity)
    targets = (
        (privacy,) * sites if isinstance(privacy, Privacy) else tuple(() if privacy is None else privacy)
    )
    if len(targets) != sites or not all(isinstance(p, Privacy) for p in targets):
        raise ValueError(f"privacy must be a Privacy, or one for each of the {sites} sites, got {privacy!r}")
    std = sensitivity / np.array([gaussian_mu.trusted(p, calibration=calibration) for p in targets])
    in_range("message noise", std)
    return targets, std


@check.arguments(std=check.positives, sensitivities=check.positives)
def calibrated(
    std, sensitivities, weights=None, *, against: Adversary = "message", colluding: int = 0
) -> np.ndarray:
    """Increase τ_s so that under CAPE every site's privacy target also holds against a stronger adversary.

    Equal sites: τ = Δ √leakage(S, S_C) / μ. Otherwise an iteration adjusts each τ_s until the leakage of site s
    equals its own target. If scaling all τ_s by the worst site's factor gives a less noisy average, that is used.
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
    # A final common factor covers what the iteration left, so that no target is missed.
    apart = apart * max(1.0, shortage(apart).max())
    return min((together, apart), key=average_noise)

"""The sites of a release: weights, sensitivities, privacy targets, and the noise that each message needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import check
from core.privacy import CALIBRATIONS, Calibration, Privacy, gaussian_mu
from core.schemes.amplitude import design
from core.schemes.held import Held
from core.schemes.noise_design import NoiseDesign, in_range
from core.schemes.terms import Terms


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
    def mus(self) -> np.ndarray:
        """μ_s = Δ_s/τ_s that each site's target allows, for the assumed sensitivities: shape (S,)."""
        return self.assumed / self.std

    @property
    def message_mu(self) -> float:
        """max Δ_s/τ_s, μ of the worst site's message alone."""
        return float((self.sensitivities / self.std).max())

    def design(self, terms: Terms) -> NoiseDesign:
        """CAPE's noise design for these sites on the terms of a release; see `core.schemes.amplitude.design`."""
        if len(self.numbers) < 2:
            raise ValueError("absent must leave at least 2 sites for zero-sum noise, got 1")
        return design(
            self.std,
            self.weights,
            amplitude=terms.amplitude,
            against=terms.against,
            colluding=terms.colluding,
            dropouts=terms.dropouts,
        )

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
    mus = {p: gaussian_mu.trusted(p, calibration=calibration) for p in set(targets)}
    std = sensitivity / np.array([mus[p] for p in targets])
    in_range("message noise", std)
    return targets, std

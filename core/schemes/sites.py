"""The sites of a release: statistics, weights, sensitivities, privacy targets, and the noise that each message needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from core import check
from core.discrete.grid import Grid
from core.privacy import CALIBRATIONS, Calibration, Privacy, gaussian_mu
from core.schemes.noise_design import in_range


class Held(Sequence):
    """One statistic for each of S ≥ 2 sites: finite arrays of one shape, which must not change any more.

    What a release needs to know of them besides the noise, their sizes, symmetry and average, is computed once.

    Parameters
    ----------
    statistics : array of shape (S, ...) or sequence of S arrays

    Attributes
    ----------
    shape : tuple of int
        Of one statistic.

    Raises
    ------
    ValueError
        For fewer than two sites, shapes that differ, or an entry that is not finite.
    """

    def __init__(self, statistics: Sequence | np.ndarray):
        arrays = [
            check.finite(f"statistics of site {s}", f).astype(float, copy=False)
            for s, f in enumerate(check.sequence("statistics", statistics))
        ]
        if len(arrays) < 2:
            raise ValueError(f"statistics must come from at least 2 sites, got {len(arrays)}")
        shapes = {a.shape for a in arrays}
        if len(shapes) > 1:
            raise ValueError(f"statistics must have one shape at all sites, got {sorted(shapes)}")
        self._take(arrays)

    @classmethod
    def trusted(cls, arrays: Sequence[np.ndarray] | np.ndarray) -> Held:
        """Float arrays, or one of shape (S, ...), that are known to be finite and of one shape."""
        held = cls.__new__(cls)
        held._take(arrays)
        return held

    def _take(self, arrays):
        self._arrays = arrays
        self.shape = arrays[0].shape
        self._averages: dict[bytes, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, site):
        return self._arrays[site]

    def only(self, chosen: Iterable[int] | np.ndarray) -> Held:
        """Those of some of the sites."""
        return Held.trusted([self._arrays[s] for s in chosen])

    @cached_property
    def largest(self) -> np.ndarray:
        """The largest absolute value of an entry at each site, shape (S,)."""
        if isinstance(self._arrays, np.ndarray) and self._arrays.size:
            return np.abs(self._arrays.reshape(len(self), -1)).max(axis=1)
        return np.array([np.abs(a).max(initial=0.0) for a in self._arrays])

    @cached_property
    def asymmetric(self) -> int | None:
        """The first site whose statistic is not symmetric in all its axes, to rounding; None for no site."""
        axes = range(len(self.shape) - 1)
        for site, array in enumerate(self._arrays):
            for turned in (array.swapaxes(axis, axis + 1) for axis in axes):
                # Usually equal to the last digit; sums in another order differ by rounding.
                if (
                    np.array_equal(array, turned)
                    or np.abs(array - turned).max() <= 1e-9 * np.abs(array).max()
                ):
                    continue
                return site
        return None

    def average(self, weights: np.ndarray) -> np.ndarray:
        """Σ w_s f_s, kept for the latest weights; not to be changed in place."""
        key = np.asarray(weights).tobytes()
        if key not in self._averages:
            if isinstance(self._arrays, np.ndarray):
                total = (weights @ self._arrays.reshape(len(self), -1)).reshape(self.shape)
            else:
                total = sum([w * f for w, f in zip(weights, self._arrays, strict=True)])
            self._averages = {key: np.asarray(total)}
        return self._averages[key]


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
    exact : ndarray of shape (S,)
        τ_s, the noise that the privacy target requires of a message seen alone, in exact arithmetic; zero without privacy.
    grid : Grid or None
        Of exact discrete noise.
    """

    numbers: np.ndarray
    statistics: Held
    sensitivities: np.ndarray
    assumed: np.ndarray
    weights: np.ndarray
    targets: tuple[Privacy, ...] | None
    exact: np.ndarray
    grid: Grid | None = None

    @property
    def mus(self) -> np.ndarray:
        """μ_s = Δ_s/τ_s that each site's target allows, for the assumed sensitivities: shape (S,)."""
        return self.assumed / self.exact

    @cached_property
    def std(self) -> np.ndarray:
        """τ_s of each message, shape (S,). On a grid a whole number of steps of the weighted message."""
        if self.grid is None:
            return self.exact
        return self.grid.stds(self.weights * self.assumed, self.mus) * self.grid.step / self.weights

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
            self.exact[chosen],
        )

    def planned(self, grid: Grid | None = None) -> Sites:
        """The same sites as a scheme chooses noise by them: without statistics, in whole steps if there is a grid."""
        return replace(self, statistics=Held.trusted([np.zeros(0)] * len(self.numbers)), grid=grid)

    def share(self, parts: int = 1) -> float:
        """Noise of each of so many equal parts that together meet every site's target, in units of the average."""
        if self.grid is None:
            return float((self.weights * self.std).max()) / math.sqrt(parts)
        return (
            float(self.grid.stds(self.weights * self.assumed, self.mus, parts=parts).max()) * self.grid.step
        )

    def facts(self) -> dict:
        """The fields of `core.schemes.Release` that describe the sites."""
        return {
            "privacy": self.targets,
            "sites": tuple(self.numbers.tolist()),
            "sensitivities": self.sensitivities,
        }


def sites_of(std: np.ndarray, weights: np.ndarray) -> Sites:
    """Sites whose messages need noise τ_s = `std` when seen alone, each with a μ of 1 and an empty statistic."""
    nothing = Held.trusted([np.zeros(0)] * len(std))
    return Sites(np.arange(len(std)), nothing, std, std, weights, None, std)


def message_std(
    sensitivity, privacy, *, calibration: Calibration = "exact"
) -> tuple[tuple[Privacy, ...], np.ndarray]:
    """Privacy targets, one per site, and the noise τ_s that each site's message needs when seen alone.

    `sensitivity` is an array of shape (S,), `privacy` one target for all sites or one per site.

    Examples
    --------
    Two sites whose records move their statistic by 0.01 and 0.02:

    >>> targets, std = message_std(np.array([0.01, 0.02]), Privacy(1.0, 1e-5))
    >>> len(targets), std.round(4).tolist()
    (2, [0.0373, 0.0746])
    """
    check.choice("calibration", calibration, CALIBRATIONS)
    sites = len(sensitivity)
    one = isinstance(privacy, Privacy)
    targets = (privacy,) * sites if one else tuple(() if privacy is None else privacy)
    if not one and (len(targets) != sites or not all(isinstance(p, Privacy) for p in targets)):
        raise ValueError(f"privacy must be a Privacy, or one for each of the {sites} sites, got {privacy!r}")
    if one:
        std = sensitivity / np.full(sites, gaussian_mu.trusted(privacy, calibration=calibration))
    else:
        mus = {p: gaussian_mu.trusted(p, calibration=calibration) for p in set(targets)}
        std = sensitivity / np.array([mus[p] for p in targets])
    in_range("message noise", std)
    return targets, std

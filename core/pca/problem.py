"""Private PCA as a problem for `core.sweep`: about a public constant or a private mean, judged by energy, detail or
variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from core import check
from core.hashed import hashed
from core.moments.whitening import Order
from core.pca.private_mean import SHARE, about_mean, checked_share, joint_sensitivity
from core.pca.second_moment import METHODS, PCA, Noise, captured_energy, fit, second_moments, sensitivity
from core.privacy import Calibration, Form
from core.schemes import Held, planned

Centre = Literal["public", "mean"]
CENTRES: tuple[Centre, ...] = get_args(Centre)
Measure = Literal["energy", "detail", "variance"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True)
class Moments:
    """Values that a sweep computes once per data set.

    Attributes
    ----------
    second : ndarray of shape (S, d, d)
        Second moments of the sites.
    samples : ndarray of shape (S,)
        n_s.
    truth : ndarray of shape (d, d)
        The A that measures energy.
    means : ndarray of shape (S, d), optional
        Means of the sites, where the problem asks for them.
    covariance : ndarray of shape (d, d), optional
        What measures variance, likewise.
    """

    second: np.ndarray
    samples: np.ndarray
    truth: np.ndarray
    means: Any = None
    covariance: Any = None

    @cached_property
    def held(self) -> Held:
        """The second moments, checked for release once."""
        return Held(self.second)

    @cached_property
    def energies(self) -> np.ndarray:
        """The largest energy of k components, for k = 1, …, d."""
        return np.cumsum(np.linalg.eigvalsh(self.truth)[::-1])

    @cached_property
    def most(self) -> np.ndarray:
        """The largest variance of k components, for k = 1, …, d."""
        return np.cumsum(np.linalg.eigvalsh(self.covariance)[::-1])


@hashed
@check.arguments
@dataclass(frozen=True)
class Problem:
    """Private PCA as a problem for `core.sweep`.

    The average is over all records: sites of unequal size count by their share n_s/N.

    Attributes
    ----------
    load : callable
        Maps the settings named in `data_settings` to (sites, truth): a list of record arrays, and the A
        of shape (d, d) to measure energy in, or None for the pooled sample's own. Must pickle. A distribution
        whose A is given must have mean zero for its variance to be measured.
    data_settings : tuple of str
        Settings that `load` depends on.
    sensitivity_form, calibration, order, noise, bound
        As in `fit`.
    measure : {"energy", "detail", "variance"}
        The figure of a run: tr(V̂ A V̂ᵀ); how far that is above λ₁, which the best single component has, as a share of
        what the best k ≥ 2 components have above it (below 0 where it is less than λ₁); or tr(V̂ C V̂ᵀ) as a share of
        the most that k components have of the covariance C, whatever is released.
    centre : {"public", "mean"}
        What the components are about: the records as they are, centred at a public constant or not at all; or their
        mean, released with the second moment, see `fit_about_mean`.
    share : float
        Of the budget, for the mean.

    Raises
    ------
    ValueError
        If published conventions, discrete noise or another bound than 1 are asked for about a private mean.
    """

    load: Callable[[Mapping], tuple[Sequence[np.ndarray], np.ndarray | None]]
    data_settings: tuple[str, ...] = ("sites", "samples", "data_seed")
    sensitivity_form: Form = "exact"
    calibration: Calibration = "exact"
    order: Order = "signed"
    noise: Noise = "symmetrised"
    bound: float | None = 1.0
    measure: Measure = "energy"
    centre: Centre = "public"
    share: float = SHARE

    methods = METHODS

    def __post_init__(self):
        check.choice("measure", self.measure, MEASURES)
        check.choice("centre", self.centre, CENTRES)
        checked_share(self.share)
        plain = self.sensitivity_form == "exact" and self.noise == "symmetrised" and self.bound == 1.0
        if self.centre == "mean" and not plain:
            raise ValueError(
                "centre must be 'public' for published sensitivity, other noise or another bound, got 'mean'"
            )

    @check.arguments
    def statistics(self, settings: Mapping) -> Moments:
        """Second moments of the settings' data."""
        sites, truth = self.load(settings)
        moments = second_moments(sites, bound=self.bound)
        samples = np.array([len(x) for x in sites])
        weights = samples / samples.sum()
        pooled = np.tensordot(weights, moments, axes=1) if truth is None else truth
        if self.measure != "variance" and self.centre == "public":
            return Moments(moments, samples, pooled)
        means = np.stack([np.asarray(x).mean(axis=0) for x in sites])
        mean = weights @ means if truth is None else np.zeros(len(pooled))
        return Moments(moments, samples, pooled, means, pooled - np.outer(mean, mean))

    @check.arguments(samples=check.sized, bound=check.sized)
    def sensitivity(self, settings: Mapping):
        """Sensitivity of what one site releases; an array of shape (S,) if "samples" lists every n_s."""
        samples = check.setting(settings, "samples")
        if self.centre == "mean":
            return joint_sensitivity(samples, share=self.share)
        return sensitivity(samples, form=self.sensitivity_form, bound=self.bound or 1.0)

    @check.arguments(samples=check.optional(check.positives), sites=check.sequence, bound=check.sized)
    def fit(self, statistics: Moments, scheme: str, privacy, rng, settings: Mapping, **options) -> PCA:
        """Fit at the settings' k, on the terms that they name (see `core.schemes.planned`)."""
        n = statistics.samples
        # Equal sizes keep the plain 1/S, whose rounding n_s/N would change.
        weights = None if (n == n[0]).all() else n / n.sum()
        options = {
            "scheme": scheme,
            "privacy": privacy,
            "rng": rng,
            "samples": n,
            "weights": weights,
            **options,
        }
        options = (
            planned(settings, n, scheme) | {"calibration": self.calibration, "order": self.order} | options
        )
        k = check.setting(settings, "k")
        if self.centre == "mean":
            return about_mean(statistics.second, statistics.means, k, share=self.share, **options)
        about: dict[str, Any] = {
            "sensitivity_form": self.sensitivity_form,
            "noise": self.noise,
            "bound": self.bound or 1.0,
        }
        return fit(statistics.held, k, trusted=True, **about, **options)

    @check.arguments
    def estimate(self, statistics: Moments, scheme: str, privacy, rng, settings: Mapping) -> dict[str, float]:
        """The `measure` of one fit."""
        components = self.fit(statistics, scheme, privacy, rng, settings).components
        return {self.measure: self.judged(statistics, components)}

    @check.arguments(components=check.matrix)
    def judged(self, statistics: Moments, components: np.ndarray) -> float:
        """The `measure` of orthonormal components, rows: a diagnostic, not private.

        Raises
        ------
        ValueError
            For the detail of a single component.
        """
        if self.measure != "variance":
            energy = captured_energy(components, statistics.truth)
            return (
                energy
                if self.measure == "energy"
                else _detail(energy, statistics.energies[: len(components)])
            )
        return captured_energy(components, statistics.covariance) / float(
            statistics.most[len(components) - 1]
        )


def _detail(energy, most):
    if len(most) < 2:
        raise ValueError("k must be at least 2 where detail is measured, got 1")
    beyond = float(most[-1] - most[0])
    return (energy - float(most[0])) / beyond if beyond > 0 else math.nan
